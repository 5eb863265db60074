/* MaintainOpen: nothing is written here but the question who is asking. */
#include "cli/maintain_open.h"

#include "base/draft.h"
#include "base/rng.h"
#include "base/str.h"
#include "cli/change.h"
#include "cli/connection.h"
#include "cli/set_image.h"
#include "cli/signing.h"
#include "kube/meta.h"
#include "sei/api/condition_about.h"
#include "sei/api/kinds.h"
#include "sei/api/node.h"

#include <stdio.h>

/* --- what is asked for */

static Err *read_wish(Cli *cli, MaintainWish *ret)
{
    const Flags *f = &cli->flags;
    bool begins = !str_empty(f->image);
    bool has_more = cli->arg_count > 1 || f->unpause_always;

    if (begins + f->resume + f->abort != 1)
        return err_terminal(cli->arena,
            "say what is to be done: --image IMAGE -- COMMAND begins a run, --resume goes on with "
            "one, --abort gives it up");
    if (!begins && has_more)
        return err_terminal(cli->arena,
            "--%s takes no command and no --unpause-always: the run has its own",
            f->resume ? "resume" : "abort");
    if (begins)
        TRY(set_image_check(cli, f->image));
    *ret = f->resume ? MAINTAIN_RESUME : f->abort ? MAINTAIN_ABORT : MAINTAIN_RUN;
    return OK;
}

/* As the server knows them; a server that does not say so leaves it open. */
static const char *who(Cli *cli)
{
    const Json *answer = NULL;
    Request ask = {
        .verb = VERB_CREATE,
        .kind = kind_self_review,
        .body = json_fixture(
            cli->arena, "{apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview'}"),
    };
    Err *err = connection_call(cli, ask, &answer);
    const char *name = err ? NULL : json_str(answer, ".status.userInfo.username");

    return str_empty(name) ? "somebody" : str_cut(cli->arena, name, MAINTENANCE_BY_MAX);
}

static const Json *command_of(Cli *cli)
{
    Draft *words = draft_array(cli->arena);

    for (size_t i = 1; i < cli->arg_count; i++)
        draft_push_str(words, cli->args[i]);
    return cli->arg_count > 1 ? json_seal(cli->arena, words) : NULL;
}

static Err *prepare(Cli *cli, MaintainRun *run, Maintenance *ret)
{
    const Json *command = command_of(cli);

    if (run->wish != MAINTAIN_RUN)
        return OK;
    if (command && json_write(cli->arena, command).len > MAINTENANCE_COMMAND_MAX)
        return err_terminal(cli->arena,
            "the command is longer than %d bytes: put it into the image, or on the volume",
            MAINTENANCE_COMMAND_MAX);
    Rng *rng = rng_system();
    snprintf(
        run->id, sizeof run->id, "%012llx", (unsigned long long)rng_below(rng, (uint64_t)1 << 48));
    *ret = (Maintenance){
        .run = run->id,
        .by = who(cli),
        .since = change_now(cli),
        .image = cli->flags.image,
        .command = command,
        .unpauses_always = cli->flags.unpause_always,
    };
    return OK;
}

/* --- what a person should know before */

static void warn_of_fleet(Cli *cli, const Json *node)
{
    const char *name = target_fleet_of(node);
    const Json *fleet = NULL;
    Key key = {.namespace = meta_namespace(node), .name = name};

    if (!name || connection_find(cli, kind_seinodedeployment, key, &fleet)
        || !meta_controlled_by(node, fleet))
        return;
    long long down = (long long)json_int(fleet, ".status.unavailableReplicas", 0);
    output_talk(cli,
        "node/%s belongs to fleet/%s, which counts it as unavailable meanwhile, and updates it "
        "afterwards\n",
        meta_name(node),
        name);
    if (down > 0)
        output_talk(cli,
            "warning: %lld of %lld nodes of fleet/%s are unavailable already\n",
            down,
            (long long)json_int(fleet, ".spec.replicas", 0),
            name);
}

/* One that stays paused starts nothing. */
static void warn_of_signing(Cli *cli, const Target *target, MaintainWish wish)
{
    const char *name = target->key.name;
    Maintenance mark;
    bool is_marked = maintain_read_mark(cli->arena, target->object, &mark);
    bool stays = is_marked ? maintain_stays_paused(target->object, &mark)
                           : json_bool(target->object, ".spec.paused", false);

    if (stays || !signing_is_validator(target->object) || (wish != MAINTAIN_RUN && !is_marked))
        return;
    if (wish == MAINTAIN_RUN)
        output_talk(cli,
            "warning: node/%s is a validator: it signs nothing meanwhile, and the chain jails it "
            "when that takes too long; never run its key elsewhere meanwhile: it signs again by "
            "itself when the command has succeeded\n",
            name);
    else
        output_talk(cli,
            "warning: node/%s is a validator, and signs again when %s: make sure "
            "that " SIGNS_NOWHERE_ELSE "; \"%s pause node/%s%s\"%s lets it stay paused\n",
            name,
            wish == MAINTAIN_ABORT ? "the run is given up" : "the command has succeeded",
            cli->program,
            name,
            target_where(cli),
            wish == MAINTAIN_ABORT ? " first" : "");
}

static void warn(Cli *cli, const Target *target)
{
    warn_of_fleet(cli, target->object);
    output_talk(cli,
        "Ctrl-C leaves the run as it is: `%s maintain node/%s%s --resume` goes on with it\n",
        cli->program,
        target->key.name,
        target_where(cli));
}

Err *maintain_open(Cli *cli, MaintainRun *run, Maintenance *ret_wanted)
{
    Target target;

    TRY(read_wish(cli, &run->wish));
    TRY(connection_open(cli));
    TRY(target_get(cli, cli->args[0], &target));
    if (target_is_fleet(&target))
        return err_terminal(cli->arena,
            "%s is a fleet, and maintain is about nodes: name one of its nodes",
            target_text(cli->arena, &target));
    run->node = target.key;
    run->node_uid = meta_uid(target.object);
    TRY(prepare(cli, run, ret_wanted));
    if (cli->flags.dry_run)
        return OK;
    warn_of_signing(cli, &target, run->wish);
    if (run->wish == MAINTAIN_RUN)
        warn(cli, &target);
    return OK;
}
