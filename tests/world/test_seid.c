/* A seid from outside: heights, lag, halts, starts and stops. */
#include "tests/test.h"

#include "world/seid.h"

typedef struct Node {
    Outside *outside;
    Chain *chain;
    Slab *slab;
    Volume volume;
    Seid seid;
} Node;

static void node_open(Node *n)
{
    n->outside = outside_open();
    n->chain = outside_chain(n->outside, "pacific-1");
    n->slab = slab_open();
    volume_open(&n->volume, n->slab, "u");
    n->seid = (Seid){.chain = n->chain,
        .volume = &n->volume,
        .image = "seid:v1",
        .start_ms = 3000,
        .stop_ms = 2000};
}

static void node_close(Node *n)
{
    volume_close(&n->volume);
    slab_close(n->slab);
    outside_close(n->outside);
}

static void step_to(Node *n, int64_t to_ms)
{
    while (seid_due(&n->seid) <= to_ms)
        seid_step(&n->seid, seid_due(&n->seid));
    seid_step(&n->seid, to_ms);
}

TEST(a_seid_starts_and_catches_up_and_follows_its_chain)
{
    Node n;
    node_open(&n);
    seid_start(&n.seid, 0);
    then_true(!seid_serves(&n.seid));
    step_to(&n, 3000);
    then_true(seid_serves(&n.seid));
    then_true(!seid_is_ready(&n.seid, 3000));
    step_to(&n, 4000);
    then_int(seid_height(&n.seid, 4000), 500);
    step_to(&n, 60000);
    then_int(seid_height(&n.seid, 60000), chain_head(n.chain, 60000));
    then_int(seid_lag(&n.seid, 60000), 0);
    then_true(seid_is_ready(&n.seid, 60000));
    then_true(seid_ready_changes(&n.seid, 60000) == INT64_MAX);
    node_close(&n);
}

static const struct {
    const char *name;
    int64_t height, snapshot;
    bool state_sync;
    int64_t want;
} first_cases[] = {
    {"from genesis", .want = 0},
    {"from its data", 700, 0, false, 700},
    {"from a snapshot", 0, 900, false, 900},
    {"from its peers", 0, 0, true, 990},
    {"its data go before state sync", 700, 900, true, 700},
};

TEST(a_seid_continues_from_the_data_on_its_volume)
{
    each_case(i, first_cases) {
        Node n;
        node_open(&n);
        n.volume.height = first_cases[i].height;
        n.volume.snapshot_height = first_cases[i].snapshot;
        n.volume.state_sync = first_cases[i].state_sync;
        seid_start(&n.seid, 0);
        then_int(seid_height(&n.seid, 0), first_cases[i].want);
        node_close(&n);
    }
}

TEST(sigterm_stops_seid_after_a_time_and_its_height_stays_on_the_volume)
{
    Node n;
    node_open(&n);
    seid_start(&n.seid, 0);
    step_to(&n, 100000);
    int64_t height = seid_height(&n.seid, 100000);
    seid_terminate(&n.seid, 100000);
    then_true(!seid_serves(&n.seid));
    step_to(&n, 101999);
    then_int(n.seid.state, SEID_STOPPING);
    step_to(&n, 102000);
    then_int(n.seid.state, SEID_DOWN);
    then_int(n.seid.exit_code, 0);
    then_int(n.volume.height, height);
    then_int(n.volume.seids, 0);
    seid_start(&n.seid, 200000);
    then_int(seid_height(&n.seid, 200000), height);
    node_close(&n);
}

TEST(sigkill_stops_seid_at_once)
{
    Node n;
    node_open(&n);
    seid_start(&n.seid, 0);
    step_to(&n, 10000);
    seid_kill(&n.seid, 10000);
    then_int(n.seid.state, SEID_DOWN);
    then_int(n.seid.exit_code, 137);
    then_int(n.seid.ended_ms, 10000);
    node_close(&n);
}

TEST(an_upgrade_height_halts_a_seid_with_an_older_image)
{
    Node n;
    node_open(&n);
    then_true(chain_schedule_upgrade(n.chain, 1500, "seid:v2"));
    seid_start(&n.seid, 0);
    step_to(&n, 100000);
    int64_t unready_ms = seid_ready_changes(&n.seid, 100000);
    then_int(unready_ms, chain_when(n.chain, 1499 + n.chain->lag_max + 1));
    step_to(&n, unready_ms - 1);
    then_true(seid_is_ready(&n.seid, unready_ms - 1));
    then_true(!seid_is_ready(&n.seid, unready_ms));
    then_true(seid_is_halted(&n.seid, unready_ms));
    then_int(seid_height(&n.seid, unready_ms), 1499);
    then_true(seid_serves(&n.seid));
    then_true(seid_ready_changes(&n.seid, unready_ms) == INT64_MAX);
    then_true(seid_when(&n.seid, 1500, unready_ms) == INT64_MAX);

    seid_kill(&n.seid, unready_ms);
    n.seid.image = "seid:v2.0.1";
    seid_start(&n.seid, unready_ms);
    step_to(&n, unready_ms + 60000);
    then_true(seid_is_ready(&n.seid, unready_ms + 60000));
    node_close(&n);
}

TEST(a_chain_can_make_halted_seids_exit)
{
    Node n;
    node_open(&n);
    n.chain->halt_exits = true;
    then_true(chain_schedule_upgrade(n.chain, 1500, "seid:v2"));
    seid_start(&n.seid, 0);
    step_to(&n, chain_when(n.chain, 1500));
    then_int(n.seid.state, SEID_DOWN);
    then_int(n.seid.exit_code, 2);
    node_close(&n);
}

TEST(a_seid_at_its_halt_height_exits)
{
    static const struct {
        const char *name;
        int64_t halt_height;
        int chain_code, exit_code;
    } cases[] = {
        {"in order", 1100, 0, 0},
        {"by its second signal", 1100, 143, 143},
        {"before it has started up", 1000, 0, 130},
    };

    each_case(i, cases) {
        Node n;
        node_open(&n);
        n.volume.height = 1000;
        n.chain->halt_height_code = cases[i].chain_code;
        n.seid.halt_height = cases[i].halt_height;
        seid_start(&n.seid, 0);
        step_to(&n, 39000);
        then_int(seid_serves(&n.seid), cases[i].halt_height == 1100);
        step_to(&n, 41000);
        then_int(n.seid.state, SEID_DOWN);
        then_int(n.seid.exit_code, cases[i].exit_code);
        then_int(n.seid.has_halted, true);
        then_int(n.volume.height, cases[i].halt_height);
        node_close(&n);
    }
}

TEST(the_time_of_a_height_is_when_seid_reaches_it)
{
    Node n;
    node_open(&n);
    seid_start(&n.seid, 0);
    step_to(&n, 3000);
    for (int64_t height = 1; height < 3000; height += 37) {
        int64_t when_ms = seid_when(&n.seid, height, 3000);
        then_true(seid_height(&n.seid, when_ms) >= height);
        then_true(when_ms == 3000 || seid_height(&n.seid, when_ms - 1) < height);
    }
    node_close(&n);
}
