/* Defaults of built-in kinds that depend on the rest of the object. Some hold for Pods but not for
 * the templates that pods are made from: those ask what the root is. */
#include "base/draft.h"
#include "base/str.h"
#include "world/schema_rows.h"

#include <string.h>

static const Json *text(const ShapeScene *s, const char *value)
{
    return json_find(json_seal(s->arena, draft(s->arena, str("it", value))), ".it");
}

static bool is_type(const ShapeScene *s, const char *type)
{
    return str_eq(json_str(s->object, ".type"), type);
}

static bool has(const Json *object, const char *member)
{
    JsonType type = json_type(json_member(object, member));

    return type != JSON_ABSENT && type != JSON_NULL;
}

/* --- pods --- */

/* Always for ":latest", also when that is only meant. */
const Json *compute_pull_policy(const ShapeScene *s)
{
    const char *said = json_str(s->object, ".image");
    const char *image = said ? said : "";
    const char *name = strrchr(image, '/');
    const char *tag = strchr(name ? name : image, ':');
    bool is_latest = tag ? str_eq(tag, ":latest") : *image && !strchr(image, '@');

    return text(s, is_latest ? "Always" : "IfNotPresent");
}

/* Of a volume that says nothing but its name. */
const Json *compute_empty_dir(const ShapeScene *s)
{
    const Json *member;

    json_each(member, s->object)
        if (json_type(member) != JSON_NULL && json_key(member)
            && shape_find(&shape_volume, json_key(member)) && !str_eq(json_key(member), "name"))
            return NULL;
    return json_fixture(s->arena, "{}");
}

const Json *compute_host_port(const ShapeScene *s)
{
    bool applies = s->schema->is_pod && json_bool(s->root, ".spec.hostNetwork", false);

    return applies ? json_find(s->object, ".containerPort") : NULL;
}

/* The account has an old name and a new one. */
const Json *compute_account(const ShapeScene *s)
{
    return json_find(s->object, ".serviceAccountName");
}

const Json *compute_account_name(const ShapeScene *s)
{
    return json_find(s->object, ".serviceAccount");
}

const Json *compute_service_links(const ShapeScene *s)
{
    return s->schema->is_pod ? json_fixture(s->arena, "true") : NULL;
}

/* A container's requests are its limits where it does not say otherwise. */
static bool lacks_requests(const Json *container)
{
    const Json *limits = json_find(container, ".resources.limits"), *limit;
    const Json *requests = json_find(container, ".resources.requests");

    json_each(limit, limits)
        if (json_key(limit) && !has(requests, json_key(limit)))
            return true;
    return false;
}

static const Json *requesting(Arena *a, const Json *container)
{
    const Json *requests = json_find(container, ".resources.requests");

    if (!lacks_requests(container))
        return container;
    requests = json_merge(a, json_find(container, ".resources.limits"), requests);
    return json_merge(
        a, container, json_seal(a, draft(a, obj("resources", draft_json("requests", requests)))));
}

/* The same containers, requesting; NULL when they do already. */
static Draft *all_requesting(Arena *a, const Json *containers)
{
    Draft *list = draft_array(a);
    const Json *container;
    bool any = false;

    if (json_type(containers) != JSON_ARRAY)
        return NULL;
    json_each(container, containers) {
        any = any || lacks_requests(container);
        draft_push_json(list, requesting(a, container));
    }
    return any ? list : NULL;
}

/* The address of a pod has an old name, which counts, and a new one. */
static Draft *addresses_told_twice(Arena *a, const Json *status)
{
    const char *one = json_str(status, ".podIP"), *first = json_str(status, ".podIPs[0].ip");

    if (str_eq(one, first) || (str_empty(one) && str_empty(first)))
        return NULL;
    if (str_empty(one))
        return draft(a, str("podIP", first));
    return draft(a, list("podIPs", draft(a, str("ip", one))));
}

static Draft *containers_requesting(Arena *a, const Json *spec)
{
    Draft *containers = all_requesting(a, json_find(spec, ".containers"));
    Draft *init_containers = all_requesting(a, json_find(spec, ".initContainers"));

    if (!containers && !init_containers)
        return NULL;
    return draft(a, sub("containers", containers), sub("initContainers", init_containers));
}

const Json *adjust_pod(Arena *a, const Json *object)
{
    Draft *spec = containers_requesting(a, json_find(object, ".spec"));
    Draft *status = addresses_told_twice(a, json_find(object, ".status"));

    if (!spec && !status)
        return object;
    return json_merge(a, object, json_seal(a, draft(a, sub("spec", spec), sub("status", status))));
}

/* --- StatefulSets --- */

const Json *compute_rolling_update(const ShapeScene *s)
{
    return str_empty(json_str(s->object, ".type")) ? json_fixture(s->arena, "{}") : NULL;
}

const Json *compute_partition(const ShapeScene *s)
{
    const char *type = json_str(s->root, ".spec.updateStrategy.type");
    bool rolls = str_empty(type) || str_eq(type, "RollingUpdate");

    return rolls ? json_fixture(s->arena, "0") : NULL;
}

/* --- Jobs --- */

const Json *compute_completions(const ShapeScene *s)
{
    return has(s->object, "parallelism") ? NULL : json_fixture(s->arena, "1");
}

const Json *compute_parallelism(const ShapeScene *s)
{
    return json_fixture(s->arena, "1");
}

const Json *compute_backoff_limit(const ShapeScene *s)
{
    return json_fixture(s->arena, has(s->object, "backoffLimitPerIndex") ? "2147483647" : "6");
}

const Json *compute_replacement_policy(const ShapeScene *s)
{
    return text(s, has(s->object, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
}

const Json *adjust_job(Arena *a, const Json *object)
{
    const Json *labels = json_find(object, ".spec.template.metadata.labels");

    if (json_count(json_find(object, ".metadata.labels")) > 0 || json_count(labels) == 0)
        return object;
    return json_merge(
        a, object, json_seal(a, draft(a, obj("metadata", draft_json("labels", labels)))));
}

/* --- Services --- */

const Json *compute_target_port(const ShapeScene *s)
{
    return json_find(s->object, ".port");
}

static bool balances(const ShapeScene *s)
{
    return is_type(s, "LoadBalancer");
}

const Json *compute_internal_traffic(const ShapeScene *s)
{
    return is_type(s, "ExternalName") ? NULL : text(s, "Cluster");
}

const Json *compute_external_traffic(const ShapeScene *s)
{
    bool outside = balances(s) || is_type(s, "NodePort")
        || (!is_type(s, "ExternalName") && json_count(json_find(s->object, ".externalIPs")) > 0);

    return outside ? text(s, "Cluster") : NULL;
}

const Json *compute_balancer_ports(const ShapeScene *s)
{
    return balances(s) ? json_fixture(s->arena, "true") : NULL;
}

const Json *compute_affinity_config(const ShapeScene *s)
{
    return str_eq(json_str(s->object, ".sessionAffinity"), "ClientIP")
        ? json_fixture(s->arena, "{clientIP: {timeoutSeconds: 10800}}")
        : NULL;
}

/* --- the rest --- */

const Json *compute_allocatable(const ShapeScene *s)
{
    return json_find(s->object, ".capacity");
}

const Json *adjust_namespace(Arena *a, const Json *object)
{
    const char *name = json_str(object, ".metadata.name");

    if (str_empty(name))
        return object;
    return json_merge(a,
        object,
        json_seal(
            a, draft(a, obj("metadata", obj("labels", str("kubernetes.io/metadata.name", name))))));
}

static const char *base64(Arena *a, const char *plain)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = strlen(plain), out = 0;
    char *coded = arena_alloc(a, (len + 2) / 3 * 4 + 1);

    for (size_t i = 0; i < len; i += 3) {
        size_t left = len - i;
        unsigned group = (unsigned)(unsigned char)plain[i] << 16;
        group |= left > 1 ? (unsigned)(unsigned char)plain[i + 1] << 8 : 0;
        group |= left > 2 ? (unsigned char)plain[i + 2] : 0;
        coded[out++] = digits[group >> 18];
        coded[out++] = digits[group >> 12 & 63];
        coded[out++] = left > 1 ? digits[group >> 6 & 63] : '=';
        coded[out++] = left > 2 ? digits[group & 63] : '=';
    }
    return coded;
}

/* stringData is for writing only: it becomes data. */
const Json *adjust_secret(Arena *a, const Json *object)
{
    const Json *said = json_find(object, ".stringData"), *member;
    Draft *data = draft_object(a);

    if (json_count(said) == 0)
        return object;
    json_each(member, said)
        if (json_text(member))
            draft_add(data, str(json_key(member), base64(a, json_text(member))));
    return json_merge(a,
        object,
        json_seal(
            a, draft(a, sub("data", data), draft_json("stringData", json_fixture(a, "null")))));
}
