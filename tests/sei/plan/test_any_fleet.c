/* Fleets of every size, drawn by lot: with gaps, with nodes beyond the replicas, of validators, in
 * any state. Single decisions are held to the rules of batch_rules.h and to the symmetries that
 * test_every_fleet.c stands on; whole rollouts are rolled to their end. */
#include "base/rng.h"
#include "tests/sei/plan/batch_rules.h"

#include <inttypes.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { ROLLS = 200, DRAWS = 5000 };
#else
enum { ROLLS = 2000, DRAWS = 300000 };
#endif

enum { LARGE_MAX = 200 };

static bool by_chance(Rng *rng, uint64_t one_in)
{
    return rng_below(rng, one_in) == 0;
}

/* --- one decision ------------------------------------------------------------------------------*/

typedef struct Drawn {
    Rng *rng;
    FleetStrategy strategy;
    Batch batch;
    BatchNode nodes[LARGE_MAX];
    Fact known[LARGE_MAX];
    const Fact *facts[LARGE_MAX];
    BatchVerdict verdicts[LARGE_MAX], before[LARGE_MAX];
    int64_t budget;
} Drawn;

static BatchNode draw_node(Drawn *d, bool halts)
{
    BatchNode node = state_of((int)rng_below(d->rng, STATES));

    if (!by_chance(d->rng, 4)) /* else hardly anybody could be written */
        node.paused = node.leaving = node.on_target = false;
    if (halts) {
        node.serves = false;
        node.once_ready = true;
        node.since_ms = AGE_LONG_MS;
        node.seid_down = true;
        node.down_ms = AGE_LONG_MS;
    }
    return node;
}

static void draw_nodes(Drawn *d, size_t count)
{
    bool halts = by_chance(d->rng, 10); /* all of them, which is rare otherwise */
    int64_t ordinal = 0;

    for (size_t i = 0; i < count; i++) {
        ordinal += by_chance(d->rng, 6) ? 1 + (int64_t)rng_below(d->rng, 3) : 0; /* a gap */
        d->nodes[i] = draw_node(d, halts);
        d->nodes[i].ordinal = ordinal++;
        d->known[i] = fact_of(&d->nodes[i], &d->strategy);
        d->facts[i] = &d->known[i];
    }
}

static void draw_fleet(Drawn *d, size_t count)
{
    d->strategy = (FleetStrategy){
        .max_unavailable = {.value = (int64_t)rng_below(d->rng, by_chance(d->rng, 2) ? 101 : 8),
            .percent = by_chance(d->rng, 2)},
        .partition = by_chance(d->rng, 3) ? (int64_t)rng_below(d->rng, count + 2) : 0,
        .min_ready_seconds = by_chance(d->rng, 2) ? 30 : 0,
        .progress_deadline_seconds = by_chance(d->rng, 2) ? DEADLINE_S : 600,
        .hold = by_chance(d->rng, 20),
    };
    draw_nodes(d, count);
    int64_t beyond = d->nodes[count - 1].ordinal + 1;
    d->batch = (Batch){.strategy = &d->strategy,
        .replicas =
            by_chance(d->rng, 3) ? (int64_t)rng_below(d->rng, 2 * (uint64_t)beyond) : beyond,
        .validators = by_chance(d->rng, 3),
        .caused_by_spec = !by_chance(d->rng, 3),
        .all_down_seen_ms = by_chance(d->rng, 5) ? 1000 : AGE_LONG_MS,
        .overdue = by_chance(d->rng, 20),
        .nodes = d->nodes,
        .count = count,
        .verdicts = d->verdicts};
    d->budget = batch_budget(&d->strategy, d->batch.replicas, d->batch.validators);
}

static void then_rules_hold(Drawn *d, uint64_t number, Tally *t)
{
    plan_batch(&d->batch);
    const char *broken = broken_rule(&d->batch, d->facts, (size_t)d->budget, t);
    if (broken)
        test_fail(__FILE__, __LINE__, "fleet %" PRIu64 ": %s", number, broken);
}

TEST(randomly_drawn_fleets_of_every_size_are_updated_by_the_rollout_rules)
{
    static Drawn d;
    SeededRng rng;
    Tally t;
    uint64_t writes = 0, halts = 0, gaps = 0, beyond = 0;

    rng_seed(&rng, 1);
    d.rng = &rng.port;
    for (uint64_t i = 0; i < DRAWS; i++) {
        draw_fleet(&d, 1 + rng_below(d.rng, by_chance(d.rng, 8) ? LARGE_MAX : 12));
        then_rules_hold(&d, i, &t);
        writes += t.writes;
        halts += d.batch.halted;
        gaps += (int64_t)t.present < d.batch.replicas;
        beyond += t.present < d.batch.count;
    }
    print_message("# %d fleets, %" PRIu64 " writes, %" PRIu64 " halted, %" PRIu64
                  " with gaps, %" PRIu64 " with too many\n",
        DRAWS,
        writes,
        halts,
        gaps,
        beyond);
    then_true(writes > DRAWS && halts > DRAWS / 50 && gaps > DRAWS / 10 && beyond > DRAWS / 10);
}

/* --- the symmetries ----------------------------------------------------------------------------*/

static bool is_candidate(const Drawn *d, size_t i)
{
    return is_scoped(&d->batch, i) && d->facts[i]->alone == BATCH_WRITE;
}

static bool is_counted(const Drawn *d, size_t i)
{
    return d->nodes[i].ordinal < d->batch.replicas;
}

/* Neighbours of whom one is not to be written, and who stay on their side of every border. */
static bool may_change_places(const Drawn *d, size_t left)
{
    return is_counted(d, left) == is_counted(d, left + 1)
        && is_scoped(&d->batch, left) == is_scoped(&d->batch, left + 1)
        && !(is_candidate(d, left) && is_candidate(d, left + 1));
}

static void change_places(Drawn *d, size_t left)
{
    BatchNode node = d->nodes[left];
    int64_t right = d->nodes[left + 1].ordinal;

    d->nodes[left] = d->nodes[left + 1];
    d->nodes[left].ordinal = node.ordinal;
    d->nodes[left + 1] = node;
    d->nodes[left + 1].ordinal = right;
}

static void decide_and_remember(Drawn *d)
{
    plan_batch(&d->batch);
    memcpy(d->before, d->verdicts, d->batch.count * sizeof d->before[0]);
}

static void then_only_order_has_changed(Drawn *d, size_t left)
{
    decide_and_remember(d);
    change_places(d, left);
    plan_batch(&d->batch);
    for (size_t i = 0; i < d->batch.count; i++) {
        size_t was = i == left ? left + 1 : i == left + 1 ? left : i;
        then_int(d->verdicts[i], d->before[was]);
    }
}

TEST(in_randomly_drawn_fleets_only_nodes_that_may_be_written_depend_on_their_order)
{
    static Drawn d;
    SeededRng rng;
    size_t changed = 0;

    rng_seed(&rng, 2);
    d.rng = &rng.port;
    for (int i = 0; i < DRAWS; i++) {
        size_t count = 2 + rng_below(d.rng, 9);
        draw_fleet(&d, count);
        size_t left = rng_below(d.rng, count - 1);
        if (!may_change_places(&d, left))
            continue;
        then_only_order_has_changed(&d, left);
        changed++;
    }
    print_message("# %zu exchanges\n", changed);
    then_true(changed > DRAWS / 4);
}

/* Another state of the same effect, in the place of one node. */
static bool draw_alike(Drawn *d, size_t place)
{
    bool behind = !is_scoped(&d->batch, place);
    BatchNode other = state_of((int)rng_below(d->rng, STATES));
    Fact fact = fact_of(&other, &d->strategy);

    if (effect_of(&fact, behind) != effect_of(d->facts[place], behind))
        return false;
    other.ordinal = d->nodes[place].ordinal;
    d->nodes[place] = other;
    return true;
}

TEST(in_randomly_drawn_fleets_a_verdict_depends_only_on_the_effect_of_a_node_state)
{
    static Drawn d;
    SeededRng rng;
    size_t exchanged = 0;

    rng_seed(&rng, 3);
    d.rng = &rng.port;
    for (int i = 0; i < DRAWS; i++) {
        size_t count = 1 + rng_below(d.rng, 10), place = rng_below(d.rng, count);
        draw_fleet(&d, count);
        decide_and_remember(&d);
        if (!draw_alike(&d, place))
            continue;
        plan_batch(&d.batch);
        for (size_t j = 0; j < count; j++)
            if (j != place || is_candidate(&d, j))
                then_int(d.verdicts[j], d.before[j]);
        exchanged++;
    }
    print_message("# %zu exchanges\n", exchanged);
    then_true(exchanged > DRAWS / 50);
}

/* --- larger fleets, rolled to their end --------------------------------------------------------*/

enum { STEPS_MAX = 3000, STEP_MS = 7000 };

/* A model of nodes: one that is written stops, and some steps later it serves again, unless what it
 * was written with is bad; or it refuses that, and runs on as it did. Others fall ill and recover
 * by themselves, and those that are missing are made on the target, one by one. */
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
    bool image_is_bad, is_refused;
    int64_t missing[LARGE_MAX]; /* ordinals, the lowest first */
    size_t missing_count;
    size_t taken_down; /* by us, of those that served */
} Roll;

static BatchNode node_by_lot(Roll *r, size_t ordinal)
{
    bool serves = !by_chance(r->rng, 8), once_ready = serves || !by_chance(r->rng, 3);

    BatchNode node = {
        .ordinal = (int64_t)ordinal,
        .serves = serves,
        .once_ready = once_ready,
        .paused = by_chance(r->rng, 40),
        .failed = !once_ready && by_chance(r->rng, 2),
        .since_ms = (int64_t)rng_below(r->rng, 200000),
        .seid_down = once_ready && !serves,
    };
    node.down_ms = node.seid_down ? node.since_ms : 0;
    return node;
}

static void draw_members(Roll *r, size_t all, bool has_gaps)
{
    r->n = 0;
    for (size_t ordinal = 0; ordinal < all; ordinal++) {
        BatchNode *node = &r->nodes[r->n];
        *node = node_by_lot(r, ordinal);
        if (node->paused)
            node->serves = false;
        if (!node->serves && by_chance(r->rng, 2)) /* others stay ill until they are updated */
            r->patients[r->n].back_in = 1 + (int)rng_below(r->rng, 20);
        r->n++;
        if (has_gaps && by_chance(r->rng, 5)) {
            r->patients[--r->n] = (Patient){0};
            r->missing[r->missing_count++] = (int64_t)ordinal;
        }
    }
}

static void begin_roll(Roll *r, uint64_t seed, SeededRng *rng)
{
    rng_seed(rng, seed);
    *r = (Roll){.rng = &rng->port};
    r->n = 1 + rng_below(r->rng, by_chance(r->rng, 4) ? LARGE_MAX : 20);
    r->image_is_bad = by_chance(r->rng, 3);
    r->is_refused = by_chance(r->rng, 8);
    r->strategy = (FleetStrategy){
        .max_unavailable = {.value = (int64_t)rng_below(r->rng, 101),
            .percent = by_chance(r->rng, 2)},
        .partition = by_chance(r->rng, 3) ? (int64_t)rng_below(r->rng, r->n + 2) : 0,
        .min_ready_seconds = by_chance(r->rng, 2) ? (int64_t)rng_below(r->rng, 60) : 0,
        .hold = by_chance(r->rng, 20),
    };
    size_t all = r->n, beyond = by_chance(r->rng, 5) ? rng_below(r->rng, all) / 2 : 0;
    draw_members(r, all, by_chance(r->rng, 4));
    r->batch = (Batch){.strategy = &r->strategy,
        .replicas = (int64_t)(all - beyond),
        .validators = by_chance(r->rng, 3),
        .caused_by_spec = !by_chance(r->rng, 3),
        .all_down_seen_ms = AGE_LONG_MS,
        .nodes = r->nodes,
        .count = r->n,
        .verdicts = r->verdicts};
}

/* One that is missing is made, in its place. */
static void make_one(Roll *r)
{
    int64_t ordinal = r->missing[--r->missing_count];
    size_t place = r->n;

    if (ordinal >= r->batch.replicas)
        return;
    for (; place > 0 && r->nodes[place - 1].ordinal > ordinal; place--) {
        r->nodes[place] = r->nodes[place - 1];
        r->patients[place] = r->patients[place - 1];
    }
    r->nodes[place] = (BatchNode){.ordinal = ordinal, .on_target = true};
    r->patients[place] = (Patient){
        .was_written = true, .back_in = r->image_is_bad ? 0 : 1 + (int)rng_below(r->rng, 10)};
    r->batch.count = ++r->n;
}

static void turn(BatchNode *node, bool serves)
{
    if (node->serves != serves)
        node->since_ms = 0;
    node->serves = serves;
    node->once_ready = node->once_ready || serves;
    node->seid_down = node->once_ready && !serves;
    node->down_ms = node->seid_down ? node->since_ms : 0;
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
        bool is_counted = r->nodes[i].ordinal < r->batch.replicas;
        unavailable += is_counted && r->nodes[i].once_ready && !available;
        if (r->verdicts[i] != BATCH_WRITE)
            continue;
        then_true(!r->strategy.hold && !r->nodes[i].paused && !r->nodes[i].on_target);
        then_true(r->nodes[i].ordinal >= r->strategy.partition);
        then_true(r->nodes[i].ordinal < r->batch.replicas);
        then_true(!r->patients[i].was_written); /* once is enough */
        available_written += available;
        r->nodes[i].on_target = true;
        r->nodes[i].refuses = r->is_refused;
        r->patients[i].was_written = true;
        if (r->is_refused)
            continue;
        r->taken_down += r->nodes[i].serves;
        r->patients[i].back_in = 0;
        r->patients[i].stops_in = 1 + (int)rng_below(r->rng, 3);
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
        || r->batch.in_flight > 0 || r->batch.down >= (size_t)r->batch.budget
        || r->missing_count > 0);
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
        if (r->missing_count > 0 && by_chance(r->rng, 5))
            make_one(r);
    }
}

/* It has an end, or a reason not to: what nobody can run or will have, a hold, too many who are
 * down and stay so. */
static bool may_stop(const Roll *r)
{
    size_t out = 0; /* paused or ill for good, where nothing is written */

    for (size_t i = 0; i < r->n; i++) {
        bool is_cured = r->nodes[i].on_target && !r->nodes[i].paused;
        bool is_counted = r->nodes[i].ordinal < r->batch.replicas;
        out += is_counted && r->nodes[i].once_ready && !r->nodes[i].serves && !is_cured;
    }
    return r->image_is_bad || r->is_refused || r->strategy.hold || out >= (size_t)r->batch.budget;
}

TEST(random_rollouts_of_any_size_keep_the_budget_and_complete)
{
    static Roll r;
    SeededRng rng;
    size_t completed = 0, stopped_by_image = 0, refused = 0;

    for (uint64_t seed = 1; seed <= ROLLS; seed++) {
        begin_roll(&r, seed, &rng);
        roll_to_the_end(&r);
        if (!r.batch.complete && !may_stop(&r))
            test_fail(__FILE__, __LINE__, "seed %" PRIu64 " stands still", seed);
        if (r.image_is_bad && !r.batch.halted && r.taken_down > (size_t)r.batch.budget)
            test_fail(__FILE__, __LINE__, "seed %" PRIu64 ": a bad image went on", seed);
        completed += r.batch.complete;
        stopped_by_image += r.image_is_bad && !r.batch.complete;
        refused += r.is_refused && !r.batch.complete;
    }
    print_message("# %d rollouts: %zu complete, %zu stopped by a bad image, %zu refused\n",
        ROLLS,
        completed,
        stopped_by_image,
        refused);
    then_true(refused > ROLLS / 20);
    then_true(completed > ROLLS / 4 && stopped_by_image > ROLLS / 10);
}
