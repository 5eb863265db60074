/* Rows: columns as functions. READY and STATE come from the condition Ready, whose reason is a word
 * that explains; a narrow screen loses the columns that say what rarely changes. */
#include "cli/rows.h"

#include "base/str.h"
#include "cli/glyph.h"
#include "cli/hold.h"
#include "cli/object.h"
#include "cli/target.h"
#include "cli/view_parts.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "sei/api/node.h"

#include <string.h>

enum { IMAGE_SHOWN = 24 };

typedef const char *Cell(Cli *cli, const Json *object);
typedef Color CellColor(const Json *object);

typedef struct RowColumn {
    TableColumn column;
    Cell *cell;
    bool is_wide;     /* of -o wide alone */
    CellColor *color; /* NULL: none */
} RowColumn;

/* --- cells of both */

static const char *cell_ready(Cli *cli, const Json *o)
{
    (void)cli;
    return object_condition(o, COND_READY);
}

static Color color_ready(const Json *o)
{
    bool is_ready = str_eq(object_condition(o, COND_READY), "True");
    bool is_stalled = str_eq(object_condition(o, COND_STALLED), "True");

    return is_ready ? COLOR_GOOD : is_stalled ? COLOR_BAD : COLOR_BUSY;
}

static const char *cell_state(Cli *cli, const Json *o)
{
    (void)cli;
    if (meta_deleting(o))
        return "Deleting";
    if (str_eq(object_condition(o, COND_STALLED), "True"))
        return object_reason(o, COND_STALLED);
    return str_eq(object_condition(o, COND_READY), "True") ? object_reason(o, COND_READY)
                                                           : view_unready_word(o);
}

static const char *cell_up_to_date(Cli *cli, const Json *o)
{
    (void)cli;
    return object_condition(o, COND_UP_TO_DATE);
}

static const char *cell_waiting(Cli *cli, const Json *o)
{
    (void)cli;
    return json_str(o, ".status.plan.waiting");
}

static const char *cell_age(Cli *cli, const Json *o)
{
    char text[TIMESTAMP_SIZE];
    int64_t since;

    if (!timestamp_parse(json_str(o, ".metadata.creationTimestamp"), &since))
        return NULL;
    return str_copy(
        cli->arena, timestamp_elapsed(clock_wall_ms(cli->clock) * 1000000 - since, text));
}

/* What tells one image from another: the tag, or the first digits of the digest. */
static const char *short_image(Arena *a, const char *image)
{
    if (!image)
        return NULL;
    const char *slash = strrchr(image, '/'), *name = slash ? slash + 1 : image;
    const char *at = strchr(name, '@'), *colon = strchr(name, ':');

    return str_cut(a, colon && (!at || colon < at) ? colon + 1 : at ? at + 1 : name, IMAGE_SHOWN);
}

/* --- of nodes */

static const char *image_of_node(const Json *o)
{
    const char *running = json_str(o, ".status.currentImage");

    return str_empty(running) ? json_str(o, ".spec.image") : running;
}

static const char *cell_node_image(Cli *cli, const Json *o)
{
    return short_image(cli->arena, image_of_node(o));
}

static const char *cell_node_full_image(Cli *cli, const Json *o)
{
    (void)cli;
    return image_of_node(o);
}

static const char *cell_node_mode(Cli *cli, const Json *o)
{
    (void)cli;
    return view_mode(json_find(o, ".spec"));
}

static const char *cell_node_chain(Cli *cli, const Json *o)
{
    (void)cli;
    return json_str(o, ".spec.chainId");
}

static const char *cell_node_plan(Cli *cli, const Json *o)
{
    const char *phase = json_str(o, ".status.plan.phase");

    if (!str_eq(phase, "Active"))
        return NULL;
    const char *kind = json_str(o, ".status.plan.kind");
    return str_format(cli->arena, "%s", kind ? kind : phase);
}

static const char *cell_node_volume(Cli *cli, const Json *o)
{
    (void)cli;
    return json_str(o, ".status.dataVolume.name");
}

static const char *cell_node_fleet(Cli *cli, const Json *o)
{
    (void)cli;
    return meta_label(o, LABEL_FLEET);
}

/* What heights.h has added. */
static const char *seen_count(Cli *cli, const Json *o, const char *path)
{
    int64_t count = json_int(o, path, -1);

    return count < 0 ? "?" : str_format(cli->arena, "%lld", (long long)count);
}

static const char *cell_node_height(Cli *cli, const Json *o)
{
    return seen_count(cli, o, ".seen.height");
}

static const char *cell_node_lag(Cli *cli, const Json *o)
{
    return seen_count(cli, o, ".seen.lag");
}

static const RowColumn node_columns[] = {
    {{"READY", 0}, cell_ready, false, color_ready},
    {{"STATE", 0}, cell_state, false, NULL},
    {{"MODE", 2}, cell_node_mode, false, NULL},
    {{"CHAIN", 3}, cell_node_chain, false, NULL},
    {{"IMAGE", 1}, cell_node_image, false, NULL},
    {{"AGE", 0}, cell_age, false, NULL},
    {{"HEIGHT", 0}, cell_node_height, true, NULL},
    {{"LAG", 0}, cell_node_lag, true, NULL},
    {{"UPTODATE", 0}, cell_up_to_date, true, NULL},
    {{"PLAN", 0}, cell_node_plan, true, NULL},
    {{"FLEET", 0}, cell_node_fleet, true, NULL},
    {{"VOLUME", 0}, cell_node_volume, true, NULL},
    {{"FULL IMAGE", 0}, cell_node_full_image, true, NULL},
    {{"WAITING", 0}, cell_waiting, true, NULL},
    {{NULL, 0}, NULL, false, NULL},
};

/* --- of fleets */

static const char *cell_fleet_ready(Cli *cli, const Json *o)
{
    return str_format(cli->arena,
        "%lld/%lld",
        (long long)json_int(o, ".status.availableReplicas", 0),
        (long long)json_int(o, ".spec.replicas", 0));
}

static const char *cell_fleet_updated(Cli *cli, const Json *o)
{
    return str_format(cli->arena, "%lld", (long long)json_int(o, ".status.updatedReplicas", 0));
}

static const char *cell_fleet_chain(Cli *cli, const Json *o)
{
    const char *founded = json_str(o, ".spec.genesis.chainId");

    (void)cli;
    return founded ? founded : json_str(o, ".spec.template.spec.chainId");
}

static const char *cell_fleet_full_image(Cli *cli, const Json *o)
{
    (void)cli;
    return json_str(o, ".spec.template.spec.image");
}

static const char *cell_fleet_image(Cli *cli, const Json *o)
{
    return short_image(cli->arena, cell_fleet_full_image(cli, o));
}

/* A hold is reported first, and alone if nothing else is to report. */
static const char *cell_fleet_state(Cli *cli, const Json *o)
{
    const char *state = cell_state(cli, o);

    if (!state || meta_deleting(o) || !hold_is_set(o))
        return state;
    if (str_eq(state, reason_text(FLEET_REASON_HELD))
        || str_eq(state, reason_text(FLEET_REASON_ALL_READY)))
        return "Held";
    return str_format(cli->arena, "Held,%s", state);
}

static const char *cell_fleet_hold(Cli *cli, const Json *o)
{
    (void)cli;
    return hold_is_set(o) ? "true" : "false";
}

static const char *cell_fleet_partition(Cli *cli, const Json *o)
{
    return str_format(
        cli->arena, "%lld", (long long)json_int(o, ".spec.updateStrategy.partition", 0));
}

static const RowColumn fleet_columns[] = {
    {{"READY", 0}, cell_fleet_ready, false, color_ready},
    {{"UPDATED", 2}, cell_fleet_updated, false, NULL},
    {{"STATE", 0}, cell_fleet_state, false, NULL},
    {{"CHAIN", 3}, cell_fleet_chain, false, NULL},
    {{"IMAGE", 1}, cell_fleet_image, false, NULL},
    {{"AGE", 0}, cell_age, false, NULL},
    {{"UPTODATE", 0}, cell_up_to_date, true, NULL},
    {{"HOLD", 0}, cell_fleet_hold, true, NULL},
    {{"PARTITION", 0}, cell_fleet_partition, true, NULL},
    {{"FULL IMAGE", 0}, cell_fleet_full_image, true, NULL},
    {{"WAITING", 0}, cell_waiting, true, NULL},
    {{NULL, 0}, NULL, false, NULL},
};

static const RowColumn *columns_of(const RowOptions *options)
{
    return kind_eq(options->kind, kind_seinodedeployment) ? fleet_columns : node_columns;
}

const TableColumn *rows_columns(Arena *a, const RowOptions *options)
{
    TableColumn *columns = arena_array(a, TableColumn, TABLE_COLUMNS_MAX);
    size_t count = 0;

    if (options->has_namespace)
        columns[count++] = (TableColumn){"NAMESPACE", 0};
    columns[count++] = (TableColumn){"NAME", 0};
    for (const RowColumn *c = columns_of(options); c->cell; c++)
        if (!c->is_wide || options->is_wide)
            columns[count++] = c->column;
    return columns;
}

/* What a cluster says may be anything, and reaches no screen as it is. */
static const char *cell_text(Cli *cli, const RowColumn *column, const Json *object)
{
    const char *text = column->cell(cli, object);

    if (str_empty(text))
        return NULL;
    text = glyph_clean(cli->arena, cli->out->is_utf8, text);
    return column->color ? output_paint(cli, column->color(object), text) : text;
}

void rows_add(Cli *cli, const RowOptions *options, Table *table, const Json *object)
{
    const char *cells[TABLE_COLUMNS_MAX];
    size_t count = 0;

    if (options->has_namespace)
        cells[count++] = meta_namespace(object);
    cells[count++] = options->names_kind
        ? str_format(cli->arena, "%s/%s", target_noun(options->kind), meta_name(object))
        : meta_name(object);
    for (const RowColumn *c = columns_of(options); c->cell; c++)
        if (!c->is_wide || options->is_wide)
            cells[count++] = cell_text(cli, c, object);
    table_add(table, cells);
}
