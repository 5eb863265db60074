/* What the words of fleets.h do. How many pods were down is counted in the order of the versions
 * that the server gave, not in that of the log: answers to different clients overtake each other.
 */
#include "tests/e2e/fleets.h"

#include "base/str.h"
#include "kube/meta.h"

#define SPEED         "60"
#define TEMPLATE_HASH "sei.io/template-hash"

enum { REFUSED = 300 };

Nodes fleets_open(Arena *a, const char *namespace)
{
    static bool is_fast; /* the player plays for all of this program */
    Controlplane *cp =
        controlplane_shared_with(&(ControlplaneOptions){.audit_level = "RequestResponse"});
    Nodes n = nodes_open(a, cp, namespace);

    if (!is_fast)
        nodes_play(&n, SPEED);
    is_fast = true;
    return n;
}

/* --- a person */

void fleets_create(const Nodes *n, const char *name, int replicas, const char *more)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *base, *change;

    then_ok(json_parse(a,
        bytes_of(str_format(a,
            "{\"apiVersion\": \"sei.io/v1alpha1\", \"kind\": \"SeiNodeDeployment\","
            " \"metadata\": {\"name\": \"%s\", \"namespace\": \"%s\"},"
            " \"spec\": {\"replicas\": %d, \"updateStrategy\": {\"type\": \"InPlace\"},"
            "  \"template\": {\"spec\": {\"chainId\": \"pacific-1\", \"fullNode\": {},"
            "   \"image\": \"ghcr.io/example/seid:v1\"}}}}",
            name,
            n->namespace,
            replicas)),
        &base));
    then_ok(json_parse(a, bytes_of(str_format(a, "{\"spec\": %s}", more)), &change));
    scene_apply(n->cp, a, json_write(a, json_merge(a, base, change)).data);
}

Nodes fleets_given(Arena *a, const char *namespace, const char *more)
{
    Nodes n = fleets_open(a, namespace);

    fleets_create(&n, "rpc", FLEETS_GIVEN, more);
    eventually(fleets_settled(&n, "rpc"));
    return n;
}

void fleets_scale(const Nodes *n, const char *name, int replicas)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    kubectl(n->cp,
        a,
        "scale",
        str_format(a, "snd/%s", name),
        "-n",
        n->namespace,
        str_format(a, "--replicas=%d", replicas));
    eventually(fleets_settled(n, name));
}

void fleets_change(const Nodes *n, const char *name, const char *change)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    nodes_patch(n, FLEETS_PLURAL, name, str_format(a, "{\"spec\": %s}", change));
}

/* --- what there is */

const char *fleets_node(const Nodes *n, const char *fleet, int ordinal)
{
    return str_format(n->arena, "%s-%d", fleet, ordinal);
}

const char *fleets_pod(const Nodes *n, const char *fleet, int ordinal)
{
    return str_format(n->arena, "%s-%d-0", fleet, ordinal);
}

const char *fleets_claim(const Nodes *n, const char *fleet, int ordinal)
{
    return str_format(n->arena, "data-%s-%d", fleet, ordinal);
}

bool fleets_condition(
    const Nodes *n, const char *name, const char *type, const char *status, const char *reason)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    return nodes_is_so(nodes_find(n, a, FLEETS_PLURAL, name), type, status, reason);
}

const char *fleets_message(const Nodes *n, const char *name, const char *type)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *fleet = nodes_find(n, a, FLEETS_PLURAL, name), *condition;

    json_each(condition, json_find(fleet, ".status.conditions"))
        if (str_eq(json_str(condition, ".type"), type))
            return str_copy(n->arena, json_str(condition, ".message"));
    return "";
}

int64_t fleets_number(const Nodes *n, const char *name, const char *path)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    return json_int(nodes_find(n, a, FLEETS_PLURAL, name), path, -1);
}

static bool counts_are(const Json *fleet, int64_t count)
{
    return json_int(fleet, ".status.replicas", -1) == count
        && json_int(fleet, ".status.readyReplicas", -1) == count
        && json_int(fleet, ".status.availableReplicas", -1) == count
        && json_int(fleet, ".status.updatedReplicas", -1) == count
        && json_int(fleet, ".status.unavailableReplicas", -1) == 0;
}

bool fleets_settled(const Nodes *n, const char *name)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *fleet = nodes_find(n, a, FLEETS_PLURAL, name);
    int64_t replicas = json_int(fleet, ".spec.replicas", -1);

    if (!nodes_is_so(fleet, "Ready", "True", NULL) || !nodes_is_so(fleet, "UpToDate", "True", NULL)
        || !nodes_is_so(fleet, "Reconciling", "False", NULL)
        || !nodes_is_so(fleet, "Stalled", "False", NULL) || !counts_are(fleet, replicas)
        || json_find(fleet, ".status.rollout") || json_find(fleet, ".status.plan"))
        return false;
    for (int i = 0; i < replicas; i++)
        if (!nodes_settled(n, str_format(a, "%s-%d", name, i)))
            return false;
    return true;
}

const char *fleets_claims(const Nodes *n, const char *fleet, int replicas)
{
    const char *all = "";

    for (int i = 0; i < replicas; i++)
        all = str_format(n->arena,
            "%s%s ",
            all,
            nodes_uid(n, "persistentvolumeclaims", fleets_claim(n, fleet, i)));
    return all;
}

int fleets_on(const Nodes *n, const char *fleet, int replicas, const char *tag)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *image = str_format(a, "ghcr.io/example/seid:%s", tag);
    int count = 0;

    for (int i = 0; i < replicas; i++)
        count += nodes_say(
            n, "pods", str_format(a, "%s-%d-0", fleet, i), ".spec.containers[0].image", image);
    return count;
}

/* --- what happened */

typedef struct Moment {
    int64_t version, at_us;
    int ordinal;
    bool ready;
    bool taken; /* by the operator, which deleted it */
} Moment;

static bool is_ready(const Json *pod)
{
    const Json *condition;

    json_each(condition, json_find(pod, ".status.conditions"))
        if (str_eq(json_str(condition, ".type"), "Ready"))
            return !meta_deleting(pod) && str_eq(json_str(condition, ".status"), "True");
    return false;
}

/* The ordinal of the pod that a line is about, or -1: "rpc-2-0" is 2. */
static int ordinal_of(const AuditLine *line, const char *fleet)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    size_t len = strlen(fleet);
    int64_t ordinal;

    if (!line->name || strncmp(line->name, fleet, len) != 0 || line->name[len] != '-')
        return -1;
    const char *number = line->name + len + 1;
    if (!str_to_int(str_slice(a, number, strcspn(number, "-")), &ordinal))
        return -1;
    return ordinal < FLEETS_REPLICAS_MAX ? (int)ordinal : -1;
}

static int by_version(const void *left, const void *right)
{
    const Moment *l = left, *r = right;

    return (l->version > r->version) - (l->version < r->version);
}

static bool is_of(const Nodes *n, const AuditLine *line, const char *resource)
{
    return str_eq(line->resource, resource) && str_eq(line->namespace, n->namespace)
        && line->code < REFUSED && !str_eq(line->verb, "get") && !str_eq(line->verb, "list")
        && !str_eq(line->verb, "watch");
}

typedef struct Standing {
    bool down;
    int64_t up_us; /* since when it is not; 0: since before the story */
} Standing;

static int count_unsettled(const Standing *nodes, int replicas, int64_t now_us)
{
    int count = 0;

    for (int i = 0; i < replicas; i++)
        count += nodes[i].down || now_us - nodes[i].up_us < FLEETS_SETTLED_US;
    return count;
}

/* Who is ready, at one moment after the other. */
static void follow(Moment *moments, size_t count, int replicas, FleetStory *story)
{
    Standing nodes[FLEETS_REPLICAS_MAX] = {0};
    int now = 0;

    qsort(moments, count, sizeof moments[0], by_version);
    for (size_t i = 0; i < count; i++) {
        const Moment *moment = &moments[i];
        if (moment->ordinal >= replicas)
            continue;
        Standing *node = &nodes[moment->ordinal];
        bool was_down = node->down;
        now += !moment->ready - was_down;
        node->down = !moment->ready;
        story->down_max = now > story->down_max ? now : story->down_max;
        if (was_down && moment->ready)
            node->up_us = moment->at_us;
        if (was_down || !moment->taken)
            continue;
        int unsettled = count_unsettled(nodes, replicas, moment->at_us);
        story->taken_max = now > story->taken_max ? now : story->taken_max;
        story->unsettled_max = unsettled > story->unsettled_max ? unsettled : story->unsettled_max;
    }
}

/* What the pods of each node were made from that the operator deleted last. */
typedef struct Deleted {
    const char *made_from[FLEETS_REPLICAS_MAX];
} Deleted;

static void count_deletion(const Json *pod, int ordinal, Deleted *last, FleetStory *story)
{
    const char *made_from = meta_annotation(pod, TEMPLATE_HASH);

    story->deleted[ordinal]++;
    story->all_deleted++;
    story->deleted_again += str_eq(made_from, last->made_from[ordinal]);
    last->made_from[ordinal] = made_from;
}

FleetStory fleets_story(const Nodes *n, const char *fleet, int replicas, int64_t mark)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(n->cp, a, mark);
    Moment *moments = arena_array(a, Moment, log.count);
    FleetStory story = {.empty_writes = audit_empty_writes(&log, NODES_OPERATOR)};
    Deleted last = {0};
    size_t count = 0;

    for (size_t i = 0; i < log.count; i++) {
        const AuditLine *line = &log.lines[i];
        const Json *pod = json_find(line->event, ".responseObject");
        int ordinal = ordinal_of(line, fleet);
        bool is_ours = str_eq(line->user, NODES_OPERATOR);

        story.claims += is_ours && is_of(n, line, "persistentvolumeclaims");
        if (ordinal < 0 || !is_of(n, line, "pods"))
            continue;
        bool is_taken = is_ours && str_eq(line->verb, "delete");
        if (is_taken)
            count_deletion(pod, ordinal, &last, &story);
        Moment moment = {
            .ordinal = ordinal, .at_us = line->stage_us, .ready = is_ready(pod), .taken = is_taken};
        if (str_eq(json_str(pod, ".kind"), "Pod")
            && str_to_int(json_str(pod, ".metadata.resourceVersion"), &moment.version))
            moments[count++] = moment;
    }
    follow(moments, count, replicas, &story);
    return story;
}

void fleets_then_rolled(const Nodes *n, const char *fleet, int64_t mark)
{
    FleetStory story = fleets_story(n, fleet, FLEETS_GIVEN, mark);

    for (int i = 0; i < FLEETS_GIVEN; i++)
        then_int(story.deleted[i], 1);
    then_int(story.down_max, 1);
    then_int(story.claims, 0);
    then_int(story.empty_writes, 0);
}

void fleets_then_nothing_stopped(const Nodes *n, const char *fleet, int64_t mark)
{
    FleetStory story = fleets_story(n, fleet, FLEETS_GIVEN, mark);

    then_int(story.all_deleted, 0);
    then_int(story.down_max, 0);
    then_int(story.claims, 0);
    then_int(story.empty_writes, 0);
}
