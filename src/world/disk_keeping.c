/* DiskKeeping: two forms of JSON: a volume without its tasks, and a task. */
#include "world/disk_keeping.h"

#include "base/draft.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"
#include "world/disks_state.h"

#include <stdio.h>
#include <string.h>

enum { CONTENTS_MAX = 1 << 20, ROW_MAX = 8 << 20 };

/* --- volumes */

static Draft *transactions(Arena *a, const Volume *v)
{
    Draft *ids = draft_array(a);

    for (size_t i = 0; i < v->tx_count; i++)
        draft_push_str(ids, v->tx_ids[i]);
    return v->tx_count ? ids : NULL;
}

static bool makes_blocks(const Seid *seid)
{
    return seid->state == SEID_SERVING || seid->state == SEID_STARTING;
}

/* From where on its height grows by itself, or NULL. */
static Draft *growth(Arena *a, const Seid *seid)
{
    if (!seid)
        return NULL;
    return draft(a,
        str("chain", seid->chain->id),
        str("image", seid->image),
        num("halt", seid->halt_height),
        num("from", seid->anchor),
        num("since", seid->anchor_ms));
}

static const Json *encode(Arena *a, const Volume *v, const Seid *seid)
{
    Draft *grows = growth(a, seid);

    return json_seal(a,
        draft(a,
            num("files", v->files),
            str("genesisChain", v->genesis_chain[0] ? v->genesis_chain : NULL),
            draft_num_if(!grows, "height", v->height),
            num("snapshotHeight", v->snapshot_height),
            num("snapshots", v->snapshots),
            draft_flag_if("stateSync", v->state_sync),
            draft_flag_if("peers", v->has_peers),
            draft_flag_if("grpcOff", v->grpc_is_off),
            draft_flag_if("seed", v->is_seed),
            draft_flag_if("wrongConfig", v->is_config_wrong),
            draft_flag_if("full", v->is_full),
            sub("transactions", transactions(a, v)),
            sub("grows", grows)));
}

/* What a seid had come to, which nobody stopped. */
static int64_t height_at(const Json *grows, Outside *outside, int64_t now_ms)
{
    Seid seid = {
        .chain = outside_chain(outside, json_str(grows, ".chain")),
        .image = json_str(grows, ".image") ? json_str(grows, ".image") : "",
        .halt_height = json_int(grows, ".halt", 0),
        .state = SEID_SERVING,
        .anchor = json_int(grows, ".from", 0),
        .anchor_ms = json_int(grows, ".since", 0),
    };

    return seid_height(&seid, now_ms);
}

static void decode(Volume *v, const Json *contents, Outside *outside, int64_t now_ms)
{
    const Json *grows = json_find(contents, ".grows"), *id;

    const char *genesis_chain = json_str(contents, ".genesisChain");

    v->files = (unsigned)json_int(contents, ".files", 0);
    snprintf(v->genesis_chain, CHAIN_ID_SIZE, "%s", genesis_chain ? genesis_chain : "");
    v->height = grows ? height_at(grows, outside, now_ms) : json_int(contents, ".height", 0);
    v->snapshot_height = json_int(contents, ".snapshotHeight", 0);
    v->snapshots = json_int(contents, ".snapshots", 0);
    v->state_sync = json_bool(contents, ".stateSync", false);
    v->has_peers = json_bool(contents, ".peers", false);
    v->grpc_is_off = json_bool(contents, ".grpcOff", false);
    v->is_seed = json_bool(contents, ".seed", false);
    v->is_config_wrong = json_bool(contents, ".wrongConfig", false);
    v->is_full = json_bool(contents, ".full", false);
    v->tx_count = 0;
    json_each(id, json_find(contents, ".transactions"))
        if (v->tx_count < VOLUME_TX_MAX && json_text(id))
            snprintf(v->tx_ids[v->tx_count++], TX_ID_SIZE, "%s", json_text(id));
}

/* --- tasks */

static const Json *encode_row(Arena *a, const TaskRow *row)
{
    return json_seal(a,
        draft(a,
            str("id", row->id),
            str("type", row->type),
            str("status", task_status_text(row->status)),
            num("run", row->run),
            num("submitted", row->submitted_ns),
            num("completed", row->completed_ns),
            str("params", row->params),
            str("result", row->result),
            str("error", row->error)));
}

static bool decode_row(const Json *said, TaskRow *ret)
{
    const char *status = json_str(said, ".status");

    *ret = (TaskRow){
        .id = json_str(said, ".id"),
        .type = json_str(said, ".type"),
        .run = json_int(said, ".run", 0),
        .submitted_ns = json_int(said, ".submitted", 0),
        .completed_ns = json_int(said, ".completed", 0),
        .params = json_str(said, ".params"),
        .result = json_str(said, ".result"),
        .error = json_str(said, ".error"),
    };
    for (RowStatus s = ROW_RUNNING; s <= ROW_FAILED; s++)
        if (str_eq(task_status_text(s), status)) {
            ret->status = s;
            return ret->id && ret->type;
        }
    return false;
}

static void on_task(void *self, const char *id, const TaskRow *row)
{
    const Disk *disk = self;
    DiskKeeper *keeper = disk->disks->keeper;

    if (!keeper)
        return;
    SCOPED_ARENA a = arena_open(ROW_MAX);
    keeper->keep_task(keeper, disk->volume.uid, id, row ? encode_row(a, row) : NULL);
}

void disk_listen(Disk *disk)
{
    task_store_listen(disk->volume.tasks, on_task, disk);
}

/* --- telling */

void disks_tell(Disks *d, DiskKeeper *keeper)
{
    d->keeper = keeper;
}

void disk_forget_told(Disks *d, Disk *disk)
{
    if (disk->told)
        slab_free(d->slab, disk->told, disk->told_size);
    disk->told = NULL;
}

void disks_note(Disks *d, Disk *disk, const Seid *seid)
{
    if (!d->keeper)
        return;
    SCOPED_ARENA a = arena_open(CONTENTS_MAX);
    if (makes_blocks(seid))
        disk->grower = seid;
    else if (disk->grower == seid)
        disk->grower = NULL;
    const Json *contents = encode(a, &disk->volume, disk->grower);
    Bytes text = json_write(a, contents);
    if (str_eq(disk->told, text.data))
        return;
    disk_forget_told(d, disk);
    disk->told_size = text.len + 1;
    disk->told = slab_alloc(d->slab, disk->told_size);
    memcpy(disk->told, text.data, disk->told_size);
    d->keeper->keep(d->keeper, disk->volume.uid, contents);
}

static void tell_disk(const Disk *disk, DiskKeeper *keeper)
{
    const TaskStore *tasks = disk->volume.tasks;
    SCOPED_ARENA a = arena_open(CONTENTS_MAX);
    const Json *contents = NULL;

    if (!disk->told || json_parse(a, bytes_of(disk->told), &contents))
        contents = encode(a, &disk->volume, NULL);
    keeper->keep(keeper, disk->volume.uid, contents);
    for (const TaskRow *row = task_store_next(tasks, NULL); row;
        row = task_store_next(tasks, row)) {
        SCOPED_ARENA each = arena_open(ROW_MAX);
        keeper->keep_task(keeper, disk->volume.uid, row->id, encode_row(each, row));
    }
}

void disks_tell_all(const Disks *d, DiskKeeper *keeper)
{
    size_t cursor = 0;
    const Disk *disk;

    while ((disk = map_next(d->disks, &cursor)))
        tell_disk(disk, keeper);
}

/* --- giving back */

bool disks_restore(
    Disks *d, const char *uid, const Json *contents, Outside *outside, int64_t now_ms)
{
    Disk *disk = disks_find_or_add(d, uid);

    if (!disk || json_type(contents) != JSON_OBJECT)
        return false;
    decode(&disk->volume, contents, outside, now_ms);
    return true;
}

bool disks_restore_task(Disks *d, const char *uid, const Json *row)
{
    Disk *disk = disks_find_or_add(d, uid);
    TaskRow decoded;

    return disk && decode_row(row, &decoded) && task_store_restore(disk->volume.tasks, &decoded);
}
