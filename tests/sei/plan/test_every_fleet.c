/* Every fleet of up to six nodes, in every state that the rules tell apart, under every budget: the
 * rules of batch.h are written down once more here, over facts that are spelt out per state, and
 * each decision is held to them. Larger fleets are drawn by lot, and rolled to their end. */
#include "base/rng.h"
#include "tests/sei/plan/fleets.h"

/* A sanitizer looks at code, all of which fewer fleets reach as well. */
#ifdef __SANITIZE_ADDRESS__
enum { SMALL_MAX = 4, ROLLS = 200 };
#else
enum { SMALL_MAX = 6, ROLLS = 2000 };
#endif

static const char *const words[] = {"oa",
    "ou",
    "ow",
    "os",
    "oh",
    "on",
    "of",
    "op",
    "od",
    "ta",
    "tu",
    "ts",
    "th",
    "tn",
    "tf",
    "tp",
    "td"};

enum { WORDS = array_count(words) };

/* What the rules of the house say of a word, spelt out. */
typedef struct Fact {
    bool old, out, available, down, flight, writable, halted, settled;
} Fact;

static Fact fact_of(const char *word)
{
    char how = word[1];
    bool old = word[0] == 'o';

    return (Fact){
        .old = old,
        .out = !strchr("aud", how),
        .available = how == 'a',
        .down = strchr("uwsdhp", how),
        .flight = !old && strchr("uwshnd", how),
        .writable = old && !strchr("pd", how),
        .halted = strchr("hp", how),
        .settled = how == 'p' || (!old && strchr("af", how)),
    };
}

typedef struct Every {
    Fact facts[WORDS];
    BatchNode nodes[WORDS];
    Judged j;
    size_t word[SMALL_MAX];
    uint64_t count, writes, halts;
} Every;

typedef struct Tally {
    size_t flight, down, in_scope, halted, candidates, settled;
    size_t writes, writes_fresh, writes_available;
    bool waits; /* a candidate came before that was not written */
} Tally;

/* In the order of writing: the first that waits ends it. */
static void tally_writes(const Every *e, bool out, bool available, Tally *t)
{
    const Batch *b = &e->j.batch;

    for (size_t i = b->count; i-- > 0;) {
        const Fact *fact = &e->facts[e->word[i]];
        if (!fact->writable || fact->out != out || fact->available != available)
            continue;
        if ((int64_t)i < b->strategy->partition)
            continue;
        t->candidates++;
        if (b->verdicts[i] != BATCH_WRITE) {
            t->waits = true;
            continue;
        }
        then_true(!t->waits);
        t->writes++;
        t->writes_fresh += !fact->out && !fact->available;
        t->writes_available += fact->available;
    }
}

static Tally tally(const Every *e)
{
    const Batch *b = &e->j.batch;
    Tally t = {0};

    for (size_t i = 0; i < b->count; i++) {
        const Fact *fact = &e->facts[e->word[i]];
        bool in_scope = (int64_t)i >= b->strategy->partition;
        t.flight += fact->flight;
        t.down += fact->down;
        t.in_scope += in_scope;
        t.halted += in_scope && fact->halted;
        t.settled += fact->settled || (!in_scope && fact->old && e->j.nodes[i].leaving == false);
    }
    tally_writes(e, true, false, &t);
    tally_writes(e, false, false, &t);
    tally_writes(e, false, true, &t);
    return t;
}

static void then_the_budget_holds(const Every *e, const Tally *t, size_t budget)
{
    const Batch *b = &e->j.batch;
    size_t flight = t->flight + t->writes, down = t->down + t->writes_available;

    then_true(t->writes == 0 || flight <= budget);
    then_true(t->writes_available == 0 || down <= budget);
    then_true(t->writes_fresh == 0 || t->down <= budget);
    /* Whoever waits does so for a reason that is true, and is not himself. */
    for (size_t i = 0; i < b->count; i++) {
        const Fact *fact = &e->facts[e->word[i]];
        then_true(b->verdicts[i] != BATCH_IN_FLIGHT || flight >= budget);
        then_true(b->verdicts[i] != BATCH_DOWN || (!fact->out && down - fact->down >= budget));
    }
}

static void then_rules_hold(Every *e, size_t budget)
{
    const Batch *b = &e->j.batch;
    Tally t = tally(e);
    bool halted = b->caused_by_spec && t.in_scope > 0 && t.halted == t.in_scope;

    e->count++;
    e->writes += t.writes;
    e->halts += halted;
    then_int(b->write_count, t.writes);
    then_int(b->complete, t.settled == b->count);
    if (b->strategy->hold)
        then_int(t.writes, 0);
    else if (halted)
        then_int(t.writes, t.candidates);
    else
        then_the_budget_holds(e, &t, budget);
}

/* One fleet under every budget, for either cause. */
static void judge_budgets(Every *e)
{
    size_t n = e->j.batch.count;

    for (int by_spec = 0; by_spec < 2; by_spec++)
        for (size_t budget = 1; budget <= n; budget++) {
            e->j.batch.caused_by_spec = by_spec;
            e->j.strategy.max_unavailable.value = (int64_t)budget;
            plan_batch(&e->j.batch);
            then_rules_hold(e, budget);
        }
}

/* The next state of the nodes [from, to), whatever their order; false after the last. */
static bool next_in(Every *e, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (e->word[i] == WORDS - 1)
            continue;
        size_t next = e->word[i] + 1;
        for (size_t j = from; j <= i; j++)
            e->word[j] = next;
        return true;
    }
    for (size_t i = from; i < to; i++)
        e->word[i] = 0;
    return false;
}

static bool next_fleet(Every *e, bool in_order)
{
    size_t n = e->j.batch.count, partition = (size_t)e->j.strategy.partition;

    for (size_t i = 0; in_order && i < n; i++)
        if (next_in(e, i, i + 1))
            return true;
    return !in_order && (next_in(e, 0, partition) || next_in(e, partition, n));
}

static void take_places(Every *e)
{
    for (size_t i = 0; i < e->j.batch.count; i++) {
        e->j.nodes[i] = e->nodes[e->word[i]];
        e->j.nodes[i].ordinal = (int64_t)i;
    }
}

static void judge_all(Every *e, size_t n, int64_t partition, bool hold)
{
    bool in_order = n < SMALL_MAX;

    e->j.strategy = (FleetStrategy){.partition = partition, .min_ready_seconds = 30, .hold = hold};
    e->j.batch = (Batch){.strategy = &e->j.strategy,
        .replicas = (int64_t)n,
        .nodes = e->j.nodes,
        .count = n,
        .verdicts = e->j.verdicts};
    do {
        take_places(e);
        judge_budgets(e);
    } while (next_fleet(e, in_order));
}

/* Five nodes in every order but with few partitions, six with every partition but in one order:
 * that is what a few seconds are enough for. */
static bool is_judged(size_t n, int64_t partition, bool hold)
{
    return n < 5 || (!hold && (n > 5 || partition == 0 || partition == 2));
}

TEST(every_small_fleet_is_updated_by_the_rules)
{
    static Every e;

    for (size_t i = 0; i < WORDS; i++) {
        e.facts[i] = fact_of(words[i]);
        e.nodes[i] = node_of(words[i], 0);
    }
    for (size_t n = 1; n <= SMALL_MAX; n++)
        for (int64_t partition = 0; partition <= (int64_t)n; partition++)
            for (int hold = 0; hold < 2; hold++)
                if (is_judged(n, partition, hold))
                    judge_all(&e, n, partition, hold);
    print_message("# %" PRIu64 " decisions, %" PRIu64 " writes, %" PRIu64 " halted fleets\n",
        e.count,
        e.writes,
        e.halts);
    then_true(e.writes > 0 && e.halts > 0);
}

/* --- larger fleets, rolled to their end --------------------------------------------------------*/

enum { LARGE_MAX = 200, STEPS_MAX = 3000, STEP_MS = 7000 };

/* A model of nodes: one that is written stops, and some steps later it serves again, unless what it
 * was written with is bad. Others fall ill and recover by themselves. */
typedef struct Patient {
    int stops_in; /* steps until a write is felt; 0: no write is under way */
    int back_in;  /* steps until it serves; 0: it does, or never will */
    bool was_written, was_available_then;
} Patient;

typedef struct Roll {
    Rng *rng;
    size_t n;
    FleetStrategy strategy;
    Batch batch;
    BatchNode nodes[LARGE_MAX];
    Patient patients[LARGE_MAX];
    BatchVerdict verdicts[LARGE_MAX];
    bool image_is_bad;
    size_t taken_down; /* by us, of those that served */
} Roll;

static bool by_chance(Roll *r, uint64_t one_in)
{
    return rng_below(r->rng, one_in) == 0;
}

static BatchNode node_by_lot(Roll *r, size_t ordinal)
{
    bool serves = !by_chance(r, 8), once_ready = serves || !by_chance(r, 3);

    return (BatchNode){
        .ordinal = (int64_t)ordinal,
        .serves = serves,
        .once_ready = once_ready,
        .paused = by_chance(r, 40),
        .failed = !once_ready && by_chance(r, 2),
        .since_ms = (int64_t)rng_below(r->rng, 200000),
    };
}

static void begin_roll(Roll *r, uint64_t seed, SeededRng *rng)
{
    rng_seed(rng, seed);
    *r = (Roll){.rng = &rng->port};
    r->n = 1 + rng_below(r->rng, by_chance(r, 4) ? LARGE_MAX : 20);
    r->image_is_bad = by_chance(r, 3);
    r->strategy = (FleetStrategy){
        .max_unavailable = {.value = (int64_t)rng_below(r->rng, 101), .percent = by_chance(r, 2)},
        .partition = by_chance(r, 3) ? (int64_t)rng_below(r->rng, r->n + 2) : 0,
        .min_ready_seconds = by_chance(r, 2) ? (int64_t)rng_below(r->rng, 60) : 0,
        .hold = by_chance(r, 20),
    };
    for (size_t i = 0; i < r->n; i++) {
        r->nodes[i] = node_by_lot(r, i);
        if (r->nodes[i].paused)
            r->nodes[i].serves = false;
        if (!r->nodes[i].serves && by_chance(r, 2)) /* others stay ill until they are updated */
            r->patients[i].back_in = 1 + (int)rng_below(r->rng, 20);
    }
    r->batch = (Batch){.strategy = &r->strategy,
        .replicas = (int64_t)r->n,
        .validators = by_chance(r, 3),
        .caused_by_spec = !by_chance(r, 3),
        .nodes = r->nodes,
        .count = r->n,
        .verdicts = r->verdicts};
}

static void turn(BatchNode *node, bool serves)
{
    if (node->serves != serves)
        node->since_ms = 0;
    node->serves = serves;
    node->once_ready = node->once_ready || serves;
}

static void pass_time(Roll *r, size_t i)
{
    BatchNode *node = &r->nodes[i];
    Patient *patient = &r->patients[i];

    node->since_ms += STEP_MS;
    if (patient->stops_in > 0 && --patient->stops_in == 0) {
        node->disturbed = false;
        node->failed = false;
        turn(node, false);
        patient->back_in = r->image_is_bad ? 0 : 1 + (int)rng_below(r->rng, 10);
    } else if (patient->back_in > 0 && --patient->back_in == 0 && !node->paused && !node->failed) {
        turn(node, true);
    }
}

/* What counts, counted by the model and not by the decision. */
static void write_batch(Roll *r)
{
    size_t unavailable = 0, available_written = 0, budget = (size_t)r->batch.budget;

    for (size_t i = 0; i < r->n; i++) {
        bool available = batch_is_available(&r->strategy, &r->nodes[i]);
        unavailable += r->nodes[i].once_ready && !available;
        if (r->verdicts[i] != BATCH_WRITE)
            continue;
        then_true(!r->strategy.hold && !r->nodes[i].paused && !r->nodes[i].on_target);
        then_true((int64_t)i >= r->strategy.partition);
        then_true(!r->patients[i].was_written); /* once is enough */
        available_written += available;
        r->taken_down += r->nodes[i].serves;
        r->patients[i] = (Patient){.stops_in = 1 + (int)rng_below(r->rng, 3), .was_written = true};
        r->nodes[i].on_target = true;
        r->nodes[i].disturbed = r->nodes[i].serves;
    }
    then_true(budget >= 1);
    then_true(available_written == 0 || unavailable + available_written <= budget);
}

/* Somebody who is not written is told why, and the reason is a number that is true. */
static void then_all_is_explained(Roll *r)
{
    SCOPED_ARENA a = arena_open(1 << 20);

    for (size_t i = 0; i < r->n; i++)
        then_true(strlen(batch_sentence(a, &r->batch, i, "f")) > 10);
    then_true(r->batch.write_count > 0 || r->batch.complete || r->strategy.hold
        || r->batch.in_flight > 0 || r->batch.down >= (size_t)r->batch.budget);
}

static void roll_to_the_end(Roll *r)
{
    for (int step = 0; step < STEPS_MAX; step++) {
        plan_batch(&r->batch);
        if (step % 16 == 0)
            then_all_is_explained(r);
        write_batch(r);
        if (r->batch.complete)
            return;
        for (size_t i = 0; i < r->n; i++)
            pass_time(r, i);
    }
}

/* It has an end, or a reason not to: a bad image, a hold, too many who are down and stay so. */
static bool may_stop(const Roll *r)
{
    size_t out = 0; /* paused or ill for good, where nothing is written */

    for (size_t i = 0; i < r->n; i++) {
        bool is_cured = r->nodes[i].on_target && !r->nodes[i].paused;
        out += r->nodes[i].once_ready && !r->nodes[i].serves && !is_cured;
    }
    return r->image_is_bad || r->strategy.hold || out >= (size_t)r->batch.budget;
}

TEST(rollouts_of_any_size_keep_the_budget_and_come_to_an_end)
{
    static Roll r;
    SeededRng rng;
    size_t completed = 0, stopped_by_image = 0;

    for (uint64_t seed = 1; seed <= ROLLS; seed++) {
        begin_roll(&r, seed, &rng);
        roll_to_the_end(&r);
        if (!r.batch.complete && !may_stop(&r))
            test_fail(__FILE__, __LINE__, "seed %" PRIu64 " stands still", seed);
        if (r.image_is_bad && !r.batch.halted && r.taken_down > (size_t)r.batch.budget)
            test_fail(__FILE__, __LINE__, "seed %" PRIu64 ": a bad image went on", seed);
        completed += r.batch.complete;
        stopped_by_image += r.image_is_bad && !r.batch.complete;
    }
    print_message("# %d rollouts: %zu complete, %zu stopped by a bad image\n",
        ROLLS,
        completed,
        stopped_by_image);
    then_true(completed > ROLLS / 4 && stopped_by_image > ROLLS / 10);
}
