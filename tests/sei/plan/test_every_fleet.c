/* Every fleet of up to six nodes, under every strategy: each decision is held to the rules of
 * batch_rules.h.
 *
 * A node has eleven yes-or-no qualities and an age, which makes thousands of states; but the
 * decision sees no more of it than an effect, of which there are few. So what is enumerated:
 *
 *   every state       in fleets of up to 2, beside every effect, under every strategy
 *   every effect      in fleets of up to 5, in every order, under every strategy
 *   of six nodes      every effect, in every order of those that are to be written; how the others
 *                     stand between them makes no difference
 *   missing ordinals, and nodes beyond the replicas: up to 3 nodes at any of 5 ordinals
 *
 * What is left out is the same by two symmetries, and each is tested itself: a node may be
 * exchanged for another of the same effect (*a batch verdict depends only on the effect of a node
 * state*), and neighbours of whom one is not to be written may change places (*only nodes that may
 * be written depend on their order*). Below the partition nobody is to be written. What lies beyond
 * is drawn by lot in test_any_fleet.c. */
#include "tests/sei/plan/batch_rules.h"

#include <inttypes.h>

/* A sanitizer looks at code, all of which fewer fleets reach as well. */
#ifdef __SANITIZE_ADDRESS__
enum { SMALL_MAX = 4, SPARSE_MAX = 2, EXCHANGED_MAX = 3 };
#else
enum { SMALL_MAX = 6, SPARSE_MAX = 3, EXCHANGED_MAX = 4 };
#endif

enum {
    FLEET_MAX = 6,
    ORDINALS = 5, /* where few nodes may stand */
    IN_ORDER_MAX = 5,
    EFFECTS_MAX = 32,
    MIN_READY_S = 30,
};

/* --- effects -----------------------------------------------------------------------------------*/

/* A state for every effect that there is. */
typedef struct Effects {
    BatchNode nodes[EFFECTS_MAX];
    Fact facts[EFFECTS_MAX];
    size_t count;
} Effects;

static bool has_effect(const Effects *e, const Fact *fact, bool behind)
{
    for (size_t i = 0; i < e->count; i++)
        if (effect_of(&e->facts[i], behind) == effect_of(fact, behind))
            return true;
    return false;
}

/* Those to be written come first. */
static void find_effects(Effects *e, const FleetStrategy *strategy, bool behind)
{
    e->count = 0;
    for (int candidates = 1; candidates >= 0; candidates--)
        for (int number = 0; number < STATES; number++) {
            BatchNode node = state_of(number);
            Fact fact = fact_of(&node, strategy);
            BatchVerdict verdict = behind ? fact.behind : fact.alone;
            if ((verdict == BATCH_WRITE) != candidates || has_effect(e, &fact, behind))
                continue;
            then_true(e->count < EFFECTS_MAX);
            e->nodes[e->count] = node;
            e->facts[e->count++] = fact;
        }
}

/* --- one fleet under every strategy ------------------------------------------------------------*/

typedef struct Every {
    Effects scoped, behind; /* from the partition on, and below it */
    FleetStrategy strategy;
    Batch batch;
    BatchNode nodes[FLEET_MAX];
    const Fact *facts[FLEET_MAX];
    BatchVerdict verdicts[FLEET_MAX];
    size_t pick[FLEET_MAX]; /* which effect each has */
    uint64_t fleets, decisions, writes, halts;
} Every;

static void open_every(Every *e, int64_t min_ready_s)
{
    *e = (Every){
        .strategy = {.min_ready_seconds = min_ready_s, .progress_deadline_seconds = DEADLINE_S}};
    find_effects(&e->scoped, &e->strategy, false);
    find_effects(&e->behind, &e->strategy, true);
    e->batch = (Batch){.strategy = &e->strategy, .nodes = e->nodes, .verdicts = e->verdicts};
}

static void judge_once(Every *e, size_t budget)
{
    Tally t;

    plan_batch(&e->batch);
    const char *broken = broken_rule(&e->batch, e->facts, budget, &t);
    if (broken)
        test_fail(__FILE__, __LINE__, "%" PRIu64 " decisions were right: %s", e->decisions, broken);
    e->decisions++;
    e->writes += t.writes;
    e->halts += e->batch.halted;
}

static void judge_held(Every *e)
{
    for (int overdue = 0; overdue < 2; overdue++) {
        e->strategy.hold = !overdue;
        e->batch.overdue = overdue;
        judge_once(e, (size_t)e->strategy.max_unavailable.value);
    }
    e->strategy.hold = e->batch.overdue = false;
}

/* Of so few validators one may be missing, whatever the strategy says. */
static void judge_validators(Every *e)
{
    e->batch.validators = true;
    judge_once(e, 1);
    e->batch.validators = false;
}

/* Every budget for either cause, every other switch once. */
static void judge_strategies(Every *e)
{
    size_t largest = e->batch.count > 0 ? e->batch.count : 1;

    e->fleets++;
    for (int by_spec = 0; by_spec < 2; by_spec++)
        for (size_t budget = 1; budget <= largest; budget++) {
            e->batch.caused_by_spec = by_spec;
            e->batch.all_down_seen_ms = AGE_LONG_MS;
            e->strategy.max_unavailable.value = (int64_t)budget;
            judge_once(e, budget);
        }
    judge_held(e);
    judge_validators(e);
}

static void tell(const char *what, const Every *e)
{
    print_message("# %s: %" PRIu64 " fleets, %" PRIu64 " decisions, %" PRIu64 " writes, %" PRIu64
                  " halted\n",
        what,
        e->fleets,
        e->decisions,
        e->writes,
        e->halts);
    then_true(e->writes > 0 && e->halts > 0);
}

/* --- every fleet -------------------------------------------------------------------------------*/

static const Effects *effects_at(const Every *e, size_t place)
{
    return (int64_t)place < e->strategy.partition ? &e->behind : &e->scoped;
}

static void take_effect(
    Every *e, size_t place, const Effects *effects, size_t pick, int64_t ordinal)
{
    e->nodes[place] = effects->nodes[pick];
    e->nodes[place].ordinal = ordinal;
    e->facts[place] = &effects->facts[pick];
    e->pick[place] = pick;
}

static void judge_in_order(Every *e, size_t place)
{
    const Effects *effects = effects_at(e, place);

    if (place == e->batch.count) {
        judge_strategies(e);
        return;
    }
    for (size_t i = 0; i < effects->count; i++) {
        take_effect(e, place, effects, i, (int64_t)place);
        judge_in_order(e, place + 1);
    }
}

static bool is_candidate(const Effects *effects, size_t pick)
{
    return effects->facts[pick].alone == BATCH_WRITE;
}

/* Nobody who is not to be written stands after one who is, or before one of a lower effect: one
 * order of all that make no difference. */
static bool is_in_place(const Every *e, size_t place, size_t pick)
{
    const Effects *effects = effects_at(e, place);
    bool is_first = place == 0 || effects_at(e, place - 1) != effects;

    if (is_first)
        return true;
    if (effects == &e->scoped && is_candidate(effects, pick))
        return true;
    if (effects == &e->scoped && is_candidate(effects, e->pick[place - 1]))
        return false;
    return pick >= e->pick[place - 1];
}

static void judge_once_each(Every *e, size_t place)
{
    const Effects *effects = effects_at(e, place);

    if (place == e->batch.count) {
        judge_strategies(e);
        return;
    }
    for (size_t i = 0; i < effects->count; i++) {
        if (!is_in_place(e, place, i))
            continue;
        take_effect(e, place, effects, i, (int64_t)place);
        judge_once_each(e, place + 1);
    }
}

TEST(every_fleet_of_up_to_six_nodes_is_updated_by_the_rollout_rules)
{
    static Every e;

    open_every(&e, MIN_READY_S);
    for (size_t n = 1; n <= SMALL_MAX; n++)
        for (int64_t partition = 0; partition <= (int64_t)n; partition++) {
            e.strategy.partition = partition;
            e.batch.count = n;
            e.batch.replicas = (int64_t)n;
            if (n <= IN_ORDER_MAX)
                judge_in_order(&e, 0);
            else
                judge_once_each(&e, 0);
        }
    print_message("# %d states, %zu effects, %zu of them below a partition\n",
        (int)STATES,
        e.scoped.count,
        e.behind.count);
    tell("small fleets", &e);
}

/* --- missing ordinals, and nodes beyond the replicas -------------------------------------------*/

static void judge_sparse(Every *e, size_t place, int64_t ordinal)
{
    if (place > 0) {
        e->batch.count = place;
        judge_strategies(e);
    }
    for (; place < SPARSE_MAX && ordinal < ORDINALS; ordinal++)
        for (size_t i = 0; i < e->scoped.count; i++) {
            take_effect(e, place, &e->scoped, i, ordinal);
            judge_sparse(e, place + 1, ordinal + 1);
        }
}

TEST(every_fleet_with_gaps_or_surplus_nodes_is_updated_by_the_rollout_rules)
{
    static Every e;

    open_every(&e, MIN_READY_S);
    for (int64_t replicas = 0; replicas <= ORDINALS; replicas++)
        for (int64_t partition = 0; partition <= ORDINALS; partition++) {
            e.batch.replicas = replicas;
            e.strategy.partition = partition;
            judge_sparse(&e, 0, 0);
        }
    tell("gaps and surplus", &e);
}

/* --- the symmetries ----------------------------------------------------------------------------*/

static void take_state(Every *e, size_t place, const BatchNode *node, const Fact *fact)
{
    e->nodes[place] = *node;
    e->nodes[place].ordinal = (int64_t)place;
    e->facts[place] = fact;
}

/* Alone, and beside every effect on either side. */
static void judge_beside_all(Every *e, const BatchNode *node, const Fact *fact)
{
    for (size_t place = 0; place < 2; place++)
        for (size_t i = 0; i < e->scoped.count; i++) {
            take_state(e, place, node, fact);
            take_effect(e, 1 - place, &e->scoped, i, 1 - (int64_t)place);
            e->batch.count = 2;
            judge_strategies(e);
        }
    take_state(e, 0, node, fact);
    e->batch.count = 1;
    judge_strategies(e);
}

static void judge_every_state(Every *e)
{
    for (int number = 0; number < STATES; number++) {
        BatchNode node = state_of(number);
        Fact fact = fact_of(&node, &e->strategy);
        then_true(has_effect(&e->scoped, &fact, false) && has_effect(&e->behind, &fact, true));
        for (int64_t partition = 0; partition <= 2; partition++) {
            e->strategy.partition = partition;
            e->batch.replicas = 2;
            judge_beside_all(e, &node, &fact);
        }
    }
}

/* Whatever else is true of a node, the rules hold by its effect. */
TEST(a_batch_verdict_depends_only_on_the_effect_of_a_node_state)
{
    static Every e;

    open_every(&e, 0);
    judge_every_state(&e);
    tell("every state", &e);
    open_every(&e, MIN_READY_S);
    judge_every_state(&e);
    tell("every state, with minReadySeconds", &e);
}

static void change_places(Every *e, size_t left)
{
    BatchNode node = e->nodes[left];

    e->nodes[left] = e->nodes[left + 1];
    e->nodes[left + 1] = node;
    e->nodes[left].ordinal = (int64_t)left;
    e->nodes[left + 1].ordinal = (int64_t)left + 1;
}

static bool makes_no_difference(const Every *e, size_t left)
{
    if ((int64_t)left + 1 == e->strategy.partition)
        return false; /* who comes into scope is somebody else there */
    return (int64_t)left + 1 < e->strategy.partition || e->facts[left]->alone != BATCH_WRITE
        || e->facts[left + 1]->alone != BATCH_WRITE;
}

static void then_neighbours_keep_their_verdicts(Every *e, size_t left)
{
    BatchVerdict before[FLEET_MAX] = {0}, moved;

    plan_batch(&e->batch);
    for (size_t i = 0; i < e->batch.count; i++)
        before[i] = e->verdicts[i];
    change_places(e, left);
    plan_batch(&e->batch);
    change_places(e, left);
    moved = e->verdicts[left];
    e->verdicts[left] = e->verdicts[left + 1];
    e->verdicts[left + 1] = moved;
    e->decisions += 2;
    for (size_t i = 0; i < e->batch.count; i++)
        then_int(e->verdicts[i], before[i]);
}

static void exchange_all(Every *e, size_t place)
{
    if (place < e->batch.count) {
        for (size_t i = 0; i < e->scoped.count; i++) {
            take_effect(e, place, &e->scoped, i, (int64_t)place);
            exchange_all(e, place + 1);
        }
        return;
    }
    e->fleets++;
    for (size_t left = 0; left + 1 < e->batch.count; left++)
        for (size_t budget = 1; makes_no_difference(e, left) && budget <= e->batch.count;
            budget++) {
            e->strategy.max_unavailable.value = (int64_t)budget;
            then_neighbours_keep_their_verdicts(e, left);
        }
}

TEST(only_nodes_that_may_be_written_depend_on_their_order)
{
    static Every e;

    open_every(&e, MIN_READY_S);
    e.batch.caused_by_spec = true;
    e.batch.all_down_seen_ms = AGE_LONG_MS;
    for (size_t n = 2; n <= EXCHANGED_MAX; n++)
        for (int64_t partition = 0; partition <= (int64_t)n; partition++) {
            e.strategy.partition = partition;
            e.batch.count = n;
            e.batch.replicas = (int64_t)n;
            exchange_all(&e, 0);
        }
    print_message("# %" PRIu64 " fleets, %" PRIu64 " decisions\n", e.fleets, e.decisions);
    then_true(e.decisions > 0);
}

/* --- budgets -----------------------------------------------------------------------------------*/

/* As people were promised it: of `all` so many or so many percent, of validators fewer than a
 * third, and never nothing. */
static int64_t promised_budget(int64_t max, bool percent, int64_t all, bool validators)
{
    int64_t budget = percent ? max * all / 100 : max;

    while (validators && budget > 1 && 3 * budget >= all)
        budget--;
    return budget < 1 ? 1 : budget;
}

TEST(the_budget_of_every_fleet_size_is_as_documented)
{
    int64_t count = 0;

    for (int64_t all = 0; all <= FLEET_REPLICAS_MAX; all++)
        for (int64_t max = 0; max <= FLEET_REPLICAS_MAX; max++)
            for (int kind = 0; kind < 4; kind++) {
                FleetStrategy s = {.max_unavailable = {.value = max, .percent = kind & 1}};
                int64_t want = promised_budget(max, kind & 1, all, kind & 2);
                then_int(batch_budget(&s, all, kind & 2), want);
                count++;
            }
    print_message("# %" PRId64 " budgets\n", count);
}
