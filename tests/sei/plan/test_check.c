/* Specs that the schema lets through and that cannot be carried out. */
#include "tests/sei/plan/given.h"

static const struct {
    const char *name, *spec;
    Want want;
} cases[] = {
    {"a full node", "{}"},
    {"no mode", "{spec: {fullNode: null}}", TERMINAL("no mode sub-spec set on SeiNode n/a")},
    {"two modes", "{spec: {archive: {}}}", TERMINAL("exactly one of")},
    {"a bootstrap image without a snapshot",
        "{spec: {fullNode: {snapshot: {stateSync: {}, bootstrapImage: 'x'}}}}",
        TERMINAL("fullNode: bootstrapImage requires s3")},
    {"a bootstrap image with height 0",
        "{spec: {fullNode: {snapshot: {s3: {targetHeight: 0}, bootstrapImage: 'x'}}}}",
        TERMINAL("fullNode: bootstrapImage requires s3")},
    {"a bootstrap Job",
        "{spec: {fullNode: {snapshot: {s3: {targetHeight: 5}, bootstrapImage: 'x'}}}}",
        TERMINAL("snapshot.bootstrapImage is not supported by this version")},
    {"snapshots of no kind",
        "{spec: {fullNode: {snapshotGeneration: {}}}}",
        TERMINAL("fullNode: snapshotGeneration is set but has no sub-struct")},
    {"snapshots that are gone before they are published",
        "{spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 1, publish: {}}}}}}",
        TERMINAL("keepRecent must be >= 2")},
    {"published snapshots",
        "{spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 2, publish: {}}}}}}"},
    {"snapshots for oneself",
        "{spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 1}}}}}"},
};

TEST(checks_a_spec)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Planned *p = given(a, &(Given){.fresh = true, .node = cases[i].spec});

        then_err(plan_check_spec(a, &p->node), cases[i].want);
    }
}

TEST(refuses_a_spec_that_the_status_could_not_repeat)
{
    static const struct {
        const char *name;
        int bytes;
        Want want;
    } sizes[] = {
        {"as big as may be", 359 << 10},
        {"bigger", 361 << 10, TERMINAL("shorten overrides or peers")},
    };

    each_case(i, sizes) {
        SCOPED_ARENA a = arena_open(16 << 20);
        char *text = arena_alloc(a, (size_t)sizes[i].bytes + 1);

        memset(text, 'x', (size_t)sizes[i].bytes);
        text[sizes[i].bytes] = '\0';
        Planned *p = given(a,
            &(Given){.fresh = true, .node = str_format(a, "{spec: {overrides: {a: '%s'}}}", text)});
        then_err(plan_check_spec(a, &p->node), sizes[i].want);
    }
}
