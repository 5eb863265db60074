/* View: what `status`, `drift`, `plan show` and `plan history` say of a node or a fleet, as one
 * JSON value: -o json prints it, and the text for people is made from it alone (view_text.h).
 *
 * A pure function of a Sight: what stands in the objects is ordered and explained, never guessed.
 * Every view has {apiVersion, kind, asOf, object: {kind, namespace, name, ref}, ...}; the form is
 * API, like that of the objects: members are added, and none changes its meaning.
 *
 * Moments are absolute, so that who reads a view later is not misled; texts say how long ago. */
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include "base/json.h"

#define VIEW_API_VERSION  "cli.sei.io/v1"
#define VIEW_NODE_STATUS  "NodeStatusView"
#define VIEW_FLEET_STATUS "FleetStatusView"
#define VIEW_DRIFT        "DriftView"
#define VIEW_PLAN         "PlanView"
#define VIEW_PLAN_HISTORY "PlanHistoryView"
#define VIEW_OVERVIEW     "OverviewView"

/* NodeStatusView or FleetStatusView: how it is, why, and what comes next. */
const Json *view_status(Arena *a, const Json *sight);

/* DriftView: field by field, what runs and what is wanted; .drifted says whether anything is. */
const Json *view_drift(Arena *a, const Json *sight);

/* PlanView: one plan with its steps and what each does. `id` may be the beginning of one, and NULL
 * is the newest. ERR_TERMINAL when there is none of that id, or more than one. */
Err *view_plan(Arena *a, const Json *sight, const char *id, const Json **ret) MUST_CHECK;

/* PlanHistoryView: all plans that are remembered, the newest first, the one in hand included. */
const Json *view_plan_history(Arena *a, const Json *sight);

/* OverviewView: a row for each fleet and node, of {now, namespace, selector, fleets, nodes};
 * without a namespace they are of all. */
const Json *view_overview(Arena *a, const Json *sight);

/* One object as such a row: {kind, namespace, name, state, mark, ready, since, image, waiting}. */
const Json *view_row(Arena *a, const Json *sight);

/* It is well: Ready, and nobody has to do anything. For exit codes. */
bool view_is_well(const Json *status_view);

#endif
