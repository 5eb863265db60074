/* Sight: one question after the other, each within what is left of the time. The first that is
 * refused for lack of time leaves the others unasked: they are named too. */
#include "cli/sight.h"

#include "base/draft.h"
#include "base/str.h"
#include "cli/event_list.h"
#include "cli/pulse.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/fleet.h"
#include "sei/api/names.h"
#include "sei/api/node.h"

#include <stdlib.h>

enum {
    PAGE_MAX = 500, /* a fleet has 100 nodes at most */
    REASON_MAX = 200,
};

typedef struct Look {
    const SightPort *port;
    const Json *object;
    const Json *children; /* of a fleet */
    Draft *found, *missing;
} Look;

static const char *now_text(Arena *a, Clock *clock)
{
    char text[TIMESTAMP_SIZE];

    return str_copy(a, timestamp_format(clock->wall_ns(clock), text));
}

static Draft *begin(Arena *a, Clock *clock, const char *namespace, const Json *object)
{
    return draft(a,
        str("now", now_text(a, clock)),
        str("namespace", namespace),
        draft_json("object", object));
}

/* NULL with no error: there is none. */
static Err *ask(Look *look, Request request, const Json **ret)
{
    const SightPort *port = look->port;
    int64_t left_ms = port->deadline_ms - clock_mono_ms(port->clock);

    *ret = NULL;
    if (left_ms <= 0)
        return err_retry(port->arena, "not asked: no time was left");
    request.deadline_ms = port->deadline_ms == INT64_MAX ? 0 : left_ms;
    Err *err = api_call(port->api, port->arena, &request, ret);
    return err_has_status(err, 404) ? OK : err;
}

static void note_missing(Look *look, const char *what, const Err *why)
{
    Arena *a = look->port->arena;

    draft_push(look->missing,
        draft(a, str("what", what), str("why", str_cut(a, err_text(a, why), REASON_MAX))));
}

static const Json *look_at(Look *look, const char *member, const Kind *kind, Key key)
{
    const Json *object = NULL;
    Err *err =
        key.name ? ask(look, (Request){.verb = VERB_GET, .kind = kind, .key = key}, &object) : OK;

    if (err)
        note_missing(look, member, err);
    if (object)
        draft_set(look->found, draft_json(member, object));
    return object;
}

static const Json *look_for(Look *look, const char *member, const Kind *kind, const char *labels)
{
    const Json *list = NULL;
    Err *err = ask(look,
        (Request){.verb = VERB_LIST,
            .kind = kind,
            .key.namespace = meta_namespace(look->object),
            .labels = labels,
            .limit = PAGE_MAX},
        &list);

    if (err)
        note_missing(look, member, err);
    else
        draft_set(look->found, draft_json(member, json_find(list, ".items")));
    return json_find(list, ".items");
}

/* --- events */

static Draft *newest_events(Arena *a, const Objects *about)
{
    Draft *events = draft_array(a);

    for (size_t i = 0; i < about->count && i < SIGHT_EVENTS_MAX; i++) {
        const Json *event = about->items[i];
        draft_push(events,
            draft(a,
                str("type", json_str(event, ".type")),
                str("reason", json_str(event, ".reason")),
                str("note", json_str(event, ".note")),
                str("at", event_list_time(event)),
                num("count", json_int(event, ".series.count", 1))));
    }
    return events;
}

static void look_for_events(Look *look)
{
    Arena *a = look->port->arena;
    const Json *list = NULL;
    Request request = event_list_request(a, look->object);

    Err *err = ask(look, request, &list);
    if (err_has_status(err, 400)) {
        request.fields = NULL;
        err = ask(look, request, &list);
    }
    if (err) {
        note_missing(look, "events", err);
        return;
    }
    Objects about = event_list_about(a, json_find(list, ".items"), look->object);
    draft_set(look->found, sub("events", newest_events(a, &about)));
}

/* --- what there is around each kind */

static void look_around_node(Look *look)
{
    Arena *a = look->port->arena;
    Key node = meta_key(look->object);
    const char *recorded = json_str(look->object, ".status.dataVolume.name");
    const char *claim = recorded ? recorded : name_data_volume(a, node.name);

    look_for(look, "pods", kind_pod, str_format(a, LABEL_NODE "=%s", node.name));
    look_at(look, "statefulSet", kind_statefulset, node);
    const Json *found = look_at(look, "claim", kind_pvc, (Key){node.namespace, claim});
    look_at(look, "volume", kind_pv, (Key){.name = json_str(found, ".spec.volumeName")});
}

static void look_around_fleet(Look *look)
{
    Arena *a = look->port->arena;
    const char *labels = str_format(a, LABEL_FLEET "=%s", meta_name(look->object));

    look->children = look_for(look, "children", kind_seinode, labels);
    look_for(look, "revisions", kind_controllerrevision, str_format(a, "%s,!" LABEL_NODE, labels));
}

/* --- how far it is */

/* Asks one seid; false when asking more is of no use. */
static bool ask_seid(Look *look, const PulsePort *port, const char *node, Draft *pulses)
{
    Key key = {meta_namespace(look->object), node};
    bool is_own = str_eq(node, meta_name(look->object));
    Pulse pulse;

    pulse_take(port, key, is_own, &pulse);
    draft_push(pulses, pulse_draft(look->port->arena, &pulse));
    return !pulse.is_forbidden && clock_mono_ms(port->clock) < port->deadline_ms;
}

static PulsePort within(const PulsePort *port, int64_t ms)
{
    PulsePort shorter = *port;
    int64_t latest_ms = clock_mono_ms(port->clock) + ms;

    shorter.deadline_ms = latest_ms < port->deadline_ms ? latest_ms : port->deadline_ms;
    return shorter;
}

/* Two of its fleet first, in a hurry, for it is compared with what was heard before; then the node,
 * whatever they said. */
static void ask_node(Look *look, const PulsePort *port, Draft *pulses)
{
    Arena *a = look->port->arena;
    const char *fleet = meta_label(look->object, LABEL_FLEET), *name = meta_name(look->object);
    int siblings = 0;

    for (int64_t ordinal = 0; fleet && siblings < SIGHT_SIBLINGS_MAX; ordinal++) {
        const char *sibling = fleet_child_name(a, fleet, ordinal);
        PulsePort hasty = within(port, SIGHT_SIBLING_MS);
        if (str_eq(sibling, name))
            continue;
        ask_seid(look, &hasty, sibling, pulses);
        siblings++;
    }
    ask_seid(look, port, name, pulses);
}

static void ask_seids(Look *look, bool is_fleet)
{
    const SightPort *port = look->port;
    Draft *pulses = draft_array(port->arena);
    const Json *child;
    PulsePort to_seid =
        within(&(PulsePort){port->arena, port->api, port->clock, port->deadline_ms}, SIGHT_SEID_MS);
    bool goes_on = true;

    if (!is_fleet)
        ask_node(look, &to_seid, pulses);
    json_each(child, look->children)
        goes_on = goes_on && ask_seid(look, &to_seid, meta_name(child), pulses);
    draft_set(look->found, sub("pulses", pulses));
}

const Json *sight_take(const SightPort *port, const Json *object)
{
    Arena *a = port->arena;
    Look look = {
        .port = port,
        .object = object,
        .found = begin(a, port->clock, port->namespace, object),
        .missing = draft_array(a),
    };

    bool is_fleet = str_eq(json_str(object, ".kind"), kind_seinodedeployment->name);

    if (is_fleet)
        look_around_fleet(&look);
    else
        look_around_node(&look);
    look_for_events(&look);
    if (port->asks_seid)
        ask_seids(&look, is_fleet);
    draft_set(look.found, sub("missing", look.missing));
    return json_seal(a, look.found);
}

const Json *sight_of(
    Arena *a, Clock *clock, const char *namespace, const Json *object, const Json *around)
{
    Draft *found = begin(a, clock, namespace, object);
    const Json *member;

    json_each(member, around)
        draft_set(found, draft_json(json_key(member), member));
    return json_seal(a, found);
}
