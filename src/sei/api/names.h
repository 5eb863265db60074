/* Names: the words that stand in other people's clusters. Labels, annotations, managers and object
 * names are API: none of them ever changes, and none is spelt anywhere else. */
#ifndef SEI_API_NAMES_H
#define SEI_API_NAMES_H

#include "base/arena.h"
#include "kube/key.h"

#include <stdbool.h>

#define NODE_MANAGER     "seinode-controller" /* field manager, and reportingController of events */
#define NODE_CONTROLLER  "seinode"            /* in metrics */
#define NODE_FINALIZER   "sei.io/seinode-finalizer"
#define FLEET_MANAGER    "seinodedeployment-controller" /* the same of fleets */
#define FLEET_CONTROLLER "seinodedeployment"
#define FLEET_FINALIZER  "sei.io/seinodedeployment-finalizer"
#define P2P_MANAGER      "nodedeployment-controller-p2p-endpoint" /* of the P2P Services of fleets */
#define LEASE_NAME       "bc1f5b0a.sei.io"
#define SIDECAR_ACCOUNT  "sei-sidecar-client" /* ServiceAccount of deploy/rbac, for tokens */

/* Labels. */
#define LABEL_NODE      "sei.io/node"
#define LABEL_CHAIN     "sei.io/chain"
#define LABEL_ROLE      "sei.io/role"
#define LABEL_COMPONENT "sei.io/component"
#define LABEL_FLEET     "sei.io/nodedeployment"
#define LABEL_REVISION  "controller-revision-hash"

/* Labels of the nodes of a fleet. The revision is the generation that a node was last rolled to. */
#define LABEL_FLEET_ORDINAL  "sei.io/nodedeployment-ordinal"
#define LABEL_FLEET_REVISION "sei.io/revision"

/* Annotations of a SeiNode: what people ask of the operator. */
#define ANNOTATION_RESTARTED_AT     "kubectl.kubernetes.io/restartedAt"
#define ANNOTATION_RETRY            "sei.io/retry"
#define ANNOTATION_ADOPT_VOLUME     "sei.io/adopt-volume"
#define ANNOTATION_ALLOW_NEW_VOLUME "sei.io/allow-new-volume"
#define ANNOTATION_VOLUME_POLICY    "sei.io/volume-policy"

/* On a kept template of a fleet: the revision that every node had reached when this one was last
 * begun, which is what taking this one back means. */
#define ANNOTATION_CAME_AFTER "sei.io/came-after"

/* On the child of a fleet: to what its fleet has let it roll (fleet_hash.h). */
#define ANNOTATION_RELEASED_SPEC "sei.io/released-spec"

/* The same: what its fleet asked for and admission changed (fleet_admission.h). */
#define ANNOTATION_ASKED_SPEC "sei.io/asked-spec"

/* Annotations of a pod template. */
#define ANNOTATION_TEMPLATE_HASH     "sei.io/template-hash"
#define ANNOTATION_CONFIG_HASH       "sei.io/config-hash"
#define ANNOTATION_DEFAULT_CONTAINER "kubectl.kubernetes.io/default-container"
#define ANNOTATION_DO_NOT_DISRUPT    "karpenter.sh/do-not-disrupt"

/* Annotation of a volume that outlives its node. */
#define ANNOTATION_RETAINED_BY "sei.io/retained-by"

/* Annotation of a bootstrap Job that stands still because its node is paused. */
#define ANNOTATION_PAUSED "sei.io/paused"

/* Annotation of a bootstrap Job: the id of the plan that made it. */
#define ANNOTATION_PLAN "sei.io/plan"

#define COMPONENT_BOOTSTRAP "bootstrap"    /* the label of a bootstrap Job, its pod and Service */
#define COMPONENT_P2P       "p2p-endpoint" /* the label of the Service by which peers reach a node */

/* Annotations of the networking of a fleet. */
#define ANNOTATION_MANAGED_BY    "sei.io/managed-by"
#define MANAGED_BY_FLEET         "seinodedeployment"
#define ANNOTATION_DNS_HOST      "external-dns.alpha.kubernetes.io/hostname"
#define ANNOTATION_LB_TYPE       "service.beta.kubernetes.io/aws-load-balancer-type"
#define ANNOTATION_LB_SCHEME     "service.beta.kubernetes.io/aws-load-balancer-scheme"
#define ANNOTATION_LB_TARGET     "service.beta.kubernetes.io/aws-load-balancer-nlb-target-type"
#define ANNOTATION_LB_ATTRIBUTES "service.beta.kubernetes.io/aws-load-balancer-attributes"

/* Annotation of a fleet: "true" lets its networking go, to whoever takes it over. */
#define ANNOTATION_ORPHANED "sei.io/networking-orphaned"

/* Files of keys: the names that they have in their Secrets, and in the home of seid. */
#define VOLUME_SIGNING_KEY "signing-key" /* of the pod: the Secret with the key that signs */
#define KEY_FILE_SIGNING   "priv_validator_key.json"
#define KEY_FILE_NODE      "node_key.json"

#define CONTAINER_SEID    "seid"
#define CONTAINER_INIT    "seid-init"
#define CONTAINER_SIDECAR "sei-sidecar"
#define CONTAINER_PROXY   "kube-rbac-proxy"

enum { PROXY_PORT = 8443, SIDECAR_PORT_DEFAULT = 7777, P2P_PORT = 26656 };

/* "data-<node>": the volume that is made for a node. */
const char *name_data_volume(Arena *a, const char *node);

/* The node that a volume of this name is made for: what follows "data-"; NULL: none. */
const char *name_node_of_volume(const char *volume);

/* "<node>-rbac-proxy-config" */
const char *name_proxy_config(Arena *a, const char *node);

/* "<node>-bootstrap": the Job that brings a volume up to a height. */
const char *name_bootstrap_job(Arena *a, const char *node);

/* "<fleet>-<hash>": the ControllerRevision of a template. */
const char *name_fleet_revision(Arena *a, const char *fleet, const char *hash);

/* "<fleet>-internal", "<fleet>-external": the Services in front of all nodes of a fleet. */
const char *name_internal_service(Arena *a, const char *fleet);
const char *name_external_service(Arena *a, const char *fleet);

/* "<fleet>-<protocol>": an HTTPRoute, and the first part of its host name. */
const char *name_route(Arena *a, const char *fleet, const char *protocol);

/* "<node>-p2p": the Service by which peers reach a node of a fleet from outside. */
const char *name_p2p_service(Arena *a, const char *node);

/* "<node>-0": the only pod of its StatefulSet. */
const char *name_pod(Arena *a, const char *node);

/* "<node>-0.<node>.<namespace>.svc.cluster.local:8443": where a sidecar says it is. */
const char *name_sidecar_host(Arena *a, Key node);

/* A value of ANNOTATION_VOLUME_POLICY (NULL: absent) asks to keep the data. Any word but Delete
 * does: a misspelt Retain is still one. */
bool name_policy_retains(const char *policy);

/* "<node>-0.<node>.<namespace>.svc.cluster.local:26656": where other nodes reach it. */
const char *name_p2p_address(Arena *a, Key node);

/* "sei-sidecar.<namespace>": for whom a token is that a sidecar's proxy accepts. */
const char *name_sidecar_audience(Arena *a, const char *namespace);

#endif
