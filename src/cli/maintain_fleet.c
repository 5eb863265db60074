/* MaintainFleet: counts as the operator does (sei/plan/batch.h), which stops no node beyond the
 * budget either. It cannot stop a person: so the command does. */
#include "cli/maintain_fleet.h"

#include "base/str.h"
#include "cli/connection.h"
#include "kube/cond.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/condition.h"
#include "sei/api/fleet.h"
#include "sei/api/maintenance.h"
#include "sei/api/names.h"
#include "sei/plan/batch.h"

enum { NAMES_MAX = 5 };

static bool is_ready(const Json *node)
{
    return str_eq(json_str(cond_in(node, COND_READY), ".status"), "True");
}

/* One that has never served is no loss, and no part of the budget. */
static bool is_down(Cli *cli, const FleetStrategy *strategy, const Json *object)
{
    SeiNode *node = arena_new(cli->arena, SeiNode);
    BatchNode health;

    if (node_decode(cli->arena, object, node))
        return !is_ready(object);
    BatchPod pod = {.serves = is_ready(object)};
    batch_node_read_by(node, pod, clock_wall_ms(cli->clock), &health);
    return health.once_ready && !batch_is_available(strategy, &health);
}

/* One that is Ready serves, also before it counts as available. */
static bool serves_nobody(const Json *node)
{
    return !is_ready(node) || json_bool(node, ".spec.paused", false) || maintenance_is_marked(node);
}

static void count_others(
    Cli *cli, const Json *node, const Fleet *fleet, const Objects *nodes, MaintainFleet *ret)
{
    for (size_t i = 0; i < nodes->count; i++) {
        const Json *other = nodes->items[i];
        const char *name = meta_name(other);
        if (str_eq(meta_uid(other), meta_uid(node)) || !str_eq(target_fleet_of(other), ret->name)
            || fleet_name_ordinal(cli->arena, ret->name, name) >= fleet->spec.replicas
            || !is_down(cli, &fleet->spec.strategy, other))
            continue;
        if (ret->others++ < NAMES_MAX)
            ret->names = ret->names ? str_format(cli->arena, "%s, %s", ret->names, name) : name;
    }
    if (ret->others > NAMES_MAX)
        ret->names = str_format(
            cli->arena, "%s and %lld more", ret->names, (long long)(ret->others - NAMES_MAX));
}

/* The nodes of the fleet, by its label; what that means is asked of each again. */
static Err *read_nodes(Cli *cli, const Json *node, const Json *object, MaintainFleet *ret)
{
    Fleet *fleet = arena_new(cli->arena, Fleet);
    Objects nodes = {0};

    if (fleet_decode(cli->arena, object, fleet))
        return OK;
    TRY(connection_list(cli,
        kind_seinode,
        meta_namespace(node),
        str_format(cli->arena, LABEL_FLEET "=%s", ret->name),
        &nodes));
    count_others(cli, node, fleet, &nodes, ret);
    ret->budget = batch_budget(
        &fleet->spec.strategy, fleet->spec.replicas, fleet->spec.node.mode == MODE_VALIDATOR);
    ret->node_is_down = serves_nobody(node);
    ret->budget_is_known = true;
    return OK;
}

Err *maintain_fleet_read(Cli *cli, const Json *node, MaintainFleet *ret)
{
    Key key = {.namespace = meta_namespace(node), .name = target_fleet_of(node)};
    const Json *fleet = NULL;

    *ret = (MaintainFleet){0};
    if (!key.name)
        return OK;
    Err *err = connection_find(cli, kind_seinodedeployment, key, &fleet);
    if (!err && meta_controlled_by(node, fleet)) {
        ret->name = key.name;
        err = read_nodes(cli, node, fleet, ret);
    }
    return status_is_forbidden(err) ? OK : err;
}

Err *maintain_fleet_check(Cli *cli, const Json *node, const MaintainFleet *fleet)
{
    if (!fleet->budget_is_known || fleet->node_is_down || fleet->others < fleet->budget
        || cli->flags.force)
        return OK;
    return err_terminal(cli->arena,
        "node/%s was not touched: of fleet/%s at most %lld node%s may be down at once, and %lld "
        "other%s: %s; wait until %s back, or say --force",
        meta_name(node),
        fleet->name,
        (long long)fleet->budget,
        fleet->budget == 1 ? "" : "s",
        (long long)fleet->others,
        fleet->others == 1 ? " is" : "s are",
        fleet->names,
        fleet->others == 1 ? "it is" : "they are");
}

void maintain_fleet_warn(Cli *cli, const Json *node, const MaintainFleet *fleet)
{
    if (!fleet->name)
        return;
    output_talk(cli,
        "node/%s belongs to fleet/%s, which counts it as unavailable meanwhile, and updates it "
        "afterwards\n",
        meta_name(node),
        fleet->name);
    if (fleet->others > 0)
        output_talk(cli,
            "warning: %lld other node%s of fleet/%s %s down already: %s\n",
            (long long)fleet->others,
            fleet->others == 1 ? "" : "s",
            fleet->name,
            fleet->others == 1 ? "is" : "are",
            fleet->names);
}
