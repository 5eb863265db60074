/* State: the last line about an object counts. At the start, and whenever the journal has grown
 * long, it is written anew with what there is. */
#include "sandbox/state.h"

#include "base/draft.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"
#include "kube/meta.h"
#include "sandbox/journal.h"
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
    STEP_MS = 1000,
    LONG_BYTES = 32 << 20,
    LONG_FACTOR = 4,
};

/* The last line about an object, as it was read. */
typedef struct Entry {
    size_t size;
    size_t order; /* of its line */
    size_t text;  /* where it begins in `bytes` */
    char bytes[]; /* the key, and then the line as JSON */
} Entry;

struct State {
    Arena *own;
    Arena *work;
    const Log *log;
    const char *path;
    int lock; /* the folder is ours while it is open */
    Slab *slab;
    Map *entries; /* by kind and key; emptied once the world has them */
    uint64_t version;
    int64_t world_ms, wall_ms; /* when the last line was written */
    StateSelf self;
    bool is_known; /* self was read */
    bool is_broken;

    World *world;
    Journal *journal;
    size_t long_size; /* from where on the journal is to be begun anew */
    int64_t stepped_ms;
};

/* --- lines */

static const Json *self_line(Arena *a, const StateSelf *self)
{
    return json_seal(a,
        draft(a,
            obj("self",
                str("certificate", self->authority.certificate),
                str("server", self->authority.server),
                str("serverKey", self->authority.server_key),
                str("adminToken", self->admin_token),
                str("tokenKey", self->token_key))));
}

static const Json *time_line(Arena *a, World *w)
{
    return json_seal(a,
        draft(a,
            obj("time",
                num("world", world_now_ms(w)),
                num("wall", clock_wall_ms(world_clock(w))),
                num("version", (int64_t)server_version(world_server(w))))));
}

static const Json *object_line(Arena *a, const Kind *kind, Key key, const Json *object)
{
    return json_seal(a,
        draft(a,
            strs("kind", kind->group, kind->version, kind->plural, kind->name),
            str("key", key_text(a, key)),
            draft_json("object", object)));
}

/* --- reading */

static void drop_entry(State *s, Entry *e)
{
    if (e)
        slab_free(s->slab, e, e->size);
}

static void keep_entry(State *s, Arena *a, const Json *line, size_t number)
{
    const char *id = str_format(a,
        "%s %s %s",
        json_str(line, ".kind[0]"),
        json_str(line, ".kind[2]"),
        json_str(line, ".key"));
    Bytes text = json_write(a, line);
    size_t id_size = strlen(id) + 1, size = sizeof(Entry) + id_size + text.len + 1;
    Entry *e = slab_alloc(s->slab, size), *before = map_remove(s->entries, id);

    drop_entry(s, before);
    *e = (Entry){.size = size, .order = number, .text = id_size};
    memcpy(e->bytes, id, id_size);
    memcpy(e->bytes + id_size, text.data, text.len + 1);
    if (!json_find(line, ".object") || !map_put(s->entries, e->bytes, e))
        drop_entry(s, e);
}

static void read_self(State *s, const Json *self)
{
    s->self = (StateSelf){
        .authority = {.certificate = str_copy(s->own, json_str(self, ".certificate")),
            .server = str_copy(s->own, json_str(self, ".server")),
            .server_key = str_copy(s->own, json_str(self, ".serverKey"))},
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

    if (json_find(line, ".self"))
        read_self(s, json_find(line, ".self"));
    if (json_find(line, ".time")) {
        s->world_ms = json_int(line, ".time.world", s->world_ms);
        s->wall_ms = json_int(line, ".time.wall", s->wall_ms);
    }
    if (json_str(line, ".kind[3]") && json_str(line, ".key"))
        keep_entry(s, a, line, number);
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

static bool restore_entry(State *s, const Entry *e, bool definitions)
{
    const Json *line = NULL;

    arena_reset(s->work);
    if (json_parse(s->work, bytes_of(e->bytes + e->text), &line))
        return true; /* it has just been written by ourselves */
    Kind kind = {.group = json_str(line, ".kind[0]"),
        .version = json_str(line, ".kind[1]"),
        .plural = json_str(line, ".kind[2]"),
        .name = json_str(line, ".kind[3]")};
    if (kind_eq(&kind, kind_crd) != definitions)
        return true;
    return server_restore(world_server(s->world), s->work, &kind, json_find(line, ".object"));
}

static void restore_all(State *s, bool definitions)
{
    size_t cursor = 0;
    const Entry *e;

    while ((e = map_next(s->entries, &cursor)))
        if (!restore_entry(s, e, definitions))
            log_warn(s->log, "an object cannot be served any more", log_str("object", e->bytes));
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
            "what is written from now on does not outlast this process",
            log_str("error", err->message));
    s->is_broken = true;
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

    if (kind && s->journal && !s->is_broken) {
        const Json *line = object_line(s->work, kind, meta_key(object), after);
        const Err *err = journal_append(s->work, s->journal, line);
        if (!err && !after) /* the version of the deletion stands in no object */
            err = journal_append(s->work, s->journal, time_line(s->work, s->world));
        if (err)
            say_broken(s, err);
    }
    arena_reset(s->work);
}

/* One walk over everything that is stored. */
typedef struct Dump {
    State *state;
    Journal *journal;
    Err *err;
} Dump;

static void dump_object(void *self, const Kind *kind, const Json *object)
{
    Dump *d = self;
    SCOPED_ARENA a = arena_open(ENTRY_MAX);

    if (!d->err)
        d->err = err_copy(d->state->work,
            journal_append(a, d->journal, object_line(a, kind, meta_key(object), object)));
}

static Err *begin_anew(Arena *a, State *s)
{
    Dump d = {.state = s};
    SCOPED_ARENA objects = arena_open((size_t)JOURNAL_BYTES_MAX * 4);

    TRY(journal_begin(a, s->path, &d.journal));
    Err *err = journal_append(a, d.journal, self_line(a, &s->self));
    if (!err)
        err = journal_append(a, d.journal, time_line(a, s->world));
    server_each(world_server(s->world), objects, dump_object, &d);
    err = err ? err : err_copy(a, d.err);
    if (!err)
        err = journal_commit(a, d.journal);
    if (err) {
        journal_close(d.journal);
        return err;
    }
    journal_close(s->journal);
    s->journal = d.journal;
    s->long_size = LONG_BYTES + LONG_FACTOR * journal_size(d.journal);
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

Err *state_keep(Arena *a, State *s, World *w, const StateSelf *self)
{
    s->world = w;
    s->self = *self;
    if (!s->path)
        return OK;
    restore_all(s, true);
    restore_all(s, false);
    restore_time(s);
    server_restored(world_server(w), s->version);
    forget_entries(s);
    TRY(begin_anew(a, s));
    server_on_write(world_server(w), note_write, s);
    return OK;
}

void state_step(State *s, int64_t now_ms)
{
    SCOPED_ARENA a = arena_open(ENTRY_MAX);
    Err *err;

    if (!s->journal || s->is_broken || now_ms - s->stepped_ms < STEP_MS)
        return;
    s->stepped_ms = now_ms;
    err = journal_append(a, s->journal, time_line(a, s->world));
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
    if (s->world && s->path)
        server_on_write(world_server(s->world), NULL, NULL);
    forget_entries(s);
    journal_close(s->journal);
    if (s->lock >= 0)
        close(s->lock);
    map_close(s->entries);
    slab_close(s->slab);
    arena_close(s->work);
    arena_close(s->own);
}
