/* The port: every call reaches the implementation with what it was given. */
#include "sei/sidecar/sidecar.h"

#include "tests/test.h"

typedef struct Fake {
    Sidecar port; /* first, so that the port is this */
    const SidecarTarget *target;
    const SidecarJob *job;
    const char *rests, *forgets;
} Fake;

static void fake_task(
    Sidecar *self, Arena *a, const SidecarTarget *target, const SidecarJob *job, SidecarNews *ret)
{
    (void)a;
    ((Fake *)self)->target = target;
    ((Fake *)self)->job = job;
    ret->state = SIDECAR_RUNNING;
}

static void fake_probe(Sidecar *self, Arena *a, const SidecarTarget *target, SidecarProbe *ret)
{
    (void)a;
    ((Fake *)self)->target = target;
    ret->health = PROBE_READY;
}

static void fake_name(Sidecar *self, Arena *a, const SidecarTarget *target, SidecarName *ret)
{
    (void)a;
    ((Fake *)self)->target = target;
    ret->needs_token = true;
}

static void fake_rest(Sidecar *self, Key node)
{
    ((Fake *)self)->rests = node.name;
}

static void fake_forget(Sidecar *self, Key node)
{
    ((Fake *)self)->forgets = node.name;
}

TEST(every_call_of_the_sidecar_port_reaches_its_implementation_with_its_arguments)
{
    SCOPED_ARENA a = arena_open(1 << 10);
    Fake fake = {.port = {fake_task, fake_probe, fake_name, fake_rest, fake_forget}};
    SidecarTarget target = {0}, other = {0};
    SidecarJob job = {0};
    SidecarNews news = {0};
    SidecarProbe probe = {0};
    SidecarName name = {0};

    sidecar_task(&fake.port, a, &target, &job, &news);
    then_true(fake.target == &target && fake.job == &job && news.state == SIDECAR_RUNNING);
    sidecar_probe(&fake.port, a, &other, &probe);
    then_true(fake.target == &other && probe.health == PROBE_READY);
    sidecar_name(&fake.port, a, &target, &name);
    then_true(fake.target == &target && name.needs_token);
    sidecar_rest(&fake.port, (Key){"ns", "tired"});
    then_str(fake.rests, "tired");
    sidecar_forget(&fake.port, (Key){"ns", "gone"});
    then_str(fake.forgets, "gone");
}
