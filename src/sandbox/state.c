/* State: the last line about an object counts. At the start, and whenever the journal has grown
 * long, it is written anew with what there is. */
#include "sandbox/state.h"

#include "base/link.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"
#include "kube/meta.h"
#include "sandbox/journal.h"
#include "sandbox/state_lines.h"
#include "world/disk_keeping.h"
#include "world/restoring.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ENTRIES_MAX = 400000,
    ENTRY_MAX = 64 << 20,
    OWN_MAX = 1 << 20,
    UIDS_MAX = 64 << 20,
    STEP_MS = 1000,
    RETRY_MS = 5000,
    LONG_BYTES = 32 << 20,
    LONG_MAX = JOURNAL_BYTES_MAX / 2,
    LONG_FACTOR = 4,
};

/* The last line about something, as it was read. */
typedef struct Entry {
    size_t size;
    size_t text;  /* where it begins in `bytes` */
    char bytes[]; /* its id, and then the line as JSON */
} Entry;

struct State {
    Arena *own;
    Arena *work;
    const Log *log;
    const char *path;
    int lock; /* the folder is ours while it is open */
    Slab *slab;
    Map *entries; /* by their ids; emptied once the world has them */
    uint64_t version;
    int64_t world_ms, wall_ms; /* when the last line was written */
    StateSelf self;
    bool is_known;  /* self was read */
    bool is_broken; /* the journal has missed something: only one that is begun anew is whole */
    int64_t retry_ms;

    World *world;
    Kubelet *kubelet;
    DiskKeeper keeper;
    Map *alive;       /* while disks are restored: the UIDs of claims and pods */
    Arena *restoring; /* the same: holds them */
    Journal *journal;
    size_t long_size; /* from where on the journal is to be begun anew */
    int64_t stepped_ms;
};

/* --- reading */

static void drop_entry(State *s, Entry *e)
{
    if (e)
        slab_free(s->slab, e, e->size);
}

static void keep_entry(State *s, Arena *a, const char *id, const Json *line)
{
    Bytes text = json_write(a, line);
    size_t id_size = strlen(id) + 1, size = sizeof(Entry) + id_size + text.len + 1;
    Entry *e = slab_alloc(s->slab, size), *before = map_remove(s->entries, id);

    drop_entry(s, before);
    *e = (Entry){.size = size, .text = id_size};
    memcpy(e->bytes, id, id_size);
    memcpy(e->bytes + id_size, text.data, text.len + 1);
    if (state_line_is_end(line) || !map_put(s->entries, e->bytes, e))
        drop_entry(s, e);
}

static void read_self(State *s, const Json *self)
{
    s->self = (StateSelf){
        .authority = {.certificate = str_copy(s->own, json_str(self, ".certificate")),
            .server = str_copy(s->own, json_str(self, ".server")),
            .server_key = str_copy(s->own, json_str(self, ".serverKey"))},
        .clients = {.certificate = str_copy(s->own, json_str(self, ".clients")),
            .key = str_copy(s->own, json_str(self, ".clientsKey"))},
        .admin_token = str_copy(s->own, json_str(self, ".adminToken")),
        .token_key = str_copy(s->own, json_str(self, ".tokenKey")),
    };
    s->is_known = s->self.authority.certificate && s->self.authority.server
        && s->self.authority.server_key && s->self.admin_token && s->self.token_key;
}

static void read_value(void *self, Arena *a, const Json *line, size_t number)
{
    State *s = self;
    int64_t version = json_int(line, ".time.version", 0), object_version = 0;
    const char *id = state_line_id(a, line);
    (void)number;

    if (json_find(line, ".self"))
        read_self(s, json_find(line, ".self"));
    if (json_find(line, ".time")) {
        s->world_ms = json_int(line, ".time.world", s->world_ms);
        s->wall_ms = json_int(line, ".time.wall", s->wall_ms);
    }
    if (id)
        keep_entry(s, a, id, line);
    if (str_to_int(json_str(line, ".object.metadata.resourceVersion"), &object_version)
        && object_version > version)
        version = object_version;
    if (version > 0 && (uint64_t)version > s->version)
        s->version = (uint64_t)version;
}

/* Two who keep what they have in one folder would each take away what the other has written. */
static Err *take_folder(Arena *a, State *s, const char *folder)
{
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return err_terminal(a, "cannot make the folder %s: %s", folder, strerror(errno));
    const char *path = str_format(a, "%s/lock", folder);
    s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (s->lock >= 0 && flock(s->lock, LOCK_EX | LOCK_NB) == 0)
        return OK;
    if (s->lock >= 0 && errno == EWOULDBLOCK)
        return err_terminal(a,
            "the folder %s is in use by a sandbox that runs: end that one first, or keep the state "
            "of this one in another folder",
            folder);
    return err_terminal(a, "cannot lock %s: %s", path, strerror(errno));
}

Err *state_open(Arena *a, const char *folder, const Log *log, State **ret)
{
    Arena *own = arena_open(OWN_MAX);
    State *s = arena_new(own, State);
    size_t torn = 0;

    arena_keep_secret(own);
    *s = (State){.own = own,
        .work = arena_open(ENTRY_MAX),
        .log = log,
        .lock = -1,
        .slab = slab_open(),
        .entries = map_open(ENTRIES_MAX)};
    if (folder)
        s->path = str_format(own, "%s/journal", folder);
    Err *err = folder ? take_folder(a, s, folder) : OK;
    if (folder && !err)
        err = journal_read(a, s->path, read_value, s, &torn);
    if (err) {
        state_close(s);
        return err;
    }
    if (torn > 0)
        log_warn(log,
            "the journal ended within a line, which was not answered: it is taken away",
            log_str("file", s->path),
            log_num("bytes", (int64_t)torn));
    *ret = s;
    return OK;
}

bool state_self(const State *s, StateSelf *ret)
{
    if (s->is_known)
        *ret = s->self;
    return s->is_known;
}

/* --- restoring */

/* Each is given what a line says, and leaves lines of other sorts alone. False when what it says
 * cannot be put there any more. */
typedef bool Restorer(State *s, const Json *line);

static bool restore_object(State *s, const Json *line, bool definitions)
{
    Kind kind = {.group = json_str(line, ".kind[0]"),
        .version = json_str(line, ".kind[1]"),
        .plural = json_str(line, ".kind[2]"),
        .name = json_str(line, ".kind[3]")};

    if (!kind.name || kind_eq(&kind, kind_crd) != definitions)
        return true;
    return server_restore(world_server(s->world), s->work, &kind, json_find(line, ".object"));
}

static bool restore_definition(State *s, const Json *line)
{
    return restore_object(s, line, true);
}

static bool restore_other(State *s, const Json *line)
{
    return restore_object(s, line, false);
}

static bool restore_outside(State *s, const Json *line)
{
    Outside *outside = kubelet_outside(s->kubelet);
    const char *key = json_str(line, ".bucket"), *value = json_str(line, ".value");

    if (json_str(line, ".chain"))
        state_read_chain(line, outside);
    return !key || (value && outside_put(outside, key, value));
}

/* A disk whose claim or pod is gone went with it. */
static bool restore_disk(State *s, const Json *line)
{
    Disks *disks = kubelet_disks(s->kubelet);
    const char *uid = json_str(line, ".disk"), *task_of = json_str(line, ".taskOf");

    if (uid && map_find(s->alive, uid))
        return disks_restore(
            disks, uid, json_find(line, ".contents"), kubelet_outside(s->kubelet), s->world_ms);
    if (task_of && map_find(s->alive, task_of))
        return disks_restore_task(disks, task_of, json_find(line, ".row"));
    return true;
}

static void restore_all(State *s, Restorer *restore)
{
    size_t cursor = 0;
    const Entry *e;

    while ((e = map_next(s->entries, &cursor))) {
        const Json *line = NULL;
        arena_reset(s->work);
        if (json_parse(s->work, bytes_of(e->bytes + e->text), &line))
            continue; /* it has just been written by ourselves */
        if (!restore(s, line))
            log_warn(s->log,
                "what the journal says cannot be restored any more",
                log_str("what", e->bytes));
    }
}

static void note_alive(void *self, const Kind *kind, const Json *object)
{
    State *s = self;

    if ((!kind_eq(kind, kind_pvc) && !kind_eq(kind, kind_pod)) || !meta_uid(object))
        return;
    if (!map_put(s->alive, str_copy(s->restoring, meta_uid(object)), s))
        BUG("more claims and pods than objects");
}

static void restore_disks(State *s)
{
    s->alive = map_open(ENTRIES_MAX);
    s->restoring = arena_open(UIDS_MAX);
    server_each_alone(world_server(s->world), note_alive, s);
    restore_all(s, restore_outside);
    restore_all(s, restore_disk);
    arena_close(s->restoring);
    map_close(s->alive);
    s->restoring = NULL;
    s->alive = NULL;
}

static void forget_entries(State *s)
{
    size_t cursor = 0;
    Entry *e;

    while ((e = map_next(s->entries, &cursor))) {
        map_remove(s->entries, e->bytes);
        drop_entry(s, e);
    }
}

/* Time went on meanwhile. */
static void restore_time(State *s)
{
    int64_t away_ms = clock_wall_ms(clock_system()) - s->wall_ms;

    if (s->world_ms > 0)
        world_run_until(s->world, s->world_ms + (away_ms > 0 ? away_ms : 0));
}

/* --- keeping */

static void say_broken(State *s, const Err *err)
{
    if (!s->is_broken)
        log_error(s->log,
            "what is written from now on does not outlast this process; trying again",
            log_str("error", err->message));
    s->is_broken = true;
    s->retry_ms = s->stepped_ms + RETRY_MS;
}

static void append(State *s, Arena *a, const Json *line)
{
    const Err *err = s->journal && !s->is_broken ? journal_append(a, s->journal, line) : OK;

    if (err)
        say_broken(s, err);
}

/* The kind of an object that is stored: that of the request may be another, as when a definition
 * takes its objects along. NULL when it is not served. */
static const Kind *kind_of(const State *s, const Json *object)
{
    const char *version = json_str(object, ".apiVersion"), *name = json_str(object, ".kind");
    char own[KIND_API_VERSION_SIZE];
    size_t cursor = 0;
    Served served;

    while (server_next_served(world_server(s->world), &cursor, &served))
        if (str_eq(served.kind->name, name) && str_eq(kind_api_version(served.kind, own), version))
            return served.kind;
    return NULL;
}

static void note_write(
    void *self, const char *user, const Request *request, const Json *before, const Json *after)
{
    State *s = self;
    const Json *object = after ? after : before;
    const Kind *kind = kind_of(s, object);
    (void)user, (void)request;

    if (kind) {
        append(s, s->work, state_object_line(s->work, kind, meta_key(object), after));
        if (!after) /* the version of the deletion stands in no object */
            append(s, s->work, state_time_line(s->work, s->world));
    }
    arena_reset(s->work);
}

static void note_disk(DiskKeeper *self, const char *uid, const Json *contents)
{
    State *s = link_owner(State, keeper, self);
    SCOPED_ARENA a = arena_open(ENTRY_MAX);

    append(s, a, state_disk_line(a, uid, contents));
}

static void note_task(DiskKeeper *self, const char *uid, const char *id, const Json *row)
{
    State *s = link_owner(State, keeper, self);
    SCOPED_ARENA a = arena_open(ENTRY_MAX);

    append(s, a, state_task_line(a, uid, id, row));
}

static void note_bucket(void *self, const char *key, const char *value)
{
    State *s = self;
    SCOPED_ARENA a = arena_open(ENTRY_MAX);

    append(s, a, state_bucket_line(a, key, value));
}

void state_note_chains(State *s)
{
    SCOPED_ARENA a = arena_open(ENTRY_MAX);
    const Chain *chain;
    size_t cursor = 0;

    while (s->kubelet && (chain = outside_next_chain(kubelet_outside(s->kubelet), &cursor)))
        if (chain->upgrade_count > 0)
            append(s, a, state_chain_line(a, chain));
}

/* One walk over everything that is stored. */
typedef struct Dump {
    DiskKeeper keeper;
    State *state;
    Journal *journal;
    Err *err; /* in the state's work */
} Dump;

static void dump_line(Dump *d, Arena *a, const Json *line)
{
    if (!d->err)
        d->err = err_copy(d->state->work, journal_append(a, d->journal, line));
}

static void dump_object(void *self, const Kind *kind, const Json *object)
{
    SCOPED_ARENA a = arena_open(ENTRY_MAX);

    dump_line(self, a, state_object_line(a, kind, meta_key(object), object));
}

static void dump_disk(DiskKeeper *self, const char *uid, const Json *contents)
{
    SCOPED_ARENA a = arena_open(ENTRY_MAX);

    dump_line(link_owner(Dump, keeper, self), a, state_disk_line(a, uid, contents));
}

static void dump_task(DiskKeeper *self, const char *uid, const char *id, const Json *row)
{
    SCOPED_ARENA a = arena_open(ENTRY_MAX);

    dump_line(link_owner(Dump, keeper, self), a, state_task_line(a, uid, id, row));
}

static void dump_outside(Dump *d, Arena *a, const Outside *outside)
{
    const char *key, *value;
    const Chain *chain;
    size_t bucket = 0, place = 0;

    while ((chain = outside_next_chain(outside, &place)))
        if (chain->upgrade_count > 0)
            dump_line(d, a, state_chain_line(a, chain));
    while (outside_next(outside, &bucket, &key, &value))
        dump_line(d, a, state_bucket_line(a, key, value));
}

static Err *dump_all(Arena *a, State *s, Journal *journal)
{
    Dump d = {.keeper = {dump_disk, dump_task}, .state = s, .journal = journal};

    dump_line(&d, a, state_self_line(a, &s->self));
    dump_line(&d, a, state_time_line(a, s->world));
    server_each_alone(world_server(s->world), dump_object, &d);
    dump_outside(&d, a, kubelet_outside(s->kubelet));
    disks_tell_all(kubelet_disks(s->kubelet), &d.keeper);
    return err_copy(a, d.err);
}

static Err *begin_anew(Arena *a, State *s)
{
    Journal *journal = NULL;

    TRY(journal_begin(a, s->path, &journal));
    Err *err = dump_all(a, s, journal);
    if (!err)
        err = journal_commit(a, journal);
    if (err) {
        journal_close(journal);
        return err;
    }
    journal_close(s->journal);
    s->journal = journal;
    size_t size = journal_size(journal);
    s->long_size = LONG_BYTES + LONG_FACTOR * size;
    if (s->long_size > LONG_MAX) /* never so long that there is no room for a second */
        s->long_size = size + LONG_BYTES > LONG_MAX ? size + LONG_BYTES : LONG_MAX;
    return OK;
}

/* The old journal is as good as before when there is no new one. */
static void shorten(Arena *a, State *s)
{
    const Err *err = begin_anew(a, s);

    if (!err)
        return;
    s->long_size = journal_size(s->journal) + LONG_BYTES;
    log_warn(s->log,
        "the journal stays as long as it is, and is tried again when it has grown",
        log_str("file", s->path),
        log_str("error", err->message));
}

void state_restore(State *s, World *w)
{
    s->world = w;
    if (!s->path)
        return;
    restore_all(s, restore_definition);
    restore_all(s, restore_other);
    restore_time(s);
    server_restored(world_server(w), s->version);
}

Err *state_keep(Arena *a, State *s, Kubelet *kubelet, const StateSelf *self)
{
    Outside *outside = kubelet_outside(kubelet);

    s->self = *self;
    if (!s->path)
        return OK;
    s->kubelet = kubelet;
    restore_disks(s);
    forget_entries(s);
    TRY(begin_anew(a, s));
    s->keeper = (DiskKeeper){note_disk, note_task};
    disks_tell(kubelet_disks(kubelet), &s->keeper);
    outside_listen(outside, note_bucket, s);
    server_on_write(world_server(s->world), note_write, s);
    return OK;
}

/* What was missed is in the world: a journal that is begun anew has it. */
static void mend(Arena *a, State *s)
{
    Err *err = begin_anew(a, s);

    if (err) {
        say_broken(s, err);
        return;
    }
    s->is_broken = false;
    log_info(s->log, "everything outlasts this process again", log_str("file", s->path));
}

void state_step(State *s, int64_t now_ms)
{
    SCOPED_ARENA a = arena_open(ENTRY_MAX);
    Err *err;

    if (!s->journal || now_ms - s->stepped_ms < STEP_MS)
        return;
    s->stepped_ms = now_ms;
    if (s->is_broken) {
        if (now_ms >= s->retry_ms)
            mend(a, s);
        return;
    }
    err = journal_append(a, s->journal, state_time_line(a, s->world));
    if (!err && journal_size(s->journal) > s->long_size)
        shorten(a, s);
    if (!err)
        err = journal_sync(a, s->journal);
    if (err)
        say_broken(s, err);
}

void state_close(State *s)
{
    if (!s)
        return;
    if (s->kubelet) {
        server_on_write(world_server(s->world), NULL, NULL);
        outside_listen(kubelet_outside(s->kubelet), NULL, NULL);
        disks_tell(kubelet_disks(s->kubelet), NULL);
    }
    forget_entries(s);
    journal_close(s->journal);
    if (s->lock >= 0)
        close(s->lock);
    map_close(s->entries);
    slab_close(s->slab);
    arena_close(s->work);
    arena_close(s->own);
}
