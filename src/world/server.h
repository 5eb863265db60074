/* Server: a Kubernetes API server as a machine: objects, versions, verbs, watches. No HTTP, no
 * threads, no clock of its own.
 *
 * What it answers is what the real one answers, except where docs/FIDELITY.md says otherwise.
 * Deleting is the server's part only: finalizers, deletionTimestamp, grace, preconditions and
 * propagation; dependents are the garbage collector's business (an actor). */
#ifndef WORLD_SERVER_H
#define WORLD_SERVER_H

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/rng.h"
#include "kube/request.h"
#include "kube/status.h"
#include "world/schema.h"

#include <stdbool.h>

typedef struct Server Server;

typedef struct ServerOptions {
    Clock *clock;
    Rng *rng;           /* UIDs */
    size_t objects_max; /* 0: 200,000 */
    size_t history_max; /* events kept for watches; 0: 10,000 */
    /* Tokens are signed with it; NULL: with one that everybody knows, as a simulation is to be
     * repeated. A server that strangers reach needs 256 random bits; one that is to know its tokens
     * again after a restart, the same ones. */
    const char *token_key;
    /* Events of both groups are the same ones, and go after an hour. Else they are two kinds, and
     * stay. */
    bool keeps_events;
    /* Objects are packed: for a few microseconds each they take a tenth of the memory. */
    bool is_compact;
} ServerOptions;

/* A server with the namespaces default and kube-system. */
Server *server_open(const ServerOptions *options);
void server_close(Server *s);

/* Adds the kinds of a CustomResourceDefinition, as creating one does. */
Err *server_add_crd(Arena *a, Server *s, const Json *crd) MUST_CHECK;

/* Carries out one request of a user, at once. The answer's body is in the arena: an object, a list,
 * or a Status. Never VERB_WATCH. */
void server_call(Server *s, Arena *a, const char *user, const Request *request, Answer *ret);

/* Who calls, where more than a name counts: for rights, and for the reviews that are about them. */
typedef struct Caller {
    const char *user;
    const char *uid;           /* or NULL */
    const char *const *groups; /* ended by NULL; or NULL */
    /* Asked for the right to create where an update or apply turns out to do it: of what the
     * request itself says, who lets strangers in has asked before. */
    bool is_stranger;
} Caller;
void server_call_as(Server *s, Arena *a, const Caller *caller, const Request *request, Answer *ret);

/* A list: VERB_LIST of a request, whose answer comes as a row of texts that are one document
 * together. A refused one gives its answer and no list. It is in the arena, holds the objects as
 * they are now, and is closed before the server is. */
typedef struct ServerList ServerList;
ServerList *server_open_list(Server *s, Arena *a, const Request *request, Answer *ret);
void server_close_list(ServerList *l);

/* The next text, in the arena, which may be emptied between two; false behind the last. */
bool server_next_listed(ServerList *l, Arena *a, Bytes *ret);

/* A watch: VERB_WATCH of a request. A refused one (400, 404, 500) gives its answer and no watch.
 * One from a version that is too old is not refused: as in the real server its first event is an
 * ERROR. All watches are closed before the server is. */
typedef struct ServerWatch ServerWatch;
ServerWatch *server_open_watch(Server *s, Arena *a, const Request *request, Answer *ret);
void server_close_watch(ServerWatch *w);

/* The next event as one line with its newline, in the arena; false when there is none now. The
 * watch has ended with an ERROR event (410), or, without an event, after its time or when its kind
 * is served no more. */
bool server_next_event(ServerWatch *w, Arena *a, Bytes *ret, bool *ret_ended);

/* Puts a bookmark with the current version into every watch that asked for them: it comes after all
 * events up to that version. */
void server_bookmark(Server *s);

/* Forgets the history up to the current version: older watches and list pages get 410. */
void server_compact(Server *s);

/* The same for the oldest changes alone, until what they replaced takes no more than so many bytes.
 */
void server_shrink(Server *s, size_t bytes);

/* From now on the history keeps everything after that version, however much it is: somebody who
 * must not miss it has not seen it. */
void server_need(Server *s, uint64_t version);

/* The kind that stands in a path, as it is served now; NULL when there is none. Valid until the
 * next write. */
const Kind *server_find_kind(
    const Server *s, const char *group, const char *version, const char *plural);

/* True when some kind of a group and version is served. */
bool server_has_group(const Server *s, const char *group, const char *version);

/* The version of the last write. */
uint64_t server_version(const Server *s);

/* Everything that is stored, kind by kind, in the order of "namespace/name": for comparing end
 * states. */
void server_each(const Server *s, Arena *a,
    void (*visit)(void *self, const Kind *kind, const Json *object), void *self);

/* The same; each object is gone when the visit is over. */
void server_each_alone(
    const Server *s, void (*visit)(void *self, const Kind *kind, const Json *object), void *self);

/* A kind as it is served now. Borrowed until the next write to a definition. */
typedef struct Served {
    const Kind *kind;
    const Schema *schema;
    const Json *definition; /* its CustomResourceDefinition; NULL of a built-in kind */
    bool has_status, has_scale;
    bool is_closing; /* its definition is on its way out */
} Served;

/* The kinds that are served, one by one in no order that means anything: start with *cursor = 0;
 * false behind the last. */
bool server_next_served(const Server *s, size_t *cursor, Served *ret);

/* The same of one kind; false when it is not served. */
bool server_find_served(const Server *s, const Kind *kind, Served *ret);

/* A mutating admission policy: what is stored instead of an object that is created or replaced,
 * in the arena. Not asked about subresources. NULL: none. */
typedef const Json *ServerMutate(void *self, Arena *a, const Kind *kind, const Json *object);
void server_mutate(Server *s, ServerMutate *mutate, void *self);

/* Called after every write that changed something, before the answer: for invariants and traces. */
typedef void ServerWrote(
    void *self, const char *user, const Request *request, const Json *before, const Json *after);
void server_on_write(Server *s, ServerWrote *wrote, void *self);

#endif
