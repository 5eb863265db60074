/* Requests as questions about rights, and the refusal of one. A get of a namespace counts as inside
 * of it, and a list of one name as about that name: so a role can give just these. */
#include "base/str.h"
#include "world/refusal.h"
#include "world/rights.h"

#include <string.h>

/* The name in a selector "metadata.name=x" that asks for nothing else; or NULL. */
static const char *selected_name(Arena *a, const char *fields)
{
    static const char by_name[] = "metadata.name=";
    const char *name;

    if (!str_has_prefix(fields, by_name) || strchr(fields, ','))
        return NULL;
    name = fields + strlen(by_name);
    return str_copy(a, name + (*name == '='));
}

RightsQuestion rights_question(Arena *a, const Caller *caller, const Request *request)
{
    RightsQuestion q = {
        .user = caller->user, .groups = caller->groups, .verb = request_verb_text(request)};

    if (request->verb == VERB_RAW_GET) {
        q.verb = "get";
        q.path = request->raw_path;
        return q;
    }
    q.group = request->kind->group;
    q.resource = request->kind->plural;
    q.subresource = request->subresource;
    q.namespace = request->kind->namespaced ? request->key.namespace : NULL;
    /* A create goes to the collection, whatever it calls the new one. */
    if (request->verb != VERB_CREATE || request->subresource)
        q.name = request->key.name;
    if (request->verb == VERB_LIST || request->verb == VERB_WATCH)
        q.name = selected_name(a, request->fields);
    if (kind_eq(request->kind, kind_namespace))
        q.namespace = q.name;
    return q;
}

/* As the real server writes what it did not write itself. */
static const char *sanitized(Arena *a, const char *text)
{
    static const struct {
        char sign;
        const char *as;
    } signs[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}};
    char *clean = arena_array(a, char, strlen(text) * 5 + 1), *to = clean;

    for (; *text; text++) {
        const char *as = NULL;
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
            if (*text == signs[i].sign)
                as = signs[i].as;
        if (!as) {
            *to++ = *text;
            continue;
        }
        memcpy(to, as, strlen(as));
        to += strlen(as);
    }
    return clean;
}

static const char *wish(Arena *a, const RightsQuestion *q)
{
    const char *user = q->user ? q->user : "", *verb = q->verb ? q->verb : "";
    const char *what;

    if (q->path)
        return str_format(a, "User \"%s\" cannot %s path \"%s\"", user, verb, q->path);
    what = str_empty(q->subresource) ? q->resource
                                     : str_format(a, "%s/%s", q->resource, q->subresource);
    return str_format(a,
        "User \"%s\" cannot %s resource \"%s\" in API group \"%s\" %s%s%s",
        user,
        verb,
        what,
        q->group ? q->group : "",
        str_empty(q->namespace) ? "at the cluster scope" : "in the namespace \"",
        str_empty(q->namespace) ? "" : q->namespace,
        str_empty(q->namespace) ? "" : "\"");
}

const Json *rights_refusal(Arena *a, const RightsQuestion *q, const char *reason)
{
    const char *group = q->path ? "" : q->group, *kind = q->path ? "" : q->resource;
    const char *name = q->path ? "" : q->name, *subject = "";

    if (!str_empty(kind))
        subject = str_format(a,
            "%s%s%s%s%s%s is ",
            kind,
            str_empty(group) ? "" : ".",
            str_empty(group) ? "" : group,
            str_empty(name) ? "" : " \"",
            str_empty(name) ? "" : name,
            str_empty(name) ? "" : "\"");
    return json_seal(a,
        draft(a,
            str("kind", "Status"),
            str("apiVersion", "v1"),
            sub("metadata", draft_object(a)),
            str("status", "Failure"),
            str("message",
                str_format(a,
                    "%sforbidden: %s%s%s",
                    subject,
                    sanitized(a, wish(a, q)),
                    str_empty(reason) ? "" : ": ",
                    str_empty(reason) ? "" : reason)),
            str("reason", "Forbidden"),
            sub("details", refusal_details(a, group, kind, name)),
            num("code", 403)));
}

bool rights_admit(
    Server *s, Arena *a, const Caller *caller, const Request *request, Answer *ret_refusal)
{
    RightsQuestion question = rights_question(a, caller, request);
    const char *reason;

    if (rights_allow(s, a, &question, &reason))
        return true;
    *ret_refusal = (Answer){.status = 403, .body = rights_refusal(a, &question, reason)};
    return false;
}
