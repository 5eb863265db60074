/* The batch decision, row by row as people were promised it. Every fleet that there can be is in
 * test_every_fleet.c. */
#include "sei/plan/batch.h"

#include "tests/sei/plan/fleets.h"

static const char verdict_letters[BATCH_VERDICT_COUNT + 1] = "W.cfpbxlHID";

static const Row rows[] = {
    {"one at a time, the highest first", "oa oa oa", "IIW", MAX(1)},
    {"the next when it is available", "oa oa ta", "IW.", MAX(1)},
    {"not before", "oa oa ts", "IIc", MAX(1)},
    {"two at a time", "oa oa oa oa", "IIWW", MAX(2)},
    {"all at once, when that is asked for", "oa oa oa", "WWW", SHARE(100)},
    {"a share is rounded down", "oa oa oa oa oa", "IIIWW", SHARE(59)},
    {"a share is never nothing", "oa oa oa", "IIW", SHARE(1)},
    {"nor is a number", "oa oa", "IW", MAX(0)},
    {"an unready node comes first", "oa os oa", "IWI", MAX(1)},
    {"and counts", "oa os oa", "IWW", MAX(2)},
    {"an unready node is written although another one is in flight", "oa os ts", "IWc", MAX(2)},
    {"but not when the budget is in flight", "oa os ts", "IIc", MAX(1)},
    {"of unready nodes the highest first", "os os oa", "IWI", MAX(1)},
    {"a bad image stops after the budget", "oa oa oa th", "IIIc", MAX(1)},
    {"a bad image stops after a larger budget", "oa oa th th", "IIcc", MAX(2)},
    {"a node that never was Ready is written and uses no budget", "oa on oa", "IWW", MAX(2)},
    {"but is in flight then", "oa oa tn", "IIc", MAX(1)},
    {"an old node that never was Ready blocks no other", "oa on ta", "IW.", MAX(1)},
    {"below the partition nothing changes", "oa os oa oa", "bbDW", MAX(2), .partition = 2},
    {"an unready node there uses the budget as well", "os oa oa", "bDD", MAX(1), .partition = 1},
    {"a partition beyond the fleet", "oa oa", "bb", MAX(2), .partition = 9},
    {"on target below the partition", "ta oa oa", ".IW", MAX(1), .partition = 1},
    {"held", "oa os ta", "HH.", MAX(2), .hold = true},
    {"held, and what is in flight stays", "oa os ts", "HHc", MAX(2), .hold = true},
    {"a paused node is left alone, and counts", "op oa oa", "pDD", MAX(1)},
    {"a paused node with a budget for it", "op oa oa", "pDW", MAX(2)},
    {"a paused node on the target is not waited for", "tp oa oa", "pDW", MAX(2)},
    {"a failed node is written like an unready one", "of oa oa", "WII", MAX(1)},
    {"a failed node on the target is not waited for", "tf oa oa", "fIW", MAX(1)},
    {"a node that is deleted counts", "od oa oa", "lDD", MAX(1)},
    {"a node that is deleted and on its way", "td oa oa", "lII", MAX(1)},
    {"not available for long enough", "oa oa tu", "IIc", MAX(1), .min_ready = 30},
    {"available for long enough", "oa oa ta", "IW.", MAX(1), .min_ready = 30},
    {"one that serves is not written as if it did not", "op ou oa", "pDD", MAX(1), .min_ready = 30},
    {"but does not wait for itself", "oa ou oa", "IWI", MAX(1), .min_ready = 30},
    {"one whose update is under way does not wait for itself", "oa oa ow", "IIW", MAX(1)},
    {"it counts for the others", "ow oa oa", "bDD", MAX(1), .partition = 1},
    {"a node does not wait for others that are out", "op ow oa ow", "pIIW", MAX(1)},
    {"one that was written by hand a moment ago does", "op or oa", "pDD", MAX(1)},
    {"though not for itself", "oa or oa", "IWI", MAX(1)},
    {"one that is about to stop is in flight", "oa oa tw", "IIc", MAX(1)},
    {"a target that is refused stops at the first one", "oa oa ti", "IIc", MAX(1)},
    {"and is not arrived at", "ti ti", "cc", MAX(1)},
    {"what was refused is taken back like anything else", "oa oa oi", "IIW", MAX(1)},
    {"a halted fleet is written at once", "oh oh oh oh", "WWWW", MAX(1)},
    {"also when some were written already", "oh th oh th", "WcWc", MAX(1)},
    {"but not for a second's outage", "oh os oh oh", "IIIW", MAX(1)},
    {"nor when one serves", "oh oa oh oh", "IIIW", MAX(1)},
    {"nor when one never was Ready", "oh on oh oh", "IIIW", MAX(1)},
    {"nor for the platform's sake", "oh oh oh", "IIW", MAX(1), .by_platform = true},
    {"halted in scope", "oa oh oh", "bWW", MAX(1), .partition = 1},
    {"halted and held", "oh oh", "HH", MAX(1), .hold = true},
    {"stopped at the deadline", "oa os ts", "HHc", MAX(2), .overdue = true},
    {"no halt: a helper container of every pod is not Ready, and seid is",
        "ox ox ox",
        "IIW",
        MAX(1)},
    {"no halt: a helper container of one pod is not Ready, and seid is", "oh oh ox", "IIW", MAX(1)},
    {"no halt: seid has been down for a second, and the pods not Ready for an hour",
        "ob ob ob",
        "IIW",
        MAX(1)},
    {"no halt: seid of every node has not been Ready yet", "ol ol ol", "IIW", MAX(1)},
    {"no halt of validators: a helper container of every pod is not Ready",
        "ox ox ox",
        "IIW",
        SHARE(100),
        .validators = true},
    {"no halt: the monotonic clock has not seen it for a minute",
        "oh oh oh",
        "IIW",
        MAX(1),
        .just_seen = true},
    {"halted, and one is paused", "op oh oh", "pWW", MAX(1)},
    {"a pause is no halt", "oz oz tz", "IIc", MAX(1), .deadline = 1800},
    {"nor when only some were paused", "oz oz th", "IIc", MAX(1), .deadline = 1800},
    {"nor of validators", "oz oz oz oz", "IIIW", MAX(1), .validators = true, .deadline = 1800},
    {"unless they do not come back for long", "oz oz tz", "WWc", MAX(1), .deadline = 1080},
    {"for half of the deadline and a minute", "oz oz tz", "IIc", MAX(1), .deadline = 1082},
    {"three validators", "oa oa oa", "IIW", SHARE(100), .validators = true},
    {"four validators", "oa oa oa oa", "IIIW", MAX(4), .validators = true},
    {"seven validators", "oa oa oa oa oa oa oa", "IIIIIWW", MAX(4), .validators = true},
    {"one more than seven validators can do without",
        "oa oa oa oa oa oa oa",
        "IIIIIWW",
        MAX(3),
        .validators = true},
    {"validators with a smaller budget",
        "oa oa oa oa oa oa oa",
        "IIIIIIW",
        MAX(1),
        .validators = true},
    {"halted validators", "oh oh oh oh", "WWWW", MAX(1), .validators = true},
    {"the revert of a bad image", "oa oa oa os", "IIIW", MAX(1)},
    {"one node", "oa", "W", MAX(1)},
    {"nothing left", "ta ta", "..", MAX(1)},
};

static const char *letters(Arena *a, const Batch *b)
{
    const char *text = "";

    for (size_t i = 0; i < b->count; i++)
        text = str_format(a, "%s%c", text, verdict_letters[b->verdicts[i]]);
    return text;
}

TEST(each_node_gets_the_batch_verdict_of_the_table)
{
    each_case(i, rows) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Judged j;
        judge(&rows[i], &j);
        /* Of those that wait for more than one reason the first is told. */
        then_str(letters(a, &j.batch), rows[i].want);
    }
}

TEST(a_waiting_node_reports_what_it_waits_for)
{
    static const struct {
        const char *name;
        Row row;
        size_t node;
        const char *want;
    } cases[] = {
        {"written", {.fleet = "oa oa", MAX(1)}, 1, "is updated now"},
        {"halted", {.fleet = "oh oh", MAX(1)}, 0, "the whole fleet has halted"},
        {"updated", {.fleet = "ta oa", MAX(1)}, 0, "is on the target and available"},
        {"not yet available",
            {.fleet = "oa ts", MAX(1)},
            1,
            "was updated, and is not available yet"},
        {"not for long enough",
            {.fleet = "oa tu", MAX(1), .min_ready = 30},
            1,
            "counts as available after 30 s (minReadySeconds)"},
        {"its pod is still the old one", {.fleet = "oa tw", MAX(1)}, 1, "yet to be replaced"},
        {"refused", {.fleet = "oa ti", MAX(1)}, 1, "its condition Stalled says why"},
        {"failed", {.fleet = "oa tf", MAX(1)}, 1, "does not wait for it"},
        {"paused", {.fleet = "oa op", MAX(1)}, 1, "is paused or scaled to 0, and left alone"},
        {"partition", {.fleet = "oa oa", MAX(1), .partition = 1}, 0, "below the partition 1"},
        {"deleted", {.fleet = "oa od", MAX(1)}, 1, "will be made anew"},
        {"held", {.fleet = "oa oa", MAX(1), .hold = true}, 1, "updateStrategy.hold is set"},
        {"stopped at the deadline",
            {.fleet = "oa oa", MAX(1), .overdue = true},
            1,
            "has stopped at its progress deadline; edit the template, or set the annotation"},
        {"which no end of a hold would change",
            {.fleet = "oa oa", MAX(1), .overdue = true, .hold = true},
            1,
            "has stopped at its progress deadline"},
        {"in flight",
            {.fleet = "oa oa ts tn", MAX(2)},
            0,
            "at most 2 may be updated at once, and rpc-2, rpc-3 is not available yet"},
        {"for one that is written now",
            {.fleet = "oa oa", MAX(1)},
            0,
            "at most 1 may be updated at once, and rpc-1 is not available yet"},
        {"down",
            {.fleet = "oa op oa", MAX(1)},
            0,
            "at most 1 may be unavailable, and rpc-1 (paused) is"},
        {"another node is down, and the waiting node itself, which is no reason",
            {.fleet = "ou op oa", MAX(1), .min_ready = 30},
            0,
            "at most 1 may be unavailable, and rpc-1 (paused) is"},
        {"many",
            {.fleet = "os os os op op op op oa", MAX(3)},
            7,
            "rpc-0, rpc-1, rpc-2 is not available yet"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Judged j;
        judge(&cases[i].row, &j);
        const char *said = batch_sentence(a, &j.batch, cases[i].node, "rpc");
        if (!strstr(said, cases[i].want))
            then_str(said, cases[i].want);
    }
}

TEST(nodes_beyond_the_replicas_are_ignored_by_the_batch)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Judged j;

    judge(&(Row){.fleet = "oa oa ts os", MAX(1)}, &j);
    j.batch.replicas = 2;
    plan_batch(&j.batch);
    then_str(letters(a, &j.batch), "IWxx");
    then_str(batch_sentence(a, &j.batch, 3, "rpc"), "is beyond the replicas and will be deleted");
}

TEST(a_batch_asks_for_a_requeue_when_time_alone_changes_a_verdict)
{
    Judged j;

    judge(&(Row){.fleet = "oa tu", MAX(1), .min_ready = 30}, &j);
    then_int(j.batch.look_again_ms, 29000);
    judge(&(Row){.fleet = "os os", MAX(1)}, &j);
    then_int(j.batch.look_again_ms, 59000);
    judge(&(Row){.fleet = "oz oz", MAX(1), .deadline = 1800}, &j);
    then_int(j.batch.look_again_ms, 900000 + 60000 - RESUMED_MS);
    judge(&(Row){.fleet = "oa ta", MAX(1)}, &j);
    then_int(j.batch.look_again_ms, 0);
}

TEST(a_rollout_is_complete_when_no_node_is_waited_for)
{
    static const struct {
        const char *name;
        Row row;
        bool complete, everywhere;
    } cases[] = {
        {"all available", {.fleet = "ta ta", MAX(1)}, true, true},
        {"one is on its way", {.fleet = "ta ts", MAX(1)}, false, true},
        {"one is not written", {.fleet = "oa ta", MAX(1)}, false, false},
        {"one refuses", {.fleet = "ta ti", MAX(1)}, false, true},
        {"one is failed", {.fleet = "ta tf", MAX(1)}, true, true},
        {"one is paused", {.fleet = "ta op", MAX(1)}, true, false},
        {"one is below the partition", {.fleet = "oa ta", MAX(1), .partition = 1}, true, false},
        {"all on target, with a partition",
            {.fleet = "ta ta", MAX(1), .partition = 1},
            true,
            false},
        {"one is being deleted", {.fleet = "ta td", MAX(1)}, false, false},
        {"held", {.fleet = "ta oa", MAX(1), .hold = true}, false, false},
    };

    each_case(i, cases) {
        Judged j;
        judge(&cases[i].row, &j);
        then_int(j.batch.complete, cases[i].complete);
        then_int(j.batch.everywhere, cases[i].everywhere);
    }
    Judged j;
    judge(&(Row){.fleet = "ta ta", MAX(1)}, &j);
    j.batch.replicas = 3;
    plan_batch(&j.batch);
    then_true(!j.batch.complete && !j.batch.everywhere);
}

TEST(each_batch_verdict_has_its_rollout_state_in_the_status)
{
    static const char want[] = "gdgsssspppp";
    static const char initials[ROLLOUT_STATE_COUNT + 1] = "pgds";

    then_int(strlen(want), BATCH_VERDICT_COUNT);
    for (int v = 0; v < BATCH_VERDICT_COUNT; v++)
        then_int(initials[batch_state((BatchVerdict)v)], want[v]);
    then_bug("a verdict", batch_state(BATCH_VERDICT_COUNT));
}
