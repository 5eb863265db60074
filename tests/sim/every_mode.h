/* What tests of a node of every mode say to each other. */
#ifndef TESTS_SIM_EVERY_MODE_H
#define TESTS_SIM_EVERY_MODE_H

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play.h"
#include "tests/sim/play_modes.h"
#include "tests/test.h"

#define NODE   "rpc-0"
#define POD    "rpc-0-0"
#define VOLUME "data-rpc-0"
#define CONFIG "rpc-0-rbac-proxy-config"

static inline Play *open_play(size_t mode)
{
    return play_open(&(PlayOptions){.sim = {.seed = 40 + mode}});
}

static inline void then_settled(Play *p)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
    then_str(hazards_newest(kubelet_hazards(play_kubelet(p))), NULL);
}

static inline void then_ready(Play *p)
{
    then_settled(p);
    if (!str_eq(play_condition(p, NODE, COND_READY), "True"))
        then_str(play_message(p, NODE, COND_STALLED), play_message(p, NODE, COND_READY));
    then_str(play_condition(p, NODE, COND_UP_TO_DATE), "True");
}

/* The uid of its volume. */
static inline const char *given_running(Play *p, size_t mode)
{
    play_create_mode(p, NODE, &play_modes[mode]);
    then_ready(p);
    play_mark(p);
    return meta_uid(play_find(p, kind_pvc, VOLUME));
}

static inline void then_untouched(Play *p, const char *volume_uid)
{
    then_ready(p);
    then_str(meta_uid(play_find(p, kind_pvc, VOLUME)), volume_uid);
    then_int(play_tasks_posted(p, NULL), play_tasks_posted(p, "mark-ready"));
}

static inline void set_image(Play *p, const char *tag)
{
    play_patch(p,
        kind_seinode,
        NODE,
        str_format(play_arena(p), "{spec: {image: 'ghcr.io/example/seid:%s'}}", tag));
}

#endif
