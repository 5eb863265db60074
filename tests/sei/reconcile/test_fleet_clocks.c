/* For how long this process has seen a fleet as it is. */
#include "sei/reconcile/fleet_clocks.h"
#include "tests/test.h"

static const Key rpc = {.namespace = "sei", .name = "rpc"};
static const Key other = {.namespace = "sei", .name = "other"};

static void note(FleetClocks *t, Key fleet, int64_t progress_at_ms, bool all_down, int64_t mono_ms)
{
    FleetDecision d = {.progress_at_ms = progress_at_ms, .batch = {.all_down = all_down}};

    fleet_clocks_note(t, fleet, &d, mono_ms);
}

TEST(the_last_progress_of_a_fleet_is_timed_from_when_it_was_first_seen)
{
    FleetClocks *t = fleet_clocks_open();

    note(t, rpc, 77, false, 1000);
    note(t, rpc, 77, false, 5000);
    FleetSeen seen = fleet_clocks_read(t, rpc, 6000);
    then_int((int)seen.progress_at_ms, 77);
    then_int((int)seen.progress_ms, 5000);
    then_int((int)seen.all_down_ms, 0);
    note(t, rpc, 78, false, 7000);
    then_int((int)fleet_clocks_read(t, rpc, 7500).progress_ms, 500);
    fleet_clocks_close(t);
}

TEST(the_time_with_all_seids_down_is_measured_until_one_is_up)
{
    FleetClocks *t = fleet_clocks_open();

    note(t, rpc, 0, true, 1000);
    note(t, rpc, 0, true, 5000);
    then_int((int)fleet_clocks_read(t, rpc, 61000).all_down_ms, 60000);
    note(t, rpc, 77, false, 62000);
    then_int((int)fleet_clocks_read(t, rpc, 63000).all_down_ms, 0);
    note(t, rpc, 77, true, 64000);
    then_int((int)fleet_clocks_read(t, rpc, 65000).all_down_ms, 1000);
    fleet_clocks_close(t);
}

TEST(a_fleet_at_rest_or_deleted_has_no_measured_times)
{
    FleetClocks *t = fleet_clocks_open();

    then_int((int)fleet_clocks_read(t, rpc, 1000).progress_ms, 0);
    note(t, rpc, 77, true, 1000);
    note(t, other, 77, true, 3000);
    then_int((int)fleet_clocks_read(t, other, 4000).all_down_ms, 1000);
    note(t, rpc, 0, false, 5000);
    then_int((int)fleet_clocks_read(t, rpc, 6000).progress_at_ms, 0);
    fleet_clocks_forget(t, other);
    then_int((int)fleet_clocks_read(t, other, 6000).all_down_ms, 0);
    fleet_clocks_close(t);
}
