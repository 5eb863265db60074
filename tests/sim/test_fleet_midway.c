/* A child that somebody pauses, or that fails, in the middle of a rollout: the others are taken no
 * further than the budget goes without it, and it catches up when it comes back. SEI_FAULTS=all
 * takes more points of a rollout. */
#include "base/str.h"
#include "sei/api/condition.h"
#include "tests/sim/branch.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/strike.h"
#include "tests/test.h"

#include <string.h>

enum { THREE = 3, ROLLOUT_MS = 40000, STRIDE_MS = 13007, WHILE_MS = 240000 };

static int64_t stride_ms(void)
{
    return strike_wants_all() ? STRIDE_MS / 13 : STRIDE_MS;
}

/* Something that befalls a child, so long after the edit of the template. */
typedef struct Mishap {
    int64_t after_ms;
    int ordinal;
    bool others_go_on; /* the budget has more than this one */
} Mishap;

static const char *tag_of_child(Play *p, int ordinal)
{
    const char *image = play_node(p, play_child(p, "rpc", ordinal))->spec.image;

    return strrchr(image, ':') + 1;
}

/* The first of the others that does not serve, or has not got v2; NULL: all have it. */
static const char *find_late(Play *p, const Mishap *m, const char *tag)
{
    for (int i = 0; i < THREE; i++) {
        const char *child = play_child(p, "rpc", i);
        if (i == m->ordinal)
            continue;
        if (!str_eq(play_condition(p, child, COND_READY), "True"))
            return str_format(play_arena(p), "%s does not serve", child);
        if (tag && !str_eq(tag_of_child(p, i), tag))
            return str_format(play_arena(p), "%s was not updated", child);
    }
    return NULL;
}

static const char *tell(Play *p, const Mishap *m, const char *what, const char *wrong)
{
    return wrong ? str_format(play_arena(p),
                       "rpc-%d %s after %lld ms: %s",
                       m->ordinal,
                       what,
                       (long long)m->after_ms,
                       wrong)
                 : NULL;
}

static const char *judge_end(Play *p, const char *volumes)
{
    const char *wrong = play_fleet_trouble(p, "rpc", "v2");

    return wrong                                   ? wrong
        : !str_eq(play_volumes(p, "rpc"), volumes) ? "a volume is another one"
                                                   : NULL;
}

/* --- paused --- */

static const char *not_left_out(Play *p, const Mishap *m)
{
    const char *child = play_child(p, "rpc", m->ordinal);
    const char *says = play_fleet_message(p, "rpc", COND_READY);

    return !play_node(p, child)->spec.paused ? "its pause was taken from it"
        : play_find(p, kind_pod, play_child_pod(p, "rpc", m->ordinal)) ? "its pod is still there"
        : str_eq(play_fleet_condition(p, "rpc", COND_READY), "True")   ? "the fleet is Ready"
        : !strstr(says, child) ? str_format(play_arena(p), "it is not named: %s", says)
                               : find_late(p, m, m->others_go_on ? "v2" : NULL);
}

static const char *pause_child(Play *p, void *self)
{
    const Mishap *m = self;
    const char *child = play_child(p, "rpc", m->ordinal), *volumes = play_volumes(p, "rpc");

    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, m->after_ms);
    play_patch(p, kind_seinode, child, "{spec: {paused: true}}");
    play_run(p, WHILE_MS);
    const char *wrong = not_left_out(p, m);
    play_patch(p, kind_seinode, child, "{spec: {paused: false}}");
    return tell(p, m, "paused", wrong ? wrong : judge_end(p, volumes));
}

/* O-8 */
CAMPAIGN(a_child_may_be_paused_at_any_point_of_a_rollout)
{
    static const struct {
        const char *name, *fleet;
        bool others_go_on;
    } budgets[] = {
        {"it is all that may be down", "{}", false},
        {"one more may be down", "{spec: {updateStrategy: {maxUnavailable: 2}}}", true},
    };

    each_case(k, budgets) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1 + (uint64_t)k}});

        play_given_fleet(p, "rpc", budgets[k].fleet);
        for (int i = 0; i < THREE; i++)
            for (int64_t ms = 501; ms < ROLLOUT_MS; ms += stride_ms()) {
                Mishap m = {.after_ms = ms, .ordinal = i, .others_go_on = budgets[k].others_go_on};
                then_str(branch(p, pause_child, &m), NULL);
            }
    }
}

/* --- failed --- */

static const char *not_passed_over(Play *p, const Mishap *m)
{
    const char *child = play_child(p, "rpc", m->ordinal);
    const char *says = play_fleet_message(p, "rpc", COND_STALLED);

    return play_node(p, child)->status.phase != PHASE_FAILED ? "it has not failed"
        : !strstr(says, child) ? str_format(play_arena(p), "it is not named: %s", says)
                               : find_late(p, m, "v2");
}

/* A node that runs does not fail any more; one that has to be made again may. */
static const char *fail_child(Play *p, void *self)
{
    const Mishap *m = self;
    Arena *a = play_arena(p);
    const char *child = play_child(p, "rpc", m->ordinal);

    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, m->after_ms);
    play_order(p, str_format(a, "fail-task sei/%s-0 config-apply 999 disk is on fire", child));
    play_delete(p, kind_seinode, child);
    play_run(p, WHILE_MS);
    const char *wrong = not_passed_over(p, m), *volumes = play_volumes(p, "rpc");
    play_order(p, str_format(a, "fail-task sei/%s-0 config-apply 0 none", child));
    play_patch(p, kind_seinode, child, "{metadata: {annotations: {'sei.io/retry': '1'}}}");
    return tell(p, m, "lost, and failed,", wrong ? wrong : judge_end(p, volumes));
}

/* O-7, O-8: even one at a time. */
TEST(a_child_that_fails_during_a_rollout_blocks_no_other_child)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    play_given_fleet(p, "rpc", "{spec: {deletionPolicy: 'Retain'}}");
    for (int i = 0; i < THREE; i++)
        for (int64_t ms = 501; ms < ROLLOUT_MS; ms += stride_ms())
            then_str(branch(p, fail_child, &(Mishap){.after_ms = ms, .ordinal = i}), NULL);
}
