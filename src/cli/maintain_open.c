/* MaintainOpen: nothing is written here but the question who is asking. */
#include "cli/maintain_open.h"

#include "base/draft.h"
#include "base/rng.h"
#include "base/str.h"
#include "cli/change.h"
#include "cli/connection.h"
#include "cli/maintain_fleet.h"
#include "cli/set_image.h"
#include "cli/signing.h"
#include "kube/meta.h"
#include "sei/api/condition_about.h"
#include "sei/api/kinds.h"
#include "sei/api/node.h"

#include <stdio.h>

/* --- what is asked for */

/* The flags of which a command line has one; where it has two, they are told. */
static Err *refuse_two_wishes(Cli *cli)
{
    const Flags *f = &cli->flags;
    const struct {
        bool is_given;
        const char *name;
    } wishes[] = {{f->has_image, "--image"}, {f->resume, "--resume"}, {f->abort, "--abort"}};
    const char *first = NULL;

    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        if (wishes[i].is_given && first)
            return err_terminal(
                cli->arena, "%s and %s exclude each other: say one of them", first, wishes[i].name);
        if (wishes[i].is_given)
            first = wishes[i].name;
    }
    if (first)
        return OK;
    return err_terminal(cli->arena,
        "say what is to be done: --image IMAGE -- COMMAND begins a run, --resume goes on with one, "
        "--abort gives it up");
}

/* What only a run that begins can be told. */
static Err *refuse_more(Cli *cli)
{
    const Flags *f = &cli->flags;
    const char *more = cli->arg_count > 1 ? "command"
        : f->unpause_always               ? "--unpause-always"
        : f->force                        ? "--force"
                                          : NULL;

    if (!more)
        return OK;
    return err_terminal(cli->arena,
        "--%s takes no %s: only a run that begins does",
        f->resume ? "resume" : "abort",
        more);
}

static Err *check_image(Cli *cli)
{
    if (str_empty(cli->flags.image))
        return err_terminal(cli->arena, "--image is empty: say one such as registry/sei:v6.4.2");
    return set_image_check(cli, cli->flags.image);
}

static Err *read_wish(Cli *cli, MaintainWish *ret)
{
    const Flags *f = &cli->flags;

    TRY(refuse_two_wishes(cli));
    TRY(f->has_image ? check_image(cli) : refuse_more(cli));
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

static void warn(Cli *cli, const Target *target, const MaintainFleet *fleet)
{
    maintain_fleet_warn(cli, target->object, fleet);
    output_talk(cli,
        "Ctrl-C leaves the run as it is: `%s maintain node/%s%s --resume` goes on with it\n",
        cli->program,
        target->key.name,
        target_where(cli));
}

Err *maintain_open(Cli *cli, MaintainRun *run, Maintenance *ret_wanted)
{
    Target target;
    MaintainFleet fleet = {0};

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
    if (run->wish == MAINTAIN_RUN) {
        TRY(maintain_fleet_read(cli, target.object, &fleet));
        TRY(maintain_fleet_check(cli, target.object, &fleet));
    }
    if (cli->flags.dry_run)
        return OK;
    warn_of_signing(cli, &target, run->wish);
    if (run->wish == MAINTAIN_RUN)
        warn(cli, &target, &fleet);
    return OK;
}
