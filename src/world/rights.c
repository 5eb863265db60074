/* Rights: an index of grants by user and by group, made whole again after a change. Most clusters
 * have some hundred bindings and change them when somebody installs something, so patching the
 * index would be more to get wrong than to gain. */
#include "world/rights.h"

#include "base/map.h"
#include "base/str.h"
#include "kube/core/text.h"
#include "kube/meta.h"
#include "world/call.h"
#include "world/refusal.h"

#include <string.h>

enum { INDEX_BYTES_MAX = 128 << 20, TEXTS_MAX = 10000 };

/* --- the index --- */

typedef const char *const *Texts; /* ended by NULL */

typedef struct RoleRule {
    Texts verbs, groups, resources, names, paths;
    const Json *json;
} RoleRule;

/* A role to one subject, by one binding. */
typedef struct Grant {
    const char *namespace;        /* where; NULL: everywhere */
    const struct RoleRules *role; /* NULL: it is not there */
    const char *reason;           /* why one may who may by it */
    const char *missing;          /* what to say of a role that is not there */
    struct Grant *next;
} Grant;

/* What is known of a role, however many bindings there are to it. */
typedef struct RoleRules {
    const RoleRule *rules;
    size_t count;
} RoleRules;

typedef struct Holder {
    const char *name;
    Grant *first, **last;
    const Json *binding; /* which gave the last */
} Holder;

struct Rights {
    Arena *arena;        /* holds all of the index */
    Map *users, *groups; /* Holder by name */
    Map *roles;          /* RoleRules by "name" or "namespace/name" */
    size_t grant_count;
    uint64_t version; /* of the last change that is in it */
};

static const Kind *const sources[] = {
    kind_clusterrolebinding, kind_rolebinding, kind_clusterrole, kind_role};

static uint64_t last_change(const Server *s)
{
    uint64_t last = 0;

    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        uint64_t changed = server_resource(s, sources[i])->changed;
        last = changed > last ? changed : last;
    }
    return last;
}

static Texts texts(Arena *a, const Json *rule, const char *member)
{
    const Json *list = json_member(rule, member), *each;
    size_t count = 0, max = json_count(list) < TEXTS_MAX ? json_count(list) : TEXTS_MAX;
    const char **all = arena_array(a, const char *, max + 1);

    json_each(each, list)
        if (json_text(each) && count < max)
            all[count++] = json_text(each);
    return all;
}

static const RoleRules *read_role(Arena *a, const Json *role)
{
    const Json *list = json_member(role, "rules"), *each;
    RoleRule *rules = arena_array(a, RoleRule, json_count(list) + 1);
    RoleRules *all = arena_new(a, RoleRules);

    all->rules = rules;
    json_each(each, list)
        rules[all->count++] = (RoleRule){
            .verbs = texts(a, each, "verbs"),
            .groups = texts(a, each, "apiGroups"),
            .resources = texts(a, each, "resources"),
            .names = texts(a, each, "resourceNames"),
            .paths = texts(a, each, "nonResourceURLs"),
            .json = each,
        };
    return all;
}

/* NULL when there is no such role. */
static const RoleRules *find_role(Rights *r, const Shelf *shelf, const char *key)
{
    const RoleRules *known = map_find(r->roles, key);
    Record *record = known ? NULL : shelf_find(shelf, key);

    if (!record)
        return known;
    known = read_role(r->arena, record_object(r->arena, record));
    return map_put(r->roles, key, (void *)known) ? known : NULL;
}

static Holder *holder_of(Rights *r, Map *map, const char *name)
{
    Holder *holder = map_find(map, name);

    if (holder)
        return holder;
    holder = arena_new(r->arena, Holder);
    *holder = (Holder){.name = name, .last = &holder->first};
    return map_put(map, name, holder) ? holder : NULL;
}

/* The account's own namespace, or the binding's. */
static const char *home_of(const Json *subject, const Json *binding)
{
    const char *said = json_str(subject, ".namespace");

    return str_empty(said) ? meta_namespace(binding) : said;
}

static const char *subject_text(Arena *a, const Json *subject, const Json *binding)
{
    const char *kind = json_str(subject, ".kind"), *name = json_str(subject, ".name");

    if (!str_eq(kind, "ServiceAccount"))
        return str_format(a, "%s \"%s\"", kind, name);
    return str_format(a, "%s \"%s/%s\"", kind, name, home_of(subject, binding));
}

/* In the real server's words, in which the name of a binding comes before its namespace. */
static const char *reason_of(Arena *a, const Json *binding, const Json *subject)
{
    const char *namespace = meta_namespace(binding);

    return str_format(a,
        "RBAC: allowed by %s \"%s%s%s\" of %s \"%s\" to %s",
        json_str(binding, ".kind"),
        meta_name(binding),
        str_empty(namespace) ? "" : "/",
        str_empty(namespace) ? "" : namespace,
        json_str(binding, ".roleRef.kind"),
        json_str(binding, ".roleRef.name"),
        subject_text(a, subject, binding));
}

static void give(Rights *r, const Json *binding, const Json *subject, const Grant *role)
{
    const char *kind = json_str(subject, ".kind"), *name = json_str(subject, ".name");
    Map *map = str_eq(kind, "Group") ? r->groups : r->users;
    Grant *grant;
    Holder *holder;

    if (str_empty(name) || r->grant_count == RIGHTS_GRANTS_MAX
        || arena_used(r->arena) > INDEX_BYTES_MAX)
        return;
    if (str_eq(kind, "ServiceAccount")) {
        if (str_empty(home_of(subject, binding)))
            return;
        name = str_format(r->arena, "system:serviceaccount:%s:%s", home_of(subject, binding), name);
    } else if (!str_eq(kind, "User") && !str_eq(kind, "Group")) {
        return;
    }
    holder = holder_of(r, map, name);
    if (!holder || holder->binding == binding) /* once is enough */
        return;
    holder->binding = binding;
    grant = arena_new(r->arena, Grant);
    *grant = *role;
    grant->reason = reason_of(r->arena, binding, subject);
    *holder->last = grant;
    holder->last = &grant->next;
    r->grant_count++;
}

/* The role that a binding refers to, as a grant to nobody. */
static Grant role_of(Rights *r, const Server *s, const Json *binding)
{
    const char *namespace = meta_namespace(binding), *name = json_str(binding, ".roleRef.name");
    bool is_local = str_eq(json_str(binding, ".roleRef.kind"), "Role");
    const Resource *roles = server_resource(s, is_local ? kind_role : kind_clusterrole);
    const RoleRules *role =
        find_role(r, roles->shelf, call_key(r->arena, is_local ? namespace : NULL, name));
    Grant grant = {.namespace = str_empty(namespace) ? NULL : namespace, .role = role};

    if (!role)
        grant.missing = str_format(r->arena,
            "%s.rbac.authorization.k8s.io \"%s\" not found",
            is_local ? "role" : "clusterrole",
            name);
    return grant;
}

static void read_bindings(Rights *r, const Server *s, const Kind *kind)
{
    const Shelf *shelf = server_resource(s, kind)->shelf;

    for (const ShelfPlace *at = shelf_seek(shelf, NULL); at; at = shelf_next(at)) {
        const Json *binding, *subject;
        if (arena_used(r->arena) > INDEX_BYTES_MAX)
            return;
        binding = record_object(r->arena, shelf_record(at));
        Grant role = role_of(r, s, binding);
        json_each(subject, json_member(binding, "subjects"))
            give(r, binding, subject, &role);
    }
}

static void forget(Rights *r)
{
    map_close(r->users);
    map_close(r->groups);
    map_close(r->roles);
    arena_close(r->arena);
}

void rights_close(Rights *r)
{
    if (r)
        forget(r);
}

/* The index as things are. */
static Rights *fresh(Server *s)
{
    uint64_t version = last_change(s);
    Rights *r = s->rights;

    if (r && r->version == version)
        return r;
    if (r)
        forget(r);
    else
        r = s->rights = slab_alloc(s->slab, sizeof *r);
    *r = (Rights){
        .arena = arena_open(2 * (size_t)INDEX_BYTES_MAX),
        .users = map_open(RIGHTS_GRANTS_MAX),
        .groups = map_open(RIGHTS_GRANTS_MAX),
        .roles = map_open(RIGHTS_GRANTS_MAX),
        .version = version,
    };
    read_bindings(r, s, kind_clusterrolebinding);
    read_bindings(r, s, kind_rolebinding);
    return r;
}

/* --- matching --- */

static const char *said(const char *text)
{
    return text ? text : "";
}

static bool has(Texts all, const char *text)
{
    for (; *all; all++)
        if (str_eq(*all, "*") || str_eq(*all, text))
            return true;
    return false;
}

/* "pods", "pods/log", or "*" + "/log" for the logs of everything. */
static bool is_resource(const char *rule, const RightsQuestion *q)
{
    const char *resource = said(q->resource), *part = said(q->subresource);
    size_t len = strlen(resource);

    if (str_eq(rule, "*"))
        return true;
    if (!*part)
        return str_eq(rule, resource);
    if (strncmp(rule, resource, len) == 0 && rule[len] == '/' && str_eq(rule + len + 1, part))
        return true;
    return str_has_prefix(rule, "*/") && str_eq(rule + 2, part);
}

static bool has_resource(Texts all, const RightsQuestion *q)
{
    for (; *all; all++)
        if (is_resource(*all, q))
            return true;
    return false;
}

static bool has_name(Texts all, const char *name)
{
    if (!*all)
        return true;
    for (; *all; all++)
        if (str_eq(*all, name))
            return true;
    return false;
}

static bool has_path(Texts all, const char *path)
{
    for (; *all; all++) {
        size_t len = strlen(*all);
        if (str_eq(*all, path))
            return true;
        if (len == 0 || (*all)[len - 1] != '*')
            continue;
        while (len > 0 && (*all)[len - 1] == '*')
            len--;
        if (strncmp(*all, path, len) == 0)
            return true;
    }
    return false;
}

static bool rule_allows(const RoleRule *rule, const RightsQuestion *q)
{
    if (!has(rule->verbs, said(q->verb)))
        return false;
    if (q->path)
        return has_path(rule->paths, q->path);
    return has(rule->groups, said(q->group)) && has_resource(rule->resources, q)
        && has_name(rule->names, said(q->name));
}

/* --- asking --- */

/* What is remembered of a question while the grants are looked through. */
typedef struct Search {
    const RightsQuestion *question;
    Text missing; /* the roles that are not there */
    size_t missing_count;
} Search;

static bool reaches(const Grant *grant, const char *namespace)
{
    return !grant->namespace || str_eq(grant->namespace, said(namespace));
}

static void note_missing(Search *s, const char *what)
{
    if (s->missing_count++ > 0)
        text_add(&s->missing, ", ");
    text_add(&s->missing, what);
}

static const Grant *search_holder(Search *s, const Holder *holder)
{
    for (const Grant *grant = holder ? holder->first : NULL; grant; grant = grant->next) {
        if (!reaches(grant, s->question->path ? "" : s->question->namespace))
            continue;
        if (!grant->role)
            note_missing(s, grant->missing);
        for (size_t i = 0; grant->role && i < grant->role->count; i++)
            if (rule_allows(&grant->role->rules[i], s->question))
                return grant;
    }
    return NULL;
}

static bool is_master(const char *const *groups)
{
    for (; groups && *groups; groups++)
        if (str_eq(*groups, "system:masters"))
            return true;
    return false;
}

bool rights_allow(Server *s, Arena *a, const RightsQuestion *question, const char **ret_reason)
{
    Rights *r = fresh(s);
    Search search = {.question = question, .missing = {.arena = a}};
    const char *const *groups = question->groups;
    const Grant *grant;

    *ret_reason = "";
    if (is_master(groups))
        return true;
    grant = search_holder(&search, map_find(r->users, said(question->user)));
    for (; !grant && groups && *groups; groups++)
        grant = search_holder(&search, map_find(r->groups, *groups));
    if (grant)
        *ret_reason = str_copy(a, grant->reason);
    else if (search.missing_count == 1)
        *ret_reason = str_format(a, "RBAC: %s", text_seen(&search.missing));
    else if (search.missing_count > 1)
        *ret_reason = str_format(a, "RBAC: [%s]", text_seen(&search.missing));
    return grant != NULL;
}

typedef struct Visit {
    RightsVisitor *visit;
    void *self;
    const char *namespace;
} Visit;

static void visit_holder(const Visit *v, const Holder *holder)
{
    for (const Grant *grant = holder ? holder->first : NULL; grant; grant = grant->next)
        for (size_t i = 0; grant->role && i < grant->role->count; i++)
            if (reaches(grant, v->namespace))
                v->visit(v->self, grant->role->rules[i].json);
}

void rights_each(
    Server *s, const Caller *caller, const char *namespace, RightsVisitor *visit, void *self)
{
    Rights *r = fresh(s);
    const char *const *groups = caller->groups;
    Visit v = {visit, self, namespace};

    visit_holder(&v, map_find(r->users, said(caller->user)));
    for (; groups && *groups; groups++)
        visit_holder(&v, map_find(r->groups, *groups));
}
