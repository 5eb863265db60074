/* maintain when things go wrong: each of its calls fails once, or is the last one of its process,
 * or somebody else comes in between. Whatever happens, the node comes back with its volume, its
 * command was never started twice, and never while seid ran: the stage's monitor looks on. */
#include "tests/cli/maintain_stage.h"

#include <limits.h>

typedef enum Mishap {
    MISHAP_REFUSED,      /* the call fails, and nothing was done */
    MISHAP_LOST_ANSWER,  /* it was done, and nobody hears of it */
    MISHAP_DEATH_BEFORE, /* the process ends before the call */
    MISHAP_DEATH_AFTER,  /* and after it */
    MISHAP_DENIED,       /* it may not be made any more */
    MISHAP_STRANGER,     /* somebody runs another command before the call */
} Mishap;

typedef struct Scene {
    Stage stage;
    Mishap mishap;
    int at;    /* the call that it befalls; 0: none */
    int until; /* and those behind it that fail, too */
    int calls; /* of the command so far */
    bool is_dead;
    bool is_other;     /* the stranger is at work */
    const char *other; /* what he types */
    int other_code;
} Scene;

static Scene *scene; /* the one that is played */

static Err *dead(Arena *a)
{
    return err_terminal(a, "the process has ended");
}

static Err *silent(Arena *a, const Request *request)
{
    Err *err = err_retry(a, "no answer");

    err->outcome_unknown = request_is_write(request);
    return err;
}

static Err *denied(Arena *a)
{
    Err *err = err_terminal(a, "you may not do this any more");

    err->status = 403;
    err->reason = "Forbidden";
    return err;
}

static Err *befall(Terminal *t, Arena *a, const Request *request, const Json **ret)
{
    switch (scene->mishap) {
    case MISHAP_REFUSED:
        return err_retry(a, "the server is busy");
    case MISHAP_DENIED:
        return denied(a);
    case MISHAP_DEATH_BEFORE:
        scene->is_dead = true;
        return dead(a);
    case MISHAP_LOST_ANSWER:
    case MISHAP_DEATH_AFTER: {
        Err *err = t->api->call(t->api, a, request, ret);
        scene->is_dead = scene->mishap == MISHAP_DEATH_AFTER;
        return err ? err : scene->is_dead ? dead(a) : silent(a, request);
    }
    case MISHAP_STRANGER:
        scene->is_other = true;
        scene->other_code = type(t, scene->other);
        scene->is_other = false;
        break;
    }
    return t->api->call(t->api, a, request, ret);
}

static Err *call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);
    Err *err;

    if (scene->is_dead)
        return dead(a);
    if (request->verb == VERB_RAW_GET) /* logs: nothing hangs on them */
        return err_retry(a, "no log");
    if (!scene->is_other && ++scene->calls > scene->at && scene->calls <= scene->until)
        return scene->mishap == MISHAP_DENIED ? denied(a) : silent(a, request);
    if (scene->is_other || scene->calls != scene->at)
        err = t->api->call(t->api, a, request, ret);
    else
        err = befall(t, a, request, ret);
    if (request_is_write(request))
        then_one_has_the_volume(&scene->stage);
    return err;
}

static void nap(Terminal *t, int naps)
{
    (void)t, (void)naps;
    stage_turn(&scene->stage);
}

static void given_scene(Terminal *t, Scene *s, Mishap mishap, int at)
{
    *s = (Scene){.mishap = mishap, .at = at};
    s->stage = stage_given(t, "{}");
    scene = s;
    t->faulty.call = call;
    t->during = nap;
}

/* The next command is left in peace. */
static int type_in_peace(Terminal *t, const char *line)
{
    scene->at = 0;
    scene->until = 0;
    scene->is_dead = false;
    return type(t, line);
}

static void then_all_is_well(Stage *s)
{
    const Json *job, *jobs;

    for (int i = 0; i < 4; i++)
        stage_turn(s);
    then_true(!is_marked(s) && !is_paused(s));
    then_true(find(s, kind_pod, "n-0") != NULL);
    jobs = list_of(s, kind_job);
    json_each(job, jobs)
        then_true(json_find(job, ".spec.ttlSecondsAfterFinished") != NULL);
}

static int calls_of_a_run(void)
{
    SCOPED_TERMINAL t = terminal_open();
    Scene s;

    given_scene(t, &s, MISHAP_REFUSED, 0);
    then_int(type(t, MAINTAIN), EXIT_FINE);
    then_all_is_well(&s.stage);
    return s.calls;
}

TEST(a_maintenance_call_that_fails_once_is_repeated)
{
    static const Mishap mishaps[] = {MISHAP_REFUSED, MISHAP_LOST_ANSWER};
    int calls = calls_of_a_run();

    for (size_t i = 0; i < array_count(mishaps); i++)
        for (int at = 4; at <= calls; at++) { /* before that it only asks what there is */
            SCOPED_TERMINAL t = terminal_open();
            Scene s;

            given_scene(t, &s, mishaps[i], at);
            then_int(type(t, MAINTAIN), EXIT_FINE);
            then_int(s.stage.starts, 1);
            then_all_is_well(&s.stage);
        }
    print_message("# %d calls\n", calls);
}

static const struct {
    const char *name, *line;
    bool finishes; /* the command */
} after_death[] = {
    {"resumed", "maintain n --resume", true},
    {"given up", "maintain n --abort", false},
};

CAMPAIGN(a_maintain_process_that_crashes_at_any_call_can_be_resumed)
{
    static const Mishap deaths[] = {MISHAP_DEATH_BEFORE, MISHAP_DEATH_AFTER};
    int calls = calls_of_a_run(), courses = 0;

    for (size_t d = 0; d < array_count(deaths); d++)
        for (int at = 1; at <= calls; at++)
            each_case(i, after_death) {
                SCOPED_TERMINAL t = terminal_open();
                Scene s;

                given_scene(t, &s, deaths[d], at);
                bool ends_well = type(t, MAINTAIN) == EXIT_FINE;
                bool was_marked = is_marked(&s.stage), has_job = s.stage.starts > 0;
                then_true(!ends_well || (has_job && !was_marked));
                int code = type_in_peace(t, after_death[i].line);
                if (was_marked)
                    then_int(code, EXIT_FINE);
                else
                    then_true(code == EXIT_MISUSED || (code == EXIT_FINE && has_job));
                then_true(s.stage.starts <= 1);
                if (was_marked && after_death[i].finishes)
                    then_int(s.stage.starts, 1);
                if (!was_marked && !after_death[i].finishes)
                    type_in_peace(t, "maintain n --resume"); /* clears away, if anything is left */
                then_all_is_well(&s.stage);
                courses++;
            }
    print_message("# %d deaths\n", courses);
}

TEST(a_resume_or_an_abort_of_maintenance_may_crash_at_any_call)
{
    static const char *const lines[] = {"maintain n --resume", "maintain n --abort"};
    int calls = calls_of_a_run(), courses = 0;

    for (size_t i = 0; i < array_count(lines); i++)
        for (int at = 12; at <= calls; at += 11)
            for (int again = 2; again <= calls; again += 7) {
                SCOPED_TERMINAL t = terminal_open();
                Scene s;

                given_scene(t, &s, MISHAP_DEATH_AFTER, at);
                type(t, MAINTAIN);
                s.is_dead = false;
                s.calls = 0;
                s.at = again;
                type(t, lines[i]);
                type_in_peace(t, lines[i]);
                type_in_peace(t, "maintain n --resume");
                if (is_marked(&s.stage)) /* its Job was deleted on the way */
                    then_int(type_in_peace(t, "maintain n --abort"), EXIT_FINE);
                then_true(s.stage.starts <= 1);
                then_all_is_well(&s.stage);
                courses++;
            }
    print_message("# %d deaths of two processes\n", courses);
}

static const struct {
    const char *name, *line;
} strangers[] = {
    {"another user aborts the run", "maintain n --abort"},
    {"another user resumes the run at the same time", "maintain n --resume"},
    {"another user starts a second run", "maintain n --image other:1 -- look"},
};

CAMPAIGN(two_users_of_maintain_at_any_moment_use_the_volume_one_after_the_other)
{
    int calls = calls_of_a_run(), courses = 0;

    for (int at = 1; at <= calls; at++)
        each_case(i, strangers) {
            SCOPED_TERMINAL t = terminal_open();
            Scene s;

            given_scene(t, &s, MISHAP_STRANGER, at);
            s.other = strangers[i].line; /* his whole run fits into one request */
            int code = type(t, "maintain n --request-timeout 1m --image tool:1 -- fix");
            then_true(code == EXIT_FINE || code == EXIT_UNHEALTHY || code == EXIT_MISUSED);
            then_true(code != EXIT_MISUSED || s.other_code == EXIT_FINE);
            then_true(s.stage.starts <= 2);
            if (i != 2)
                then_true(s.stage.starts <= 1);
            type_in_peace(t, "maintain n --resume");
            then_all_is_well(&s.stage);
            courses++;
        }
    print_message("# %d meetings\n", courses);
}

TEST(a_pause_at_any_moment_of_maintenance_is_never_lost)
{
    int calls = calls_of_a_run();

    for (int at = 1; at <= calls; at++) {
        SCOPED_TERMINAL t = terminal_open();
        Scene s;

        given_scene(t, &s, MISHAP_STRANGER, at);
        s.other = "pause node/n";
        then_int(type(t, MAINTAIN), EXIT_FINE);
        then_int(s.other_code, EXIT_FINE);
        then_int(s.stage.starts, 1);
        for (int i = 0; i < 4; i++)
            stage_turn(&s.stage);
        then_true(!is_marked(&s.stage) && is_paused(&s.stage));
        then_true(find(&s.stage, kind_pod, "n-0") == NULL);
    }
}

TEST(a_maintenance_run_that_begins_during_a_pause_keeps_the_pause)
{
    for (int at = 1; at <= 3; at++) {
        SCOPED_TERMINAL t = terminal_open();
        Scene s;

        given_scene(t, &s, MISHAP_STRANGER, at);
        s.other = "maintain n --timeout 20s --image tool:1";
        s.stage.starts_bad = true;
        then_int(type(t, "pause node/n --request-timeout 60s"), EXIT_FINE);
        s.stage.starts_bad = false;
        then_true(s.calls < at || is_marked(&s.stage));
        if (is_marked(&s.stage))
            then_int(type_in_peace(t, "maintain n --resume"), EXIT_FINE);
        then_true(!is_marked(&s.stage) && is_paused(&s.stage));
    }
}

static int count_of(const char *text, const char *phrase)
{
    int count = 0;

    for (const char *at = text; (at = strstr(at, phrase)); at += strlen(phrase))
        count++;
    return count;
}

/* A laptop that sleeps, a control plane that is upgraded: the run goes on by itself. */
TEST(a_long_connection_loss_does_not_end_a_maintenance_run_that_has_begun)
{
    int calls = calls_of_a_run();

    for (int at = 14; at <= calls; at += 9) { /* behind the mark */
        SCOPED_TERMINAL t = terminal_open();
        Scene s;

        given_scene(t, &s, MISHAP_REFUSED, at);
        s.until = at + 100;
        then_int(type(t, MAINTAIN), EXIT_FINE);
        then_int(s.stage.starts, 1);
        then_true(!is_marked(&s.stage));
        if (s.calls < s.until) /* it was back: what it left is cleared away another time */
            type_in_peace(t, "maintain n --resume");
        then_all_is_well(&s.stage);
        then_true(count_of(talked(t), "; trying again") <= 3);
    }
}

static const struct {
    const char *name, *line;
    Mishap mishap;
} ends[] = {
    {"the permission is revoked", MAINTAIN, MISHAP_DENIED},
    {"the connection is lost", MAINTAIN, MISHAP_REFUSED},
    {"it is lost, and a time is given",
        "maintain n --timeout 1m --image tool:1 -- fix --all",
        MISHAP_REFUSED},
};

/* The call that gives the node back: the last without which it is not. */
static int returning_call(int calls)
{
    for (int at = calls; at > 0; at--) {
        SCOPED_TERMINAL t = terminal_open();
        Scene s;

        given_scene(t, &s, MISHAP_DENIED, at);
        s.until = INT_MAX;
        type(t, MAINTAIN);
        if (is_marked(&s.stage))
            return at;
    }
    return 0;
}

TEST(an_error_after_the_node_was_resumed_does_not_fail_the_maintenance_run)
{
    int calls = calls_of_a_run(), returns = returning_call(calls);

    then_true(returns > 0 && returns < calls);
    for (int at = returns + 1; at <= calls; at++)
        each_case(i, ends) {
            SCOPED_TERMINAL t = terminal_open();
            Scene s;

            given_scene(t, &s, ends[i].mishap, at);
            s.until = at + 1000;
            int64_t began_ms = world_now_ms(t->world);
            then_int(type(t, ends[i].line), EXIT_FINE);
            then_said(t, "node/n: the command succeeded; the node is unpaused\n");
            then_true(!strstr(talked(t), "error: ") && !strstr(talked(t), "--resume "));
            then_true(world_now_ms(t->world) - began_ms <= 120000);
        }
}

TEST(a_failed_command_is_reported_although_the_server_became_unreachable)
{
    SCOPED_TERMINAL t = terminal_open();
    int at = returning_call(calls_of_a_run()) + 1;
    Scene s;

    given_scene(t, &s, MISHAP_DENIED, at);
    s.until = INT_MAX;
    s.stage.fails = true;
    then_int(type(t, "maintain n --unpause-always --image tool:1 -- fix --all"), EXIT_UNHEALTHY);
    then_true(!is_marked(&s.stage));
    then_talked(t, "error: node/n: the command failed (exit code 3); the node is unpaused\n");
    then_talked(t,
        "warning: what became of node/n then could not be seen: you may not do this any more\n"
        "next: kubectl sei rollout status node/n\n");
}

TEST(maintain_without_a_connection_ends_before_it_marks_the_node)
{
    SCOPED_TERMINAL t = terminal_open();
    Scene s;

    given_scene(t, &s, MISHAP_REFUSED, 4);
    s.until = 1000;
    then_int(type(t, MAINTAIN), EXIT_UNREACHABLE);
    then_true(!is_marked(&s.stage) && !strstr(talked(t), "may be paused"));
}

/* The call that sets the mark, found by where its answer is the first of a write to be lost. */
TEST(maintain_reports_that_the_node_may_be_marked_if_the_answer_was_lost)
{
    int calls = calls_of_a_run(), marked = 0;

    for (int at = 4; at <= calls && !marked; at++) {
        SCOPED_TERMINAL t = terminal_open();
        Scene s;

        given_scene(t, &s, MISHAP_LOST_ANSWER, at);
        s.until = 100000;
        int code = type(t, "maintain n --timeout 5m --image tool:1");
        marked = is_marked(&s.stage) ? at : 0;
        bool may_be = strstr(talked(t), "may be paused") != NULL; /* it was sent, at least */
        then_int(code, may_be ? EXIT_TIMED_OUT : EXIT_UNREACHABLE);
        if (!marked)
            continue;
        then_talked(t, "the node may be paused for this run: look with `kubectl sei status node/n");
        then_talked(t, "next: kubectl sei maintain ");
    }
    then_true(marked > 0);
}

TEST(maintain_ends_at_its_timeout_although_the_server_hangs)
{
    SCOPED_TERMINAL t = terminal_open();
    Scene s;

    given_scene(t, &s, MISHAP_REFUSED, 14);
    s.until = 100000;
    int64_t began_ms = world_now_ms(t->world);
    then_int(type(t, "maintain n --timeout 30s --image tool:1"), EXIT_TIMED_OUT);
    then_true(world_now_ms(t->world) - began_ms <= 32000);
    then_talked(t, "not done after the time of --timeout: ");
}
