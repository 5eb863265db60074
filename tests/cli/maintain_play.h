/* A stage whose hands move while a command naps. */
#ifndef TESTS_CLI_MAINTAIN_PLAY_H
#define TESTS_CLI_MAINTAIN_PLAY_H

#include "tests/cli/maintain_stage.h"

/* One stage at a time: naps know no other way to it. */
static Stage *at_work;

static inline void nap_on_stage(Terminal *t, int naps)
{
    (void)t, (void)naps;
    stage_turn(at_work);
}

static inline Stage *stage(Terminal *t, Stage *s, const char *node_patch)
{
    *s = stage_given(t, node_patch);
    at_work = s;
    t->during = nap_on_stage;
    return s;
}

/* As Git, or the fleet, says by server-side apply what is to be of the node. */
static inline void apply_spec(Terminal *t, const char *manager, const char *spec)
{
    const char *whole = str_format(t->arena,
        "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode',"
        " metadata: {name: 'n', namespace: 'default'}, spec: %s}",
        spec);

    terminal_ask(t,
        (Request){.verb = VERB_APPLY,
            .kind = kind_seinode,
            .key = {"default", "n"},
            .manager = manager,
            .force = true,
            .body = json_fixture(t->arena, whole)});
}

static inline const Json *only_job(Stage *s)
{
    const Json *jobs = list_of(s, kind_job);

    then_int((int)json_count(jobs), 1);
    return json_first(jobs);
}

#endif
