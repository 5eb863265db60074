/* ViewParts: what the views of nodes and of fleets have in common. */
#ifndef CLI_VIEW_PARTS_H
#define CLI_VIEW_PARTS_H

#include "base/draft.h"
#include "kube/cond.h"
#include "kube/kind.h"

#include <stdbool.h>

/* A Sight, half read. */
typedef struct Seen {
    Arena *arena;
    const Json *sight, *object, *plan;
    Conds conds;
    const char *name;
    const char *where; /* " -n sei", or "" where that goes without saying */
    const char *ref;   /* the two together: as it is typed behind a command */
    bool is_fleet;
} Seen;

void seen_read(Arena *a, const Json *sight, Seen *ret);

/* An object that begins as every view does. */
Draft *view_begin(const Seen *seen, const char *kind);

/* What ends every status: the newest events, what could not be read. */
void view_add_rest(Draft *view, const Seen *seen);

/* The word for an object that is not Ready: the reason of that condition; or RollingOut while the
 * fleet rolls, unless it is held. NULL: no condition. */
const char *view_unready_word(const Json *object);

/* {word, mark: good|busy|bad|idle, ready, since} */
Draft *view_state(const Seen *seen);

/* The mark of what is not Ready, whose conditions these are: idle where a person wants it so; busy
 * while it is worked at, or may yet be starting; else bad. */
const char *view_unready_mark(const char *now, const Conds *conds);

/* Both moments are known, and less than `ns` lies between them. */
bool view_is_younger(const char *now, const char *since, int64_t ns);

/* The plan with its steps, or NULL. `finishedAt` is of the history. */
Draft *view_plan_of(const Seen *seen, const Json *plan, bool with_meanings);

/* The newest entry of the history, or NULL; one by the id of its plan, or NULL. */
const Json *view_last_plan(const Seen *seen);
const Json *view_ended_plan(const Seen *seen, const char *id);

/* status.drift with what the condition UpToDate says; NULL where neither says anything. */
Draft *view_drift_of(Arena *a, const Json *object);

/* The step that an Active plan is at: its task, or NULL; `ret_number` counts from 1. */
const Json *view_current_task(const Json *plan, int64_t *ret_number);

bool view_plan_is(const Json *plan, const char *phase);

/* For how long a node of the fleet has to be Ready to count as available. */
int64_t view_min_ready_s(const Seen *fleet);

/* In how many seconds a Ready node of the fleet, whose conditions these are, counts as available;
 * 0: it does, or is not Ready. */
int64_t view_settles_s(const Seen *fleet, const Conds *conds);

/* A length of time, as people write it. */
const char *view_duration(Arena *a, int64_t seconds);

/* A node that its fleet has paused: alone it cannot be let run. */
bool view_is_paused_with_fleet(const Seen *seen);

/* The causes, the first first. */
Draft *view_why_node(const Seen *seen, const char *pod_trouble);
Draft *view_why_fleet(const Seen *seen);

/* What to type next, most useful first. */
Draft *view_next_of_node(const Seen *seen, const char *pod_trouble);
Draft *view_next_of_fleet(const Seen *seen);

/* What a node's seid has said, or NULL when it was not asked. */
const Json *view_pulse(const Seen *seen, const char *node);

/* How many blocks a node is behind the best that was seen, and whose that is: a node, or "peers".
 * -1: not known. */
int64_t view_lag(const Seen *seen, const char *node, const char **ret_to);

/* {height, lag, lagTo, blockTime, peers, catchesUp} or {unknown}; NULL: nobody was asked. */
Draft *view_chain_of_node(const Seen *seen);

/* {best, bestOf, blockTime, known, silent, unknown} */
Draft *view_chain_of_fleet(const Seen *seen);

/* "full", "archive", ...: as people say it; "?" when the spec does not. */
const char *view_mode(const Json *spec);

const Json *view_node(Arena *a, const Json *sight);
const Json *view_fleet(Arena *a, const Json *sight);

#endif
