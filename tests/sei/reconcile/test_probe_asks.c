/* A failing probe is asked about when it is reported, and seldom. */
#include "sei/reconcile/probe_asks.h"

#include "base/str.h"
#include "sei/api/probe_output.h"
#include "tests/test.h"

#include <string.h>

enum { START_MS = 1000000 };

static const Key node = {.namespace = "sei", .name = "rpc-0"};
static const ProbeFailure first = {.pod_uid = "u", .container = "seid", .since_ms = 1};
static const ProbeFailure second = {.pod_uid = "u", .container = "seid", .since_ms = 2};

static ProbeAsks *given_asked(const char *output)
{
    ProbeAsks *p = probe_asks_open();

    probe_asks_begin(p, node, &first, START_MS);
    probe_asks_note(p, node, &first, output);
    return p;
}

static ProbeAnswer find(const ProbeAsks *p, Arena *a, const ProbeFailure *failure, int64_t at_ms)
{
    return probe_asks_find(p, a, node, failure, START_MS + at_ms);
}

TEST(an_unknown_probe_failure_is_looked_up_at_once)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    ProbeAsks *p = probe_asks_open();
    ProbeAnswer answer = find(p, a, &first, 0);

    then_true(!answer.node_is_known);
    then_str(answer.output, NULL);
    then_int(answer.ask_after_ms, 0);
    probe_asks_close(p);
}

TEST(a_probe_output_that_was_found_is_known_until_a_newer_one_is_found)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    ProbeAsks *p = given_asked("connection refused");
    ProbeAnswer answer = find(p, a, &first, PROBE_PAUSE_MS);

    then_true(answer.node_is_known);
    then_str(answer.output, "connection refused");
    then_int(answer.ask_after_ms, 0);
    probe_asks_begin(p, node, &first, START_MS + PROBE_PAUSE_MS);
    probe_asks_note(p, node, &first, NULL);
    then_str(find(p, a, &first, PROBE_PAUSE_MS).output, "connection refused");
    probe_asks_note(p, node, &first, "statuscode: 417");
    then_str(find(p, a, &first, PROBE_PAUSE_MS).output, "statuscode: 417");
    probe_asks_close(p);
}

TEST(a_probe_failure_without_an_event_is_looked_up_twice_more)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    ProbeAsks *p = given_asked(NULL);

    then_int(find(p, a, &first, 1000).ask_after_ms, PROBE_PAUSE_MS - 1000);
    then_int(find(p, a, &first, PROBE_PAUSE_MS).ask_after_ms, 0);
    probe_asks_begin(p, node, &first, START_MS + PROBE_PAUSE_MS);
    then_int(find(p, a, &first, PROBE_PAUSE_MS).ask_after_ms, PROBE_LONG_PAUSE_MS);
    then_int(find(p, a, &second, PROBE_PAUSE_MS).ask_after_ms, PROBE_PAUSE_MS);
    probe_asks_begin(p, node, &first, START_MS + PROBE_PAUSE_MS + PROBE_LONG_PAUSE_MS);
    then_true(find(p, a, &first, 100 * PROBE_PAUSE_MS).ask_after_ms < 0);
    probe_asks_close(p);
}

TEST(the_next_probe_failure_of_a_node_is_looked_up_a_minute_after_the_first)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    ProbeAsks *p = given_asked("no answer");
    ProbeAnswer answer = find(p, a, &second, 1000);

    then_true(answer.node_is_known);
    then_str(answer.output, NULL);
    then_int(answer.ask_after_ms, PROBE_PAUSE_MS - 1000);
    probe_asks_begin(p, node, &second, START_MS + PROBE_PAUSE_MS);
    probe_asks_note(p, node, &first, "too late");
    then_str(find(p, a, &second, PROBE_PAUSE_MS).output, NULL);
    then_int(find(p, a, &second, 2 * PROBE_PAUSE_MS).ask_after_ms, 0);
    probe_asks_close(p);
}

TEST(the_probe_output_of_a_deleted_node_is_removed)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    ProbeAsks *p = given_asked("no answer");

    probe_asks_forget(p, node);
    probe_asks_forget(p, node);
    then_true(!find(p, a, &first, 0).node_is_known);
    probe_asks_close(p);
}

static void begin_nth(ProbeAsks *p, Arena *a, int64_t n, int64_t now_ms)
{
    Key nth = {.namespace = "sei", .name = str_format(a, "many-%lld", (long long)n)};

    probe_asks_begin(p, nth, &first, now_ms);
}

TEST(probe_failures_of_many_nodes_are_looked_up_a_few_at_a_time)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ProbeAsks *p = probe_asks_open();

    for (int64_t i = 0; i < PROBE_TURN_ASKS; i++) {
        then_int(find(p, a, &first, i).ask_after_ms, 0);
        begin_nth(p, a, i, START_MS + i);
    }
    then_int(find(p, a, &first, 1000).ask_after_ms, PROBE_TURN_MS - 1000);
    then_int(find(p, a, &first, PROBE_TURN_MS).ask_after_ms, 0);
    begin_nth(p, a, 0, START_MS + PROBE_TURN_MS);
    then_int(find(p, a, &first, PROBE_TURN_MS + 1).ask_after_ms, 0);
    probe_asks_close(p);
}

TEST(a_full_probe_table_drops_entries_older_than_a_minute)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    ProbeAsks *p = given_asked("no answer");
    int64_t later_ms = START_MS + PROBE_PAUSE_MS;

    for (int64_t i = 1; i < PROBE_NODES_MAX; i++)
        begin_nth(p, a, i, later_ms);
    then_true(find(p, a, &first, 0).node_is_known);
    begin_nth(p, a, 0, later_ms);
    then_true(!find(p, a, &first, 0).node_is_known);
    begin_nth(p, a, PROBE_NODES_MAX, later_ms); /* no room: it is not remembered */
    probe_asks_close(p);
}

TEST(the_longest_probe_output_is_kept_complete)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    char output[PROBE_OUTPUT_MAX + 1];

    memset(output, 'x', PROBE_OUTPUT_MAX);
    output[PROBE_OUTPUT_MAX] = '\0';
    ProbeAsks *p = given_asked(output);
    then_str(find(p, a, &first, 0).output, output);
    probe_asks_close(p);
}
