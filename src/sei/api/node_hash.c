/* Hashes of what a spec asks for: of the fields of spec_field.h by their effect, and of what is
 * recorded or asked for beside the spec. */
#include "sei/api/node_hash.h"

#include "base/str.h"
#include "kube/hash.h"
#include "kube/timestamp.h"
#include "sei/api/names.h"
#include "sei/api/spec_field.h"

const char *node_chain_id(const SeiNode *node)
{
    const char *recorded = node->status.identity.chain_id;
    return recorded ? recorded : node->spec.chain_id;
}

NodeMode node_mode(const SeiNode *node)
{
    return node->status.identity.chain_id ? node->status.identity.mode : node->spec.mode;
}

const char *node_claim(Arena *a, const SeiNode *node)
{
    if (node->status.volume.uid)
        return node->status.volume.name;
    return node->spec.import_claim ? node->spec.import_claim : name_data_volume(a, node->key.name);
}

const char *node_restarted_at(const SeiNode *node)
{
    const char *honoured = node->status.restarted_at, *asked = node->wishes.restarted_at;
    int64_t honoured_ns, asked_ns;

    if (!honoured || !asked)
        return honoured ? honoured : asked;
    if (timestamp_parse(honoured, &honoured_ns) && timestamp_parse(asked, &asked_ns))
        return asked_ns > honoured_ns ? asked : honoured;
    return asked;
}

static Draft *template_inputs(Arena *a, const SeiNode *node)
{
    Draft *inputs = draft(a,
        str("chainId", node_chain_id(node)),
        str("mode", node_mode_text(node_mode(node))),
        str("claim", node_claim(a, node)),
        str("restartedAt", node_restarted_at(node)));

    spec_fields_hash_into(a, inputs, &node->spec, node_mode(node), SPEC_TEMPLATE);
    return inputs;
}

const char *node_spec_hash(Arena *a, const SeiNode *node)
{
    return hash_json(a, json_seal(a, template_inputs(a, node)));
}

/* What only an init reads, after `first`. */
static const char *setup_hash(Arena *a, const SeiNode *node, Draft *first)
{
    Draft *inputs = draft(a, sub("template", first));

    spec_fields_hash_into(a, inputs, &node->spec, node_mode(node), SPEC_BOOTSTRAP);
    return hash_json(a, json_seal(a, inputs));
}

const char *node_init_hash(Arena *a, const SeiNode *node)
{
    Draft *inputs = template_inputs(a, node);

    if (!node->status.identity.chain_id)
        spec_fields_hash_into(a, inputs, &node->spec, MODE_NONE, SPEC_IDENTITY | SPEC_FIRST_INIT);
    return setup_hash(a, node, inputs);
}

const char *node_setup_hash(Arena *a, const SeiNode *node)
{
    return setup_hash(a, node, NULL);
}
