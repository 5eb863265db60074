/* FleetRevisions: the templates of a fleet that children are made from when the template itself has
 * moved on. Each is there before a status names it, and goes with the fleet. */
#ifndef SEI_RECONCILE_FLEET_REVISIONS_H
#define SEI_RECONCILE_FLEET_REVISIONS_H

#include "sei/reconcile/fleet_parts.h"

/* Keeps the template when p->decision.status names its revision and the stored status does not;
 * nothing is asked otherwise. ERR_WAIT where the name is taken: says by whom and what to do. */
Err *keep_revisions(FleetPass *p) MUST_CHECK;

/* With a new one the oldest go, but those that a status names. Nobody waits for that: it is done
 * after the first nodes are written, and what goes wrong is shown. */
void prune_revisions(FleetPass *p);

/* The template of a revision, {metadata, spec}, as render_child_node takes it. When it is lost, a
 * child that is on that revision stands in for it; ERR_WAIT when there is none: says what to do. */
Err *read_revision(FleetPass *p, const char *hash, const Json **ret_template) MUST_CHECK;

/* A rollback that has just begun names its target as people know it: the planner has the hash of
 * that template, and not the fields that templateHash is made of. */
void name_rollback(FleetPass *p);

#endif
