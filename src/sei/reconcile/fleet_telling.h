/* FleetTelling: events and lines of the log about fleets, and what is counted with them (see
 * tidings.h). */
#ifndef SEI_RECONCILE_FLEET_TELLING_H
#define SEI_RECONCILE_FLEET_TELLING_H

#include "sei/api/condition.h"
#include "sei/api/fleet.h"
#include "sei/reconcile/figures.h"
#include "sei/reconcile/tidings.h"

/* Whether an event is told when a condition of a fleet begins to have this reason. */
bool fleet_telling_tells(Reason reason);

/* What has changed between what was stored and what is stored now: to be called after each write
 * that succeeded, with the fleet as it was before that write. */
void fleet_telling_changed(Ctx *c, Figures *f, const Fleet *was, const FleetStatus *now);

/* A child was written: one of FLEET_TIDINGS_CHILD_. */
void fleet_telling_child(Ctx *c, const Fleet *fleet, Tidings tidings, const char *child);

/* Admission changed fields of a child, each named with what was wanted and what was stored. */
void fleet_telling_admission(Ctx *c, const Fleet *fleet, const char *child, const char *fields);

/* The fleet was deleted, and what it made stays. */
void fleet_telling_retained(Ctx *c, const Fleet *fleet);

/* Cleaning up after the fleet failed, and is tried again: why. */
void fleet_telling_delete_failed(Ctx *c, const Fleet *fleet, const char *why);

/* A status write was given up: another writer has changed the status meanwhile. */
void fleet_telling_conflict(Ctx *c, Figures *f, const Fleet *fleet);

#endif
