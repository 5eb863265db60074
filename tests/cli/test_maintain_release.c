/* maintain behind its end: the node is given back, and the run only looks on until an operator has
 * taken note of it. Nothing that happens then changes how the run ended. */
#include "base/draft.h"
#include "tests/cli/maintain_play.h"

/* The operator dies while the command is at work. */
static void fall_asleep_when_the_job_runs(Terminal *t, int naps)
{
    (void)t, (void)naps;
    stage_turn(at_work);
    at_work->is_asleep = at_work->starts > 0;
}

static const struct {
    const char *name, *line;
    int naps_max;
} unnoted[] = {
    {"no time is given", MAINTAIN, 45},
    {"less than half a minute", "maintain n --timeout 10s --image tool:1", 12},
};

TEST(a_resumed_node_is_not_reported_as_running_while_no_operator_has_noticed_it)
{
    each_case(i, unnoted) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        stage(t, &s, "{}");
        t->during = fall_asleep_when_the_job_runs;

        then_int(type(t, unnoted[i].line), EXIT_FINE);
        then_said(t, "the command succeeded; the node is unpaused");
        then_talked(t,
            "warning: node/n is unpaused, and no operator has taken note of it: see `kubectl sei "
            "version` and `kubectl sei doctor`");
        then_true(!strstr(said(t), "runs again") && t->naps <= unnoted[i].naps_max);
        then_true(!is_marked(&s) && !is_paused(&s));
    }
}

static void begin_another_run(Stage *s)
{
    Maintenance mark = {
        .run = "0123456789ab", .by = "other", .since = "2026-01-01T00:00:00Z", .image = "x:1"};
    Draft *annotations =
        draft(s->t->arena, str(ANNOTATION_MAINTENANCE, maintenance_encode(s->t->arena, &mark)));
    Draft *patch = draft(s->t->arena, obj("metadata", sub("annotations", annotations)));

    given_patch(
        s->t, kind_seinode, "n", NULL, json_write(s->t->arena, json_seal(s->t->arena, patch)).data);
}

static void delete_job(Stage *s)
{
    drop(s, kind_job, meta_name(only_job(s)));
}

static const struct {
    const char *name;
    void (*deed)(Stage *s);
} afterwards[] = {
    {"another run begins", begin_another_run},
    {"the Job is deleted", delete_job},
};

static size_t deed; /* of those, the one that is done */

/* No operator takes note, so that the run still looks on. */
static void meddle_when_the_node_is_back(Terminal *t, int naps)
{
    fall_asleep_when_the_job_runs(t, naps);
    if (!at_work->starts || is_marked(at_work))
        return;
    t->during = NULL;
    afterwards[deed].deed(at_work);
}

TEST(changes_after_the_node_was_resumed_do_not_change_the_result_of_the_run)
{
    each_case(i, afterwards) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        stage(t, &s, "{}");
        t->during = meddle_when_the_node_is_back;
        deed = i;

        then_int(type(t, MAINTAIN), EXIT_FINE);
        then_true(!t->during);
        then_said(t, "node/n: the command succeeded; the node is unpaused");
        then_true(!strstr(talked(t), "error: "));
    }
}
