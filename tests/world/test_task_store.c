/* Rows on a volume, and the volume around them. */
#include "tests/test.h"

#include "world/disks.h"
#include "world/task_store.h"
#include "world/volume.h"

static const char *order_of(Arena *a, const TaskStore *s)
{
    const char *ids = "";
    for (const TaskRow *row = task_store_next(s, NULL); row; row = task_store_next(s, row))
        ids = str_format(a, "%s%s", ids, row->id);
    return ids;
}

TEST(task_rows_are_found_by_id_and_listed_newest_first)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Slab *slab = slab_open();
    TaskStore *s = task_store_open(slab);
    for (int64_t i = 1; i <= 3; i++)
        then_true(task_store_put(s,
            &(TaskRow){
                .id = str_format(a, "%c", (char)('a' + i - 1)), .type = "t", .submitted_ns = i}));
    then_str(order_of(a, s), "cba");
    then_int(task_store_count(s), 3);

    TaskRow ended = *task_store_find(s, "b");
    ended.status = ROW_COMPLETED;
    ended.result = "{}";
    then_true(task_store_put(s, &ended));
    then_str(order_of(a, s), "cba");
    then_str(task_store_find(s, "b")->result, "{}");
    then_str(task_status_text(task_store_find(s, "b")->status), "completed");

    TaskRow again = *task_store_find(s, "a");
    again.submitted_ns = 9;
    then_true(task_store_put(s, &again));
    then_str(order_of(a, s), "acb");

    then_true(task_store_remove(s, "c"));
    then_true(!task_store_remove(s, "c"));
    then_str(order_of(a, s), "ab");
    then_true(!task_store_find(s, "c"));
    task_store_close(s);
    then_int(slab_count(slab), 0);
    slab_close(slab);
}

TEST(restored_task_rows_are_listed_by_their_age)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Slab *slab = slab_open();
    TaskStore *s = task_store_open(slab);

    then_true(task_store_restore(s, &(TaskRow){.id = "b", .type = "t", .submitted_ns = 2}));
    then_true(task_store_restore(s, &(TaskRow){.id = "d", .type = "t", .submitted_ns = 4}));
    then_true(task_store_restore(s, &(TaskRow){.id = "a", .type = "t", .submitted_ns = 1}));
    then_true(task_store_restore(s, &(TaskRow){.id = "c", .type = "t", .submitted_ns = 3}));
    then_true(!task_store_restore(s, &(TaskRow){.id = "c", .type = "t", .submitted_ns = 9}));
    then_str(order_of(a, s), "dcba");
    task_store_close(s);
    slab_close(slab);
}

typedef struct Heard {
    Arena *arena;
    const char *said;
} Heard;

static void hear(void *self, const char *id, const TaskRow *row)
{
    Heard *h = self;

    h->said = str_format(h->arena, "%s%s%s ", h->said, row ? "+" : "-", id);
}

TEST(a_listener_is_called_when_a_task_row_is_stored_or_removed)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Slab *slab = slab_open();
    TaskStore *s = task_store_open(slab);
    Heard heard = {a, ""};

    task_store_listen(s, hear, &heard);
    then_true(task_store_put(s, &(TaskRow){.id = "a", .type = "t"}));
    then_true(task_store_restore(s, &(TaskRow){.id = "b", .type = "t"}));
    then_true(task_store_remove(s, "a"));
    then_true(!task_store_remove(s, "a"));
    then_str(heard.said, "+a -a ");
    task_store_close(s);
    slab_close(slab);
}

TEST(a_task_row_keeps_its_own_copy_of_all_texts)
{
    Slab *slab = slab_open();
    TaskStore *s = task_store_open(slab);
    char text[] = "xxxx";
    then_true(task_store_put(
        s, &(TaskRow){.id = text, .type = text, .params = text, .result = text, .error = text}));
    memset(text, 'y', 4);
    const TaskRow *row = task_store_find(s, "xxxx");
    then_str(row->type, "xxxx");
    then_str(row->params, "xxxx");
    then_str(row->result, "xxxx");
    then_str(row->error, "xxxx");
    task_store_close(s);
    then_int(slab_count(slab), 0);
    slab_close(slab);
}

TEST(a_full_task_store_refuses_new_rows_and_replaces_known_ones)
{
    Slab *slab = slab_open();
    TaskStore *s = task_store_open(slab);
    char id[16];
    for (int i = 0; i < TASK_ROWS_MAX; i++) {
        snprintf(id, sizeof id, "%d", i);
        then_true(task_store_put(s, &(TaskRow){.id = id, .type = "t", .submitted_ns = i}));
    }
    then_true(!task_store_put(s, &(TaskRow){.id = "more", .type = "t"}));
    then_true(task_store_put(s, &(TaskRow){.id = "7", .type = "u"}));
    then_str(task_store_find(s, "7")->type, "u");
    task_store_close(s);
    then_int(slab_count(slab), 0);
    slab_close(slab);
}

TEST(a_node_id_is_made_of_forty_digits_of_the_pvc_uid)
{
    Slab *slab = slab_open();
    Volume v, w;
    char id[NODE_ID_SIZE], other[NODE_ID_SIZE];
    volume_open(&v, slab, "u1");
    volume_open(&w, slab, "u2");
    volume_node_id(&v, id);
    volume_node_id(&w, other);
    then_int(strlen(id), 40);
    then_int(strspn(id, "0123456789abcdef"), 40);
    then_true(!str_eq(id, other));
    volume_close(&v);
    volume_close(&w);
    slab_close(slab);
}

/* --- disks */

static const char claim[] =
    "{metadata: {name: 'c', namespace: 'n', uid: '%s'%s}, status: {phase: '%s'}}";

static void see(Arena *a, Disks *d, const char *uid, const char *more, const char *phase)
{
    char text[256];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, claim, uid, more, phase);
#pragma GCC diagnostic pop
    disks_see(d, "n/c", json_fixture(a, text));
}

TEST(the_state_of_a_pvc_is_the_last_one_that_was_seen)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Disks *d = disks_open(10);
    then_int(disks_claim(d, "n/c"), CLAIM_ABSENT);
    see(a, d, "u1", "", "Pending");
    then_int(disks_claim(d, "n/c"), CLAIM_PENDING);
    see(a, d, "u1", "", "Bound");
    then_int(disks_claim(d, "n/c"), CLAIM_BOUND);
    see(a, d, "u1", ", deletionTimestamp: 'now'", "Bound");
    then_int(disks_claim(d, "n/c"), CLAIM_DELETING);
    disks_see(d, "n/c", NULL);
    then_int(disks_claim(d, "n/c"), CLAIM_ABSENT);
    then_true(!disks_of_claim(d, "n/c"));
    disks_close(d);
}

TEST(a_disk_is_kept_as_long_as_its_pvc_or_a_holder_exists)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Disks *d = disks_open(10);
    see(a, d, "u1", "", "Bound");
    Disk *disk = disks_of_claim(d, "n/c");
    disk->volume.height = 5;
    disk->holders = 1;
    disks_release(d, disk);
    then_int(disks_of_claim(d, "n/c")->volume.height, 5);

    disk->holders = 1;
    disks_see(d, "n/c", NULL);
    then_int(disk->volume.height, 5);
    disks_release(d, disk);
    see(a, d, "u1", "", "Bound");
    then_int(disks_of_claim(d, "n/c")->volume.height, 0);

    see(a, d, "u2", "", "Bound");
    then_str(disks_of_claim(d, "n/c")->volume.uid, "u2");
    disks_close(d);
}

TEST(a_disk_without_a_pvc_is_removed_with_its_pod)
{
    Disks *d = disks_open(10);
    Disk *disk = disks_of_pod(d, "pod");
    disk->holders = 1;
    disk->volume.height = 7;
    disks_release(d, disk);
    disk = disks_of_pod(d, "pod");
    then_int(disk->volume.height, 0);
    then_bug("nobody holds", disks_release(d, disk));
    disks_close(d);
}
