/* Gather: one question after the other, each with the whole time of --request-timeout; what is
 * refused is noted. Secrets are not among the kinds that are asked for. */
#include "base/str.h"
#include "cli/connection.h"
#include "cli/pod_log.h"
#include "cli/report/report.h"
#include "cli/version.h"
#include "kube/meta.h"
#include "sei/api/maintenance.h"
#include "sei/api/names.h"
#include "sei/api/node.h"

enum {
    NODES_MAX = 100,
    PODS_MAX = 40, /* whose logs are read */
    EVENTS_MAX = 1000,
    LOG_LINES = 2000,
    LOG_BYTES = 1 << 20,
};

/* --- objects */

static Objects ask(Report *r, const Kind *kind, const char *namespace, const char *labels)
{
    Objects found = {0};

    connection_restart_clock(r->cli);
    Err *err = connection_list(r->cli, kind, namespace, labels, &found);
    if (err)
        report_leave_out(r, kind->plural, err_text(r->cli->arena, err));
    return found;
}

static Objects add_all(Report *r, const Kind *kind, const char *labels)
{
    Objects found = ask(r, kind, r->target.key.namespace, labels);

    for (size_t i = 0; i < found.count; i++)
        report_add_object(r, kind, found.items[i]);
    return found;
}

static void add_volumes(Report *r, const Objects *claims)
{
    for (size_t i = 0; i < claims->count; i++) {
        const Json *volume = NULL;
        Key key = {.name = json_str(claims->items[i], ".spec.volumeName")};
        connection_restart_clock(r->cli);
        Err *err = key.name ? connection_find(r->cli, kind_pv, key, &volume) : OK;
        if (err)
            report_leave_out(r, kind_pv->plural, err_text(r->cli->arena, err));
        if (volume)
            report_add_object(r, kind_pv, volume);
    }
}

/* --- logs */

static void add_log(Report *r, const Json *pod, const char *container, bool previous)
{
    Arena *a = r->cli->arena;
    const char *text = "", *name = meta_name(pod);
    const char *path =
        str_format(a, "logs/%s/%s%s.log", name, container, previous ? ".previous" : "");
    PodLogAsk ask_for = {
        .pod = meta_key(pod),
        .container = container,
        .lines = LOG_LINES,
        .bytes = LOG_BYTES,
        .timestamps = true,
        .previous = previous,
    };

    connection_restart_clock(r->cli);
    Err *err = pod_log_read(r->cli, &ask_for, &text);
    if (err)
        report_leave_out(r, path, err_text(a, err));
    else
        report_add_text(r, path, text);
}

static bool has_restarted(const Json *pod, const char *container)
{
    static const char *const paths[] = {
        ".status.containerStatuses", ".status.initContainerStatuses"};

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const Json *one, *all = json_find(pod, paths[i]);
        json_each(one, all)
            if (str_eq(json_str(one, ".name"), container))
                return json_int(one, ".restartCount", 0) > 0;
    }
    return false;
}

static void add_logs(Report *r, const Json *pod)
{
    static const char *const paths[] = {".spec.initContainers", ".spec.containers"};

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const Json *one, *all = json_find(pod, paths[i]);
        json_each(one, all) {
            const char *name = json_str(one, ".name");
            add_log(r, pod, name, false);
            if (has_restarted(pod, name))
                add_log(r, pod, name, true);
        }
    }
}

static void add_pods(Report *r, const char *labels)
{
    Objects pods = add_all(r, kind_pod, labels);

    for (size_t i = 0; i < pods.count && i < PODS_MAX; i++)
        add_logs(r, pods.items[i]);
    if (pods.count > PODS_MAX)
        report_leave_out(r, "logs", "there are more pods than a report has room for");
}

/* --- events */

typedef struct Names {
    const char *items[NODES_MAX + 1];
    size_t count;
} Names;

/* Of one of them, or of something that is called after it. */
static bool is_about(const Names *names, const char *name)
{
    for (size_t i = 0; name && i < names->count; i++)
        if (str_has_prefix(name, names->items[i])
            || (str_has_prefix(name, "data-") && str_eq(name + 5, names->items[i])))
            return true;
    return false;
}

static const char *time_of(const Json *event)
{
    const char *at = json_str(event, ".series.lastObservedTime");

    at = at ? at : json_str(event, ".eventTime");
    at = at ? at : json_str(event, ".deprecatedLastTimestamp");
    return at ? at : json_str(event, ".metadata.creationTimestamp");
}

static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

static void add_events(Report *r, const Names *names)
{
    Objects events = ask(r, kind_event, r->target.key.namespace, NULL);
    Buf lines = {.ceiling = LOG_BYTES};
    size_t count = 0;

    for (size_t i = 0; i < events.count && count < EVENTS_MAX; i++) {
        const Json *e = events.items[i];
        if (!is_about(names, json_str(e, ".regarding.name")))
            continue;
        count += buf_format(&lines,
            "%s %s %s %s/%s: %s\n",
            or_nothing(time_of(e)),
            or_nothing(json_str(e, ".type")),
            or_nothing(json_str(e, ".reason")),
            or_nothing(json_str(e, ".regarding.kind")),
            or_nothing(json_str(e, ".regarding.name")),
            or_nothing(json_str(e, ".note")));
    }
    report_add_text(r, "events.txt", lines.len ? lines.data : "");
    buf_close(&lines);
}

/* --- all of it */

static void add_operator(Report *r)
{
    const char *holder = NULL;

    connection_restart_clock(r->cli);
    const Json *pod = version_operator_pod(r->cli, r->target.key.namespace, &holder);
    if (!pod) {
        report_leave_out(r,
            "operator",
            holder ? str_format(r->cli->arena, "its pod cannot be seen: its Lease has %s", holder)
                   : "its Lease cannot be seen");
        return;
    }
    report_add_object(r, kind_pod, pod);
    add_logs(r, pod);
}

static Names nodes_of(Report *r)
{
    Names names = {.items = {r->target.key.name}, .count = 1};

    if (!target_is_fleet(&r->target))
        return names;
    Objects children =
        add_all(r, kind_seinode, str_format(r->cli->arena, LABEL_FLEET "=%s", r->target.key.name));
    for (size_t i = 0; i < children.count && names.count <= NODES_MAX; i++)
        names.items[names.count++] = meta_name(children.items[i]);
    return names;
}

static const char *selector_of(Report *r, const char *label, const Names *names)
{
    const char *list = names->items[0];

    for (size_t i = 1; i < names->count; i++)
        list = str_format(r->cli->arena, "%s,%s", list, names->items[i]);
    return str_format(r->cli->arena, "%s in (%s)", label, list);
}

void report_gather(Report *r)
{
    static const Kind *const kinds[] = {
        kind_statefulset, kind_service, kind_configmap, kind_job, kind_controllerrevision};

    report_add_object(r, r->target.kind, r->target.object);
    Names names = nodes_of(r);
    const char *labels = selector_of(r, LABEL_NODE, &names);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        add_all(r, kinds[i], labels);
    if (target_is_fleet(&r->target))
        add_all(r,
            kind_controllerrevision,
            str_format(r->cli->arena, LABEL_FLEET "=%s,!" LABEL_NODE, r->target.key.name));
    Objects claims = add_all(r, kind_pvc, labels);
    add_volumes(r, &claims);
    add_pods(r, labels);
    add_all(r, kind_job, selector_of(r, LABEL_MAINTENANCE_OF, &names));
    add_pods(r, selector_of(r, LABEL_MAINTENANCE_OF, &names));
    add_events(r, &names);
    add_operator(r);
}
