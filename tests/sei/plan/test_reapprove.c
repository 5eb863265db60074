/* Telling a sidecar again that seid may run. */
#include "tests/sei/plan/given.h"

#define ENDED(kind, result, at)                                                                    \
    "{status: {history: [{id: 'p', kind: '" kind "', result: '" result                             \
    "', finishedAt: '2026-11-15T" at "Z'}]}}"

#define APPROVED(at)                                                                               \
    "{id: 'p', kind: 'mark-ready-reapply', result: 'Complete', finishedAt: '2026-11-15T" at "Z'}"

static const struct {
    const char *name;
    Given given;
    const char *plan;
    int64_t again_ms;
} cases[] = {
    {"a sidecar that waits", {.health = HEALTH_NOT_READY}, REAPPROVAL},
    {"not one that is ready", {.health = HEALTH_READY}, ""},
    {"not one that has not been asked", {0}, ""},
    {"not one that does not answer", {.health = HEALTH_UNREACHABLE}, ""},
    {"not without a pod", {.health = HEALTH_NOT_READY, .pod = GONE}, ""},
    {"not while the probe may be older than the last approval",
        {.health = HEALTH_NOT_READY, .node = ENDED("node-update", "Complete", "11:59:58")},
        "",
        1000},
    {"but soon after it",
        {.health = HEALTH_NOT_READY, .node = ENDED("node-update", "Complete", "11:59:57")},
        REAPPROVAL},
    {"a repair approves nothing",
        {.health = HEALTH_NOT_READY, .node = ENDED("repair", "Complete", "11:59:59")},
        REAPPROVAL},
    {"one that fails backs off",
        {.health = HEALTH_NOT_READY, .node = ENDED("mark-ready-reapply", "Failed", "11:59:58")},
        "",
        8000},
    {"one that never helps backs off, too",
        {.health = HEALTH_NOT_READY,
            .node = "{status: {history: [" APPROVED("11:59:20") ", " APPROVED(
                "11:59:30") ", " APPROVED("11:59:40") ", " APPROVED("11:59:55") "]}}"},
        "",
        5000},
};

TEST(a_sidecar_that_lost_its_approval_gets_mark_ready_again)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &cases[i].given);

        then_str(plan_text(a, &p->d.status), cases[i].plan);
        then_int(p->d.again_after_ms, cases[i].again_ms);
    }
}

#define PUBLISHES                                                                                  \
    "spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 5, publish: {}}}}}"
#define UPLOAD_ID "8e0134e5-92f6-5471-9c3e-10bf49f29949"

/* The status of a node whose last plan, of that id, submitted the upload. */
#define UPLOADED                                                                                   \
    "status: {plan: {id: 'old', kind: 'init', phase: 'Complete', tasks: ["                         \
    "{type: 'snapshot-upload', id: 'upload-of-old', status: 'Complete'}]}}"

static const struct {
    const char *name, *node, *id;
} uploads[] = {
    {"under the id of the node", "{" PUBLISHES "}", UPLOAD_ID},
    {"under the id that an earlier version gave it",
        "{" PUBLISHES ", " UPLOADED "}",
        "upload-of-old"},
};

TEST(a_renewed_approval_repeats_the_snapshot_upload_of_a_publishing_node)
{
    each_case(i, uploads) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Given given = {.health = HEALTH_NOT_READY, .node = uploads[i].node};
        Planned *p = plan_given(a, &given);

        then_str(plan_text(a, &p->d.status), REAPPROVAL " snapshot-upload");
        then_str(p->d.status.plan.tasks[1].id, uploads[i].id);
    }
}

TEST(an_update_repeats_the_snapshot_upload_of_a_publishing_node)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Given given = {
        .node = "{" PUBLISHES "}",
        .pod = "{metadata: {annotations: {'sei.io/template-hash': 'other'}}}",
        .explained = true,
    };
    Planned *p = plan_given(a, &given);

    then_str(plan_text(a, &p->d.status), UPDATE_PLAN " snapshot-upload");
    then_str(p->d.status.plan.tasks[p->d.status.plan.task_count - 1].id, UPLOAD_ID);
}

TEST(a_renewed_approval_has_a_new_task_id)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a, &(Given){.health = HEALTH_NOT_READY});

    then_str(p->d.status.plan.tasks[0].id, "27669cc2-ff5c-5954-a251-8491a7bd9284");
}
