/* Hold: a pause counts before a hold, because it also keeps the pods from running. */
#include "cli/hold.h"

#include "base/str.h"

static bool is_paused(const Target *target)
{
    return json_bool(target->object, ".spec.paused", false);
}

bool hold_is_set(const Json *object)
{
    return json_bool(object, ".spec.updateStrategy.hold", false);
}

const char *hold_warning(Cli *cli, const Target *target)
{
    Arena *a = cli->arena;
    const char *text = target_text(a, target), *where = target_where(cli);
    const char *what = target_is_fleet(target) ? "no node" : "its pod";

    if (is_paused(target))
        return str_format(a,
            "%s is paused (spec.paused): %s is %supdated until `%s unpause %s%s`",
            text,
            what,
            target_is_fleet(target) ? "" : "not ",
            cli->program,
            text,
            where);
    if (!hold_is_set(target->object))
        return NULL;
    return str_format(a,
        "%s is held (spec.updateStrategy.hold): no node is updated until `%s rollout resume %s%s`",
        text,
        cli->program,
        text,
        where);
}

const char *hold_next(Cli *cli, const Target *target, const char *otherwise)
{
    const char *verb = is_paused(target) ? "status"
        : hold_is_set(target->object)    ? "rollout resume"
                                         : otherwise;

    return str_format(cli->arena, "%s %s", verb, target_text(cli->arena, target));
}
