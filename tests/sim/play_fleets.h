/* PlayFleets: fleets in a play, and what must be so of one that is well.
 *
 *     play_create_fleet(p, "rpc", "{spec: {replicas: 3}}");
 *     then_str(play_fleet_trouble(p, "rpc", "seid:v1"), NULL);
 *     play_patch(p, kind_seinodedeployment, "rpc", PLAY_TO("v2"));
 *     then_str(play_fleet_trouble(p, "rpc", "seid:v2"), NULL);
 *
 * What asks for trouble gives its complaint back instead of asserting: it may be used in a branch.
 */
#ifndef TESTS_SIM_PLAY_FLEETS_H
#define TESTS_SIM_PLAY_FLEETS_H

#include "sei/api/fleet.h"
#include "tests/sim/play.h"

#define PLAY_IMAGE(tag) "ghcr.io/example/seid:" tag
#define PLAY_TO(tag)    "{spec: {template: {spec: {image: '" PLAY_IMAGE(tag) "'}}}}"

/* Full nodes of chain pacific-1 and image seid:v1, three of them, updated in place; with a merge
 * patch of what differs. */
void play_create_fleet(Play *p, const char *name, const char *change);

/* As `kubectl scale` does. */
void play_scale_fleet(Play *p, const char *name, int replicas);

/* A merge patch of a fleet. */
void play_edit_fleet(Play *p, const char *name, const char *change);

/* A full node that runs, made by hand, and then put under a fleet by hand. */
void play_given_node_of(Play *p, const char *fleet, const char *name);

/* A decoded fleet; a missing one ends the test. */
const Fleet *play_fleet(Play *p, const char *name);

/* As play_condition and its like. */
const char *play_fleet_condition(Play *p, const char *name, const char *type);
const char *play_fleet_reason(Play *p, const char *name, const char *type);
const char *play_fleet_message(Play *p, const char *name, const char *type);

/* "rpc-2"; "rpc-2-0"; "data-rpc-2" */
const char *play_child(Play *p, const char *fleet, int ordinal);
const char *play_child_pod(Play *p, const char *fleet, int ordinal);
const char *play_child_volume(Play *p, const char *fleet, int ordinal);

/* The UIDs of its volumes, or of its pods, in one line: equal before and after means that none was
 * replaced. */
const char *play_volumes(Play *p, const char *fleet);
const char *play_pods(Play *p, const char *fleet);

/* The images that its children are asked to run, by ordinal: "v1 v1 v2". */
const char *play_tags(Play *p, const char *fleet);

/* It has come to rest, with every replica serving this image and nothing left of a rollout, and no
 * promise was broken on the way. NULL, or what is wrong. */
const char *play_fleet_trouble(Play *p, const char *name, const char *tag);

/* The same of a fleet that has come to rest, without waiting for that. */
const char *play_fleet_unwell(Play *p, const char *name, const char *tag);

/* Creates one and waits until it is well; the past is forgotten. */
void play_given_fleet(Play *p, const char *name, const char *change);

#endif
