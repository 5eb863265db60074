/* A pod of the shape that the operator renders, and the claim of its data. */
#ifndef TESTS_WORLD_SEI_POD_H
#define TESTS_WORLD_SEI_POD_H

/* clang-format off */
static const char sei_pod[] =
    "{apiVersion: 'v1', kind: 'Pod',"
    " metadata: {name: 'rpc-0-0', namespace: 'sei', uid: 'pod-1', generation: 1,"
    "            labels: {'sei.io/node': 'rpc-0'}},"
    " spec: {restartPolicy: 'Always', terminationGracePeriodSeconds: 30,"
    "  volumes: [{name: 'data', persistentVolumeClaim: {claimName: 'data-rpc-0'}}],"
    "  initContainers: ["
    "   {name: 'seid-init', image: 'seid:v6.4.1'},"
    "   {name: 'sei-sidecar', image: 'seictl:v0.0.70', restartPolicy: 'Always',"
    "    env: [{name: 'SEI_CHAIN_ID', value: 'pacific-1'}]},"
    "   {name: 'kube-rbac-proxy', image: 'kube-rbac-proxy:v0.19.1', restartPolicy: 'Always',"
    "    args: ['--insecure-listen-address=0.0.0.0:8443',"
    "           '--ignore-paths=/v0/healthz,/v0/startupz,/v0/livez,/v0/metrics'],"
    "    ports: [{name: 'api', containerPort: 8443}],"
    "    startupProbe: {tcpSocket: {port: 8443}, initialDelaySeconds: 5, periodSeconds: 5, failureThreshold: 60},"
    "    livenessProbe: {httpGet: {path: '/v0/livez', port: 8443}, initialDelaySeconds: 5, periodSeconds: 10, failureThreshold: 3},"
    "    readinessProbe: {httpGet: {path: '/v0/healthz', port: 8443}, initialDelaySeconds: 2, periodSeconds: 5, failureThreshold: 6}}],"
    "  containers: ["
    "   {name: 'seid', image: 'seid:v6.4.1',"
    "    startupProbe: {httpGet: {path: '/v0/healthz', port: 8443}, initialDelaySeconds: 5, periodSeconds: 5, failureThreshold: 86400},"
    "    readinessProbe: {httpGet: {path: '/lag_status', port: 26657}, initialDelaySeconds: 30, periodSeconds: 10, failureThreshold: 3}},"
    "   {name: 'cosmos-exporter', image: 'exporter:v1',"
    "    readinessProbe: {tcpSocket: {port: 9300}, periodSeconds: 10, failureThreshold: 6}}]}}";

static const char sei_claim[] =
    "{apiVersion: 'v1', kind: 'PersistentVolumeClaim',"
    " metadata: {name: 'data-rpc-0', namespace: 'sei', uid: 'claim-1'},"
    " spec: {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}},"
    " status: {phase: 'Bound'}}";
/* clang-format on */

#endif
