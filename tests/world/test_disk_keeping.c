/* What disks hold, told to somebody and given back to other disks. */
#include "world/disk_keeping.h"

#include "base/draft.h"
#include "base/link.h"
#include "tests/test.h"

enum { TOLD_MAX = 32 };

/* A keeper that remembers what it was told. */
typedef struct Notebook {
    DiskKeeper port;
    Arena *arena;
    const Json *contents; /* the last */
    const Json *rows[TOLD_MAX];
    size_t contents_count, row_count;
    const char *said; /* ids of tasks; with a minus those that went */
} Notebook;

static void keep(DiskKeeper *self, const char *uid, const Json *contents)
{
    Notebook *n = link_owner(Notebook, port, self);

    then_str(uid, "claim-1");
    n->contents = json_copy(n->arena, contents);
    n->contents_count++;
}

static void keep_task(DiskKeeper *self, const char *uid, const char *id, const Json *row)
{
    Notebook *n = link_owner(Notebook, port, self);

    then_str(uid, "claim-1");
    n->said = str_format(n->arena, "%s%s%s ", n->said, row ? "" : "-", id);
    if (row)
        n->rows[n->row_count++] = json_copy(n->arena, row);
}

typedef struct Shed {
    Notebook book;
    Disks *disks;
    Disk *disk;
    Outside *outside;
} Shed;

static void open_shed(Shed *s)
{
    *s = (Shed){.book = {.port = {keep, keep_task}, .arena = arena_open(16 << 20), .said = ""},
        .disks = disks_open(10),
        .outside = outside_open()};
    s->disk = disks_of_pod(s->disks, "claim-1");
    disks_tell(s->disks, &s->book.port);
}

static void close_shed(Shed *s)
{
    disks_close(s->disks);
    outside_close(s->outside);
    arena_close(s->book.arena);
}

static void restore_into(const Shed *from, Disks *to, int64_t now_ms)
{
    then_true(disks_restore(to, "claim-1", from->book.contents, from->outside, now_ms));
    for (size_t i = 0; i < from->book.row_count; i++)
        then_true(disks_restore_task(to, "claim-1", from->book.rows[i]));
}

static Seid seid_at(const Shed *s, SeidState state, int64_t anchor, int64_t anchor_ms)
{
    return (Seid){.chain = outside_chain(s->outside, "x"),
        .image = "seid:v1",
        .state = state,
        .anchor = anchor,
        .anchor_ms = anchor_ms};
}

TEST(the_content_of_a_disk_is_reported_and_restored_completely)
{
    Shed s;
    open_shed(&s);
    Volume *v = &s.disk->volume;
    Seid down = {.state = SEID_DOWN};

    v->files = FILE_GENESIS | MARKER_SNAPSHOT;
    v->height = 77;
    v->snapshot_height = 900;
    v->snapshots = 2;
    v->state_sync = v->has_peers = v->grpc_is_off = v->is_seed = v->is_config_wrong = v->is_full =
        true;
    snprintf(v->tx_ids[v->tx_count++], TX_ID_SIZE, "tx-1");
    then_true(task_store_put(v->tasks, &(TaskRow){.id = "a", .type = "t", .submitted_ns = 1}));
    then_true(task_store_put(v->tasks,
        &(TaskRow){.id = "b",
            .type = "t",
            .status = ROW_FAILED,
            .run = 2,
            .submitted_ns = 2,
            .completed_ns = 3,
            .params = "{}",
            .result = "[]",
            .error = "no"}));
    disks_note(s.disks, s.disk, &down);

    Disks *other = disks_open(10);
    restore_into(&s, other, 0);
    const Volume *back = &disks_of_pod(other, "claim-1")->volume;
    then_int(back->files, v->files);
    then_int(back->height, 77);
    then_int(back->snapshot_height, 900);
    then_int(back->snapshots, 2);
    then_true(back->state_sync && back->has_peers && back->grpc_is_off && back->is_seed
        && back->is_config_wrong && back->is_full);
    then_int(back->tx_count, 1);
    then_str(back->tx_ids[0], "tx-1");
    const TaskRow *row = task_store_next(back->tasks, NULL);
    then_str(row->id, "b");
    then_int(row->status, ROW_FAILED);
    then_int(row->run, 2);
    then_int(row->completed_ns, 3);
    then_str(row->params, "{}");
    then_str(row->result, "[]");
    then_str(row->error, "no");
    then_str(task_store_next(back->tasks, row)->id, "a");
    disks_close(other);
    close_shed(&s);
}

TEST(unchanged_disk_content_is_not_reported_twice)
{
    Shed s;
    open_shed(&s);
    Seid down = {.state = SEID_DOWN};

    disks_note(s.disks, s.disk, &down);
    disks_note(s.disks, s.disk, &down);
    then_int(s.book.contents_count, 1);
    s.disk->volume.files |= FILE_GENTX;
    disks_note(s.disks, s.disk, &down);
    then_int(s.book.contents_count, 2);
    then_true(task_store_put(s.disk->volume.tasks, &(TaskRow){.id = "a", .type = "t"}));
    then_true(task_store_remove(s.disk->volume.tasks, "a"));
    then_str(s.book.said, "a -a ");
    disks_tell(s.disks, NULL);
    then_true(task_store_put(s.disk->volume.tasks, &(TaskRow){.id = "b", .type = "t"}));
    then_str(s.book.said, "a -a ");
    close_shed(&s);
}

TEST(a_running_seid_is_reported_once_and_its_height_follows_from_the_time)
{
    static const struct {
        const char *name;
        SeidState state;
        int64_t now_ms, want;
    } cases[] = {
        {"it caught up with its chain", SEID_SERVING, 10000, 1025},
        {"it was catching up", SEID_SERVING, 5010, 505},
        {"it had not begun", SEID_STARTING, 4000, 500},
        {"it was ending, and had written what it had", SEID_STOPPING, 10000, 42},
    };

    each_case(i, cases) {
        Shed s;
        open_shed(&s);
        Seid seid = seid_at(&s, cases[i].state, 500, 5000);

        s.disk->volume.height = 42;
        disks_note(s.disks, s.disk, &seid);
        if (cases[i].state != SEID_STOPPING) {
            s.disk->volume.height = 43; /* as every step does */
            disks_note(s.disks, s.disk, &seid);
        }
        then_int(s.book.contents_count, 1);
        Disks *other = disks_open(10);
        restore_into(&s, other, cases[i].now_ms);
        then_int(disks_of_pod(other, "claim-1")->volume.height, cases[i].want);
        disks_close(other);
        close_shed(&s);
    }
}

TEST(a_second_holder_of_a_disk_does_not_hide_the_seid_of_the_first)
{
    Shed s;
    open_shed(&s);
    Seid serving = seid_at(&s, SEID_SERVING, 500, 0), none = {.state = SEID_DOWN};

    disks_note(s.disks, s.disk, &serving);
    disks_note(s.disks, s.disk, &none);
    then_int(s.book.contents_count, 1);
    serving.state = SEID_DOWN;
    s.disk->volume.height = 600;
    disks_note(s.disks, s.disk, &serving);
    then_int(json_int(s.book.contents, ".height", 0), 600);
    then_true(!json_find(s.book.contents, ".grows"));
    close_shed(&s);
}

TEST(a_new_listener_gets_the_complete_content_of_every_disk)
{
    Shed s;
    open_shed(&s);
    Seid serving = seid_at(&s, SEID_SERVING, 500, 0);
    Notebook second = {.port = {keep, keep_task}, .arena = s.book.arena, .said = ""};

    disks_note(s.disks, s.disk, &serving);
    then_true(task_store_put(s.disk->volume.tasks, &(TaskRow){.id = "a", .type = "t"}));
    disks_tell_all(s.disks, &second.port);
    then_true(json_equal(second.contents, s.book.contents));
    then_str(second.said, "a ");
    close_shed(&s);
}

TEST(malformed_disk_content_is_ignored_when_it_is_restored)
{
    static const struct {
        const char *name, *row;
    } cases[] = {
        {"no id", "{type: 't', status: 'running'}"},
        {"no type", "{id: 'a', status: 'running'}"},
        {"no such status", "{id: 'a', type: 't', status: 'dancing'}"},
        {"no row", "[]"},
    };
    Shed s;
    open_shed(&s);

    then_true(!disks_restore(s.disks, "claim-1", json_fixture(s.book.arena, "[]"), s.outside, 0));
    each_case(i, cases)
        then_true(
            !disks_restore_task(s.disks, "claim-1", json_fixture(s.book.arena, cases[i].row)));
    const Json *row = json_fixture(s.book.arena, "{id: 'a', type: 't', status: 'running'}");
    then_true(disks_restore_task(s.disks, "claim-1", row));
    then_true(!disks_restore_task(s.disks, "claim-1", row)); /* it is there */
    close_shed(&s);
}
