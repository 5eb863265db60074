/* Seids asked in turn. */
#include "cli/pulse_round.h"

#include "tests/cli/seid_api.h"

enum { SECOND_MS = 1000 };

static const PulseNodes three = {.namespace = "sei", .names = {"a", "b", "c"}, .count = 3};

typedef struct Rig {
    Arena *arena;
    SeidApi api;
    PulseRound *round;
} Rig;

static void rig_open(Rig *r)
{
    r->arena = arena_open(1 << 20);
    seid_api(&r->api, r->arena, "{sync_info: {latest_block_height: '7'}}");
    r->round = pulse_round_open();
}

static void rig_close(Rig *r)
{
    pulse_round_close(r->round);
    arena_close(r->arena);
}

/* Which nodes were asked in so many steps, in their order. */
static const char *asked(Rig *r, const PulseNodes *nodes, int steps)
{
    const char *names = "";

    for (int i = 0; i < steps; i++) {
        r->api.asked = "";
        pulse_round_step(r->round, &r->api.pulse_port, nodes);
        const char *pod = strstr(r->api.asked, "/pods/");
        if (pod)
            names =
                str_format(r->arena, "%s%s", names, str_slice(r->arena, pod + strlen("/pods/"), 1));
    }
    return names;
}

static void pass(Rig *r, int64_t ms)
{
    clock_manual_advance_ms(&r->api.clock, ms);
}

TEST(seids_are_asked_in_turn_and_again_when_they_are_due)
{
    Rig r;

    rig_open(&r);
    then_str(asked(&r, &three, 5), "abc");
    pass(&r, 1 * SECOND_MS);
    then_str(asked(&r, &three, 5), "");
    pass(&r, 1 * SECOND_MS);
    then_str(asked(&r, &three, 2), "ab");
    pass(&r, 2 * SECOND_MS);
    then_str(asked(&r, &three, 1), "c");
    rig_close(&r);
}

TEST(a_seid_that_does_not_answer_is_asked_less_often)
{
    Rig r;

    rig_open(&r);
    r.api.refusal = seid_refusal(r.arena, 503, "dial tcp 10.0.0.7:26657: i/o timeout");
    then_str(asked(&r, &three, 5), "abc");
    pass(&r, 9 * SECOND_MS);
    then_str(asked(&r, &three, 5), "");
    pass(&r, 1 * SECOND_MS);
    then_str(asked(&r, &three, 5), "abc");
    rig_close(&r);
}

TEST(after_a_refused_request_no_seid_is_asked_for_a_minute)
{
    Rig r;

    rig_open(&r);
    r.api.refusal = seid_refusal(r.arena, 403, "forbidden");
    then_str(asked(&r, &three, 5), "a");
    pass(&r, 59 * SECOND_MS);
    then_str(asked(&r, &three, 5), "");
    pass(&r, 1 * SECOND_MS);
    then_str(asked(&r, &three, 1), "b");
    rig_close(&r);
}

TEST(the_last_answer_of_a_seid_is_kept)
{
    Rig r;

    rig_open(&r);
    asked(&r, &three, 2);
    then_json(json_seal(r.arena, pulse_round_draft(r.round, r.arena, &three)),
        "[{node: 'a', height: 7, catchesUp: false}, {node: 'b', height: 7, catchesUp: false}]");
    rig_close(&r);
}

TEST(seids_are_listed_in_the_order_of_their_first_answer)
{
    Rig r;

    rig_open(&r);
    asked(&r, &three, 3);
    pass(&r, 2 * SECOND_MS);
    asked(&r, &three, 1);
    const Json *pulses = json_seal(r.arena, pulse_round_draft(r.round, r.arena, &three));
    then_str(json_str(pulses, "[2].node"), "a");
    rig_close(&r);
}

TEST(nodes_that_come_and_go_do_not_fill_the_table_of_seids)
{
    Rig r;

    rig_open(&r);
    for (int i = 0; i < 3 * PULSE_ROUND_MAX; i++) {
        PulseNodes one = {
            .namespace = "sei", .names = {str_format(r.arena, "n-%d", i)}, .count = 1};
        then_str(asked(&r, &one, 1), "n");
        then_int(json_count(json_seal(r.arena, pulse_round_draft(r.round, r.arena, &one))), 1);
    }
    rig_close(&r);
}
