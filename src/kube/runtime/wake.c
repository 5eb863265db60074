/* Wake: from what became of an object to keys in the queue.
 *
 * Objects are mapped to keys outside of the guard, which is taken to put the keys into the queue.
 * An object that changes hands wakes its old and its new owner. A watch may keep its events
 * waiting for each other (calm_ms): the key is then due in a while, and what comes until then finds
 * it there. But who lost what he controls is not kept waiting. And a watch may say which changes
 * are worth a reconcile at all (matters). Who wrote himself what an event shows is woken for that
 * when all that he wrote was shown (expect.h), and not by the event. */
#include "kube/runtime/wake.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/runtime/machine.h"

enum { KEYS_PER_EVENT_MAX = 4096 };

struct KeySet {
    Arena *arena;
    Key *items;
    size_t count, capacity;
};

static bool holds(const KeySet *keys, Key key)
{
    for (size_t i = 0; i < keys->count; i++)
        if (key_eq(keys->items[i], key))
            return true;
    return false;
}

void keyset_add(KeySet *keys, Key key)
{
    if (holds(keys, key) || keys->count == KEYS_PER_EVENT_MAX)
        return;
    if (keys->count == keys->capacity) {
        size_t capacity = keys->capacity ? keys->capacity * 2 : 4;
        Key *grown = arena_array(keys->arena, Key, capacity);
        for (size_t i = 0; i < keys->count; i++)
            grown[i] = keys->items[i];
        keys->items = grown;
        keys->capacity = capacity;
    }
    keys->items[keys->count++] = key_copy(keys->arena, key);
}

/* --- whose ------------------------------------------------------------------------------------
 */

/* The object of the primary kind that controls this one. */
static void add_controlling_key(const Subscription *s, const Json *object, KeySet *keys)
{
    const Json *owner = meta_controller(object);
    const char *name = json_str(owner, ".name");
    char api_version[KIND_API_VERSION_SIZE];

    if (!name || !str_eq(json_str(owner, ".kind"), s->primary->name))
        return;
    if (!str_eq(json_str(owner, ".apiVersion"), kind_api_version(s->primary, api_version)))
        return;
    const char *namespace = s->primary->namespaced ? meta_namespace(object) : NULL;
    keyset_add(keys, (Key){.namespace = namespace, .name = name});
}

static void map_to_keys(const Subscription *s, Arena *a, const Json *object, KeySet *keys)
{
    if (!object)
        return;
    if (s->watch->keys)
        s->watch->keys(a, object, keys);
    else if (kind_eq(s->watch->kind, s->primary))
        keyset_add(keys, meta_key(object));
    else
        add_controlling_key(s, object, keys);
}

/* --- how soon ---------------------------------------------------------------------------------
 */

/* Whom news concern, and who of them has lost what he controls. */
typedef struct Concerned {
    KeySet keys, bereaved;
} Concerned;

static Concerned concerned_by(const Subscription *s, Arena *a, const WakeNews *news)
{
    Concerned found = {.keys = {.arena = a}, .bereaved = {.arena = a}};

    map_to_keys(s, a, news->now, &found.keys);
    map_to_keys(s, a, news->before, &found.keys);
    if (s->watch->calm_ms && news->is_going)
        add_controlling_key(s, news->now ? news->now : news->before, &found.bereaved);
    return found;
}

static void report_full(const Manager *m, QueueKey key)
{
    log_error(&m->held.log,
        "the queue is full: a key is dropped",
        log_str("namespace", key.key.namespace),
        log_str("name", key.key.name));
}

void wake_key(void *manager, QueueKey key)
{
    Manager *m = manager;

    if (!m->working)
        return;
    if (!queue_add(m->queue, key, QUEUE_EVENT, clock_mono_ms(m->clock)))
        report_full(m, key);
    if (m->work_added)
        m->work_added(m->host);
}

static void wake_key_at(Manager *m, QueueKey key, int64_t due_ms)
{
    if (!queue_add_at(m->queue, key, due_ms))
        report_full(m, key);
    if (m->work_added) /* whoever waits may wait for something later */
        m->work_added(m->host);
}

static bool is_author(const WakeNews *news, QueueKey key)
{
    return news->author && news->author->controller == key.controller
        && key_eq(news->author->key, key.key);
}

/* The guard is held. */
static void add_keys(
    Manager *m, const Subscription *s, const Concerned *concerned, const WakeNews *news)
{
    int64_t now = clock_mono_ms(m->clock), calm = s->watch->calm_ms;

    for (size_t i = 0; m->working && i < concerned->keys.count; i++) {
        QueueKey key = {.controller = s->controller, .key = concerned->keys.items[i]};
        if (is_author(news, key))
            continue;
        if (news->priority == QUEUE_STARTUP) { /* all workers are told once all are there */
            if (!queue_add(m->queue, key, QUEUE_STARTUP, now))
                report_full(m, key);
        } else if (calm && !holds(&concerned->bereaved, key.key)) {
            wake_key_at(m, key, now + calm);
        } else {
            wake_key(m, key);
        }
    }
}

static bool is_worth(const Subscription *s, Arena *a, const WakeNews *news)
{
    return !news->is_changed || !s->watch->matters || s->watch->matters(a, news->before, news->now);
}

/* Whom the news concern, by subscription. Those of one opinion about what matters are asked once.
 */
static void find_concerned(const Cache *c, Arena *a, const WakeNews *news, Concerned *ret)
{
    bool worth = false;

    for (int i = 0; i < c->subscription_count; i++) {
        const Subscription *s = &c->subscriptions[i];
        if (i == 0 || s->watch->matters != s[-1].watch->matters)
            worth = is_worth(s, a, news);
        ret[i] = worth ? concerned_by(s, a, news) : (Concerned){0};
    }
}

static void add_concerned(Cache *c, const Concerned *concerned, const WakeNews *news)
{
    for (int i = 0; i < c->subscription_count; i++)
        add_keys(c->manager, &c->subscriptions[i], &concerned[i], news);
}

void wake_note(void *list, QueueKey key)
{
    WakeList *l = list;

    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? l->capacity * 2 : 4;
        QueueKey *grown = arena_array(l->arena, QueueKey, capacity);
        for (size_t i = 0; i < l->count; i++)
            grown[i] = l->items[i];
        l->items = grown;
        l->capacity = capacity;
    }
    l->items[l->count++] =
        (QueueKey){.controller = key.controller, .key = key_copy(l->arena, key.key)};
}

void wake_all(Cache *c, const WakeNews *news, const WakeList *noted)
{
    Concerned concerned[MANAGER_CONTROLLERS_MAX];

    if (news)
        find_concerned(c, noted->arena, news, concerned);
    guard_enter(c->manager->guard);
    for (size_t i = 0; i < noted->count; i++)
        wake_key(c->manager, noted->items[i]);
    if (news)
        add_concerned(c, concerned, news);
    guard_leave(c->manager->guard);
}

void wake_subscribers_guarded(Cache *c, Arena *a, const WakeNews *news)
{
    Concerned concerned[MANAGER_CONTROLLERS_MAX];

    find_concerned(c, a, news, concerned);
    add_concerned(c, concerned, news);
}
