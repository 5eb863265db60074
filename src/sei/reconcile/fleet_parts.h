/* FleetParts: what the files of the reconcile of fleets share. One reconcile is a FleetPass, which
 * goes once through
 *
 *     gather ──► decide ──► (store what begins) ──► children ──► networking ──► tell ──► store
 *
 * and is forgotten. Whatever goes wrong on the way is shown in the status, and the status is
 * stored all the same. */
#ifndef SEI_RECONCILE_FLEET_PARTS_H
#define SEI_RECONCILE_FLEET_PARTS_H

#include "kube/kube.h"
#include "sei/plan/fleet_conditions.h"
#include "sei/plan/fleet_plan.h"
#include "sei/plan/scale.h"
#include "sei/reconcile/parts.h"
#include "sei/reconcile/status_write.h"

/* A SeiNode that is called as a child of the fleet is. */
typedef struct FleetMember {
    const Json *object;
    int64_t ordinal;
    bool ours;   /* the fleet controls it */
    bool orphan; /* nobody does, and it is labelled as the fleet's: it is taken */
    bool other;  /* of another chain or mode than the template asks for */
} FleetMember;

enum { FLEET_MEMBERS_MAX = 2 * FLEET_REPLICAS_MAX };

typedef struct FleetPass {
    Ctx *c;
    App *app;
    Reconciled *ret;
    Fleet fleet;                            /* as read */
    LikenessSource source;                  /* of it, what its children are made from */
    FleetMember members[FLEET_MEMBERS_MAX]; /* by ordinal */
    size_t member_count;
    FleetChild children[FLEET_REPLICAS_MAX]; /* those that are ours, by ordinal */
    int64_t foreign[FLEET_REPLICAS_MAX];     /* ordinals of those that never will be */
    FleetSnapshot snapshot;
    Scale scale;
    FleetDecision decision; /* its status is the one that is being made */
    FleetProgress progress;
    const struct FleetPass *before; /* stored what this one carries out, or NULL */
    bool must_store;                /* something happened that may not be lost or be late */
    bool revisions_grew;            /* in this pass, or in the one before */
    const Json *stored;             /* the fleet as our own write of it has left it, or NULL */
    struct {                        /* the template of before that was read last */
        const char *hash;
        const Json *template;
    } read;
} FleetPass;

/* Finds the nodes of the fleet, trimmed, and those that have the name of one. */
Err *find_members(FleetPass *p, KubeTrim *trim) MUST_CHECK;

/* Reads the fleet's nodes. ERR_TERMINAL: the spec cannot be carried out. */
Err *gather_fleet(FleetPass *p) MUST_CHECK;

/* Shows whose nodes are in the place of children: they are never touched. */
void show_foreign(FleetPass *p);

/* Asks the planner. ERR_WAIT: what it wants cannot be done now. */
Err *decide_fleet(FleetPass *p) MUST_CHECK;

/* Makes what is missing, takes orphans, brings every child up to what it may be now, deletes one
 * that is too many. */
Err *keep_children(FleetPass *p) MUST_CHECK;

/* Writes the decision's status where it differs from what is stored, and it is time to; tells what
 * was stored. */
Err *flush_fleet(FleetPass *p) MUST_CHECK;

/* Services and HTTPRoutes as they should be; addresses into the status, the condition into the
 * progress. ERR_WAIT at worst: what goes wrong is told there, and keeps nothing else back. */
Err *keep_networking(FleetPass *p) MUST_CHECK;

/* The load balancer of a child goes before the child does. */
Err *drop_endpoint(FleetPass *p, const char *child) MUST_CHECK;

/* At the end of a fleet: its networking goes, or stays without it. Both can be done again. */
Err *remove_networking(FleetPass *p, const Json *live) MUST_CHECK;
Err *release_networking(FleetPass *p) MUST_CHECK;

/* ERR_TERMINAL for a fleet that is to found a chain whose id another fleet owns: see
 * fleet_rivals.c. */
Err *refuse_second_founding(FleetPass *p) MUST_CHECK;

/* Does what is next for the founding of a chain, if one is being founded. */
Err *carry_out_founding(FleetPass *p) MUST_CHECK;

/* A fleet that is being deleted. */
Err *delete_fleet(FleetPass *p) MUST_CHECK;

/* Says all that is to be said of the fleet, into the status that is being made and into metrics:
 * conditions, and what is waited for. Counts and phase are there already. */
void fleet_say(FleetPass *p);

/* What has changed is told, now that it is stored; and that another writer was in the way. */
void fleet_tell(FleetPass *p, const StatusWrite *write);

/* The fleet is gone, and nothing is shown of it any more. */
void fleet_silence(App *app, Key key);

/* Something did not work out: shown where people look. The first one counts. */
void fleet_show(FleetPass *p, const Err *err);

/* Reconciles once more after so long, or earlier; 0: not for this. */
void fleet_look_again(FleetPass *p, int64_t after_ms);

#endif
