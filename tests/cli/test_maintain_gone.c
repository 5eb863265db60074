/* maintain of a node that is deleted meanwhile, or replaced by another of its name: there is
 * nothing left to go on with, and nobody is told that there is. */
#include "tests/cli/maintain_play.h"

static bool makes_another; /* by the name of the one that goes */

static void replace_node(Terminal *t)
{
    drop(at_work, kind_seinode, "n");
    if (makes_another)
        given_node(t, "n", "{}");
}

static void replace_node_when_the_job_runs(Terminal *t, int naps)
{
    (void)naps;
    stage_turn(at_work);
    if (!at_work->starts)
        return;
    t->during = NULL;
    replace_node(t);
}

static const struct {
    const char *name;
    bool makes_another;
    const char *talk;
} goings[] = {
    {"it is gone", false, "there is no node \"n\""},
    {"another is there", true, "node/n was deleted, and another is there by that name"},
};

TEST(a_maintenance_run_whose_node_is_deleted_ends)
{
    each_case(i, goings) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        stage(t, &s, "{}")->starts_bad = true;
        t->during = replace_node_when_the_job_runs;
        makes_another = goings[i].makes_another;

        then_int(type(t, MAINTAIN), EXIT_NOT_FOUND);
        then_talked(t, goings[i].talk);
        then_true(!strstr(talked(t), "next: "));
        const char *job = meta_name(only_job(&s)); /* nobody collects it here */
        then_talked(t,
            str_format(t->arena,
                "Job %s of it is still there: kubectl get job %s -n default\n",
                job,
                job));
    }
}

TEST(the_maintenance_job_of_an_earlier_node_of_the_same_name_is_ignored)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}")->fails = true;
    then_int(type(t, MAINTAIN), EXIT_UNHEALTHY);
    makes_another = true;
    replace_node(t);

    then_int(type(t, "maintain n --resume"), EXIT_MISUSED);
    then_talked(t, "node/n is not in maintenance");
}

static void delete_node_at_nap_1(Terminal *t, int naps)
{
    (void)t;
    if (naps == 1)
        drop(at_work, kind_seinode, "n");
    stage_turn(at_work);
}

TEST(no_maintenance_job_is_created_for_a_node_that_is_being_deleted)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{metadata: {finalizers: ['example.com/waits']}}");
    t->during = delete_node_at_nap_1;

    then_int(type(t, MAINTAIN), EXIT_UNHEALTHY);
    then_talked(t,
        "error: node/n is being deleted; its Job goes with it, and its volume as its policy says");
    then_true(!strstr(talked(t), "next: "));
    then_int((int)json_count(list_of(&s, kind_job)), 0);
}
