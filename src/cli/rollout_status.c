/* rollout status: waits until what the spec asks for is so, or until only a person can go on. It
 * says a line whenever there is something new to say.
 *
 * Settled means what it means to kstatus: the generation was observed, nothing is reconciling. */
#include "base/str.h"
#include "cli/connection.h"
#include "cli/glyph.h"
#include "cli/hold.h"
#include "cli/object.h"
#include "cli/target.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/condition.h"

enum { LOOK_EVERY_MS = 1000, FAULTS_MAX = 10, LOOK_BYTES_MAX = 64 << 20 };

typedef enum Verdict { VERDICT_RUNNING, VERDICT_DONE, VERDICT_STUCK } Verdict;

static bool is_true(const Json *object, const char *type)
{
    return str_eq(object_condition(object, type), "True");
}

/* A node that is only not Ready may come to be so by itself: the kubelet tries on, which is no work
 * of the operator. With these nobody does. */
static bool node_awaits_person(const Json *node, bool is_settled)
{
    switch (reason_parse(COND_READY, object_reason(node, COND_READY))) {
    case REASON_PAUSED: /* a run of maintenance, too */
    case REASON_FAILED:
    case REASON_STALLED:
        return is_settled;
    case REASON_SCALED_BY_HAND:
        return true;
    default:
        return false;
    }
}

/* To wait for nodes is work of a fleet: one that is settled and not Ready is held or paused, or
 * somebody has taken nodes out. */
static bool fleet_awaits_person(const Json *fleet, bool is_settled)
{
    const char *reason = object_reason(fleet, COND_RECONCILING);

    return is_settled || str_eq(reason, reason_text(FLEET_REASON_AWAITS_PERSON));
}

/* Every node serves, and a hold keeps those that drift from their turn. */
static bool is_drift_held(const Json *fleet)
{
    return hold_is_set(fleet) && str_eq(object_condition(fleet, COND_UP_TO_DATE), "False");
}

static bool is_observed(const Json *object)
{
    return json_int(object, ".status.observedGeneration", -1) == meta_generation(object);
}

static Verdict verdict_of(const Target *target)
{
    const Json *o = target->object;
    bool is_settled = str_eq(object_condition(o, COND_RECONCILING), "False");

    if (!is_observed(o))
        return VERDICT_RUNNING;
    if (is_true(o, COND_STALLED))
        return VERDICT_STUCK;
    if (is_true(o, COND_READY))
        return is_settled ? VERDICT_DONE : is_drift_held(o) ? VERDICT_STUCK : VERDICT_RUNNING;
    bool is_stuck = target_is_fleet(target) ? fleet_awaits_person(o, is_settled)
                                            : node_awaits_person(o, is_settled);
    return is_stuck ? VERDICT_STUCK : VERDICT_RUNNING;
}

/* Why it is where it is, in the words of the condition that decides. */
static const char *why(Cli *cli, const Json *object)
{
    bool is_scaled = str_eq(object_reason(object, COND_READY), reason_text(REASON_SCALED_BY_HAND));
    const char *type = is_true(object, COND_STALLED)      ? COND_STALLED
        : is_true(object, COND_RECONCILING) && !is_scaled ? COND_RECONCILING
                                                          : COND_READY;
    const char *message = object_message(object, type), *reason = object_reason(object, type);

    if (!is_observed(object))
        return "the operator has not read the newest change of the spec yet";
    return !str_empty(message) ? glyph_clean(cli->arena, cli->out->is_utf8, message)
        : reason               ? reason
                               : "the operator has not looked at it";
}

static int64_t partition_of(const Json *fleet)
{
    return json_int(fleet, ".spec.updateStrategy.partition", 0);
}

/* "held; 1 of 3 updated (partition 2), 3 available: " */
static const char *counts_text(Cli *cli, const Json *fleet)
{
    int64_t partition = partition_of(fleet);

    return str_format(cli->arena,
        "%s%lld of %lld updated%s, %lld available: ",
        hold_is_set(fleet) ? "held; " : "",
        (long long)json_int(fleet, ".status.updatedReplicas", 0),
        (long long)json_int(fleet, ".spec.replicas", 0),
        partition ? str_format(cli->arena, " (partition %lld)", (long long)partition) : "",
        (long long)json_int(fleet, ".status.availableReplicas", 0));
}

static const char *line_of(Cli *cli, const Target *target)
{
    const Json *o = target->object;
    bool is_counted = target_is_fleet(target) && is_observed(o);

    return str_format(cli->arena, "%s%s", is_counted ? counts_text(cli, o) : "", why(cli, o));
}

static bool is_over(Cli *cli, int64_t began_ms)
{
    int64_t limit = cli->flags.timeout_ms;

    return limit && clock_mono_ms(cli->clock) - began_ms >= limit;
}

static void say_next(Cli *cli, const char *verb, const char *text)
{
    output_talk(cli, "next: %s %s %s%s\n", cli->program, verb, text, target_where(cli));
}

/* Nodes below the partition keep another revision. The operator names the partition only when no
 * node waits for its turn. */
static bool is_partitioned(const Json *fleet)
{
    return str_eq(object_condition(fleet, COND_UP_TO_DATE), "False")
        && str_eq(object_reason(fleet, COND_UP_TO_DATE), reason_text(FLEET_REASON_PARTITION));
}

static void say_partitioned(Cli *cli, const Json *fleet, const char *text)
{
    long long replicas = (long long)json_int(fleet, ".spec.replicas", 0);
    long long updated = (long long)json_int(fleet, ".status.updatedReplicas", 0);
    bool is_one = replicas - updated == 1;

    output_say(cli,
        "%s partitioned rollout complete: %lld of %lld nodes updated, %lld node%s below partition "
        "%lld keep%s revision\n",
        text,
        updated,
        replicas,
        replicas - updated,
        is_one ? "" : "s",
        (long long)partition_of(fleet),
        is_one ? "s its" : " their");
    say_next(cli, "rollout promote", text);
}

static int end_done(Cli *cli, const Target *target, const char *text)
{
    if (is_partitioned(target->object))
        say_partitioned(cli, target->object, text);
    else
        output_say(cli, "%s is rolled out\n", text);
    if (hold_is_set(target->object))
        output_talk(cli, "warning: %s\n", hold_warning(cli, target));
    return EXIT_FINE;
}

static int end_stuck(Cli *cli, const Target *target, const char *text)
{
    const Json *o = target->object;
    bool is_held = hold_is_set(o);
    bool is_paused = target_is_fleet(target) && !is_true(o, COND_STALLED)
        && str_eq(object_reason(o, COND_READY), reason_text(FLEET_REASON_PAUSED));
    bool waits_for_resume = is_held && !is_paused
        && (is_true(o, COND_READY)
            || str_eq(object_reason(o, COND_READY), reason_text(FLEET_REASON_HELD)));

    output_talk(cli,
        "%s %s: %s\n",
        text,
        is_paused              ? "is paused"
            : waits_for_resume ? "is held"
            : is_held          ? "is held and stands still"
                               : "stands still",
        why(cli, o));
    say_next(cli, waits_for_resume ? "rollout resume" : "status", text);
    return EXIT_UNHEALTHY;
}

static int end(Cli *cli, const Target *target, Verdict verdict)
{
    const char *text = target_text(cli->arena, target);

    return verdict == VERDICT_DONE ? end_done(cli, target, text) : end_stuck(cli, target, text);
}

static int out_of_time(Cli *cli, const Target *target)
{
    char text[TIMESTAMP_SIZE];

    output_talk(cli,
        "error: timed out after %s waiting for %s%s: %s\n",
        timestamp_elapsed(cli->flags.timeout_ms * 1000000, text),
        target_text(cli->arena, target),
        hold_is_set(target->object) ? ", which is held" : "",
        why(cli, target->object));
    return EXIT_TIMED_OUT;
}

/* Looks again; a server that does not answer for a while is no end. */
static Err *look_again(Cli *cli, Target *target)
{
    Err *err = OK;

    for (int faults = 0; faults < FAULTS_MAX; faults++) {
        cli->nap(cli, LOOK_EVERY_MS);
        connection_restart_clock(cli);
        err = target_refresh(cli, target);
        if (!err || err->status == 404 || err->status == 403 || err->status == 401)
            return err;
        output_talk(cli, "warning: %s; trying again\n", err_text(cli->arena, err));
    }
    return err;
}

/* Each look has memory of its own, and only that of the look before is still needed. */
static int follow(Cli *cli, Target *target, Arena *const looks[2])
{
    int64_t began_ms = clock_mono_ms(cli->clock);
    const char *last = NULL;

    for (unsigned turn = 0;; turn++) {
        cli->arena = looks[turn % 2];
        Verdict verdict = verdict_of(target);
        const char *line = line_of(cli, target);
        if (verdict != VERDICT_RUNNING)
            return end(cli, target, verdict);
        if (!str_eq(line, last))
            output_say(cli, "%s\n", line);
        last = line;
        if (is_over(cli, began_ms))
            return out_of_time(cli, target);
        cli->arena = looks[(turn + 1) % 2];
        arena_reset(cli->arena);
        Err *err = look_again(cli, target);
        if (err)
            return output_error(cli, err);
    }
}

static int follow_in_turns(Cli *cli, Target *target)
{
    SCOPED_ARENA even = arena_open(LOOK_BYTES_MAX);
    SCOPED_ARENA odd = arena_open(LOOK_BYTES_MAX);
    Arena *whole = cli->arena;
    int code = follow(cli, target, (Arena *const[]){even, odd});

    cli->arena = whole;
    return code;
}

int rollout_status_command(Cli *cli)
{
    Target target;
    Err *err = connection_open(cli);

    if (!err)
        err = target_get(cli, cli->args[0], &target);
    if (err)
        return output_error(cli, err);
    if (!output_is_value(cli))
        return follow_in_turns(cli, &target);
    err = output_value(cli, object_for_people(cli->arena, target.object));
    return err                                 ? output_error(cli, err)
        : verdict_of(&target) == VERDICT_STUCK ? EXIT_UNHEALTHY
                                               : EXIT_FINE;
}
