/* Route: the path taken apart as the real server's RequestInfo does, and the verb that the method
 * means there. */
#include "sandbox/route.h"

#include "base/str.h"
#include "sandbox/body.h"
#include "sandbox/options.h"
#include "world/refusal.h"

#include <string.h>

enum { SEGMENTS_MAX = 16 };

typedef struct Segments {
    const char *at[SEGMENTS_MAX];
    const char *behind[SEGMENTS_MAX]; /* what the path goes on with */
    size_t count;                     /* SEGMENTS_MAX + 1: there were more */
} Segments;

/* --- what it is about */

static void split(Arena *a, const char *path, Segments *ret)
{
    ret->count = 0;
    path += strspn(path, "/");
    while (*path && ret->count < SEGMENTS_MAX) {
        size_t len = strcspn(path, "/");
        ret->at[ret->count] = str_slice(a, path, len);
        ret->behind[ret->count++] = path + len;
        path += len + (path[len] == '/');
    }
    if (*path)
        ret->count = SEGMENTS_MAX + 1;
}

static const char *segment(const Segments *s, size_t n)
{
    return n < s->count ? s->at[n] : "";
}

static const char *behind(const Segments *s, size_t n)
{
    return n < s->count && *s->behind[n] ? s->behind[n] : "/";
}

/* The parts of a namespace that are not objects in it. */
static bool is_of_namespace(const char *word)
{
    return str_eq(word, "status") || str_eq(word, "finalize");
}

/* Reads /api/v1/... and /apis/group/version/...; false when it is no path of a resource. */
static bool read_resource(const Segments *s, Route *ret)
{
    bool has_group = str_eq(segment(s, 0), "apis");
    size_t at = has_group ? 2 : 1;

    if ((!has_group && !str_eq(segment(s, 0), "api")) || s->count <= at + 1
        || s->count > SEGMENTS_MAX)
        return false;
    ret->group = has_group ? s->at[1] : "";
    ret->version = s->at[at++];
    if (str_eq(s->at[at], "namespaces") && s->count > at + 1) {
        ret->namespace = s->at[at + 1];
        if (s->count > at + 2 && !is_of_namespace(s->at[at + 2]))
            at += 2;
    }
    ret->resource = segment(s, at);
    ret->name = segment(s, at + 1);
    ret->subresource = segment(s, at + 2);
    if (!str_eq(ret->subresource, "proxy"))
        return s->count <= at + 3;
    /* What goes on behind that is not the server's. */
    ret->rest = behind(s, at + 2);
    return true;
}

static const char *verb_of(const char *method, const Route *route)
{
    bool is_one = *route->name;

    if (str_eq(method, "GET") || str_eq(method, "HEAD")) {
        if (is_one)
            return "get";
        return query_flag(&route->query, "watch") ? "watch" : "list";
    }
    if (str_eq(method, "DELETE"))
        return is_one ? "delete" : "deletecollection";
    if (str_eq(method, "POST"))
        return "create";
    if (str_eq(method, "PUT"))
        return "update";
    return str_eq(method, "PATCH") ? "patch" : "";
}

bool route_read(Arena *a, const HallRequest *in, Route *ret)
{
    size_t len = strcspn(in->target, "?");
    Segments segments;

    *ret = (Route){.group = "",
        .version = "",
        .resource = "",
        .subresource = "",
        .namespace = "",
        .name = "",
        .rest = "/",
        .path = query_decode(a, in->target, len, false)};
    if (!ret->path || ret->path[0] != '/')
        return false;
    query_read(a, in->target[len] ? in->target + len + 1 : "", &ret->query);
    split(a, ret->path, &segments);
    ret->is_resource = read_resource(&segments, ret);
    ret->verb = ret->is_resource ? verb_of(in->method, ret) : str_lower(a, in->method);
    return true;
}

/* --- the request of it */

static void refuse_path_of(Arena *a, Routed *ret)
{
    ret->refusal = (Answer){.status = 404,
        .body = refusal_status(a,
            404,
            "NotFound",
            "the server could not find the requested resource",
            draft_object(a))};
}

static void refuse_method_of(Arena *a, Routed *ret)
{
    ret->refusal = (Answer){.status = 405,
        .body = refusal_status(a,
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
            draft_object(a))};
}

/* Where the route leads: the kind and the key; false when nothing is there. */
static bool find_place(const Server *s, const Route *route, Routed *ret)
{
    Request *r = &ret->request;

    r->kind = server_find_kind(s, route->group, route->version, route->resource);
    if (!r->kind)
        return false;
    bool is_namespace = r->kind == kind_namespace;
    if (!r->kind->namespaced && !is_namespace && *route->namespace)
        return false;
    if (r->kind->namespaced && !*route->namespace && *route->name)
        return false;
    r->key.namespace = r->kind->namespaced && *route->namespace ? route->namespace : NULL;
    r->key.name = *route->name ? route->name : NULL;
    r->subresource = *route->subresource ? route->subresource : NULL;
    return true;
}

/* The verb of the Request; false when the place has no such method. */
static bool find_verb(const Route *route, Routed *ret)
{
    static const struct {
        const char *word;
        Verb verb;
        bool of_one, of_all;
    } verbs[] = {
        {"get", VERB_GET, .of_one = true},
        {"list", VERB_LIST, .of_all = true},
        {"watch", VERB_WATCH, .of_all = true},
        {"create", VERB_CREATE, .of_all = true},
        {"update", VERB_UPDATE, .of_one = true},
        {"patch", VERB_MERGE_PATCH, .of_one = true}, /* which one, the body's type says */
        {"delete", VERB_DELETE, .of_one = true},
        {"deletecollection", VERB_DELETE, .of_all = true},
    };
    const Request *r = &ret->request;

    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (!str_eq(verbs[i].word, route->verb))
            continue;
        ret->request.verb = verbs[i].verb;
        ret->is_sweep = str_eq(route->verb, "deletecollection");
        if (r->subresource)
            return verbs[i].of_one || verbs[i].verb == VERB_CREATE;
        bool needs_namespace = verbs[i].verb == VERB_CREATE || ret->is_sweep;
        if (needs_namespace && r->kind->namespaced && !r->key.namespace)
            return false;
        return r->key.name ? verbs[i].of_one : verbs[i].of_all;
    }
    return false;
}

void route_request(
    Arena *a, const Server *s, const HallRequest *in, const Route *route, Routed *ret)
{
    *ret = (Routed){0};
    if (!find_place(s, route, ret)) {
        /* A group that is served at all has a table of its own; what is in no group is a page. */
        ret->is_page = !server_has_group(s, route->group, route->version);
        refuse_path_of(a, ret);
    } else if (!find_verb(route, ret)) {
        refuse_method_of(a, ret);
    } else if (body_read(a, in, ret)) {
        options_read(a, in, &route->query, ret);
    }
}
