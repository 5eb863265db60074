/* Fleets for tests: one of three full nodes, that cases change by a merge patch.
 *
 *     Fleet *fleet = sample_fleet(a, "{spec: {replicas: 5}}");
 */
#ifndef TESTS_SEI_FLEETS_H
#define TESTS_SEI_FLEETS_H

#include "sei/api/fleet.h"
#include "tests/test.h"

#define FLEET_UID "7e2a3d45-0000-4000-8000-00000000beef"

/* The object of a SeiNodeDeployment; NULL changes nothing. */
static inline const Json *sample_fleet_object(Arena *a, const char *patch)
{
    static const char object[] =
        "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment',"
        " metadata: {name: 'rpc', namespace: 'sei', uid: '" FLEET_UID "', generation: 3,"
        "  resourceVersion: '20'},"
        " spec: {replicas: 3, updateStrategy: {type: 'InPlace'}, template: {"
        "  metadata: {labels: {team: 'infra'}},"
        "  spec: {chainId: 'pacific-1', image: 'ghcr.io/sei-protocol/seid:v1.0.0',"
        "   fullNode: {}}}}}";

    return json_merge(a, json_fixture(a, object), patch ? json_fixture(a, patch) : NULL);
}

/* The same, decoded. */
static inline Fleet *sample_fleet(Arena *a, const char *patch)
{
    Fleet *fleet = arena_new(a, Fleet);

    then_ok(fleet_decode(a, sample_fleet_object(a, patch), fleet));
    return fleet;
}

#endif
