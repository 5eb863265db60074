/* What was found out once is not read again, and is forgotten with what it was about. */
#include "sei/reconcile/edits.h"
#include "tests/test.h"

static const Key node = {.namespace = "sei", .name = "rpc-0"};

static EditFinding about(
    const char *pod, const char *revision, const char *hash, int64_t generation)
{
    return (EditFinding){
        .pod_uid = pod,
        .revision = revision,
        .template_hash = hash,
        .generation = generation,
    };
}

static Edits *given_finding(const char *foreign_fields)
{
    Edits *e = edits_open();
    EditFinding found = about("p1", "r1", "h1", 1);

    found.edit = EDIT_METADATA_ONLY;
    found.foreign_fields = foreign_fields;
    edits_note(e, node, &found);
    return e;
}

TEST(a_cached_edit_finding_is_found_with_all_its_fields)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Edits *e = given_finding("an env of somebody else");
    EditFinding ask = about("p1", "r1", "h1", 1);

    then_true(edits_find(e, a, node, &ask));
    then_int(ask.edit, EDIT_METADATA_ONLY);
    then_str(ask.foreign_fields, "an env of somebody else");
    edits_close(e);
}

TEST(a_cached_edit_finding_without_foreign_fields_returns_none)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Edits *e = given_finding(NULL);
    EditFinding ask = about("p1", "r1", "h1", 1);

    then_true(edits_find(e, a, node, &ask));
    then_str(ask.foreign_fields, NULL);
    edits_close(e);
}

static const struct {
    const char *name, *pod, *revision, *hash;
    int64_t generation;
} others[] = {
    {"another pod", "p2", "r1", "h1", 1},
    {"another revision", "p1", "r2", "h1", 1},
    {"another rendering", "p1", "r1", "h2", 1},
    {"another StatefulSet", "p1", "r1", "h1", 2},
};

TEST(a_cached_edit_finding_applies_to_no_other_pod_or_revision_or_hash)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Edits *e = given_finding(NULL);

    each_case(i, others) {
        EditFinding ask =
            about(others[i].pod, others[i].revision, others[i].hash, others[i].generation);
        then_true(!edits_find(e, a, node, &ask));
    }
    edits_close(e);
}

TEST(a_newer_edit_finding_replaces_an_older_one)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Edits *e = given_finding(NULL);
    EditFinding newer = about("p2", "r2", "h2", 2), older = about("p1", "r1", "h1", 1);

    newer.edit = EDIT_TEMPLATE;
    edits_note(e, node, &newer);
    then_true(!edits_find(e, a, node, &older));
    then_true(edits_find(e, a, node, &newer));
    then_int(newer.edit, EDIT_TEMPLATE);
    edits_close(e);
}

TEST(the_edit_finding_of_a_deleted_node_is_removed)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Edits *e = given_finding(NULL);
    EditFinding ask = about("p1", "r1", "h1", 1);

    edits_forget(e, node);
    then_true(!edits_find(e, a, node, &ask));
    edits_forget(e, node);
    edits_close(e);
}
