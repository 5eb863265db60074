/* The spec of a fleet, and the whole object. The template is read by the same code as the spec of a
 * node: what a node would refuse is refused here, before any node is made from it. */
#include "sei/api/fleet.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/fleet_status.h"
#include "sei/api/names.h"
#include "sei/api/node_status.h"
#include "sei/api/spec_check.h"

#include <string.h>

enum { PROGRESS_DEADLINE_SECONDS = 1800 };

/* What the schema fills in. */
#define GENESIS_STAKE "10000000usei"
#define GENESIS_BALANCE                                                                            \
    "1000000000000000000000usei,1000000000000000000000uusdc,1000000000000000000000uatom"

/* --- children */

const char *fleet_child_name(Arena *a, const char *fleet, int64_t ordinal)
{
    return str_format(a, "%s-%lld", fleet, (long long)ordinal);
}

int64_t fleet_name_ordinal(Arena *a, const char *fleet, const char *name)
{
    const char *dash = name ? strrchr(name, '-') : NULL;
    int64_t ordinal;

    if (!dash || !str_to_int(dash + 1, &ordinal) || ordinal < 0)
        return -1;
    return str_eq(name, fleet_child_name(a, fleet, ordinal)) ? ordinal : -1;
}

int64_t fleet_child_ordinal(Arena *a, const char *fleet, const Json *node)
{
    int64_t labelled, ordinal = fleet_name_ordinal(a, fleet, meta_name(node));

    if (!str_eq(meta_label(node, LABEL_FLEET), fleet))
        return -1;
    return str_to_int(meta_label(node, LABEL_FLEET_ORDINAL), &labelled) && labelled == ordinal
        ? ordinal
        : -1;
}

/* --- the spec */

static Err *decode_failure(Arena *a, const char *text, FleetStrategy *ret)
{
    ret->rolls_back = str_eq(text, "Rollback");
    if (ret->rolls_back || str_empty(text) || str_eq(text, "Hold"))
        return OK;
    return err_terminal(
        a, ".spec.updateStrategy.onFailure: expected Hold or Rollback, found %s", text);
}

static Err *decode_budget(Arena *a, const Json *strategy, FleetStrategy *ret)
{
    const Json *budget = json_member(strategy, "maxUnavailable");

    ret->max_unavailable = (IntOrPercent){.value = 1};
    if (!budget || json_type(budget) == JSON_NULL)
        return OK;
    return node_err_below(a,
        ".spec.updateStrategy.maxUnavailable: ",
        int_or_percent_decode(a, budget, &ret->max_unavailable));
}

typedef struct StrategyWords {
    FleetStrategy read;
    const char *on_failure;
} StrategyWords;

#define STRATEGY ".spec.updateStrategy"
static const JsonField strategy_fields[] = {
    {STRATEGY ".type", JSON_FIELD_STR, offsetof(StrategyWords, read.type), .required = false},
    {STRATEGY ".partition",
        JSON_FIELD_INT,
        offsetof(StrategyWords, read.partition),
        .required = false},
    {STRATEGY ".hold", JSON_FIELD_BOOL, offsetof(StrategyWords, read.hold), .required = false},
    {STRATEGY ".minReadySeconds",
        JSON_FIELD_INT,
        offsetof(StrategyWords, read.min_ready_seconds),
        .required = false},
    {STRATEGY ".progressDeadlineSeconds",
        JSON_FIELD_INT,
        offsetof(StrategyWords, read.progress_deadline_seconds),
        .required = false},
    {STRATEGY ".onFailure", JSON_FIELD_STR, offsetof(StrategyWords, on_failure), .required = false},
    {0},
};

/* The schema refuses it, but may not always have: a node that counts only after so long could not
 * count in time, and every rollout would be called stalled. Its time begins then. */
static void mend_deadline(FleetStrategy *strategy)
{
    if (strategy->progress_deadline_seconds <= strategy->min_ready_seconds)
        strategy->progress_deadline_seconds += strategy->min_ready_seconds;
}

/* No strategy at all is what the reference's later versions allow, and means the same. */
static Err *decode_strategy(Arena *a, const Json *object, FleetStrategy *ret)
{
    StrategyWords words = {
        .read = {.type = FLEET_STRATEGY, .progress_deadline_seconds = PROGRESS_DEADLINE_SECONDS}};
    FleetStrategy *read = &words.read;

    TRY(json_decode(a, object, strategy_fields, &words));
    if (str_empty(read->type))
        read->type = FLEET_STRATEGY;
    if (!str_eq(read->type, FLEET_STRATEGY))
        return err_terminal(a,
            STRATEGY ".type: expected " FLEET_STRATEGY ", found %s; a fleet cannot be rolled "
                     "in another way",
            read->type);
    TRY(spec_check_range(a, STRATEGY ".partition", read->partition, 0, INT32_MAX));
    TRY(spec_check_range(a, STRATEGY ".minReadySeconds", read->min_ready_seconds, 0, INT32_MAX));
    TRY(spec_check_range(
        a, STRATEGY ".progressDeadlineSeconds", read->progress_deadline_seconds, 1, INT32_MAX));
    mend_deadline(read);
    TRY(decode_failure(a, words.on_failure, read));
    TRY(decode_budget(a, json_find(object, STRATEGY), read));
    *ret = *read;
    return OK;
}

static const JsonField genesis_fields[] = {
    {".chainId", JSON_FIELD_STR, offsetof(FleetGenesis, chain_id), .required = true},
    {".stakingAmount", JSON_FIELD_STR, offsetof(FleetGenesis, staking_amount), .required = false},
    {".accountBalance", JSON_FIELD_STR, offsetof(FleetGenesis, account_balance), .required = false},
    {".accounts", JSON_FIELD_ARRAY, offsetof(FleetGenesis, accounts), .required = false},
    {".overrides", JSON_FIELD_OBJECT, offsetof(FleetGenesis, overrides), .required = false},
    {".maxCeremonyDuration",
        JSON_FIELD_STR,
        offsetof(FleetGenesis, duration_max),
        .required = false},
    {0},
};

static Err *decode_genesis(Arena *a, const Json *object, FleetGenesis *ret)
{
    const Json *genesis = json_find(object, ".spec.genesis");
    FleetGenesis read = {
        .is_set = true, .staking_amount = GENESIS_STAKE, .account_balance = GENESIS_BALANCE};

    if (!genesis || json_type(genesis) == JSON_NULL)
        return OK;
    if (json_type(genesis) != JSON_OBJECT)
        return err_terminal(a, ".spec.genesis: expected an object");
    TRY(node_err_below(a, ".spec.genesis", json_decode(a, genesis, genesis_fields, &read)));
    if (!*read.chain_id)
        return err_terminal(a, ".spec.genesis.chainId is empty");
    *ret = read;
    return OK;
}

/* {} means http: that is how it began. */
static Err *decode_networking(Arena *a, const Json *object, FleetSpec *ret)
{
    const Json *networking = json_find(object, ".spec.networking");

    if (!networking || json_type(networking) == JSON_NULL)
        return OK;
    if (json_type(networking) != JSON_OBJECT)
        return err_terminal(a, ".spec.networking: expected an object");
    ret->has_tcp = json_type(json_member(networking, "tcp")) == JSON_OBJECT;
    ret->has_http = json_type(json_member(networking, "http")) == JSON_OBJECT || !ret->has_tcp;
    return OK;
}

static Err *decode_template(Arena *a, FleetSpec *ret)
{
    TRY(spec_check_texts(a, ".spec.template.metadata.labels", ret->labels));
    TRY(spec_check_texts(a, ".spec.template.metadata.annotations", ret->annotations));
    return node_err_below(a, ".spec.template", node_spec_decode(a, ret->template, &ret->node));
}

static Err *decode_deletion(Arena *a, const Json *object, FleetSpec *ret)
{
    const char *policy = json_str(object, ".spec.deletionPolicy");

    ret->retains = str_eq(policy, "Retain");
    if (ret->retains || str_empty(policy) || str_eq(policy, "Delete"))
        return OK;
    return err_terminal(a, ".spec.deletionPolicy: expected Delete or Retain, found %s", policy);
}

static const JsonField spec_fields[] = {
    {".spec.replicas", JSON_FIELD_INT, offsetof(FleetSpec, replicas), .required = false},
    {".spec.template", JSON_FIELD_OBJECT, offsetof(FleetSpec, template), .required = true},
    {".spec.template.metadata.labels",
        JSON_FIELD_OBJECT,
        offsetof(FleetSpec, labels),
        .required = false},
    {".spec.template.metadata.annotations",
        JSON_FIELD_OBJECT,
        offsetof(FleetSpec, annotations),
        .required = false},
    {".spec.paused", JSON_FIELD_BOOL, offsetof(FleetSpec, paused), .required = false},
    {0},
};

static Err *decode_spec(Arena *a, const Json *object, FleetSpec *ret)
{
    ret->replicas = 1;
    TRY(json_decode(a, object, spec_fields, ret));
    TRY(spec_check_range(a, ".spec.replicas", ret->replicas, 1, FLEET_REPLICAS_MAX));
    TRY(decode_deletion(a, object, ret));
    TRY(decode_networking(a, object, ret));
    TRY(decode_strategy(a, object, &ret->strategy));
    TRY(decode_genesis(a, object, &ret->genesis));
    return decode_template(a, ret);
}

/* --- the object */

Err *fleet_decode(Arena *a, const Json *object, Fleet *ret)
{
    const char *retry = meta_annotation(object, ANNOTATION_RETRY);

    *ret = (Fleet){
        .object = object,
        .key = meta_key(object),
        .uid = meta_uid(object),
        .generation = meta_generation(object),
        .deleting = meta_deleting(object),
        .retry = str_empty(retry) ? NULL : retry,
    };
    Err *status = fleet_status_decode(a, object, &ret->status);
    Err *spec = decode_spec(a, object, &ret->spec);
    return status ? status : spec;
}
