/* The cells of workloads, of the network, and of nodes. */
#include "base/str.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sandbox/table_cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE_SHOWN_MAX = 3, NODE_ROLES_MAX = 16, BALANCER_ADDRESSES_MAX = 16 };

/* --- workloads --- */

static bool holds(const TableRow *row, const char *condition)
{
    return str_eq(row_condition(row, condition), "True");
}

void cell_job_status(TableRow *row, const TableColumn *column)
{
    static const char *const states[] = {"Suspended", "FailureTarget", "SuccessCriteriaMet"};
    const char *status = "Running";

    (void)column;
    for (size_t i = sizeof states / sizeof *states; i > 0; i--)
        if (holds(row, states[i - 1]))
            status = states[i - 1];
    if (meta_deleting(row->object))
        status = "Terminating";
    if (holds(row, "Failed"))
        status = "Failed";
    if (holds(row, "Complete"))
        status = "Complete";
    row_push_text(row, status);
}

void cell_job_completions(TableRow *row, const TableColumn *column)
{
    int64_t succeeded = json_int(row->object, ".status.succeeded", 0);
    int64_t wanted = json_int(row->object, ".spec.completions", -1);
    int64_t parallelism = json_int(row->object, ".spec.parallelism", 0);
    const char *text =
        str_format(row->arena, "%" PRId64 "/%" PRId64, succeeded, wanted < 0 ? 1 : wanted);

    (void)column;
    if (wanted < 0 && parallelism > 1)
        text = str_format(row->arena, "%s of %" PRId64, text, parallelism);
    row_push_text(row, text);
}

void cell_job_duration(TableRow *row, const TableColumn *column)
{
    const char *started = json_str(row->object, ".status.startTime");
    const char *ended = json_str(row->object, ".status.completionTime");
    int64_t start_ns, end_ns = row->now_ns;
    char text[TIMESTAMP_SIZE] = "";

    (void)column;
    if (started && timestamp_parse(started, &start_ns)
        && (!ended || timestamp_parse(ended, &end_ns)))
        timestamp_elapsed(end_ns - start_ns, text);
    row_push_text(row, str_copy(row->arena, text));
}

/* "statefulset.apps/web" */
void cell_controller(TableRow *row, const TableColumn *column)
{
    const Json *owner = meta_controller(row->object);
    const char *api_version = json_str(owner, ".apiVersion");
    const char *slash = api_version ? strchr(api_version, '/') : NULL;
    const char *kind = json_str(owner, ".kind");

    (void)column;
    if (!owner) {
        row_push_text(row, "<none>");
        return;
    }
    if (slash)
        kind = str_format(row->arena,
            "%s.%s",
            kind,
            str_slice(row->arena, api_version, (size_t)(slash - api_version)));
    row_push_text(row,
        str_format(row->arena, "%s/%s", str_lower(row->arena, kind), json_str(owner, ".name")));
}

void cell_budget(TableRow *row, const TableColumn *column)
{
    const Json *value = json_find(row->object, column->path);

    if (json_type(value) == JSON_NUMBER)
        row_push_text(row, str_format(row->arena, "%" PRId64, json_int(value, "", 0)));
    else
        row_push_text(row, json_text(value) ? json_text(value) : "N/A");
}

/* --- services --- */

static const char *joined(TableRow *row, const Json *texts)
{
    Text all = {.arena = row->arena};
    const Json *each;

    json_each(each, texts)
        if (json_text(each))
            row_join(&all, ",", json_text(each));
    return row_joined(&all);
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Sorted, each once; NULL of none. */
static const char *joined_in_order(TableRow *row, const char **texts, size_t count)
{
    Text all = {.arena = row->arena};

    qsort(texts, count, sizeof *texts, by_text);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !str_eq(texts[i], texts[i - 1]))
            row_join(&all, ",", texts[i]);
    return row_joined(&all);
}

/* The addresses that a load balancer gave, in order. NULL: none. */
static const char *balancer_addresses(TableRow *row)
{
    const char *addresses[BALANCER_ADDRESSES_MAX];
    size_t count = 0;
    const Json *each;

    json_each(each, json_find(row->object, ".status.loadBalancer.ingress")) {
        const char *ip = json_str(each, ".ip");
        const char *address = str_empty(ip) ? json_str(each, ".hostname") : ip;
        if (!str_empty(address) && count < BALANCER_ADDRESSES_MAX)
            addresses[count++] = address;
    }
    return joined_in_order(row, addresses, count);
}

void cell_service_address(TableRow *row, const TableColumn *column)
{
    const char *type = json_str(row->object, ".spec.type");
    const char *outside = joined(row, json_find(row->object, ".spec.externalIPs"));
    const char *given;

    (void)column;
    if (str_eq(type, "ExternalName")) {
        row_push_text(row, json_str(row->object, ".spec.externalName"));
    } else if (str_eq(type, "LoadBalancer")) {
        given = balancer_addresses(row);
        if (outside)
            given = given ? str_format(row->arena, "%s,%s", given, outside) : outside;
        row_push_text(row, given ? given : "<pending>");
    } else {
        row_push_text(row, outside ? outside : "<none>");
    }
}

void cell_service_ports(TableRow *row, const TableColumn *column)
{
    Text all = {.arena = row->arena};
    const Json *each;

    (void)column;
    json_each(each, json_find(row->object, ".spec.ports")) {
        int64_t port = json_int(each, ".port", 0), outside = json_int(each, ".nodePort", 0);
        const char *protocol = json_str(each, ".protocol");
        const char *text = outside > 0
            ? str_format(row->arena, "%" PRId64 ":%" PRId64 "/%s", port, outside, protocol)
            : str_format(row->arena, "%" PRId64 "/%s", port, protocol);
        row_join(&all, ",", text);
    }
    row_push_text(row, all.data ? row_joined(&all) : "<none>");
}

/* Three of them, and how many more there are. */
static void push_some(TableRow *row, Text *all, size_t count)
{
    const char *shown = row_joined(all);

    if (count > SLICE_SHOWN_MAX)
        shown = str_format(row->arena, "%s + %zu more...", shown, count - SLICE_SHOWN_MAX);
    row_push_text(row, str_empty(shown) ? "<unset>" : shown);
}

void cell_slice_ports(TableRow *row, const TableColumn *column)
{
    Text shown = {.arena = row->arena};
    size_t count = 0;
    const Json *each;

    (void)column;
    json_each(each, json_find(row->object, ".ports")) {
        const char *name = json_str(each, ".name");
        int64_t port = json_int(each, ".port", -1);
        const char *text = name ? name : "*";
        if (port >= 0)
            text = str_format(row->arena, "%" PRId64, port);
        if (count++ < SLICE_SHOWN_MAX)
            row_join(&shown, ",", text);
    }
    push_some(row, &shown, count);
}

void cell_slice_endpoints(TableRow *row, const TableColumn *column)
{
    Text shown = {.arena = row->arena};
    size_t count = 0;
    const Json *each, *address;

    (void)column;
    json_each(each, json_find(row->object, ".endpoints"))
        json_each(address, json_find(each, ".addresses"))
            if (count++ < SLICE_SHOWN_MAX)
                row_join(&shown, ",", json_text(address));
    push_some(row, &shown, count);
}

/* --- nodes --- */

void cell_node_status(TableRow *row, const TableColumn *column)
{
    const char *ready = row_condition(row, "Ready");
    const char *status = str_eq(ready, "True") ? "Ready" : "NotReady";

    (void)column;
    if (!ready)
        status = "Unknown";
    if (json_bool(row->object, ".spec.unschedulable", false))
        status = str_format(row->arena, "%s,SchedulingDisabled", status);
    row_push_text(row, status);
}

/* From the labels node-role.kubernetes.io/<role> and kubernetes.io/role, in order. */
void cell_node_roles(TableRow *row, const TableColumn *column)
{
    static const char prefix[] = "node-role.kubernetes.io/";
    const char *roles[NODE_ROLES_MAX], *all;
    size_t count = 0;
    const Json *label;

    (void)column;
    json_each(label, json_find(row->object, ".metadata.labels")) {
        const char *key = json_key(label), *role = NULL;
        if (str_has_prefix(key, prefix))
            role = key + strlen(prefix);
        else if (str_eq(key, "kubernetes.io/role"))
            role = json_text(label);
        if (!str_empty(role) && count < NODE_ROLES_MAX)
            roles[count++] = role;
    }
    all = joined_in_order(row, roles, count);
    row_push_text(row, all ? all : "<none>");
}

void cell_node_address(TableRow *row, const TableColumn *column)
{
    const Json *each;

    json_each(each, json_find(row->object, ".status.addresses")) {
        if (str_eq(json_str(each, ".type"), column->path)) {
            row_push_text(row, json_str(each, ".address"));
            return;
        }
    }
    row_push_text(row, "<none>");
}
