/* The founding of a chain: the nodes of a fleet each hand in a first transaction, the first of them
 * makes a genesis of all, and with that they start.
 *
 *     all nodes are there ──► Active ──► all run: the chain is founded, for ever
 *              ▲                │
 *              └─── back-off ◄──┴─ a node failed, a task failed, or maxCeremonyDuration is over
 *
 * What surprises: that the genesis is published is remembered beyond its plan (genesisS3URI), and a
 * node that runs proves it. It is never assembled a second time, because the one before may be what
 * nodes run with. From the moment that the assembler has the keys of all, none may be lost
 * (fleet_founders.c): a founder that is made again after that has another one, and only a person
 * can help. */
#include "base/str.h"
#include "kube/hash.h"
#include "kube/timestamp.h"
#include "sei/api/bech32.h"
#include "sei/api/condition.h"
#include "sei/api/duration.h"
#include "sei/plan/backoff.h"
#include "sei/plan/fleet_parts.h"

#include <string.h>

#define CAUSE_GENESIS  "genesis"
#define ADDRESS_PREFIX "sei"

enum { CEREMONY_MS = 15 * 60 * 1000, SHOWN_MAX = 100 };

bool plan_fleet_is_founding(const FleetPlanning *p)
{
    return p->fleet->spec.genesis.is_set
        && !conds_is_true(&p->status->conds, COND_GENESIS_COMPLETE);
}

static void stall(FleetPlanning *p, Reason reason, const char *message)
{
    p->d->stall = message;
    p->d->stall_reason = reason;
}

/* --- what is asked for --- */

static Err *check_account(Arena *a, const Json *account, size_t place)
{
    const char *address = json_str(account, ".address"), *balance = json_str(account, ".balance");

    if (str_empty(address))
        return err_terminal(a, "spec.genesis.accounts[%zu] has no address", place);
    const char *shown = str_cut(a, address, SHOWN_MAX);
    if (str_empty(balance))
        return err_terminal(a, "spec.genesis.accounts[%zu]: %s has no balance", place, shown);
    return err_wrap(a,
        bech32_check(a, address, ADDRESS_PREFIX),
        "spec.genesis.accounts[%zu]: %s is no address of Sei",
        place,
        shown);
}

static Err *read_duration(const FleetPlanning *p, int64_t *ret_ms)
{
    const char *text = p->fleet->spec.genesis.duration_max;

    *ret_ms = CEREMONY_MS;
    if (str_empty(text) || (duration_parse(text, ret_ms) && *ret_ms > 0))
        return OK;
    return err_terminal(p->a,
        "spec.genesis.maxCeremonyDuration is %s; it must be a length of time like 15m or 1h30m",
        str_cut(p->a, text, SHOWN_MAX));
}

static Err *check_genesis(const FleetPlanning *p, int64_t *ret_duration_ms)
{
    const FleetGenesis *genesis = &p->fleet->spec.genesis;
    const Json *account;
    size_t place = 0;

    if (str_empty(genesis->account_balance))
        return err_terminal(p->a, "spec.genesis.accountBalance is empty");
    json_each(account, genesis->accounts)
        TRY(check_account(p->a, account, place++));
    return read_duration(p, ret_duration_ms);
}

/* --- the founders: the nodes below the replicas, by ordinal --- */

static int64_t count_founders(const FleetPlanning *p)
{
    int64_t count = 0;

    for (size_t i = 0; i < p->s->count; i++)
        count += plan_fleet_is_founder(p, i);
    return count;
}

static bool has_phase(const FleetPlanning *p, size_t i, NodePhase phase)
{
    return plan_fleet_is_founder(p, i) && p->s->children[i].node->status.phase == phase;
}

static const char *find_founder(const FleetPlanning *p, NodePhase phase)
{
    for (size_t i = 0; i < p->s->count; i++)
        if (has_phase(p, i, phase))
            return p->s->children[i].node->key.name;
    return NULL;
}

static bool is_not_running(const FleetPlanning *p, size_t i)
{
    return p->s->children[i].node->status.phase != PHASE_RUNNING;
}

static Draft *names_of_founders(const FleetPlanning *p)
{
    Draft *names = draft_array(p->a);

    for (size_t i = 0; i < p->s->count; i++)
        if (plan_fleet_is_founder(p, i))
            draft_push_str(names, p->s->children[i].node->key.name);
    return names;
}

/* --- the genesis --- */

static bool is_published(const FleetPlanning *p)
{
    return p->status->genesis_uri || find_founder(p, PHASE_RUNNING);
}

/* The sidecar has what the founders have handed in, and may publish it any moment. */
static bool is_handed_over(const PlannedTask *assembly)
{
    return assembly && assembly->submitted_at && !assembly->error;
}

/* The keys of founders are in the genesis, or may be any moment. */
static bool is_counted_on(const FleetPlanning *p, const PlannedTask *assembly)
{
    return is_published(p) || is_handed_over(assembly) || p->status->founder_volumes;
}

/* An assembly that has failed counts on nobody any more; one that a plan has left at work does. */
static void remember_keys(FleetPlanning *p, const PlannedTask *assembly)
{
    if (assembly && assembly->error && !is_published(p))
        p->status->founder_volumes = NULL;
    else if (is_counted_on(p, assembly))
        plan_fleet_note_keys(p, is_handed_over(assembly) ? assembly : NULL);
}

static const char *find_lost(const FleetPlanning *p, const PlannedTask *assembly)
{
    return plan_fleet_lost_founder(p, is_handed_over(assembly) ? assembly : NULL);
}

/* Sidecars know the chain by the name that their nodes have. */
static void note_published(FleetPlanning *p)
{
    const char *chain_id = p->fleet->spec.node.chain_id;

    if (p->status->genesis_uri || str_empty(p->s->genesis_bucket))
        return;
    p->status->genesis_uri = str_format(p->a,
        "s3://%s/%s/genesis.json",
        p->s->genesis_bucket,
        str_empty(chain_id) ? p->fleet->spec.genesis.chain_id : chain_id);
}

/* --- the plan --- */

/* As the reference stores them: those for a sidecar under the names of its Go fields. */
static const Json *assembly_params(const FleetPlanning *p)
{
    const FleetGenesis *genesis = &p->fleet->spec.genesis;
    Draft *nodes = draft_array(p->a), *accounts = draft_array(p->a);
    const Json *account;

    for (size_t i = 0; i < p->s->count; i++)
        if (plan_fleet_is_founder(p, i))
            draft_push(nodes, draft(p->a, str("name", p->s->children[i].node->key.name)));
    json_each(account, genesis->accounts)
        draft_push_json(accounts, account);
    return json_seal(p->a,
        draft(p->a,
            str("AccountBalance", genesis->account_balance),
            str("Namespace", p->fleet->key.namespace),
            sub("Nodes", nodes),
            sub("Accounts", accounts),
            draft_json("Overrides", json_count(genesis->overrides) ? genesis->overrides : NULL)));
}

static Draft *group_params(const FleetPlanning *p)
{
    return draft(p->a,
        str("groupName", p->fleet->key.name),
        str("namespace", p->fleet->key.namespace),
        sub("nodeNames", names_of_founders(p)));
}

/* An assembly may outlast the plan that began it, and two would change one file: whoever tries
 * again means that one. A sidecar leaves it at work, takes it as done, or repeats it if it failed.
 */
static void add_assembly(FleetPlanning *p, Plan *plan)
{
    plan_add_task(p->a, plan, TASK_ASSEMBLE_GENESIS, assembly_params(p));
    plan_share_task(p->a,
        plan,
        &plan->tasks[plan->task_count - 1],
        str_format(p->a, "%s/%s", p->fleet->uid, plan->target_hash));
}

static void add_tasks(FleetPlanning *p, Plan *plan)
{
    Draft *await = group_params(p);

    draft_set(await, num("expected", p->fleet->spec.replicas));
    add_assembly(p, plan);
    plan_add_task(p->a, plan, TASK_COLLECT_AND_SET_PEERS, json_seal(p->a, group_params(p)));
    plan_add_task(p->a, plan, TASK_AWAIT_NODES_RUNNING, json_seal(p->a, await));
    if (is_published(p))
        plan->tasks[0].status = TASK_COMPLETE;
}

static const char *genesis_hash(const FleetPlanning *p)
{
    return hash_json(p->a, json_find(p->fleet->object, ".spec.genesis"));
}

/* What the plan answers: a person who asks again need not wait. */
static const char *cause_of(const FleetPlanning *p)
{
    const char *retry = p->fleet->retry;
    return retry ? str_format(p->a, "retry %s", str_cut(p->a, retry, SHOWN_MAX)) : CAUSE_GENESIS;
}

static void begin(FleetPlanning *p)
{
    Plan *plan = &p->status->plan;

    *plan = (Plan){
        .id = p->s->plan_id,
        .kind = PLAN_GENESIS,
        .cause = cause_of(p),
        .started_at = p->s->now,
        .generation = p->fleet->generation,
        .target_hash = genesis_hash(p),
        .retry = p->fleet->retry,
        .phase = PLAN_ACTIVE,
        .failed_index = -1,
    };
    add_tasks(p, plan);
    p->status->has_plan = true;
    p->d->news.founding = true;
}

/* --- before it --- */

/* A sidecar cannot repeat every task on one volume, but before the genesis a node has nothing that
 * others count on. */
static const char *failed_text(const FleetPlanning *p, const char *name)
{
    const PlannedTask *assembly = plan_find_task(&p->status->plan, TASK_ASSEMBLE_GENESIS);

    return str_format(p->a,
        "the chain cannot be founded while SeiNode %s is Failed; its condition Stalled says why. "
        "Put that right, and set the annotation sei.io/retry on it; %s",
        name,
        is_counted_on(p, assembly) ? "do not delete it: the genesis counts on its key"
                                   : "or delete it, and it begins anew");
}

static const char *remade_text(const FleetPlanning *p, const char *name)
{
    return str_format(p->a,
        "SeiNode %s was deleted and made again, or its volume was, after the genesis was begun, "
        "which counts on the key that it had: the chain may never make a block. Delete the "
        "SeiNodeDeployment and the volumes of its nodes, and found the chain again under another "
        "spec.genesis.chainId",
        name);
}

/* How long until the next attempt, after those that failed. */
static int64_t left_of_backoff(const FleetPlanning *p, const BackoffRow *row)
{
    if (!row->last || !str_eq(row->last->cause, cause_of(p)))
        return 0;
    return backoff_left_ms(row->count, row->last->finished_at, p->s->now_ms);
}

static void wait_for_backoff(FleetPlanning *p, const BackoffRow *row, int64_t left_ms)
{
    char at[TIMESTAMP_SIZE];

    timestamp_format((p->s->now_ms + left_ms) * 1000000, at);
    plan_fleet_look_again(p, left_ms);
    stall(p,
        FLEET_REASON_CEREMONY_FAILED,
        str_format(p->a,
            "founding the chain failed: %s; it is tried again at %s, or at once when the "
            "annotation sei.io/retry changes%s",
            row->last->message ? row->last->message : "no reason is known",
            at,
            is_counted_on(p, NULL)
                ? "; until the chain is founded delete none of its SeiNodes: the genesis counts on "
                  "their keys"
                : ""));
}

static void begin_when_due(FleetPlanning *p)
{
    const char *failed = find_founder(p, PHASE_FAILED);
    BackoffRow row = backoff_row(&p->status->history, PLAN_GENESIS, false);
    int64_t left_ms = left_of_backoff(p, &row);

    remember_keys(p, NULL);
    const char *lost = find_lost(p, NULL);
    if (count_founders(p) < p->fleet->spec.replicas)
        return; /* they are being made */
    if (lost)
        stall(p, FLEET_REASON_CEREMONY_FAILED, remade_text(p, lost));
    else if (failed)
        stall(p, FLEET_REASON_CEREMONY_FAILED, failed_text(p, failed));
    else if (left_ms > 0)
        wait_for_backoff(p, &row, left_ms);
    else
        begin(p);
}

/* --- under way --- */

static void fail(FleetPlanning *p, const char *message)
{
    plan_fleet_end_plan(p, "Failed", message);
    p->d->news.not_founded = true;
    begin_when_due(p);
}

static void complete(FleetPlanning *p)
{
    const Cond founded = {
        .type = COND_GENESIS_COMPLETE,
        .status = "True",
        .reason = reason_text(FLEET_REASON_CEREMONY_COMPLETE),
        .message = "the chain has been founded",
        .observed_generation = p->fleet->generation,
    };

    note_published(p);
    conds_set(p->a, &p->status->conds, &founded, p->s->now);
    plan_fleet_end_plan(p, "Complete", "every node runs");
    p->d->news.founded = true;
}

static PlannedTask *find_failed_task(Plan *plan)
{
    for (size_t i = 0; i < plan->task_count; i++)
        if (plan->tasks[i].status == TASK_FAILED)
            return &plan->tasks[i];
    return NULL;
}

/* How long the ceremony may still take. */
static int64_t left_of_ceremony(const FleetPlanning *p, int64_t duration_ms)
{
    return plan_fleet_running_since_ms(p, p->status->plan.started_at) + duration_ms - p->s->now_ms;
}

static const char *overdue_text(const FleetPlanning *p)
{
    const char *duration = p->fleet->spec.genesis.duration_max;
    const PlannedTask *task = plan_next_task(&p->status->plan);

    return str_format(p->a,
        "it was not over after %s (spec.genesis.maxCeremonyDuration); the last thing it waited "
        "for was %s",
        str_empty(duration) ? "15m" : duration,
        p->status->plan.waiting ? p->status->plan.waiting
            : task              ? task->spelling
                                : "nothing");
}

/* The last task is to look: nobody else need do it. */
static void await_nodes(FleetPlanning *p)
{
    Plan *plan = &p->status->plan;
    PlannedTask *task = plan_next_task(plan);
    const char *missing = plan_fleet_name_founders(p, is_not_running);

    if (task && task->type != TASK_AWAIT_NODES_RUNNING)
        return;
    if (!missing && count_founders(p) >= p->fleet->spec.replicas)
        complete(p);
    else
        plan->waiting = str_format(p->a,
            "await-nodes-running: %s %s not Running yet",
            missing ? missing : "a node",
            missing && strchr(missing, ',') ? "are" : "is");
}

/* The plan is kept, because it alone knows when the keys were handed over. */
static bool must_stand_still(FleetPlanning *p, const PlannedTask *assembly, const char *failed)
{
    const char *lost = find_lost(p, assembly);

    if (lost)
        stall(p, FLEET_REASON_CEREMONY_FAILED, remade_text(p, lost));
    else if (failed && is_handed_over(assembly) && !is_published(p))
        stall(p, FLEET_REASON_CEREMONY_FAILED, failed_text(p, failed));
    return p->d->stall != NULL;
}

static void go_on(FleetPlanning *p, int64_t duration_ms)
{
    Plan *plan = &p->status->plan;
    PlannedTask *assembly = plan_find_task(plan, TASK_ASSEMBLE_GENESIS);
    const PlannedTask *broken = find_failed_task(plan);
    const char *failed = find_founder(p, PHASE_FAILED);

    plan->target_hash = plan->target_hash ? plan->target_hash : genesis_hash(p);
    plan->started_at = plan->started_at ? plan->started_at : p->s->now;
    if (assembly && assembly->status == TASK_COMPLETE)
        note_published(p);
    remember_keys(p, assembly);
    if (must_stand_still(p, assembly, failed))
        return;
    int64_t left_ms = left_of_ceremony(p, duration_ms);
    if (failed)
        fail(p, str_format(p->a, "SeiNode %s has failed", failed));
    else if (broken)
        fail(p, str_format(p->a, "%s: %s", broken->spelling, broken->error));
    else if (left_ms <= 0)
        fail(p, overdue_text(p));
    else
        await_nodes(p);
    if (p->status->has_plan)
        plan_fleet_look_again(p, left_ms);
}

void plan_fleet_found(FleetPlanning *p)
{
    const Plan *plan = &p->status->plan;
    int64_t duration_ms;
    Err *err = check_genesis(p, &duration_ms);

    p->d->look_again_ms = 0; /* nothing is rolled, whenever it might be */
    if (err) {
        stall(p,
            FLEET_REASON_INVALID_SPEC,
            str_format(p->a,
                "%s. spec.genesis cannot be edited: delete the SeiNodeDeployment, and create it "
                "again with this corrected; no chain has been founded yet",
                err_text(p->a, err)));
        return;
    }
    if (p->status->has_plan && (plan->kind != PLAN_GENESIS || plan->phase != PLAN_ACTIVE))
        plan_fleet_end_plan(p, "Superseded", "a chain is to be founded first");
    if (p->status->has_plan)
        go_on(p, duration_ms);
    else
        begin_when_due(p);
}
