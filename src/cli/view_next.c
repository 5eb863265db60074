/* ViewNext: what to type next. The first row that fits decides; a command stands here only if it
 * does something about the state that the row is of. */
#include "base/str.h"
#include "cli/hold.h"
#include "cli/signing.h"
#include "cli/view_parts.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"

#include <string.h>

enum { COMMANDS_MAX = 2 };

/* NAME stands for the object as it is typed. */
typedef struct Step {
    const char *reason;
    const char *commands[COMMANDS_MAX];
} Step;

static const Step stalled_node[] = {
    {"InvalidSpec", {"kubectl edit seinode NAME"}},
    {"IdentityChanged", {"kubectl edit seinode NAME"}},
    {"ImportNotReady", {"kubectl edit seinode NAME"}},
    {"DataVolumeMissing", {"kubectl get pv"}},
    {"PlanFailed", {"kubectl sei plan show NAME", "kubectl sei rollout retry NAME"}},
    {"NeedsReset", {"kubectl sei rollout retry NAME"}},
    {"SigningKeyShared", {"kubectl sei pause NAME"}},
    {NULL, {NULL}},
};

static const Step unready_node[] = {
    {"Paused", {"kubectl sei unpause NAME"}},
    {"Maintenance", {"kubectl sei maintain NAME --resume", "kubectl sei maintain NAME --abort"}},
    {"ScaledByHand", {"kubectl sei pause NAME", "kubectl sei unpause NAME"}},
    {"Updating", {"kubectl sei watch NAME", "kubectl sei plan show NAME"}},
    {"Initializing", {"kubectl sei watch NAME", "kubectl sei plan show NAME"}},
    {"VolumeInUse", {"kubectl sei watch NAME"}},
    {"SidecarNotReady", {"kubectl sei watch NAME"}},
    {"ChainUnverified", {"kubectl sei watch NAME"}},
    {NULL, {NULL}},
};

/* What starts it is for people who know that its key signs nowhere else; doctor finds a second one
 * with the key in this cluster. */
static const Step unready_validator[] = {
    {"Paused", {"kubectl sei doctor"}},
    {"Maintenance", {"kubectl sei maintain NAME --resume", "kubectl sei doctor"}},
    {"ScaledByHand", {"kubectl sei doctor"}},
    {NULL, {NULL}},
};

static const Step drifted_node[] = {
    {"SpecDrift", {"kubectl sei watch NAME"}},
    {"PlatformDrift", {"kubectl sei drift NAME"}},
    {"AdoptedDrift", {"kubectl sei drift NAME", "kubectl sei rollout restart NAME"}},
    {"ForeignFields", {"kubectl sei drift NAME"}},
    {"ConfigDrift", {"kubectl sei explain ConfigDrift"}},
    {NULL, {NULL}},
};

static const Step stalled_fleet[] = {
    {"InvalidSpec", {"kubectl edit snd NAME"}},
    {"ProgressDeadlineExceeded",
        {"kubectl sei rollout undo NAME", "kubectl sei rollout retry NAME"}},
    {"RevisionLost", {"kubectl sei rollout promote NAME"}},
    {"IdentityChanged", {"kubectl sei rollout undo NAME", "kubectl edit snd NAME"}},
    {"CeremonyFailed", {"kubectl sei rollout retry NAME"}},
    {NULL, {NULL}},
};

static const Step unready_fleet[] = {
    {"Paused", {"kubectl sei unpause NAME"}},
    {"Held", {"kubectl sei rollout undo NAME"}}, /* to resume it comes before */
    {"RollingOut", {"kubectl sei watch NAME", "kubectl sei rollout hold NAME"}},
    {"Initializing", {"kubectl sei watch NAME"}},
    {"Deleting", {"kubectl sei watch NAME"}},
    {NULL, {NULL}},
};

static const Step drifted_fleet[] = {
    {"Partition", {"kubectl sei rollout promote NAME", "kubectl sei rollout undo NAME"}},
    {"RolloutPending", {"kubectl sei watch NAME", "kubectl sei rollout hold NAME"}},
    {"AdoptedDrift", {"kubectl sei drift NAME"}},
    {"NodeDrift", {"kubectl sei drift NAME"}},
    {NULL, {NULL}},
};

typedef struct Next {
    const Seen *seen;
    Draft *commands;
} Next;

static void add(Next *next, const char *command)
{
    draft_push_str(next->commands, command);
}

/* NAME becomes the object as it is typed. */
static void add_of(Next *next, const char *command)
{
    const char *at = strstr(command, "NAME");

    add(next,
        at ? str_format(next->seen->arena,
                 "%.*s%s%s",
                 (int)(at - command),
                 command,
                 next->seen->ref,
                 at + strlen("NAME"))
           : command);
}

/* Of a fleet that has never been whole no template is known that it could go back to. */
static bool would_be_refused(const Next *next, const char *command)
{
    return strstr(command, " rollout undo ")
        && !json_str(next->seen->object, ".status.completeRevision");
}

static bool add_steps(Next *next, const Step *steps, const char *reason)
{
    for (const Step *step = steps; step->reason; step++) {
        if (!str_eq(step->reason, reason))
            continue;
        for (int i = 0; i < COMMANDS_MAX && step->commands[i]; i++)
            if (!would_be_refused(next, step->commands[i]))
                add_of(next, step->commands[i]);
        return true;
    }
    return false;
}

static const char *reason_of(const Seen *seen, const char *type, const char *status)
{
    const Cond *cond = conds_find(&seen->conds, type);

    return cond && str_eq(cond->status, status) ? cond->reason : NULL;
}

static void add_explanation(Next *next, const char *reason)
{
    add(next, str_format(next->seen->arena, "kubectl sei explain %s", reason));
}

/* --- nodes */

/* The data can still be saved, by one command. */
static bool add_rescue(Next *next, const char *stalled)
{
    const char *volume = json_str(next->seen->sight, ".volume.metadata.name");

    if (!str_eq(stalled, "DataVolumeTerminating") || !volume)
        return false;
    add(next, str_format(next->seen->arena, "kubectl edit pv %s", volume));
    return true;
}

/* What is to be edited: the fleet, of a node that has one. */
static const char *edited(const Seen *seen)
{
    const char *fleet = meta_label(seen->object, LABEL_FLEET);

    return fleet ? str_format(seen->arena, "fleet/%s", fleet) : seen->name;
}

/* The container of which trouble speaks: the word behind "container ". */
static const char *troubled_container(Arena *a, const char *trouble)
{
    const char *at = strstr(trouble, "container ");

    return at ? str_slice(a, at + strlen("container "), strcspn(at + strlen("container "), " :"))
              : CONTAINER_SEID;
}

static bool add_for_pod(Next *next, const char *trouble)
{
    Arena *a = next->seen->arena;
    const char *pod = name_pod(a, next->seen->name), *where = next->seen->where;

    if (!trouble)
        return false;
    if (strstr(trouble, "pull image"))
        add(next, str_format(a, "kubectl sei set image %s IMAGE%s", edited(next->seen), where));
    else if (strstr(trouble, ": exit code "))
        add(next,
            str_format(a,
                "kubectl logs %s -c %s --previous%s",
                pod,
                troubled_container(a, trouble),
                where));
    add(next, str_format(a, "kubectl describe pod %s%s", pod, where));
    return true;
}

/* Why it is not Ready; of a pause that is somebody's run, that. */
static const char *unready_reason(const Seen *seen)
{
    const char *paused = reason_of(seen, COND_PAUSED, "True");
    const char *maintenance = reason_text(REASON_MAINTENANCE);

    return str_eq(paused, maintenance) ? maintenance : reason_of(seen, COND_READY, "False");
}

static void add_for_node(Next *next, const char *pod_trouble)
{
    const Seen *seen = next->seen;
    const char *stalled = reason_of(seen, COND_STALLED, "True");
    const char *unready = unready_reason(seen);
    const char *drifted = reason_of(seen, COND_UP_TO_DATE, "False");

    if (stalled) {
        if (!add_rescue(next, stalled) && !add_steps(next, stalled_node, stalled))
            add_for_pod(next, pod_trouble);
        add_explanation(next, stalled);
    } else if (add_for_pod(next, pod_trouble)
        || (signing_is_validator(seen->object) && add_steps(next, unready_validator, unready))
        || add_steps(next, unready_node, unready)) {
        return;
    } else if (str_eq(unready, "PodNotReady")) {
        const char *pod = name_pod(seen->arena, seen->name);
        add(next, str_format(seen->arena, "kubectl logs %s -c seid%s", pod, seen->where));
    } else if (!add_steps(next, drifted_node, drifted)) {
        add_of(
            next, seen->conds.count ? "kubectl sei plan history NAME" : "kubectl sei watch NAME");
    }
}

Draft *view_next_of_node(const Seen *seen, const char *pod_trouble)
{
    Next next = {.seen = seen, .commands = draft_array(seen->arena)};
    const char *fleet = meta_label(seen->object, LABEL_FLEET);

    if (!view_is_paused_with_fleet(seen))
        add_for_node(&next, pod_trouble);
    if (fleet)
        add(&next, str_format(seen->arena, "kubectl sei status fleet/%s%s", fleet, seen->where));
    return next.commands;
}

/* --- fleets */

/* The first child that is not Ready, of those that have been read. */
static const char *sick_child(const Seen *seen)
{
    const Json *child;

    json_each(child, json_find(seen->sight, ".children")) {
        Conds conds;
        conds_decode(json_find(child, ".status.conditions"), &conds);
        bool is_stalled = conds_is_true(&conds, COND_STALLED);
        if (is_stalled || !conds_is_true(&conds, COND_READY))
            return meta_name(child);
    }
    return NULL;
}

Draft *view_next_of_fleet(const Seen *seen)
{
    Next next = {.seen = seen, .commands = draft_array(seen->arena)};
    const char *stalled = reason_of(seen, COND_STALLED, "True");
    const char *unready = reason_of(seen, COND_READY, "False");
    const char *drifted = reason_of(seen, COND_UP_TO_DATE, "False");
    const char *sick = sick_child(seen);
    bool is_resting = str_eq(unready, "Paused") || str_eq(unready, "Deleting");
    bool is_held = hold_is_set(seen->object) && !is_resting;

    if (is_held && !stalled)
        add_of(&next, "kubectl sei rollout resume NAME");
    if (sick && !is_resting)
        add(&next, str_format(seen->arena, "kubectl sei status node/%s%s", sick, seen->where));
    if (stalled) {
        add_steps(&next, stalled_fleet, stalled);
        add_explanation(&next, stalled);
        if (is_held)
            add_of(&next, "kubectl sei rollout resume NAME");
    } else if (!(signing_is_validator(seen->object) && add_steps(&next, unready_validator, unready))
        && !add_steps(&next, unready_fleet, unready) && !add_steps(&next, drifted_fleet, drifted)) {
        add_of(&next,
            seen->conds.count && !unready ? "kubectl sei plan history NAME"
                                          : "kubectl sei watch NAME");
    }
    return next.commands;
}
