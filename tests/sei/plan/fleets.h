/* Fleets for tests, in a word per node. */
#ifndef TESTS_SEI_PLAN_FLEETS_H
#define TESTS_SEI_PLAN_FLEETS_H

#include "sei/plan/batch.h"
#include "tests/test.h"

enum { NODES_MAX = 8, LONG_MS = 3600000, RESUMED_MS = 600000 };

/* A fleet is a word per node, ordinal 0 first:
 *
 *   o old     t target          then, how it is:
 *   a  available                u  serves, but not for long enough
 *   s  sick for a second        h  halted, sick for an hour
 *   n  never was Ready          f  failed, never was Ready
 *   p  paused                   d  being deleted, serves
 *   w  serves, and its update is under way
 *   i  available, and refuses what it was written with
 *   z  has not served since a pause that ended ten minutes ago
 *   r  serves, and what it was written with was not observed yet
 *   x  not Ready for an hour because of a helper container; seid is Ready
 *   b  the same, but seid went down a second ago
 *   l  not Ready for an hour, and seid never was
 */
static inline BatchNode node_of(const char *word, size_t ordinal)
{
    char how = word[1];
    bool is_down = how == 's' || how == 'h' || how == 'p' || how == 'z' || how == 'b';

    return (BatchNode){
        .ordinal = (int64_t)ordinal,
        .on_target = word[0] == 't',
        .serves = how == 'a' || how == 'i' || how == 'u' || how == 'd' || how == 'w' || how == 'r',
        .updating = how == 'w',
        .disturbed = how == 'w' || how == 'r',
        .refuses = how == 'i',
        .once_ready = how != 'n' && how != 'f',
        .paused = how == 'p',
        .resumed = how == 'z',
        .failed = how == 'f',
        .leaving = how == 'd',
        .since_ms = how == 'u' || how == 's' ? 1000
            : how == 'z'                     ? RESUMED_MS
                                             : LONG_MS,
        .seid_down = is_down,
        .down_ms = !is_down            ? 0
            : how == 's' || how == 'b' ? 1000
            : how == 'z'               ? RESUMED_MS
                                       : LONG_MS,
    };
}

typedef struct Row {
    const char *name, *fleet, *want; /* a letter of the above per node */
    IntOrPercent max;
    int64_t partition, min_ready, deadline;
    bool hold, overdue, validators, by_platform;
    bool just_seen; /* that all are down: less than a minute ago, by the monotonic clock */
} Row;

#define MAX(n)   .max = {.value = (n)}
#define SHARE(n) .max = {.value = (n), .percent = true}

typedef struct Judged {
    FleetStrategy strategy;
    BatchNode nodes[NODES_MAX];
    BatchVerdict verdicts[NODES_MAX];
    Batch batch;
} Judged;

static inline void judge(const Row *row, Judged *ret)
{
    size_t count = (strlen(row->fleet) + 1) / 3;

    *ret = (Judged){
        .strategy = {.max_unavailable = row->max,
            .partition = row->partition,
            .min_ready_seconds = row->min_ready,
            .progress_deadline_seconds = row->deadline,
            .hold = row->hold},
    };
    for (size_t i = 0; i < count; i++)
        ret->nodes[i] = node_of(row->fleet + 3 * i, i);
    ret->batch = (Batch){
        .strategy = &ret->strategy,
        .replicas = (int64_t)count,
        .validators = row->validators,
        .caused_by_spec = !row->by_platform,
        .all_down_seen_ms = row->just_seen ? BATCH_HALTED_MS - 1 : LONG_MS,
        .overdue = row->overdue,
        .nodes = ret->nodes,
        .count = count,
        .verdicts = ret->verdicts,
    };
    plan_batch(&ret->batch);
}

#endif
