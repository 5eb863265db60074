/* Chronicle: nodes and fleets by name, each with what was asked of its pods (asked.h). A line that
 * was written once in a play is not written again. */
#include "tests/sim/chronicle.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/fleet.h"
#include "sei/api/kinds.h"
#include "sei/api/node.h"
#include "tests/sim/asked.h"
#include "tests/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NODES_MAX = 512,
    FLEETS_MAX = 8,
    ORDINALS_MAX = 128,
    NAME_MAX_BYTES = 80,
    PARTS_MAX_BYTES = 1024,
    LINES_MAX = 4096,
    WORK_MAX = 1 << 20,
};

/* What is asked for, or shown, as JSON; "" for nothing. */
typedef struct Parts {
    char text[PARTS_MAX_BYTES];
} Parts;

typedef struct Asked {
    Parts parts;
    char uid[NAME_MAX_BYTES];
    int64_t generation; /* 0: nothing was asked for */
    bool paused;
} Asked;

typedef struct RecordedNode {
    char name[NAME_MAX_BYTES];
    Parts shown; /* by a Ready pod; "" when there is none */
    Asked asked;
    bool served;
} RecordedNode;

typedef struct RecordedFleet {
    char name[NAME_MAX_BYTES];
    Asked asked;
    int64_t replicas, partition;
    bool served[ORDINALS_MAX];
} RecordedFleet;

struct Chronicle {
    Arena *work;
    FILE *file;
    RecordedNode nodes[NODES_MAX];
    RecordedFleet fleets[FLEETS_MAX];
    size_t node_count, fleet_count, line_count;
    uint64_t lines[LINES_MAX];
    bool silent; /* the definitions are not ours any more, and with them the first status */
};

Chronicle *chronicle_to(Arena *a, FILE *take_file)
{
    Chronicle *c = arena_new(a, Chronicle);

    *c = (Chronicle){.work = arena_open(WORK_MAX), .file = take_file};
    return c;
}

Chronicle *chronicle_open(Arena *a)
{
    const char *folder = getenv("SEI_CHRONICLE"); /* NOLINT(concurrency-mt-unsafe) */

    if (!folder || !folder[0])
        return NULL;
    FILE *file =
        fopen(str_format(a, "%s/%s-%d.jsonl", folder, program_invocation_short_name, (int)getpid()),
            "ae");
    if (!file)
        fail_msg("no file can be written to the folder %s, which SEI_CHRONICLE names", folder);
    return chronicle_to(a, file);
}

void chronicle_close(Chronicle *c)
{
    if (!c)
        return;
    then_int(fclose(c->file), 0);
    arena_close(c->work);
}

/* --- what is true --- */

static RecordedNode *node_of(Chronicle *c, const char *name)
{
    for (size_t i = 0; i < c->node_count; i++)
        if (str_eq(c->nodes[i].name, name))
            return &c->nodes[i];
    then_true(c->node_count < NODES_MAX);
    RecordedNode *node = &c->nodes[c->node_count++];
    snprintf(node->name, sizeof node->name, "%s", name);
    return node;
}

static RecordedFleet *fleet_of(Chronicle *c, const char *name)
{
    for (size_t i = 0; i < c->fleet_count; i++)
        if (str_eq(c->fleets[i].name, name))
            return &c->fleets[i];
    then_true(c->fleet_count < FLEETS_MAX);
    RecordedFleet *fleet = &c->fleets[c->fleet_count++];
    snprintf(fleet->name, sizeof fleet->name, "%s", name);
    return fleet;
}

static void keep_parts(Chronicle *c, Parts *parts, const Json *what)
{
    Bytes text = json_write(c->work, what);

    then_true(text.len < sizeof parts->text);
    snprintf(parts->text, sizeof parts->text, "%s", text.data);
}

static const Json *read_parts(Chronicle *c, const Parts *parts)
{
    const Json *what = NULL;

    then_ok(json_parse(c->work, bytes_of(parts->text), &what));
    return what;
}

static bool is_of(const Asked *asked, const Json *object)
{
    return asked->generation == meta_generation(object) && str_eq(asked->uid, meta_uid(object));
}

/* What `object` asks for with its spec of now. */
static Asked asked_by(Chronicle *c, const Json *object, const Json *template)
{
    Asked asked = {
        .generation = meta_generation(object),
        .paused = json_bool(object, ".spec.paused", false),
    };

    snprintf(asked.uid, sizeof asked.uid, "%s", meta_uid(object));
    keep_parts(c, &asked.parts, asked_of(c->work, template));
    return asked;
}

/* An edit that leaves the pod what it was asks it for nothing: that was asked for before. */
static bool is_asked_anew(const Asked *before, const Asked *now)
{
    return !str_eq(before->uid, now->uid) || before->paused != now->paused
        || !str_eq(before->parts.text, now->parts.text);
}

static bool shows(Chronicle *c, const RecordedNode *node, const Asked *asked)
{
    return node->shown.text[0] && asked->generation
        && asked_is_shown(read_parts(c, &asked->parts), read_parts(c, &node->shown));
}

static const char *child(Chronicle *c, const RecordedFleet *fleet, int64_t ordinal)
{
    return str_format(c->work, "%s-%lld", fleet->name, (long long)ordinal);
}

/* A pod came up: it counts for its node, and for the fleet of that. */
static void credit(Chronicle *c, RecordedNode *node)
{
    node->served = node->served || shows(c, node, &node->asked);
    for (size_t i = 0; i < c->fleet_count; i++) {
        RecordedFleet *fleet = &c->fleets[i];
        for (int64_t o = 0; o < fleet->replicas; o++)
            if (str_eq(child(c, fleet, o), node->name) && shows(c, node, &fleet->asked))
                fleet->served[o] = true;
    }
}

static void see_pod(Chronicle *c, const char *name, const Json *pod)
{
    bool serves = pod && !meta_deleting(pod) && pod_is_ready(pod);
    size_t length = name ? strlen(name) : 0; /* a Job's pods are named by the server */

    if (length < 2 || !str_eq(name + length - 2, "-0"))
        return;
    RecordedNode *node = node_of(c, str_format(c->work, "%.*s", (int)(length - 2), name));
    if (serves)
        keep_parts(c, &node->shown, asked_shown(c->work, pod));
    else
        node->shown = (Parts){0};
    credit(c, node);
}

static bool node_served(Chronicle *c, const Json *object)
{
    RecordedNode *node = node_of(c, meta_name(object));

    if (!is_of(&node->asked, object)) {
        Asked now = asked_by(c, object, object);
        bool is_anew = is_asked_anew(&node->asked, &now);
        node->asked = now;
        if (is_anew)
            node->served = shows(c, node, &now);
    }
    return node->served;
}

static void take_up(Chronicle *c, RecordedFleet *fleet, const Json *object)
{
    Asked now = asked_by(c, object, json_find(object, ".spec.template"));
    int64_t known = is_asked_anew(&fleet->asked, &now) ? 0 : fleet->replicas;

    fleet->asked = now;
    fleet->replicas = json_int(object, ".spec.replicas", 1);
    fleet->partition = json_int(object, ".spec.updateStrategy.partition", 0);
    then_true(fleet->replicas <= ORDINALS_MAX);
    for (int64_t o = known; o < fleet->replicas; o++)
        fleet->served[o] = shows(c, node_of(c, child(c, fleet, o)), &now);
}

/* Nodes below the partition are not asked for anything. */
static bool fleet_served(Chronicle *c, const Json *object)
{
    RecordedFleet *fleet = fleet_of(c, meta_name(object));

    if (!is_of(&fleet->asked, object))
        take_up(c, fleet, object);
    for (int64_t o = fleet->partition; o < fleet->replicas; o++)
        if (!fleet->served[o])
            return false;
    return true;
}

/* --- lines --- */

static uint64_t fingerprint(Bytes text)
{
    uint64_t sum = 14695981039346656037u; /* FNV-1a */

    for (size_t i = 0; i < text.len; i++)
        sum = (sum ^ (unsigned char)text.data[i]) * 1099511628211u;
    return sum;
}

static bool is_new(Chronicle *c, uint64_t line)
{
    for (size_t i = 0; i < c->line_count; i++)
        if (c->lines[i] == line)
            return false;
    then_true(c->line_count < LINES_MAX);
    c->lines[c->line_count++] = line;
    return true;
}

static Draft *conditions(Arena *a, const Json *object)
{
    Draft *all = draft_array(a);
    const Json *condition;

    json_each(condition, json_find(object, ".status.conditions"))
        draft_push(all,
            draft(a,
                str("type", json_str(condition, ".type")),
                str("status", json_str(condition, ".status")),
                str("reason", json_str(condition, ".reason")),
                str("message", "")));
    return all;
}

static void write_down(Chronicle *c, const Json *object, bool served)
{
    Arena *a = c->work;
    const Json *paused = json_find(object, ".spec.paused");
    const Json *line = json_seal(a,
        draft(a,
            flag("served", served),
            obj("object",
                str("apiVersion", json_str(object, ".apiVersion")),
                str("kind", json_str(object, ".kind")),
                obj("metadata",
                    str("name", "any"),
                    num("generation", meta_generation(object)),
                    str("deletionTimestamp", json_str(object, ".metadata.deletionTimestamp"))),
                obj("spec", draft_json("paused", paused)),
                obj("status",
                    draft_json(
                        "observedGeneration", json_find(object, ".status.observedGeneration")),
                    str("phase", json_str(object, ".status.phase")),
                    sub("conditions", conditions(a, object))))));
    Bytes text = json_write(a, line);

    if (!is_new(c, fingerprint(text)))
        return;
    then_true(fprintf(c->file, "%.*s\n", (int)text.len, text.data) > 0);
    then_int(fflush(c->file), 0); /* whole lines, whoever else of this process has a play open */
}

void chronicle_see(Chronicle *c, const Request *request, const Json *after)
{
    if (!c || c->silent)
        return;
    arena_reset(c->work);
    if (kind_eq(request->kind, kind_crd))
        c->silent = request->verb != VERB_CREATE;
    else if (kind_eq(request->kind, kind_pod))
        see_pod(c, request->key.name, after);
    else if (after && kind_eq(request->kind, kind_seinode))
        write_down(c, after, node_served(c, after));
    else if (after && kind_eq(request->kind, kind_seinodedeployment))
        write_down(c, after, fleet_served(c, after));
}
