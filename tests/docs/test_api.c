/* The reference of the API: every field of both kinds, as the definitions of deploy/crds tell it.
 */
#include "base/str.h"
#include "tests/crds/crds.h"
#include "tests/docs/page.h"

#include <stdlib.h>
#include <string.h>

#define TEMPLATE "spec.template.spec"

enum { MEMORY_MAX = 64 << 20 };

/* For qsort: a field before what is in it. */
static int by_path(const void *left, const void *right)
{
    const CrdNode *l = left, *r = right;

    return strcmp(l->path, r->path);
}

/* The description on one line of a table. */
static const char *description(Arena *a, const Json *schema)
{
    const char *text = json_str(schema, ".description");
    size_t size = strlen(text) + 1;
    char *line = arena_alloc(a, size);

    for (size_t i = 0; i < size; i++)
        line[i] = text[i] == '|' ? '/' : text[i] == '\n' ? ' ' : text[i];
    return line;
}

static const char *type(Arena *a, const Json *schema)
{
    const char *name = json_str(schema, ".type");
    const char *element = json_str(schema, ".items.type");
    const char *value = json_str(schema, ".additionalProperties.type");

    if (element)
        return str_format(a, "list of %s", element);
    if (value)
        return str_format(a, "map of %s", value);
    return name ? name : "any";
}

static const char *value_text(Arena *a, const Json *value)
{
    Bytes text = json_write(a, value);

    return str_format(a, "%.*s", (int)text.len, text.data);
}

/* What may stand there, and what does when nothing is said. */
static const char *choice(Arena *a, const CrdNode *node)
{
    const char *text = node->required ? "required" : "";
    const Json *value = json_find(node->schema, ".default"), *option;
    const char *comma = "";

    if (value)
        text = str_format(a, "default `%s`", value_text(a, value));
    if (json_find(node->schema, ".enum"))
        text = str_format(a, "%s%sone of ", text, *text ? "; " : "");
    json_each(option, json_find(node->schema, ".enum")) {
        text = str_format(a, "%s%s`%s`", text, comma, value_text(a, option));
        comma = ", ";
    }
    return text;
}

/* Fields of what Kubernetes itself defines have no description of ours. */
static bool is_told(const CrdNode *node)
{
    bool is_of_ours = str_has_prefix(node->path, "spec") || str_has_prefix(node->path, "status");

    return is_of_ours && node->property && json_str(node->schema, ".description")
        && !(str_has_prefix(node->path, TEMPLATE) && !str_eq(node->path, TEMPLATE));
}

static void say_fields(Page *p, const CrdNodes *nodes, const char *part)
{
    say(p, "\n### %s\n\n| Field | Type | | Meaning |\n| --- | --- | --- | --- |\n", part);
    for (size_t i = 0; i < nodes->count; i++) {
        const CrdNode *node = &nodes->items[i];
        if (is_told(node) && str_has_prefix(node->path, part))
            say(p,
                "| `%s` | %s | %s | %s |\n",
                node->path,
                type(p->arena, node->schema),
                choice(p->arena, node),
                description(p->arena, node->schema));
    }
}

static void say_rules(Page *p, const CrdNodes *nodes)
{
    const Json *rule;

    say(p, "\n### Rules\n\nWhat the API server refuses, in its words:\n\n");
    for (size_t i = 0; i < nodes->count; i++) {
        const CrdNode *node = &nodes->items[i];
        if (str_has_prefix(node->path, TEMPLATE))
            continue;
        json_each(rule, json_member(node->schema, "x-kubernetes-validations"))
            say(p,
                "- `%s`: %s\n",
                *node->path ? node->path : "the object",
                json_str(rule, ".message"));
    }
}

static void say_kind(Page *p, const Kind *kind, const char *about)
{
    CrdNodes nodes = crd_nodes(p->arena, crd_load(p->arena, kind));

    qsort(nodes.items, nodes.count, sizeof nodes.items[0], by_path);
    say(p, "\n## %s\n\n%s\n", kind->name, about);
    say_fields(p, &nodes, "spec");
    say_fields(p, &nodes, "status");
    say_rules(p, &nodes);
}

TEST(the_api_page_in_docs_lists_the_fields_of_both_kinds)
{
    SCOPED_ARENA a = arena_open(MEMORY_MAX);
    Page p = page_open(a,
        "test_api",
        "Fields",
        "Group `sei.io`, version `v1alpha1`. `kubectl explain seinode.spec` says the same in a\n"
        "cluster. Lists of Kubernetes' own types are as Kubernetes documents them.");

    say_kind(&p, crd_seinode, "One node: a pod, its volume, and what belongs to it.");
    say_kind(&p,
        crd_seinodedeployment,
        "A fleet of nodes. `" TEMPLATE "` is the spec of a SeiNode, as above.");
    then_page(&p, "API.md");
}
