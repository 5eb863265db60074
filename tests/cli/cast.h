/* The nodes and fleets that commands are tried on. */
#ifndef TESTS_CLI_CAST_H
#define TESTS_CLI_CAST_H

#include "sei/api/fleet_hash.h"
#include "sei/render/fleet_revision.h"
#include "tests/cli/terminal.h"

#define OLD_IMAGE "ghcr.io/sei-protocol/sei:v1"
#define NEW_IMAGE "ghcr.io/sei-protocol/sei:v2"

static inline const Json *given_named(
    Terminal *t, const Kind *kind, const char *name, const Json *object)
{
    const char *named = str_format(t->arena, "{metadata: {name: '%s'}}", name);

    return given(t,
        kind,
        json_write(t->arena, json_merge(t->arena, object, json_fixture(t->arena, named))).data);
}

/* A node of no fleet, patched. */
static inline const Json *given_node(Terminal *t, const char *name, const char *patch)
{
    const Json *node = json_fixture(t->arena,
        "{spec: {chainId: 'pacific-1', image: '" OLD_IMAGE "', fullNode: {}},"
        " status: {phase: 'Running', observedGeneration: 1, currentImage: '" OLD_IMAGE "',"
        " conditions: [{type: 'Ready', status: 'True', reason: 'Available', message: '',"
        " lastTransitionTime: '2026-01-01T00:00:00Z'}]}}");
    return given_named(
        t, kind_seinode, name, json_merge(t->arena, node, json_fixture(t->arena, patch)));
}

/* A fleet of three nodes, patched. */
static inline const Json *given_fleet(Terminal *t, const char *name, const char *patch)
{
    const Json *fleet = json_fixture(t->arena,
        "{spec: {replicas: 3, updateStrategy: {type: 'InPlace'}, template: {spec: {"
        "chainId: 'pacific-1', image: '" OLD_IMAGE "', fullNode: {}}}},"
        " status: {phase: 'Ready', observedGeneration: 1, replicas: 3, availableReplicas: 3,"
        " updatedReplicas: 3, conditions: [{type: 'Ready', status: 'True', reason: "
        "'AllReplicasReady', message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}]}}");
    const char *named = str_format(t->arena, "{metadata: {name: '%s'}}", name);
    const Json *whole = json_merge(t->arena,
        json_merge(t->arena, fleet, json_fixture(t->arena, named)),
        json_fixture(t->arena, patch));

    return given(t, kind_seinodedeployment, json_write(t->arena, whole).data);
}

/* The patch that makes a node one of the fleet's. */
static inline const char *of_fleet(Terminal *t, const Json *fleet)
{
    return str_format(t->arena,
        "{metadata: {labels: {'sei.io/nodedeployment': '%s'}, ownerReferences: [{controller: true,"
        " apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment', name: '%s', uid: '%s'}]}}",
        meta_name(fleet),
        meta_name(fleet),
        meta_uid(fleet));
}

/* Keeps the present template of a fleet as the operator does; gives its revision. */
static inline const char *given_kept_template(Terminal *t, const char *fleet_name)
{
    Fleet *fleet = arena_new(t->arena, Fleet);
    const char *hash = NULL;

    then_ok(fleet_decode(t->arena, seen(t, kind_seinodedeployment, fleet_name), fleet));
    then_ok(fleet_revision(t->arena, fleet->spec.template, &hash));
    const Json *revision = render_fleet_revision(t->arena, fleet, hash);
    terminal_ask(t,
        (Request){.verb = VERB_CREATE,
            .kind = kind_controllerrevision,
            .key = meta_key(revision),
            .body = revision});
    return hash;
}

/* Merges into the stored object, or into its status. */
static inline void given_patch(
    Terminal *t, const Kind *kind, const char *name, const char *subresource, const char *patch)
{
    terminal_ask(t,
        (Request){.verb = VERB_MERGE_PATCH,
            .kind = kind,
            .key = {"default", name},
            .subresource = subresource,
            .body = json_fixture(t->arena, patch)});
}

#endif
