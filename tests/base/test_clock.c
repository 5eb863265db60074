/* Clock: the machine's, and one that stands still. */
#include "base/clock.h"

#include "tests/test.h"

TEST(the_monotonic_clock_never_goes_back)
{
    Clock *c = clock_system();
    int64_t before = c->mono_ns(c);

    for (int i = 0; i < 1000; i++) {
        int64_t now = c->mono_ns(c);
        then_true(now >= before);
        before = now;
    }
    then_true(clock_mono_ms(c) >= before / 1000000);
}

TEST(the_wall_clock_counts_from_1970)
{
    int64_t year_2020_ms = INT64_C(1577836800000);
    Clock *c = clock_system();
    then_true(clock_wall_ms(c) > year_2020_ms);
    then_true(c->wall_ns(c) / 1000000 >= clock_wall_ms(c) - 60000);
}

TEST(a_manual_clock_moves_only_when_it_is_advanced)
{
    ManualClock manual;
    clock_manual_init(&manual, 5000000, 7000000);
    Clock *c = &manual.port;

    then_int(c->mono_ns(c), 5000000);
    then_int(clock_wall_ms(c), 7);
    clock_manual_advance_ms(&manual, 30);
    then_int(clock_mono_ms(c), 35);
    then_int(clock_wall_ms(c), 37);
    then_bug("ms >= 0", clock_manual_advance_ms(&manual, -1));
}

TEST(a_sleep_ends_after_its_duration)
{
    struct timespec none, nap;

    clock_nap_end(0, &none);
    clock_nap_end(1999, &nap);
    int64_t later_ms = (nap.tv_sec - none.tv_sec) * 1000 + (nap.tv_nsec - none.tv_nsec) / 1000000;
    then_true(later_ms >= 1998);
    then_true(nap.tv_nsec >= 0 && nap.tv_nsec < 1000000000);
}
