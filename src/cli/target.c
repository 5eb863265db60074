/* Target: words for objects. A name alone may be a node's or a fleet's; both are looked for, so
 * that a person need not know which it is. */
#include "cli/target.h"

#include "base/str.h"
#include "cli/connection.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/node.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *word;
    const Kind *kind;
} kind_words[] = {
    {"node", kind_seinode},
    {"nodes", kind_seinode},
    {"seinode", kind_seinode},
    {"seinodes", kind_seinode},
    {"snode", kind_seinode},
    {"fleet", kind_seinodedeployment},
    {"fleets", kind_seinodedeployment},
    {"seinodedeployment", kind_seinodedeployment},
    {"seinodedeployments", kind_seinodedeployment},
    {"snd", kind_seinodedeployment},
};

const Kind *target_kind(const char *word)
{
    static const char group[] = ".sei.io";
    size_t len = strlen(word);

    if (str_has_suffix(word, group))
        len -= strlen(group);
    for (size_t i = 0; i < sizeof kind_words / sizeof kind_words[0]; i++)
        if (strlen(kind_words[i].word) == len && strncasecmp(kind_words[i].word, word, len) == 0)
            return kind_words[i].kind;
    return NULL;
}

const char *target_noun(const Kind *kind)
{
    return kind_eq(kind, kind_seinodedeployment) ? "fleet" : "node";
}

const char *target_text(Arena *a, const Target *target)
{
    return str_format(a, "%s/%s", target_noun(target->kind), target->key.name);
}

const char *target_where(const Cli *cli)
{
    const Flags *f = &cli->flags;

    return str_format(cli->arena,
        "%s%s%s%s",
        str_empty(f->context) ? "" : " --context ",
        str_empty(f->context) ? "" : f->context,
        str_empty(f->namespace) ? "" : " -n ",
        str_empty(f->namespace) ? "" : f->namespace);
}

bool target_is_fleet(const Target *target)
{
    return kind_eq(target->kind, kind_seinodedeployment);
}

static Err *not_found(Cli *cli, const char *what, const char *name)
{
    Err *err = err_retry(
        cli->arena, "there is no %s \"%s\" in namespace \"%s\"", what, name, cli->namespace);

    err->status = 404;
    err->reason = "NotFound";
    return err;
}

static Err *get_of_kind(Cli *cli, const Kind *kind, const char *name, Target *ret)
{
    Key key = {.namespace = cli->namespace, .name = name};
    const Json *object = NULL;

    TRY(connection_find(cli, kind, key, &object));
    if (!object)
        return not_found(cli, target_noun(kind), name);
    *ret = (Target){.kind = kind, .key = key, .object = object};
    return OK;
}

static Err *get_of_either(Cli *cli, const char *name, Target *ret)
{
    Key key = {.namespace = cli->namespace, .name = name};
    const Json *node = NULL, *fleet = NULL;

    TRY(connection_find(cli, kind_seinodedeployment, key, &fleet));
    TRY(connection_find(cli, kind_seinode, key, &node));
    if (node && fleet)
        return err_terminal(cli->arena,
            "\"%s\" is the name of a fleet and of a node: say fleet/%s or node/%s",
            name,
            name,
            name);
    if (!node && !fleet)
        return not_found(cli, "fleet and no node", name);
    *ret = (Target){
        .kind = fleet ? kind_seinodedeployment : kind_seinode,
        .key = key,
        .object = fleet ? fleet : node,
    };
    return OK;
}

Err *target_get(Cli *cli, const char *word, Target *ret)
{
    const char *slash = strchr(word, '/');

    if (!cli->namespace)
        return err_terminal(
            cli->arena, "a name is of one namespace: give it with -n, without --all-namespaces");
    if (!slash)
        return get_of_either(cli, word, ret);
    const Kind *kind = target_kind(str_slice(cli->arena, word, (size_t)(slash - word)));
    if (!kind || !slash[1])
        return err_terminal(
            cli->arena, "\"%s\" names nothing: say NAME, node/NAME or fleet/NAME", word);
    return get_of_kind(cli, kind, slash + 1, ret);
}

const char *target_fleet_of(const Json *node)
{
    const Json *owner = meta_controller(node);

    return str_eq(json_str(owner, ".kind"), kind_seinodedeployment->name) ? json_str(owner, ".name")
                                                                          : NULL;
}

Err *target_fleet_is_paused(Cli *cli, const Target *node, bool *ret)
{
    Key key = {.namespace = node->key.namespace, .name = target_fleet_of(node->object)};
    const Json *fleet = NULL;

    *ret = false;
    if (!key.name)
        return OK;
    Err *err = connection_find(cli, kind_seinodedeployment, key, &fleet);
    if (status_is_forbidden(err))
        return OK;
    TRY(err);
    *ret = meta_controlled_by(node->object, fleet) && json_bool(fleet, ".spec.paused", false);
    return OK;
}

Err *target_refresh(Cli *cli, Target *target)
{
    Target now;

    TRY(get_of_kind(cli, target->kind, target->key.name, &now));
    if (!str_eq(meta_uid(now.object), meta_uid(target->object)))
        return not_found(cli, target_noun(target->kind), target->key.name);
    target->object = now.object;
    return OK;
}
