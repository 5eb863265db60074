/* Children of a fleet on a server that keeps who owns what: made by one operator, written by
 * another. */
#ifndef TESTS_SEI_RECONCILE_CHILDREN_H
#define TESTS_SEI_RECONCILE_CHILDREN_H

#include "sei/reconcile/fleet_parts.h"
#include "sei/render/child_node.h"
#include "tests/sei/definitions.h"
#include "tests/sei/fleets.h"
#include "tests/sei/world.h"

#define TEMPLATE(fields) "{spec: {template: {" fields "}}}"
#define RICH                                                                                       \
    TEMPLATE("metadata: {labels: {team: 'infra', tier: 'gold'}, annotations: {note: 'n'}},"        \
             " spec: {image: 'seid:v1', overrides: {'p2p.x': '1', 'p2p.y': '2'},"                  \
             " sidecar: {image: 's:1', port: 7000, resources: {limits: {cpu: '1'}}},"              \
             " peers: [{static: {addresses: ['a@b:1']}}], fullNode: {snapshot: {stateSync: {}}}}")

static inline const Json *write_as(TaskWorld *w, Verb verb, const char *manager, const Json *body)
{
    Request request = {
        .verb = verb,
        .kind = kind_seinode,
        .key = {"sei", "rpc-0"},
        .body = body,
        .manager = manager,
        .force = verb == VERB_APPLY,
    };
    Answer answer;
    const Json *stored_now = world_ask(w, request, &answer);

    if (!stored_now)
        test_fail(__FILE__, __LINE__, "not written: %s", json_str(answer.body, ".message"));
    return stored_now;
}

static inline const Json *patched_by(TaskWorld *w, const char *manager, const char *patch)
{
    return write_as(w, VERB_MERGE_PATCH, manager, json_fixture(w->arena, patch));
}

/* The child of ordinal 0 as this fleet wants it. */
static inline const Json *wanted_by(TaskWorld *w, const char *fleet)
{
    return render_child_node(
        w->arena, sample_fleet(w->arena, fleet), sample_settings(), &(ChildSource){0});
}

static inline FleetPass *pass_of(TaskWorld *w)
{
    FleetPass *p = arena_new(w->arena, FleetPass);

    p->c = &w->ctx;
    return p;
}

static inline const Json *apply(TaskWorld *w, const char *fleet)
{
    return write_as(w, VERB_APPLY, FLEET_MANAGER, wanted_by(w, fleet));
}

static inline const Json *without_books(TaskWorld *w, const Json *object)
{
    return json_merge(w->arena,
        object,
        json_fixture(w->arena, "{metadata: {managedFields: null, resourceVersion: null}}"));
}

#endif
