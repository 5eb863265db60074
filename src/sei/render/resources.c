/* Requests and limits of a container, in the words in which the server stores them.
 *
 * What we own must look like what we rendered, so amounts are put into the server's form. Its rules
 * for them are repeated here, because its refusal would come after the plan has begun. */
#include "base/str.h"
#include "kube/core/label.h"
#include "kube/quantity.h"
#include "sei/render/pod.h"

#include <string.h>

#define HUGE_PAGES "hugepages-"

static const Nanos UNIT = 1000000000;

/* One amount: what it is, where it stands, how much. */
typedef struct Amount {
    const char *name, *path;
    Quantity quantity;
} Amount;

static bool is_huge_page(const char *name)
{
    return str_has_prefix(name, HUGE_PAGES);
}

/* Kubernetes' own: these may be shared out more than once, except huge pages. */
static bool is_native(const char *name)
{
    return !strchr(name, '/') || strstr(name, "kubernetes.io/");
}

static bool is_resource(Arena *a, const char *name)
{
    if (!strchr(name, '/'))
        return str_eq(name, "cpu") || str_eq(name, "memory") || str_eq(name, "ephemeral-storage")
            || is_huge_page(name);
    if (is_native(name))
        return label_is_key(name);
    /* Quotas put this word in front of a device's name. */
    return !str_has_prefix(name, "requests.") && label_is_key(str_format(a, "requests.%s", name));
}

static bool is_whole_pages(Arena *a, const char *name, Quantity amount)
{
    Quantity page;

    return !quantity_parse(a, name + strlen(HUGE_PAGES), &page) && page.nanos > 0
        && page.nanos % UNIT == 0 && amount.nanos % page.nanos == 0;
}

/* The kinds of resource have rules of their own. */
static Err *check_amount(Arena *a, const Amount *amount)
{
    const char *text = quantity_text(a, amount->quantity);

    if (amount->quantity.nanos < 0)
        return err_terminal(a, "%s: \"%s\" is negative", amount->path, text);
    if (!is_native(amount->name) && amount->quantity.nanos % UNIT != 0)
        return err_terminal(a, "%s: \"%s\" is not a whole number", amount->path, text);
    if (is_huge_page(amount->name) && !is_whole_pages(a, amount->name, amount->quantity))
        return err_terminal(
            a, "%s: \"%s\" is not a whole number of such pages", amount->path, text);
    return OK;
}

static Err *read_amount(Arena *a, const char *path, const Json *value, Amount *ret)
{
    const char *text = json_text(value), *name = json_key(value);

    *ret = (Amount){.name = name, .path = str_format(a, "%s.%s", path, str_cut(a, name, 80))};
    if (json_type(value) == JSON_NUMBER)
        text = json_write(a, value).data;
    if (!is_resource(a, name))
        return err_terminal(a,
            "%s: not a resource of containers: cpu, memory, ephemeral-storage, hugepages-<size>, "
            "or a device by its full name",
            ret->path);
    if (!text)
        return err_terminal(a, "%s: expected a quantity", ret->path);
    TRY(err_wrap(a, quantity_parse(a, text, &ret->quantity), "%s", ret->path));
    return check_amount(a, ret);
}

static Err *render_amounts(Arena *a, const char *path, const Json *amounts, Draft **ret)
{
    Draft *rendered = draft_object(a);
    const Json *value;

    json_each(value, amounts) {
        Amount amount;

        TRY(read_amount(a, path, value, &amount));
        draft_add(rendered, str(amount.name, quantity_resource_text(a, amount.quantity)));
    }
    *ret = draft_count(rendered) ? rendered : NULL;
    return OK;
}

/* A request may not pass its limit; what cannot be shared out twice must equal it. */
static Err *check_request(Arena *a, const char *path, const Json *request, const Json *limit)
{
    Amount asked, allowed;
    TRY(read_amount(a, str_format(a, "%s.requests", path), request, &asked));
    bool shared = is_native(asked.name) && !is_huge_page(asked.name);

    if (!limit)
        return shared ? OK : err_terminal(a, "%s: needs a limit of the same amount", asked.path);
    TRY(read_amount(a, str_format(a, "%s.limits", path), limit, &allowed));
    int order = quantity_compare(asked.quantity, allowed.quantity);
    if (order > 0)
        return err_terminal(a,
            "%s: %s is more than the limit of %s",
            asked.path,
            quantity_text(a, asked.quantity),
            quantity_text(a, allowed.quantity));
    if (order != 0 && !shared)
        return err_terminal(a, "%s: must equal the limit", asked.path);
    return OK;
}

static Err *check_requests(Arena *a, const char *path, const Json *requests, const Json *limits)
{
    const Json *request;

    json_each(request, requests)
        TRY(check_request(a, path, request, json_member(limits, json_key(request))));
    return OK;
}

/* Huge pages are taken from memory that somebody must have asked for. */
static Err *check_huge_pages(Arena *a, const char *path, const Json *resources)
{
    static const char *const lists[] = {".requests", ".limits"};
    bool huge = false, other = false;

    for (size_t i = 0; i < 2; i++) {
        const Json *value;
        json_each(value, json_find(resources, lists[i])) {
            huge |= is_huge_page(json_key(value));
            other |= str_eq(json_key(value), "cpu") || str_eq(json_key(value), "memory");
        }
    }
    return huge && !other ? err_terminal(a, "%s: huge pages need cpu or memory as well", path) : OK;
}

Err *render_resources(Arena *a, const char *path, const Json *resources, const Json **ret)
{
    const Json *requests = json_find(resources, ".requests");
    const Json *limits = json_find(resources, ".limits");
    Draft *requested = NULL, *limited = NULL;

    *ret = NULL;
    if (json_count(json_find(resources, ".claims")))
        return err_terminal(
            a, "%s.claims: not supported: the pod of a node has no resource claims", path);
    TRY(render_amounts(a, str_format(a, "%s.requests", path), requests, &requested));
    TRY(render_amounts(a, str_format(a, "%s.limits", path), limits, &limited));
    TRY(check_requests(a, path, requests, limits));
    TRY(check_huge_pages(a, path, resources));
    if (requested || limited)
        *ret = json_seal(a, draft(a, sub("requests", requested), sub("limits", limited)));
    return OK;
}
