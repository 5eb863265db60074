/* Negotiation. Clauses are tried from the best to the least wanted; the first one that the endpoint
 * can serve wins, so a client that lists protobuf before JSON gets JSON. */
#include "sandbox/negotiation.h"

#include "base/draft.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { CLAUSES_MAX = 32 };

typedef struct Clause {
    const char *type, *subtype;
    double quality;
    const char *kind, *group, *version; /* of a conversion: as, g, v; NULL when not said */
    const char *stream, *server_version;
} Clause;

/* --- reading --- */

/* The text up to the separator, without spaces around it; `*rest` goes behind the separator. */
static const char *take(Arena *a, const char **rest, char separator)
{
    const char *from = *rest, *end = strchr(from, separator);
    size_t len = end ? (size_t)(end - from) : strlen(from);

    *rest = from + len + (end ? 1 : 0);
    while (len > 0 && *from == ' ') {
        from++;
        len--;
    }
    while (len > 0 && from[len - 1] == ' ')
        len--;
    return str_slice(a, from, len);
}

static void read_parameter(Arena *a, const char *parameter, Clause *ret)
{
    const char *value = parameter;
    const char *name = take(a, &value, '=');

    if (*value == '\0' || strchr(value, '='))
        return;
    if (str_eq(name, "q"))
        ret->quality = strtod(value, NULL);
    else if (str_eq(name, "as"))
        ret->kind = value;
    else if (str_eq(name, "g"))
        ret->group = value;
    else if (str_eq(name, "v"))
        ret->version = value;
    else if (str_eq(name, "stream"))
        ret->stream = value;
    else if (str_eq(name, "sv"))
        ret->server_version = value;
}

/* False for what is no media type. */
static bool read_clause(Arena *a, const char *text, Clause *ret)
{
    const char *subtype = take(a, &text, ';');
    const char *type = take(a, &subtype, '/');

    *ret = (Clause){.type = type, .subtype = subtype, .quality = 1};
    if (*subtype == '\0' && str_eq(type, "*"))
        ret->subtype = "*";
    else if (*subtype == '\0' || strchr(subtype, '/'))
        return false;
    while (*text != '\0')
        read_parameter(a, take(a, &text, ';'), ret);
    return true;
}

static bool is_better(const Clause *left, const Clause *right)
{
    bool left_any = str_eq(left->type, "*"), right_any = str_eq(right->type, "*");

    if (left->quality != right->quality)
        return left->quality > right->quality;
    if (left_any != right_any)
        return right_any;
    return !str_eq(left->subtype, "*") && str_eq(right->subtype, "*");
}

/* Best first; equal ones stay in their order. */
static size_t read_clauses(Arena *a, const char *accept, Clause ret[CLAUSES_MAX])
{
    size_t count = 0;

    while (*accept != '\0' && count < CLAUSES_MAX) {
        Clause clause;
        size_t at = count;
        if (!read_clause(a, take(a, &accept, ','), &clause))
            continue;
        for (; at > 0 && is_better(&clause, &ret[at - 1]); at--)
            ret[at] = ret[at - 1];
        ret[at] = clause;
        count++;
    }
    return count;
}

/* --- choosing --- */

static bool means_json(const Clause *c)
{
    if (str_eq(c->type, "*"))
        return str_eq(c->subtype, "*");
    return str_eq(c->type, "application")
        && (str_eq(c->subtype, "json") || str_eq(c->subtype, "*"));
}

static bool is_served(const Clause *c)
{
    if (!str_empty(c->server_version))
        return false;
    return means_json(c) && (str_empty(c->stream) || str_eq(c->stream, "watch"));
}

static bool converts(const Clause *c)
{
    return c->kind || c->group || c->version;
}

static bool is_aggregated(const Clause *c)
{
    return str_eq(c->kind, "APIGroupDiscoveryList") && str_eq(c->group, "apidiscovery.k8s.io")
        && str_eq(c->version, "v2");
}

static Form converted_form(const Clause *c)
{
    if (!str_eq(c->group, "meta.k8s.io")
        || (!str_eq(c->version, "v1") && !str_eq(c->version, "v1beta1")))
        return FORM_NOT_ACCEPTABLE;
    if (str_eq(c->kind, "Table"))
        return FORM_TABLE;
    if (str_eq(c->kind, "PartialObjectMetadata"))
        return FORM_METADATA;
    return str_eq(c->kind, "PartialObjectMetadataList") ? FORM_METADATA_LIST : FORM_NOT_ACCEPTABLE;
}

static Form form_of(const Clause *c, Endpoint endpoint)
{
    if (!is_served(c))
        return FORM_NOT_ACCEPTABLE;
    if (!converts(c))
        return FORM_PLAIN;
    return endpoint == ENDPOINT_RESOURCE ? converted_form(c) : FORM_NOT_ACCEPTABLE;
}

Negotiated negotiate(Arena *a, const char *accept, Endpoint endpoint)
{
    Clause clauses[CLAUSES_MAX];
    size_t count;

    if (str_empty(accept))
        return (Negotiated){.form = FORM_PLAIN};
    count = read_clauses(a, accept, clauses);
    /* The whole of discovery goes before its parts, wherever it stands in the header. */
    for (size_t i = 0; endpoint == ENDPOINT_DISCOVERY && i < count; i++)
        if (is_served(&clauses[i]) && is_aggregated(&clauses[i]))
            return (Negotiated){.form = FORM_DISCOVERY};
    for (size_t i = 0; i < count; i++) {
        Form form = form_of(&clauses[i], endpoint);
        if (form != FORM_NOT_ACCEPTABLE)
            return (Negotiated){.form = form, .version = clauses[i].version};
    }
    return (Negotiated){.form = FORM_NOT_ACCEPTABLE};
}

const Json *negotiation_refusal(Arena *a)
{
    return json_seal(a,
        draft(a,
            str("kind", "Status"),
            str("apiVersion", "v1"),
            sub("metadata", draft_object(a)),
            str("status", "Failure"),
            str("message", "only the following media types are accepted: application/json"),
            str("reason", "NotAcceptable"),
            num("code", 406)));
}
