/* Foreign fields: what other managers have put into a pod template, by the server's own books. Kept
 * and told, never rolled: `kubectl rollout restart`, an agent's environment, a webhook's label. */
#include "base/str.h"
#include "sei/api/names.h"
#include "sei/plan/explain.h"

#include <string.h>

enum { FOREIGN_NAMED = 5 };

/* A node of the tree of fields that is still to be looked at. */
typedef struct Branch {
    struct Branch *next;
    const char *path;
    const Json *fields;
} Branch;

typedef struct Books {
    Arena *a;
    Branch *first, **end;
    const char *text; /* what was found so far, or NULL */
    size_t count;
} Books;

static void look_at(Books *b, const char *path, const Json *fields)
{
    Branch *branch = arena_new(b->a, Branch);

    *branch = (Branch){.path = path, .fields = fields};
    *b->end = branch;
    b->end = &branch->next;
}

/* "k:{"name":"seid"}" names an element by its key. */
static const char *element_name(Arena *a, const char *key)
{
    const Json *parsed;
    const char *first = NULL;

    if (!json_parse(a, bytes_of(key + strlen("k:")), &parsed))
        first = json_text(json_first(parsed));
    return first ? first : key;
}

static const char *path_below(Arena *a, const char *path, const char *key)
{
    if (!str_has_prefix(key, "f:"))
        return str_format(
            a, "%s[%s]", path, str_has_prefix(key, "k:") ? element_name(a, key) : key);
    const char *name = key + strlen("f:");
    if (strpbrk(name, "./"))
        return str_format(a, "%s[%s]", path, name);
    return *path ? str_format(a, "%s.%s", path, name) : name;
}

static void name(Books *b, const char *manager, const char *path)
{
    if (b->count++ < FOREIGN_NAMED)
        b->text = str_format(
            b->a, "%s%s%s (%s)", b->text ? b->text : "", b->text ? ", " : "", path, manager);
}

static void read_entry(Books *b, const char *manager, const Json *template)
{
    b->first = NULL;
    b->end = &b->first;
    look_at(b, "", template);
    for (const Branch *branch = b->first; branch; branch = branch->next) {
        const Json *child;
        bool is_leaf = true;

        json_each(child, branch->fields) {
            if (str_eq(json_key(child), "."))
                continue;
            is_leaf = false;
            look_at(b, path_below(b->a, branch->path, json_key(child)), child);
        }
        if (is_leaf)
            name(b, manager, branch->path);
    }
}

const char *plan_foreign_fields(Arena *a, const Json *live)
{
    Books b = {.a = a};
    const Json *entry;

    json_each(entry, json_find(live, ".metadata.managedFields")) {
        const Json *template = json_find(entry, ".fieldsV1['f:spec']['f:template']");
        const char *manager = json_str(entry, ".manager");
        if (template && !str_eq(manager, NODE_MANAGER))
            read_entry(&b, manager ? manager : "unknown", template);
    }
    if (!b.text)
        return NULL;
    return str_format(a,
        "others have changed the template, which is kept and rolls nothing: %s%s",
        b.text,
        b.count > FOREIGN_NAMED ? ", and more" : "");
}
