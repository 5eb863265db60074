/* Who may talk to a node's sidecar: whoever may do the same with the seinodetasks of its name. The
 * proxy makes the verb from the HTTP method. */
#include "base/str.h"
#include "sei/api/names.h"
#include "sei/render/render.h"

static const char config[] = "authorization:\n"
                             "  resourceAttributes:\n"
                             "    apiGroup: sei.io\n"
                             "    resource: seinodetasks\n"
                             "    namespace: %s\n"
                             "    name: %s\n";

/* YAML reads some plain words as something else than text, and then the wrong name is authorized.
 */
static const char *yaml_text(Arena *a, const char *word)
{
    static const char *const others[] = {
        "y", "n", "yes", "no", "on", "off", "true", "false", "null"};
    bool ambiguous = *word >= '0' && *word <= '9';

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ambiguous |= str_eq(word, others[i]);
    return ambiguous ? str_format(a, "\"%s\"", word) : word;
}

Draft *render_proxy_config(Arena *a, const Subject *s)
{
    Key node = s->node->key;
    const char *text = str_format(a, config, yaml_text(a, node.namespace), yaml_text(a, node.name));

    return draft(a,
        str("apiVersion", "v1"),
        str("kind", "ConfigMap"),
        sub("metadata", render_lasting_metadata(a, s, name_proxy_config(a, node.name))),
        obj("data", str("config.yaml", text)));
}
