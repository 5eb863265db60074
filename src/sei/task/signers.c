/* Two tables, of nodes and of keys, and the links between them. A key is kept as long as a node has
 * to do with it, and its starter is always one of these. */
#include "sei/task/signers.h"

#include "base/link.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 320, WAKE_ARENA_MAX = 1 << 20 }; /* 63 + 1 + 253 and the NUL */

typedef enum FillState { FILL_NONE, FILL_BEGUN, FILL_DONE } FillState;

typedef struct Signer Signer;

typedef struct SigningKey {
    Link uses; /* SignerUse.in_key */
    size_t use_count, size;
    const Signer *starter; /* or NULL */
    int64_t doubt_ends_ms; /* until then he stays it; 0: there is none */
    char text[];           /* "namespace/secret" */
} SigningKey;

typedef struct SignerUse {
    Link in_key;
    SigningKey *key;
    Signer *signer;
} SignerUse;

struct Signer {
    SignerUse uses[SIGNER_SECRETS_MAX];
    size_t use_count, size;
    unsigned standing;
    char node[]; /* "namespace/name" */
};

struct Signers {
    Slab *slab;
    Guard *guard;
    Waker *waker;
    FillState fill;
    bool is_full; /* somebody is missing: nobody can be let through */
    Map *nodes, *keys;
};

Signers *signers_open(void)
{
    Slab *slab = slab_open();
    Signers *s = slab_alloc(slab, sizeof *s);

    *s = (Signers){
        .slab = slab,
        .guard = guard_none(),
        .nodes = map_open(SIGNERS_NODES_MAX),
        .keys = map_open((size_t)SIGNERS_NODES_MAX * SIGNER_SECRETS_MAX),
    };
    return s;
}

void signers_close(Signers *s)
{
    if (!s)
        return;
    map_close(s->nodes);
    map_close(s->keys);
    slab_close(s->slab);
}

void signers_bind(Signers *s, Guard *guard, Waker *waker)
{
    s->guard = guard;
    s->waker = waker;
}

static const char *text_in(char text[TEXT_SIZE], const char *namespace, const char *name)
{
    snprintf(text, TEXT_SIZE, "%s/%s", namespace, name);
    return text;
}

static Signer *find(const Signers *s, Key node)
{
    char text[TEXT_SIZE];

    return map_find(s->nodes, text_in(text, node.namespace, node.name));
}

static SigningKey *find_key(const Signers *s, const char *namespace, const char *secret)
{
    char text[TEXT_SIZE];

    return map_find(s->keys, text_in(text, namespace, secret));
}

/* --- coming and going, under the guard ---------------------------------------------------------
 */

static Signer *meet(Signers *s, Key node)
{
    char text[TEXT_SIZE];
    Signer *met = map_find(s->nodes, text_in(text, node.namespace, node.name));

    if (met)
        return met;
    size_t text_size = strlen(text) + 1, size = sizeof *met + text_size;
    met = slab_alloc(s->slab, size);
    *met = (Signer){.size = size};
    memcpy(met->node, text, text_size);
    if (map_put(s->nodes, met->node, met))
        return met;
    slab_free(s->slab, met, size);
    s->is_full = true;
    return NULL;
}

static SigningKey *meet_key(Signers *s, const char *namespace, const char *secret)
{
    char text[TEXT_SIZE];
    SigningKey *key = map_find(s->keys, text_in(text, namespace, secret));

    if (key)
        return key;
    size_t text_size = strlen(text) + 1, size = sizeof *key + text_size;
    key = slab_alloc(s->slab, size);
    *key = (SigningKey){.size = size};
    memcpy(key->text, text, text_size);
    link_init(&key->uses);
    if (!map_put(s->keys, key->text, key))
        BUG("there are more keys than nodes could have");
    return key;
}

static bool uses(const Signer *signer, const SigningKey *key)
{
    for (size_t i = 0; key && i < signer->use_count; i++)
        if (signer->uses[i].key == key)
            return true;
    return false;
}

static void begin_use(Signers *s, Signer *signer, const char *namespace, const char *secret)
{
    /* What a stranger has put into a template beyond that, the list of pods tells. */
    if (signer->use_count == SIGNER_SECRETS_MAX)
        return;
    SigningKey *key = meet_key(s, namespace, secret);
    if (uses(signer, key))
        return;
    SignerUse *use = &signer->uses[signer->use_count++];
    *use = (SignerUse){.key = key, .signer = signer};
    link_init(&use->in_key);
    link_insert_before(&key->uses, &use->in_key);
    key->use_count++;
}

static void end_uses(Signers *s, Signer *signer)
{
    for (size_t i = 0; i < signer->use_count; i++) {
        SigningKey *key = signer->uses[i].key;
        link_remove(&signer->uses[i].in_key);
        if (key->starter == signer)
            key->starter = NULL;
        if (--key->use_count > 0)
            continue;
        map_remove(s->keys, key->text);
        slab_free(s->slab, key, key->size);
    }
    signer->use_count = 0;
}

static void leave(Signers *s, Signer *signer)
{
    end_uses(s, signer);
    map_remove(s->nodes, signer->node);
    slab_free(s->slab, signer, signer->size);
}

/* --- filling -----------------------------------------------------------------------------------
 */

bool signers_must_be_filled(Signers *s)
{
    guard_enter(s->guard);
    bool must = s->fill == FILL_NONE;
    if (must)
        s->fill = FILL_BEGUN;
    guard_leave(s->guard);
    return must;
}

/* Whoever has been noted meanwhile may be seen here as he was before: one too many does no harm. */
void signers_see(Signers *s, Key node, const char *secret)
{
    guard_enter(s->guard);
    Signer *signer = str_empty(secret) ? NULL : meet(s, node);
    if (signer)
        begin_use(s, signer, node.namespace, secret);
    guard_leave(s->guard);
}

void signers_filled(Signers *s, bool is_whole)
{
    guard_enter(s->guard);
    s->fill = is_whole ? FILL_DONE : FILL_NONE;
    guard_leave(s->guard);
}

/* --- what is known of nodes --------------------------------------------------------------------
 */

void signer_note_add(SignerNote *note, const char *secret)
{
    for (size_t i = 0; i < note->count; i++)
        if (str_eq(note->secrets[i], secret))
            return;
    if (!str_empty(secret) && note->count < SIGNER_SECRETS_MAX)
        note->secrets[note->count++] = secret;
}

/* Those that are woken, and where their keys are. */
typedef struct Woken {
    Arena *arena;
    Key *keys;
    size_t count, max;
} Woken;

static void add(Woken *w, const char *node)
{
    Key key = key_parse(w->arena, node);

    for (size_t i = 0; i < w->count; i++)
        if (key_eq(w->keys[i], key))
            return;
    if (w->count < w->max)
        w->keys[w->count++] = key;
}

static void add_others(Woken *w, const Signer *signer)
{
    for (size_t i = 0; i < signer->use_count; i++) {
        const Link *head = &signer->uses[i].key->uses;
        for (const Link *l = head->next; l != head && w->count < w->max; l = l->next) {
            const Signer *other = link_owner(SignerUse, in_key, l)->signer;
            if (other != signer)
                add(w, other->node);
        }
    }
}

static bool is_as_noted(const Signers *s, const Signer *signer, Key node, const SignerNote *note)
{
    if (signer->standing != note->standing || signer->use_count != note->count)
        return false;
    for (size_t i = 0; i < note->count; i++)
        if (!uses(signer, find_key(s, node.namespace, note->secrets[i])))
            return false;
    return true;
}

static void set_starter(SigningKey *key, const Signer *signer)
{
    key->starter = signer;
    key->doubt_ends_ms = 0;
}

static void end_start(Signer *signer)
{
    for (size_t i = 0; i < signer->use_count; i++)
        if (signer->uses[i].key->starter == signer)
            set_starter(signer->uses[i].key, NULL);
}

static bool is_in_doubt(const Signer *signer, const SignerNote *note)
{
    for (size_t i = 0; !note->is_seen && i < signer->use_count; i++)
        if (signer->uses[i].key->starter == signer
            && note->now_ms < signer->uses[i].key->doubt_ends_ms)
            return true;
    return false;
}

static void begin_uses(Signers *s, Signer *signer, Key node, const SignerNote *note)
{
    for (size_t i = 0; i < note->count; i++)
        begin_use(s, signer, node.namespace, note->secrets[i]);
    signer->standing = note->standing;
}

/* Under the guard. */
static void write_down(Signers *s, Key node, const SignerNote *note, Woken *woken)
{
    Signer *signer = note->count ? meet(s, node) : find(s, node);

    if (!signer)
        return;
    if (is_in_doubt(signer, note)) { /* whatever it had it keeps */
        begin_uses(s, signer, node, note);
        return;
    }
    end_start(signer);
    if (is_as_noted(s, signer, node, note))
        return;
    add_others(woken, signer); /* of what it leaves */
    end_uses(s, signer);
    if (!note->count) {
        leave(s, signer);
        return;
    }
    begin_uses(s, signer, node, note);
    add_others(woken, signer);
}

void signers_note(Signers *s, Key node, const SignerNote *note)
{
    Key keys[SIGNERS_OTHERS_MAX];
    SCOPED_ARENA a = arena_open(WAKE_ARENA_MAX);
    Woken woken = {.arena = a, .keys = keys, .max = SIGNERS_OTHERS_MAX};

    guard_enter(s->guard);
    if (s->fill != FILL_NONE)
        write_down(s, node, note, &woken);
    guard_leave(s->guard);
    for (size_t i = 0; s->waker && i < woken.count; i++)
        s->waker->wake(s->waker, woken.keys[i]);
}

bool signers_knows(Signers *s, Key node)
{
    guard_enter(s->guard);
    bool knows = find(s, node) != NULL;
    guard_leave(s->guard);
    return knows;
}

/* --- starting ----------------------------------------------------------------------------------
 */

/* Of a node that is gone no pass ends the doubt. */
static bool may_take(const SigningKey *key, const Signer *signer, int64_t now_ms)
{
    return !key->starter || key->starter == signer
        || (key->doubt_ends_ms && now_ms >= key->doubt_ends_ms);
}

SignerTurn signers_take(Signers *s, Key node, const char *secret, int64_t now_ms)
{
    SignerTurn turn = SIGNER_UNKNOWN;

    guard_enter(s->guard);
    const Signer *signer = find(s, node);
    SigningKey *key = find_key(s, node.namespace, secret);
    if (s->fill == FILL_DONE && !s->is_full && signer && uses(signer, key)) {
        turn = may_take(key, signer, now_ms) ? SIGNER_MAY_LOOK : SIGNER_MUST_WAIT;
        if (turn == SIGNER_MAY_LOOK && key->starter != signer)
            set_starter(key, signer);
    }
    guard_leave(s->guard);
    return turn;
}

void signers_give_up(Signers *s, Key node, const char *secret)
{
    guard_enter(s->guard);
    SigningKey *key = find_key(s, node.namespace, secret);
    if (key && key->starter && key->starter == find(s, node) && !key->doubt_ends_ms)
        set_starter(key, NULL);
    guard_leave(s->guard);
}

void signers_doubt(Signers *s, Key node, const char *secret, int64_t now_ms)
{
    guard_enter(s->guard);
    SigningKey *key = find_key(s, node.namespace, secret);
    if (key && key->starter && key->starter == find(s, node))
        key->doubt_ends_ms = now_ms + SIGNER_DOUBT_MS;
    guard_leave(s->guard);
}

size_t signers_others(Signers *s, Arena *a, Key node, const char *secret, Key **ret)
{
    Key *others = arena_array(a, Key, SIGNERS_OTHERS_MAX + 1);
    size_t count = 0;

    guard_enter(s->guard);
    const Signer *self = find(s, node);
    const SigningKey *key = find_key(s, node.namespace, secret);
    for (const Link *l = key ? key->uses.next : NULL;
        key && l != &key->uses && count <= SIGNERS_OTHERS_MAX;
        l = l->next) {
        const Signer *other = link_owner(SignerUse, in_key, l)->signer;
        if (other != self)
            others[count++] = key_parse(a, other->node);
    }
    guard_leave(s->guard);
    *ret = others;
    return count;
}
