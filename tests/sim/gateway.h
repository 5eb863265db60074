/* Gateway: HTTPRoutes of the Gateway API as a CustomResourceDefinition: what the operator sets,
 * with the defaults that the real one fills in. Its lists are replaced as a whole, as there. */
#ifndef TESTS_SIM_GATEWAY_H
#define TESTS_SIM_GATEWAY_H

#define GATEWAY_CRD "httproutes.gateway.networking.k8s.io"

#define TEXT_OR(fallback) "{type: 'string', default: '" fallback "'}"
#define TEXT              "{type: 'string'}"

static const char gateway_routes[] =
    "{apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition',"
    " metadata: {name: '" GATEWAY_CRD "', annotations: {'api-approved.kubernetes.io':"
    "  'https://github.com/kubernetes-sigs/gateway-api/pull/2997'}},"
    " spec: {group: 'gateway.networking.k8s.io', scope: 'Namespaced',"
    "  names: {plural: 'httproutes', singular: 'httproute', kind: 'HTTPRoute',"
    "   listKind: 'HTTPRouteList'},"
    "  versions: [{name: 'v1', served: true, storage: true, subresources: {status: {}},"
    "   schema: {openAPIV3Schema: {type: 'object', required: ['spec'], properties: {"
    "    apiVersion: " TEXT ", kind: " TEXT ", metadata: {type: 'object'},"
    "    spec: {type: 'object', properties: {"
    "     parentRefs: {type: 'array', items: {type: 'object', required: ['name'], properties: {"
    "      group: " TEXT_OR("gateway.networking.k8s.io") ", kind: " TEXT_OR(
        "Gateway") ","
                   "      name: " TEXT ", namespace: " TEXT "}}},"
                   "     hostnames: {type: 'array', items: " TEXT "},"
                   "     rules: {type: 'array', items: {type: 'object', properties: {"
                   "      matches: {type: 'array', default: [{path: {type: 'PathPrefix', value: "
                   "'/'}}],"
                   "       items: {type: 'object', properties: {"
                   "        path: {type: 'object', default: {type: 'PathPrefix', value: '/'}, "
                   "properties: {"
                   "         type: " TEXT_OR("PathPrefix") ", value: " TEXT_OR(
                       "/") "}},"
                            "        headers: {type: 'array', items: {type: 'object', properties: {"
                            "         type: " TEXT_OR(
                                "Exact") ", name: " TEXT ", value: " TEXT "}}}}}},"
                                         "      backendRefs: {type: 'array', items: {type: "
                                         "'object', required: ['name'], properties: {"
                                         "       group: " TEXT_OR("") ", kind: " TEXT_OR(
                                             "Service") ", name: " TEXT ","
                                                        "       port: {type: 'integer', format: "
                                                        "'int32'},"
                                                        "       weight: {type: 'integer', format: "
                                                        "'int32', default: 1}}}}}}}}},"
                                                        "    status: {type: 'object', "
                                                        "'x-kubernetes-preserve-unknown-fields': "
                                                        "true}}}}}]}}";

#undef TEXT
#undef TEXT_OR

#endif
