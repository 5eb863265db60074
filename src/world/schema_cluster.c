/* What surrounds workloads: classes of storage, and the network's policies and slices of endpoints.
 * A policy that says nothing of its types is about what comes in, and about what goes out as well
 * once it has rules for that. */
#include "base/draft.h"
#include "base/str.h"
#include "world/schema_rows.h"

/* --- StorageClass --- */

static const Shape topology_expression =
    STRUCT(TEXT("key"), FIELD("values", OF(shape_texts), SHOWN("null")));
static const Shape topology_expressions = LIST_OF(&topology_expression);
static const Shape topology = WHOLE(FIELD("matchLabelExpressions", OF(topology_expressions)));
static const Shape topologies = LIST_OF(&topology);

const Shape shape_storage_class = STRUCT(FIELD("allowVolumeExpansion", OF(shape_flag), KEPT),
    FIELD("allowedTopologies", OF(topologies)), PLAIN("apiVersion"), PLAIN("kind"),
    FIELD("metadata", OF(shape_metadata), SHOWN("{}")), FIELD("mountOptions", OF(shape_texts)),
    FIELD("parameters", OF(shape_data)), TEXT("provisioner"),
    FIELD("reclaimPolicy", OF(shape_text), KEPT, PRESET("'Delete'")),
    FIELD("volumeBindingMode", OF(shape_text), KEPT, PRESET("'Immediate'")));

/* --- NetworkPolicy --- */

const Json *compute_policy_types(const ShapeScene *s)
{
    bool goes_out = json_count(json_find(s->object, ".egress")) > 0;

    return json_fixture(s->arena, goes_out ? "['Ingress', 'Egress']" : "['Ingress']");
}

static const Shape policy_port =
    STRUCT(FIELD("endPort", OF(shape_int32), KEPT), FIELD("port", OF(shape_int_or_text), KEPT),
        FIELD("protocol", OF(shape_text), KEPT, PRESET("'TCP'")));
static const Shape policy_ports = LIST_OF(&policy_port);
static const Shape address_block = STRUCT(TEXT("cidr"), FIELD("except", OF(shape_texts)));
static const Shape policy_peer = STRUCT(FIELD("ipBlock", OF(address_block), KEPT),
    FIELD("namespaceSelector", OF(shape_selector), KEPT),
    FIELD("podSelector", OF(shape_selector), KEPT));
static const Shape policy_peers = LIST_OF(&policy_peer);
static const Shape egress_rule =
    STRUCT(FIELD("ports", OF(policy_ports)), FIELD("to", OF(policy_peers)));
static const Shape ingress_rule =
    STRUCT(FIELD("from", OF(policy_peers)), FIELD("ports", OF(policy_ports)));
static const Shape egress_rules = LIST_OF(&egress_rule);
static const Shape ingress_rules = LIST_OF(&ingress_rule);

static const Shape policy_spec = STRUCT(FIELD("egress", OF(egress_rules)),
    FIELD("ingress", OF(ingress_rules)), FIELD("podSelector", OF(shape_selector), SHOWN("{}")),
    FIELD("policyTypes", OF(shape_texts), COMPUTED(policy_types)));

const Shape shape_network_policy =
    STRUCT(PLAIN("apiVersion"), PLAIN("kind"), FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
        FIELD("spec", OF(policy_spec), SHOWN("{}")));

/* --- EndpointSlice --- */

static const Shape endpoint_conditions = STRUCT(FIELD("ready", OF(shape_flag), KEPT),
    FIELD("serving", OF(shape_flag), KEPT), FIELD("terminating", OF(shape_flag), KEPT));
static const Shape endpoint = STRUCT(FIELD("addresses", OF(shape_set), SHOWN("null")),
    FIELD("conditions", OF(endpoint_conditions), SHOWN("{}")),
    FIELD("deprecatedTopology", OF(shape_text_map)), FIELD("hints", KEPT), HELD("hostname"),
    HELD("nodeName"), FIELD("targetRef", OF(shape_reference), KEPT), HELD("zone"));
static const Shape endpoints = LIST_OF(&endpoint);
static const Shape endpoint_port = WHOLE(HELD("appProtocol"),
    FIELD("name", OF(shape_text), KEPT, PRESET("''")), FIELD("port", OF(shape_int32), KEPT),
    FIELD("protocol", OF(shape_text), KEPT, PRESET("'TCP'")));
static const Shape endpoint_ports = LIST_OF(&endpoint_port);

const Shape shape_endpoint_slice = STRUCT(TEXT("addressType"), PLAIN("apiVersion"),
    FIELD("endpoints", OF(endpoints), SHOWN("null")), PLAIN("kind"),
    FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
    FIELD("ports", OF(endpoint_ports), SHOWN("null")));
