/* Two tables, of nodes and of resources, and the links between them. A resource is kept as long as
 * a node uses it, and its starter is always one of these nodes. */
#include "sei/task/start_locks.h"

#include "base/link.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 336, WAKE_ARENA_MAX = 1 << 20 }; /* a kind, 63 + 1 + 253 and the NUL */

typedef enum FillState { FILL_NONE, FILL_BEGUN, FILL_DONE } FillState;

typedef struct StartNode StartNode;

typedef struct StartResource {
    ExclusiveKind kind;
    Link uses; /* StartUse.in_resource */
    size_t use_count, size;
    const StartNode *starter; /* or NULL */
    int64_t doubt_ends_ms;    /* until then the starter stays it; 0: there is no doubt */
    char text[];              /* "claim/namespace/name" */
} StartResource;

typedef struct StartUse {
    Link in_resource;
    StartResource *resource;
    StartNode *node;
} StartUse;

struct StartNode {
    StartUse uses[START_USES_MAX];
    size_t use_count, size;
    Link cut[EXCLUSIVE_KINDS]; /* in StartLocks.cut when it uses more than there are slots for */
    unsigned standing;
    char name[]; /* "namespace/name" */
};

struct StartLocks {
    Slab *slab;
    Guard *guard;
    Waker *waker;
    FillState fill;
    bool is_full; /* a node is missing: no node can be let through */
    Map *nodes, *resources;
    Link cut[EXCLUSIVE_KINDS]; /* StartNode.cut */
};

static const size_t slots[] = {
    [EXCLUSIVE_KEY] = START_KEYS_MAX, [EXCLUSIVE_CLAIM] = START_CLAIMS_MAX};

Exclusive exclusive_key(const char *secret)
{
    return (Exclusive){EXCLUSIVE_KEY, secret};
}

Exclusive exclusive_claim(const char *claim)
{
    return (Exclusive){EXCLUSIVE_CLAIM, claim};
}

StartLocks *start_locks_open(size_t nodes_max)
{
    Slab *slab = slab_open();
    StartLocks *s = slab_alloc(slab, sizeof *s);

    *s = (StartLocks){
        .slab = slab,
        .guard = guard_none(),
        .nodes = map_open(nodes_max),
        .resources = map_open(nodes_max * START_USES_MAX),
    };
    for (ExclusiveKind kind = 0; kind < EXCLUSIVE_KINDS; kind++)
        link_init(&s->cut[kind]);
    return s;
}

void start_locks_close(StartLocks *s)
{
    if (!s)
        return;
    map_close(s->nodes);
    map_close(s->resources);
    slab_close(s->slab);
}

void start_locks_bind(StartLocks *s, Guard *guard, Waker *waker)
{
    s->guard = guard;
    s->waker = waker;
}

static const char *node_text(char text[TEXT_SIZE], Key node)
{
    snprintf(text, TEXT_SIZE, "%s/%s", node.namespace, node.name);
    return text;
}

static const char *resource_text(char text[TEXT_SIZE], const char *namespace, Exclusive used)
{
    static const char *const kinds[] = {[EXCLUSIVE_KEY] = "key", [EXCLUSIVE_CLAIM] = "claim"};

    snprintf(text, TEXT_SIZE, "%s/%s/%s", kinds[used.kind], namespace, used.name);
    return text;
}

static StartNode *find_node(const StartLocks *s, Key node)
{
    char text[TEXT_SIZE];

    return map_find(s->nodes, node_text(text, node));
}

static StartResource *find_resource(const StartLocks *s, const char *namespace, Exclusive used)
{
    char text[TEXT_SIZE];

    return map_find(s->resources, resource_text(text, namespace, used));
}

/* --- coming and going, under the guard ---------------------------------------------------------
 */

/* NULL: the table is full. */
static StartNode *add_node(StartLocks *s, Key key)
{
    char text[TEXT_SIZE];
    StartNode *node = map_find(s->nodes, node_text(text, key));

    if (node)
        return node;
    size_t text_size = strlen(text) + 1, size = sizeof *node + text_size;
    node = slab_alloc(s->slab, size);
    *node = (StartNode){.size = size};
    for (ExclusiveKind kind = 0; kind < EXCLUSIVE_KINDS; kind++)
        link_init(&node->cut[kind]);
    memcpy(node->name, text, text_size);
    if (map_put(s->nodes, node->name, node))
        return node;
    slab_free(s->slab, node, size);
    s->is_full = true;
    return NULL;
}

static StartResource *add_resource(StartLocks *s, const char *namespace, Exclusive used)
{
    char text[TEXT_SIZE];
    StartResource *resource = map_find(s->resources, resource_text(text, namespace, used));

    if (resource)
        return resource;
    size_t text_size = strlen(text) + 1, size = sizeof *resource + text_size;
    resource = slab_alloc(s->slab, size);
    *resource = (StartResource){.kind = used.kind, .size = size};
    memcpy(resource->text, text, text_size);
    link_init(&resource->uses);
    if (!map_put(s->resources, resource->text, resource))
        BUG("there are more resources than nodes could use");
    return resource;
}

static bool uses(const StartNode *node, const StartResource *resource)
{
    for (size_t i = 0; resource && i < node->use_count; i++)
        if (node->uses[i].resource == resource)
            return true;
    return false;
}

static bool has_slot(const StartNode *node, ExclusiveKind kind)
{
    size_t taken = 0;

    for (size_t i = 0; i < node->use_count; i++)
        taken += node->uses[i].resource->kind == kind;
    return taken < slots[kind];
}

static void cut(StartLocks *s, StartNode *node, ExclusiveKind kind)
{
    if (link_is_alone(&node->cut[kind]))
        link_insert_before(&s->cut[kind], &node->cut[kind]);
}

static void begin_use(StartLocks *s, StartNode *node, const char *namespace, Exclusive used)
{
    if (uses(node, find_resource(s, namespace, used)))
        return;
    if (!has_slot(node, used.kind)) {
        cut(s, node, used.kind);
        return;
    }
    StartResource *resource = add_resource(s, namespace, used);
    StartUse *use = &node->uses[node->use_count++];
    *use = (StartUse){.resource = resource, .node = node};
    link_init(&use->in_resource);
    link_insert_before(&resource->uses, &use->in_resource);
    resource->use_count++;
}

static void leave_resource(StartLocks *s, StartUse *use)
{
    StartResource *resource = use->resource;

    link_remove(&use->in_resource);
    if (resource->starter == use->node)
        resource->starter = NULL;
    if (--resource->use_count > 0)
        return;
    map_remove(s->resources, resource->text);
    slab_free(s->slab, resource, resource->size);
}

static void end_uses(StartLocks *s, StartNode *node)
{
    for (size_t i = 0; i < node->use_count; i++)
        leave_resource(s, &node->uses[i]);
    node->use_count = 0;
    for (ExclusiveKind kind = 0; kind < EXCLUSIVE_KINDS; kind++)
        link_remove(&node->cut[kind]);
}

/* The last use takes the place of one that ends. */
static void end_use(StartLocks *s, StartNode *node, StartUse *use)
{
    StartUse *last = &node->uses[--node->use_count];

    leave_resource(s, use);
    if (use == last)
        return;
    use->resource = last->resource;
    link_replace(&last->in_resource, &use->in_resource);
}

/* For a resource that the node starts with: what it gives up for that, its cut stands for. */
static void make_room(StartLocks *s, StartNode *node, ExclusiveKind kind)
{
    for (size_t i = 0; i < node->use_count; i++) {
        StartResource *resource = node->uses[i].resource;
        if (resource->kind != kind || resource->starter == node)
            continue;
        end_use(s, node, &node->uses[i]);
        cut(s, node, kind);
        return;
    }
}

/* In a table that was full there is room now: the nodes that it lacks are looked for again. */
static void leave(StartLocks *s, StartNode *node)
{
    end_uses(s, node);
    map_remove(s->nodes, node->name);
    slab_free(s->slab, node, node->size);
    if (!s->is_full)
        return;
    s->is_full = false;
    s->fill = FILL_NONE;
}

/* --- filling -----------------------------------------------------------------------------------
 */

bool start_locks_must_be_filled(StartLocks *s)
{
    guard_enter(s->guard);
    bool must = s->fill == FILL_NONE;
    if (must)
        s->fill = FILL_BEGUN;
    guard_leave(s->guard);
    return must;
}

/* A node that has been noted meanwhile may be seen here as it was before: one use too many does no
 * harm. */
void start_locks_see(StartLocks *s, Key key, Exclusive used)
{
    guard_enter(s->guard);
    StartNode *node = str_empty(used.name) ? NULL : add_node(s, key);
    if (node)
        begin_use(s, node, key.namespace, used);
    guard_leave(s->guard);
}

/* A node that left during the filling has made it incomplete. */
void start_locks_filled(StartLocks *s, bool is_whole)
{
    guard_enter(s->guard);
    s->fill = is_whole && s->fill == FILL_BEGUN ? FILL_DONE : FILL_NONE;
    guard_leave(s->guard);
}

/* --- what is known of nodes --------------------------------------------------------------------
 */

bool start_note_has_room(const StartNote *note, ExclusiveKind kind)
{
    size_t taken = 0;

    for (size_t i = 0; i < note->count; i++)
        taken += note->uses[i].kind == kind;
    return taken < slots[kind];
}

void start_note_add(StartNote *note, Exclusive used)
{
    for (size_t i = 0; i < note->count; i++)
        if (note->uses[i].kind == used.kind && str_eq(note->uses[i].name, used.name))
            return;
    if (str_empty(used.name))
        return;
    if (start_note_has_room(note, used.kind))
        note->uses[note->count++] = used;
    else
        note->is_cut[used.kind] = true;
}

/* Those that are enqueued, and where their keys are. */
typedef struct Woken {
    Arena *arena;
    Key *keys;
    size_t count, max;
} Woken;

static void add_woken(Woken *w, const char *node)
{
    Key key = key_parse(w->arena, node);

    for (size_t i = 0; i < w->count; i++)
        if (key_eq(w->keys[i], key))
            return;
    if (w->count < w->max)
        w->keys[w->count++] = key;
}

static void add_others(Woken *w, const StartNode *node)
{
    for (size_t i = 0; i < node->use_count; i++) {
        const Link *head = &node->uses[i].resource->uses;
        for (const Link *l = head->next; l != head && w->count < w->max; l = l->next) {
            const StartNode *other = link_owner(StartUse, in_resource, l)->node;
            if (other != node)
                add_woken(w, other->name);
        }
    }
}

static bool is_as_noted(
    const StartLocks *s, const StartNode *node, const char *namespace, const StartNote *note)
{
    if (node->standing != note->standing || node->use_count != note->count)
        return false;
    for (ExclusiveKind kind = 0; kind < EXCLUSIVE_KINDS; kind++)
        if (link_is_alone(&node->cut[kind]) == note->is_cut[kind])
            return false;
    for (size_t i = 0; i < note->count; i++)
        if (!uses(node, find_resource(s, namespace, note->uses[i])))
            return false;
    return true;
}

static void set_starter(StartResource *resource, const StartNode *node)
{
    resource->starter = node;
    resource->doubt_ends_ms = 0;
}

static void end_start(StartNode *node)
{
    for (size_t i = 0; i < node->use_count; i++)
        if (node->uses[i].resource->starter == node)
            set_starter(node->uses[i].resource, NULL);
}

static bool is_in_doubt(const StartNode *node, const StartNote *note)
{
    for (size_t i = 0; !note->is_seen && i < node->use_count; i++)
        if (node->uses[i].resource->starter == node
            && note->now_ms < node->uses[i].resource->doubt_ends_ms)
            return true;
    return false;
}

static void begin_uses(StartLocks *s, StartNode *node, const char *namespace, const StartNote *note)
{
    for (size_t i = 0; i < note->count; i++)
        begin_use(s, node, namespace, note->uses[i]);
    for (ExclusiveKind kind = 0; kind < EXCLUSIVE_KINDS; kind++)
        if (note->is_cut[kind])
            cut(s, node, kind);
    node->standing = note->standing;
}

/* Under the guard. */
static void write_down(StartLocks *s, Key key, const StartNote *note, Woken *woken)
{
    StartNode *node = note->count ? add_node(s, key) : find_node(s, key);

    if (!node)
        return;
    if (is_in_doubt(node, note)) { /* it keeps whatever it had */
        begin_uses(s, node, key.namespace, note);
        return;
    }
    end_start(node);
    if (is_as_noted(s, node, key.namespace, note))
        return;
    add_others(woken, node); /* of what it leaves */
    end_uses(s, node);
    if (!note->count) {
        leave(s, node);
        return;
    }
    begin_uses(s, node, key.namespace, note);
    add_others(woken, node);
}

void start_locks_note(StartLocks *s, Key node, const StartNote *note)
{
    Key keys[START_OTHERS_MAX];
    SCOPED_ARENA a = arena_open(WAKE_ARENA_MAX);
    Woken woken = {.arena = a, .keys = keys, .max = START_OTHERS_MAX};

    guard_enter(s->guard);
    if (s->fill != FILL_NONE)
        write_down(s, node, note, &woken);
    guard_leave(s->guard);
    for (size_t i = 0; s->waker && i < woken.count; i++)
        s->waker->wake(s->waker, woken.keys[i]);
}

bool start_locks_knows(StartLocks *s, Key node)
{
    guard_enter(s->guard);
    bool knows = find_node(s, node) != NULL;
    guard_leave(s->guard);
    return knows;
}

bool start_locks_is_shared(StartLocks *s, Key key, Exclusive used)
{
    guard_enter(s->guard);
    const StartNode *node = find_node(s, key);
    const StartResource *resource = find_resource(s, key.namespace, used);
    bool is_own = node && uses(node, resource);
    bool is_shared = resource && resource->use_count > is_own;
    guard_leave(s->guard);
    return is_shared;
}

/* --- starting ----------------------------------------------------------------------------------
 */

/* No reconcile ends the doubt about a node that is gone. */
static bool may_take(const StartResource *resource, const StartNode *node, int64_t now_ms)
{
    return !resource->starter || resource->starter == node
        || (resource->doubt_ends_ms && now_ms >= resource->doubt_ends_ms);
}

/* Under the guard; the table is filled. */
static StartTurn take(StartLocks *s, Key key, Exclusive used, int64_t now_ms)
{
    StartNode *node = add_node(s, key);

    if (!node)
        return START_UNKNOWN;
    StartResource *resource = find_resource(s, key.namespace, used);
    if (!uses(node, resource) && !has_slot(node, used.kind))
        make_room(s, node, used.kind);
    begin_use(s, node, key.namespace, used);
    resource = find_resource(s, key.namespace, used);
    if (!uses(node, resource))
        return START_UNKNOWN;
    if (!may_take(resource, node, now_ms))
        return START_MUST_WAIT;
    if (resource->starter != node)
        set_starter(resource, node);
    return START_MAY_LOOK;
}

StartTurn start_locks_take(StartLocks *s, Key node, Exclusive used, int64_t now_ms)
{
    guard_enter(s->guard);
    bool is_known = s->fill == FILL_DONE && !s->is_full && !str_empty(used.name);
    StartTurn turn = is_known ? take(s, node, used, now_ms) : START_UNKNOWN;
    guard_leave(s->guard);
    return turn;
}

void start_locks_give_up(StartLocks *s, Key node, Exclusive used)
{
    guard_enter(s->guard);
    StartResource *resource = find_resource(s, node.namespace, used);
    if (resource && resource->starter && resource->starter == find_node(s, node)
        && !resource->doubt_ends_ms)
        set_starter(resource, NULL);
    guard_leave(s->guard);
}

void start_locks_doubt(StartLocks *s, Key node, Exclusive used, int64_t now_ms)
{
    guard_enter(s->guard);
    StartResource *resource = find_resource(s, node.namespace, used);
    if (resource && resource->starter && resource->starter == find_node(s, node))
        resource->doubt_ends_ms = now_ms + START_DOUBT_MS;
    guard_leave(s->guard);
}

/* --- other users -------------------------------------------------------------------------------
 */

typedef struct Others {
    Arena *arena;
    const StartNode *self; /* or NULL */
    Key *keys;
    size_t count;
} Others;

static void add_user(Others *o, const StartNode *user)
{
    if (user != o->self && o->count <= START_OTHERS_MAX)
        o->keys[o->count++] = key_parse(o->arena, user->name);
}

/* Besides its users, the nodes of the namespace that may use it. */
static void add_cut(Others *o, const StartLocks *s, const char *namespace, ExclusiveKind kind,
    const StartResource *r)
{
    const Link *head = &s->cut[kind];

    for (const Link *l = head->next; l != head; l = l->next) {
        const StartNode *node = link_owner(StartNode, cut[kind], l);
        size_t len = strlen(namespace);
        bool is_of_namespace = str_has_prefix(node->name, namespace) && node->name[len] == '/';
        if (is_of_namespace && !uses(node, r))
            add_user(o, node);
    }
}

size_t start_locks_others(StartLocks *s, Arena *a, Key node, Exclusive used, Key **ret)
{
    Others o = {.arena = a, .keys = arena_array(a, Key, START_OTHERS_MAX + 1)};

    guard_enter(s->guard);
    o.self = find_node(s, node);
    const StartResource *resource = find_resource(s, node.namespace, used);
    for (const Link *l = resource ? resource->uses.next : NULL; resource && l != &resource->uses;
        l = l->next)
        add_user(&o, link_owner(StartUse, in_resource, l)->node);
    add_cut(&o, s, node.namespace, used.kind, resource);
    guard_leave(s->guard);
    *ret = o.keys;
    return o.count;
}
