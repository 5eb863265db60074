/* Queue: a key once, never in two hands, back when it must be. The last test holds it against a
 * naive model. */
#include "kube/runtime/queue.h"
#include "tests/test.h"

typedef struct World {
    Queue *queue;
    SeededRng rng;
} World;

static void close_world(World *w)
{
    queue_close(w->queue);
}

#define SCOPED_QUEUE __attribute__((cleanup(close_world))) World

static World *given_queue(World *w, size_t keys_max)
{
    rng_seed(&w->rng, 1);
    w->queue = queue_open(&(QueueOptions){.keys_max = keys_max, .rng = &w->rng.port});
    return w;
}

static QueueKey key_of(const char *name)
{
    return (QueueKey){.key = {"default", name}};
}

/* The name of the key that is taken, or NULL. */
static const char *take(World *w, int64_t now_ms)
{
    QueueKey key;
    return queue_take(w->queue, now_ms, &key, NULL) ? key.key.name : NULL;
}

static void add(World *w, const char *name, QueuePriority priority, int64_t now_ms)
{
    then_true(queue_add(w->queue, key_of(name), priority, now_ms));
}

TEST(the_workqueue_returns_keys_in_the_order_in_which_they_were_added)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    add(&w, "a", QUEUE_EVENT, 0);
    add(&w, "b", QUEUE_EVENT, 0);
    add(&w, "c", QUEUE_EVENT, 0);
    then_str(take(&w, 0), "a");
    then_str(take(&w, 0), "b");
    then_str(take(&w, 0), "c");
    then_str(take(&w, 0), NULL);
}

TEST(a_key_that_is_added_twice_is_queued_once)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    add(&w, "a", QUEUE_EVENT, 0);
    add(&w, "a", QUEUE_EVENT, 0);
    then_str(take(&w, 0), "a");
    then_str(take(&w, 0), NULL);
    then_int(queue_counts(w.queue, 0).adds, 1);
}

TEST(controller_and_namespace_and_name_distinguish_queue_keys)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    const QueueKey keys[] = {
        {.controller = 0, .key = {"n", "a"}},
        {.controller = 1, .key = {"n", "a"}},
        {.controller = 0, .key = {NULL, "a"}},
        {.controller = 0, .key = {"m", "a"}},
    };
    for (size_t i = 0; i < array_count(keys); i++)
        then_true(queue_add(w.queue, keys[i], QUEUE_EVENT, 0));
    for (size_t i = 0; i < array_count(keys); i++) {
        QueueKey key;
        then_true(queue_take(w.queue, 0, &key, NULL));
        then_int(key.controller, keys[i].controller);
        then_true(key_eq(key.key, keys[i].key));
    }
}

TEST(a_key_in_progress_is_not_given_to_another_worker)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    add(&w, "a", QUEUE_EVENT, 0);
    then_str(take(&w, 0), "a");
    add(&w, "a", QUEUE_EVENT, 1);
    then_str(take(&w, 1), NULL);
    then_int(queue_next_due(w.queue), INT64_MAX);

    queue_done_ok(w.queue, key_of("a"), 2);
    then_str(take(&w, 2), "a");
    queue_done_ok(w.queue, key_of("a"), 3);
    then_str(take(&w, 3), NULL);
}

TEST(startup_keys_are_queued_behind_events)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    add(&w, "s", QUEUE_STARTUP, 0);
    add(&w, "t", QUEUE_STARTUP, 0);
    add(&w, "e", QUEUE_EVENT, 0);
    then_str(take(&w, 0), "e");
    then_str(take(&w, 0), "s");
    then_str(take(&w, 0), "t");
}

TEST(an_event_moves_a_startup_key_to_the_front)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    add(&w, "s", QUEUE_STARTUP, 0);
    add(&w, "t", QUEUE_STARTUP, 0);
    add(&w, "t", QUEUE_EVENT, 5);
    add(&w, "t", QUEUE_STARTUP, 6);
    QueueKey key;
    int64_t waited;
    then_true(queue_take(w.queue, 7, &key, &waited));
    then_str(key.key.name, "t");
    then_int(waited, 7);
    then_str(take(&w, 7), "s");
}

TEST(a_flood_of_events_does_not_starve_a_startup_key)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    add(&w, "s", QUEUE_STARTUP, 0);
    add(&w, "e", QUEUE_EVENT, 0);
    for (int i = 0; i < 16; i++) {
        then_str(take(&w, 0), "e");
        add(&w, "e", QUEUE_EVENT, 0);
        queue_done_ok(w.queue, key_of("e"), 0);
    }
    then_str(take(&w, 0), "s");
    then_str(take(&w, 0), "e");
}

TEST(an_event_for_a_startup_key_in_progress_requeues_it_as_an_event)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    add(&w, "s", QUEUE_STARTUP, 0);
    then_str(take(&w, 0), "s");
    add(&w, "t", QUEUE_STARTUP, 0);
    add(&w, "s", QUEUE_STARTUP, 0);
    add(&w, "s", QUEUE_EVENT, 0);
    add(&w, "s", QUEUE_STARTUP, 0);
    queue_done_ok(w.queue, key_of("s"), 0);
    then_str(take(&w, 0), "s");
}

TEST(a_delayed_key_is_returned_when_it_is_due)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    then_true(queue_add_at(w.queue, key_of("late"), 200));
    then_true(queue_add_at(w.queue, key_of("soon"), 100));
    then_int(queue_next_due(w.queue), 100);
    then_str(take(&w, 99), NULL);

    QueueKey key;
    int64_t waited;
    then_true(queue_take(w.queue, 130, &key, &waited));
    then_str(key.key.name, "soon");
    then_int(waited, 30);
    then_int(queue_next_due(w.queue), 200);
    then_str(take(&w, 200), "late");
}

TEST(delayed_keys_that_are_due_together_keep_their_order)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    static const char *const names[] = {"e", "a", "d", "c", "b"};
    for (size_t i = 0; i < array_count(names); i++)
        then_true(queue_add_at(w.queue, key_of(names[i]), 100));
    for (size_t i = 0; i < array_count(names); i++)
        then_str(take(&w, 100), names[i]);
}

TEST(the_earlier_of_two_delays_of_a_key_counts)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    then_true(queue_add_at(w.queue, key_of("a"), 200));
    then_true(queue_add_at(w.queue, key_of("a"), 100));
    then_true(queue_add_at(w.queue, key_of("a"), 300));
    then_int(queue_counts(w.queue, 0).delayed, 1);
    then_str(take(&w, 100), "a");
    queue_done_ok(w.queue, key_of("a"), 100);
    then_str(take(&w, 1000), NULL);
}

TEST(an_event_cancels_the_delay_of_a_key)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    then_true(queue_add_at(w.queue, key_of("a"), 200));
    add(&w, "a", QUEUE_EVENT, 10);
    then_true(queue_add_at(w.queue, key_of("a"), 300));
    then_str(take(&w, 10), "a");
    queue_done_ok(w.queue, key_of("a"), 20);
    then_int(queue_next_due(w.queue), INT64_MAX);
}

TEST(a_delay_for_a_key_in_progress_counts_when_the_key_is_done)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    add(&w, "a", QUEUE_EVENT, 0);
    then_str(take(&w, 0), "a");
    then_true(queue_add_at(w.queue, key_of("a"), 500));
    then_true(queue_add_at(w.queue, key_of("a"), 400));
    then_str(take(&w, 450), NULL);
    queue_done_ok(w.queue, key_of("a"), 10);
    then_int(queue_next_due(w.queue), 400);
    then_str(take(&w, 400), "a");
}

TEST(a_failed_key_backs_off_longer_each_time_until_it_succeeds)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    int64_t now = 1000, ceiling = 50;
    add(&w, "a", QUEUE_EVENT, now);
    for (unsigned failures = 1; failures < 20; failures++) {
        then_str(take(&w, now), "a");
        queue_done_failed(w.queue, key_of("a"), 0, now);
        int64_t wait = queue_next_due(w.queue) - now;
        then_true(wait <= ceiling && wait >= ceiling * 4 / 5);
        then_int(queue_failures(w.queue, key_of("a")), failures);
        now = queue_next_due(w.queue);
        ceiling = ceiling * 2 < 60000 ? ceiling * 2 : 60000;
    }
    then_int(queue_counts(w.queue, 0).retries, 19);

    then_str(take(&w, now), "a");
    queue_done_ok(w.queue, key_of("a"), now);
    then_int(queue_failures(w.queue, key_of("a")), 0);
    then_int(queue_next_due(w.queue), INT64_MAX);
}

TEST(a_failed_key_waits_as_long_as_the_server_asked)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    add(&w, "a", QUEUE_EVENT, 0);
    then_str(take(&w, 0), "a");
    queue_done_failed(w.queue, key_of("a"), 7000, 1000);
    then_int(queue_next_due(w.queue), 8000);
}

TEST(an_event_cancels_the_backoff_of_a_key_but_not_its_failure_count)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    add(&w, "a", QUEUE_EVENT, 0);
    then_str(take(&w, 0), "a");
    queue_done_failed(w.queue, key_of("a"), 0, 0);
    add(&w, "a", QUEUE_EVENT, 1);
    then_str(take(&w, 1), "a");
    then_int(queue_failures(w.queue, key_of("a")), 1);

    add(&w, "a", QUEUE_EVENT, 2);
    queue_done_failed(w.queue, key_of("a"), 0, 3);
    then_str(take(&w, 3), "a");
    then_int(queue_failures(w.queue, key_of("a")), 2);
}

TEST(a_delay_that_is_set_for_a_key_in_progress_survives_its_failure)
{
    static const struct {
        const char *name;
        int64_t due, retry_after, want;
    } cases[] = {
        {"before the back-off has ended", 30, 0, 30},
        {"at a time that has passed", 5, 0, 10},
        {"before the server wants to be asked", 30, 40, 50},
        {"after the server wants to be asked", 30, 15, 30},
    };

    each_case(i, cases) {
        SCOPED_QUEUE w;
        given_queue(&w, 0);
        for (int failures = 0; failures < 3; failures++) {
            add(&w, "a", QUEUE_EVENT, 0);
            then_str(take(&w, 0), "a");
            queue_done_failed(w.queue, key_of("a"), 0, 0);
        }
        add(&w, "a", QUEUE_EVENT, 0);
        then_str(take(&w, 0), "a");
        then_true(queue_add_at(w.queue, key_of("a"), cases[i].due));
        queue_done_failed(w.queue, key_of("a"), cases[i].retry_after, 10);
        then_int(queue_next_due(w.queue), cases[i].want);
        then_int(queue_failures(w.queue, key_of("a")), 4);
    }
}

TEST(a_full_workqueue_refuses_new_keys_and_accepts_known_ones)
{
    SCOPED_QUEUE w;
    given_queue(&w, 2);
    add(&w, "a", QUEUE_EVENT, 0);
    add(&w, "b", QUEUE_EVENT, 0);
    then_true(!queue_add(w.queue, key_of("c"), QUEUE_EVENT, 0));
    then_true(!queue_add_at(w.queue, key_of("c"), 10));
    then_str(take(&w, 0), "a");
    add(&w, "a", QUEUE_EVENT, 0);
    queue_done_ok(w.queue, key_of("a"), 0);
    then_str(take(&w, 0), "b");
    queue_done_ok(w.queue, key_of("b"), 0);
    add(&w, "c", QUEUE_EVENT, 0);
}

TEST(an_impossible_object_key_is_refused_by_the_workqueue)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    then_true(!queue_add(w.queue, key_of(""), QUEUE_EVENT, 0));
    then_true(!queue_add_at(w.queue, key_of("a/b"), 0));
    then_int(queue_failures(w.queue, key_of("a/b")), 0);
}

TEST(finishing_a_key_that_was_not_taken_is_a_bug)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    add(&w, "a", QUEUE_EVENT, 0);
    then_bug("nobody had taken", queue_done_ok(w.queue, key_of("a"), 0));
    then_bug("nobody had taken", queue_done_failed(w.queue, key_of("b"), 0, 0));
}

TEST(workqueue_counts_are_kept_per_controller)
{
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    for (int controller = 0; controller < 3; controller++)
        for (int i = 0; i <= controller; i++) {
            char name[] = {(char)('a' + i), '\0'};
            then_true(queue_add(w.queue, (QueueKey){controller, {NULL, name}}, QUEUE_EVENT, 0));
        }
    then_true(queue_add_at(w.queue, (QueueKey){2, {NULL, "d"}}, 9));
    then_str(take(&w, 0), "a");

    then_int(queue_counts(w.queue, 0).held, 1);
    then_int(queue_counts(w.queue, 0).ready, 0);
    then_int(queue_counts(w.queue, 2).ready, 3);
    then_int(queue_counts(w.queue, 2).delayed, 1);
    then_int(queue_counts(w.queue, 2).adds, 3);
    queue_close(NULL);
}

/* --- the model: arrays, and no cleverness */

enum { MODEL_KEYS = 40, MODEL_ROUNDS = 60000 };

typedef struct ModelKey {
    bool ready, held, again;
    int priority, again_priority;
    int64_t due, order;
    unsigned failures;
} ModelKey;

typedef struct Model {
    ModelKey keys[MODEL_KEYS];
    int64_t order;
    int events_in_a_row;
} Model;

static void model_make_ready(Model *m, ModelKey *k, int priority)
{
    k->ready = true;
    k->priority = priority;
    k->due = INT64_MAX;
    k->order = m->order++;
}

static void model_add(Model *m, ModelKey *k, int priority)
{
    if (k->held) {
        k->again_priority = k->again && k->again_priority < priority ? k->again_priority : priority;
        k->again = true;
    } else if (!k->ready || priority < k->priority) {
        model_make_ready(m, k, priority);
    }
}

static void model_add_at(Model *m, ModelKey *k, int64_t due)
{
    if (k->ready || due >= k->due)
        return;
    k->due = due;
    if (!k->held)
        k->order = m->order++;
}

static int model_best(const Model *m, int priority)
{
    int best = -1;
    for (int i = 0; i < MODEL_KEYS; i++)
        if (m->keys[i].ready && m->keys[i].priority == priority
            && (best < 0 || m->keys[i].order < m->keys[best].order))
            best = i;
    return best;
}

static int model_earliest(const Model *m)
{
    int best = -1;
    for (int i = 0; i < MODEL_KEYS; i++) {
        const ModelKey *k = &m->keys[i], *b = best < 0 ? NULL : &m->keys[best];
        if (!k->held && k->due != INT64_MAX
            && (!b || k->due < b->due || (k->due == b->due && k->order < b->order)))
            best = i;
    }
    return best;
}

static int model_take(Model *m, int64_t now)
{
    for (int i; (i = model_earliest(m)) >= 0 && m->keys[i].due <= now;)
        model_make_ready(m, &m->keys[i], QUEUE_EVENT);
    int event = model_best(m, QUEUE_EVENT), startup = model_best(m, QUEUE_STARTUP);
    bool let_through = event < 0 || (startup >= 0 && m->events_in_a_row >= 16);
    m->events_in_a_row = let_through ? 0 : m->events_in_a_row + (startup >= 0);
    int taken = let_through ? startup : event;
    if (taken >= 0) {
        m->keys[taken].ready = false;
        m->keys[taken].held = true;
    }
    return taken;
}

/* `due` is known from the queue where it holds chance. */
static void model_done(Model *m, ModelKey *k, int64_t due)
{
    k->held = false;
    k->due = INT64_MAX;
    if (k->again)
        model_make_ready(m, k, k->again_priority);
    else
        model_add_at(m, k, due);
    k->again = false;
}

TEST(the_workqueue_behaves_like_its_model_in_random_play)
{
    char names[MODEL_KEYS][16];
    SCOPED_QUEUE w;
    given_queue(&w, 0);
    Model m = {0};
    for (int i = 0; i < MODEL_KEYS; i++) {
        snprintf(names[i], sizeof names[i], "key-%d", i);
        m.keys[i].due = INT64_MAX;
    }
    SeededRng rng, chance;
    rng_seed(&rng, 2);
    int64_t now = 1000;

    for (int round = 0; round < MODEL_ROUNDS; round++) {
        int i = (int)rng_below(&rng.port, MODEL_KEYS);
        ModelKey *k = &m.keys[i];
        QueueKey key = key_of(names[i]);
        now += (int64_t)rng_below(&rng.port, 20);
        switch (rng_below(&rng.port, 6)) {
        case 0: {
            QueuePriority priority = rng_below(&rng.port, 2) ? QUEUE_EVENT : QUEUE_STARTUP;
            then_true(queue_add(w.queue, key, priority, now));
            model_add(&m, k, (int)priority);
            break;
        }
        case 1:
        case 2: {
            int64_t due = now + (int64_t)rng_below(&rng.port, 3000);
            then_true(queue_add_at(w.queue, key, due));
            model_add_at(&m, k, due);
            break;
        }
        case 3: {
            int taken = model_take(&m, now);
            then_str(take(&w, now), taken < 0 ? NULL : names[taken]);
            break;
        }
        case 4:
            if (!k->held)
                break;
            queue_done_ok(w.queue, key, now);
            k->failures = 0;
            model_done(&m, k, k->due);
            break;
        default: {
            if (!k->held)
                break;
            chance = w.rng;
            queue_done_failed(w.queue, key, 0, now);
            k->failures++;
            int64_t most = 50;
            for (unsigned f = 1; f < k->failures && most < 60000; f++)
                most *= 2;
            most = most < 60000 ? most : 60000;
            int64_t less = (int64_t)rng_below(&chance.port, (uint64_t)(most / 5) + 1);
            int64_t due = k->due < now + most - less ? k->due : now + most - less;
            model_done(&m, k, due > now ? due : now);
            break;
        }
        }
        then_int(queue_failures(w.queue, key), k->failures);
        size_t held = 0, ready = 0, delayed = 0;
        for (int j = 0; j < MODEL_KEYS; j++) {
            held += m.keys[j].held;
            ready += m.keys[j].ready;
            delayed += !m.keys[j].held && m.keys[j].due != INT64_MAX;
        }
        QueueCounts counts = queue_counts(w.queue, 0);
        then_int(counts.held, held);
        then_int(counts.ready, ready);
        then_int(counts.delayed, delayed);
    }
}
