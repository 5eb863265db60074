/* Change: read, patch, tell.
 *
 * The surprising thing: the operator writes the status all the time, so a lock on the
 * resourceVersion is lost often and innocently. A locked change is therefore made again from the
 * object as it is then, some times over, and never sent as it was. */
#include "cli/change.h"

#include "base/str.h"
#include "cli/connection.h"
#include "cli/gitops.h"
#include "cli/glyph.h"
#include "cli/object.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "kube/timestamp.h"

#include <strings.h>

enum { TRIES_MAX = 5 };

const char *change_now(Cli *cli)
{
    char text[TIMESTAMP_SIZE];

    return str_copy(cli->arena, timestamp_format(clock_wall_ms(cli->clock) * 1000000, text));
}

/* --- telling */

static Err *show_object(Cli *cli, const Target *target, const Json *object)
{
    if (cli->flags.format == OUTPUT_NAME) {
        output_say(cli, "%s\n", object_full_name(cli->arena, target->kind, target->object));
        return OK;
    }
    return output_value(cli, object_for_people(cli->arena, object));
}

static void say_next(Cli *cli, const char *next)
{
    if (next)
        output_talk(cli, "next: %s %s%s\n", cli->program, next, target_where(cli));
}

static bool shows_object(const Cli *cli)
{
    return output_is_value(cli) || cli->flags.format == OUTPUT_NAME;
}

static Err *tell(Cli *cli, const Target *target, const Change *change, const Json *after)
{
    if (shows_object(cli))
        return show_object(cli, target, after);
    output_say(cli,
        "%s %s\n",
        target_text(cli->arena, target),
        glyph_clean(cli->arena, cli->out->is_utf8, change->told));
    say_next(cli, change->next);
    return OK;
}

static Err *tell_dry(Cli *cli, const Target *target, const Json *patch, const Json *after)
{
    bool is_server = cli->flags.dry_run == DRY_RUN_SERVER;

    if (shows_object(cli))
        return show_object(cli, target, after);
    output_say(cli, "%s\n", json_pretty(cli->arena, patch).data);
    output_talk(cli,
        "%s: this merge patch %s; nothing was changed\n",
        target_text(cli->arena, target),
        is_server ? "is what the server would accept" : "would be sent");
    return OK;
}

/* --- writing */

static const Json *patch_of(Cli *cli, const Target *target, const Change *change)
{
    const Json *patch = json_seal(cli->arena, change->patch);

    if (!change->is_locked)
        return patch;
    Draft *lock = draft(
        cli->arena, obj("metadata", str("resourceVersion", meta_resource_version(target->object))));
    return json_merge(cli->arena, patch, json_seal(cli->arena, lock));
}

static Err *send(Cli *cli, const Target *target, const Json *patch, const Json **ret)
{
    Request request = {
        .verb = VERB_MERGE_PATCH,
        .kind = target->kind,
        .key = target->key,
        .body = patch,
        .manager = CHANGE_MANAGER,
        .dry_run = cli->flags.dry_run == DRY_RUN_SERVER,
    };
    return connection_call(cli, request, ret);
}

static void warn(Cli *cli, const char *warning)
{
    if (warning)
        output_talk(cli, "warning: %s\n", warning);
}

/* The person may take their time: it is not that of the requests. */
static Err *ask_person(Cli *cli, const Target *target)
{
    const char *text = target_text(cli->arena, target);
    const char *answer = cli->ask ? cli->ask(cli, "Continue? [y/N] ") : NULL;

    connection_restart_clock(cli);
    if (!answer)
        return err_terminal(cli->arena,
            "%s was not changed: there is no terminal to ask at; confirm with --yes",
            text);
    if (strcasecmp(answer, "y") != 0 && strcasecmp(answer, "yes") != 0)
        return err_terminal(cli->arena, "%s was not changed: the answer was not yes", text);
    return OK;
}

static Err *confirm(Cli *cli, const Target *target, const Change *change)
{
    if (!change->risk || cli->flags.yes)
        return OK;
    output_talk(cli, "%s", change->risk);
    return cli->flags.dry_run ? OK : ask_person(cli, target);
}

static Err *attempt(Cli *cli, ChangeMaker *make, const Target *target, bool is_first)
{
    Change change = {0};
    const Json *after = NULL;

    TRY(make(cli, target, &change));
    if (!change.patch)
        return tell(cli, target, &change, target->object);
    warn(cli, is_first ? change.warning : NULL);
    if (is_first)
        TRY(confirm(cli, target, &change));
    const Json *patch = patch_of(cli, target, &change);
    if (cli->flags.dry_run == DRY_RUN_CLIENT)
        after = json_merge(cli->arena, target->object, patch);
    else
        TRY(send(cli, target, patch, &after));
    gitops_warn(cli, target, patch);
    return cli->flags.dry_run ? tell_dry(cli, target, patch, after)
                              : tell(cli, target, &change, after);
}

static Err *change(Cli *cli, ChangeMaker *make)
{
    Target target;

    TRY(connection_open(cli));
    TRY(target_get(cli, cli->args[0], &target));
    if (meta_deleting(target.object))
        output_talk(cli,
            "warning: %s is being deleted since %s\n",
            target_text(cli->arena, &target),
            meta_deletion_timestamp(target.object));
    Err *err = attempt(cli, make, &target, true);
    for (int tries = 1; status_is_conflict(err) && tries < TRIES_MAX; tries++) {
        TRY(target_refresh(cli, &target));
        err = attempt(cli, make, &target, false);
    }
    return err;
}

int change_run(Cli *cli, ChangeMaker *make)
{
    Err *err = change(cli, make);

    return err ? output_error(cli, err) : EXIT_FINE;
}
