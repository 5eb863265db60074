/* get: nodes and fleets, one line each, or as they are. */
#include "base/draft.h"
#include "base/link.h"
#include "base/str.h"
#include "cli/connection.h"
#include "cli/follow.h"
#include "cli/heights.h"
#include "cli/object.h"
#include "cli/rows.h"
#include "cli/target.h"
#include "kube/meta.h"
#include "sei/api/node.h"

enum { NODES = 1, KINDS = 2 };

/* What was asked for, and what was found of it. */
typedef struct Get {
    bool is_of[KINDS]; /* which kinds were asked for */
    Objects found[KINDS];
    bool is_one;    /* one object by its name: shown by itself, not in a list */
    size_t missing; /* names of which there is none */
} Get;

static const Kind *const kinds[KINDS] = {kind_seinodedeployment, kind_seinode};

static size_t number_of(const Kind *kind)
{
    return kind_eq(kind, kinds[0]) ? 0 : 1;
}

/* --- finding */

static Err *get_named(Cli *cli, Get *g, const char *word)
{
    Target target;
    Err *err = target_get(cli, word, &target);

    if (err && err->status == 404) {
        g->missing++;
        output_talk(cli, "error: %s\n", err_text(cli->arena, err));
        return OK;
    }
    TRY(err);
    Objects *found = &g->found[number_of(target.kind)];
    g->is_of[number_of(target.kind)] = true;
    found->items[found->count++] = target.object;
    return OK;
}

static Err *get_names(Cli *cli, Get *g, const Kind *kind, size_t first)
{
    for (size_t i = 0; i < KINDS; i++)
        g->found[i].items = arena_array(cli->arena, const Json *, cli->arg_count);
    if (!str_empty(cli->flags.selector))
        return err_terminal(cli->arena, "names or --selector, but not both");
    for (size_t i = first; i < cli->arg_count; i++) {
        const char *word = cli->args[i];
        TRY(get_named(
            cli, g, kind ? str_format(cli->arena, "%s/%s", target_noun(kind), word) : word));
    }
    g->is_one = cli->arg_count - first == 1;
    return OK;
}

static Err *get_all(Cli *cli, Get *g, const Kind *kind)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (kind && !kind_eq(kind, kinds[i]))
            continue;
        TRY(connection_list(cli, kinds[i], cli->namespace, cli->flags.selector, &g->found[i]));
        g->is_of[i] = true;
    }
    return OK;
}

static Err *find(Cli *cli, Get *g)
{
    const Kind *kind = cli->arg_count ? target_kind(cli->args[0]) : NULL;
    size_t first = kind ? 1 : 0;

    TRY(connection_open(cli));
    return cli->arg_count > first ? get_names(cli, g, kind, first) : get_all(cli, g, kind);
}

/* --- showing */

static RowOptions row_options(const Cli *cli, const Get *g, size_t n)
{
    return (RowOptions){
        .kind = kinds[n],
        .has_namespace = cli->flags.all_namespaces,
        .is_wide = cli->flags.format == OUTPUT_WIDE,
        .names_kind = g->is_of[0] && g->is_of[1],
    };
}

static size_t columns_for(const Cli *cli)
{
    bool may_drop = cli->out->is_terminal && cli->flags.format == OUTPUT_TABLE;

    return may_drop ? (size_t)cli->out->columns : 0;
}

static void show_tables(Cli *cli, const Get *g)
{
    const char *gap = "";

    for (size_t n = 0; n < KINDS; n++) {
        RowOptions options = row_options(cli, g, n);
        if (g->found[n].count == 0)
            continue;
        Table *table = table_new(cli->arena, rows_columns(cli->arena, &options), g->found[n].count);
        for (size_t i = 0; i < g->found[n].count; i++)
            rows_add(cli, &options, table, g->found[n].items[i]);
        output_say(cli, "%s%s", gap, table_text(table, !cli->flags.no_headers, columns_for(cli)));
        gap = "\n";
    }
}

static void show_names(Cli *cli, const Get *g)
{
    for (size_t n = 0; n < KINDS; n++)
        for (size_t i = 0; i < g->found[n].count; i++)
            output_say(cli, "%s\n", object_full_name(cli->arena, kinds[n], g->found[n].items[i]));
}

static Err *show_values(Cli *cli, const Get *g)
{
    Draft *items = draft_array(cli->arena);
    const Json *one = NULL;

    for (size_t n = 0; n < KINDS; n++)
        for (size_t i = 0; i < g->found[n].count; i++) {
            one = object_for_people(cli->arena, g->found[n].items[i]);
            draft_push_json(items, one);
        }
    if (g->is_one)
        return one ? output_value(cli, one) : OK;
    return output_value(cli,
        json_seal(cli->arena,
            draft(cli->arena,
                str("apiVersion", "v1"),
                str("kind", "List"),
                obj("metadata", str("resourceVersion", "")),
                sub("items", items))));
}

static Err *show(Cli *cli, Get *g)
{
    size_t count = g->found[0].count + g->found[1].count;

    if (output_is_value(cli))
        return show_values(cli, g);
    if (count == 0 && g->missing == 0 && !cli->flags.watch)
        output_talk(cli,
            cli->namespace ? "nothing found in namespace %s\n" : "nothing found\n",
            cli->namespace);
    if (cli->flags.format == OUTPUT_NAME)
        show_names(cli, g);
    else {
        if (cli->flags.format == OUTPUT_WIDE && g->found[NODES].count > 0)
            heights_add(cli, &g->found[NODES]);
        show_tables(cli, g);
    }
    return OK;
}

/* --- watching */

typedef struct Watching {
    FollowSink sink;
    Cli *cli;
    RowOptions options;
    Table *table;
    Arena *arena; /* of one change */
    Err *err;
} Watching;

static void show_change(FollowSink *self, const Json *object, bool is_gone)
{
    Watching *w = link_owner(Watching, sink, self);
    Cli *cli = w->cli;
    Arena *whole = cli->arena;

    (void)is_gone;
    arena_reset(w->arena);
    cli->arena = w->arena;
    if (output_is_value(cli)) {
        w->err = err_copy(whole, output_value(cli, object_for_people(w->arena, object)));
    } else if (cli->flags.format == OUTPUT_NAME) {
        output_say(cli, "%s\n", object_full_name(w->arena, w->options.kind, object));
    } else {
        w->table->arena = w->arena;
        rows_add(cli, &w->options, w->table, object);
        output_say(cli, "%s", table_text(w->table, false, columns_for(cli)));
    }
    cli->arena = whole;
}

static Err *watch(Cli *cli, const Get *g)
{
    size_t n = g->is_of[0] ? 0 : 1;
    SCOPED_ARENA scratch = arena_open(64 << 20);
    Watching w = {
        .sink = {.changed = show_change},
        .cli = cli,
        .options = row_options(cli, g, n),
        .arena = scratch,
    };
    FollowOptions options = {
        .kind = kinds[n],
        .namespace = cli->namespace,
        .labels = str_empty(cli->flags.selector) ? NULL : cli->flags.selector,
        .known = &g->found[n],
        .sink = &w.sink,
    };

    if (g->is_one)
        options.fields =
            str_format(cli->arena, "metadata.name=%s", meta_name(g->found[n].items[0]));
    w.table = table_new(cli->arena, rows_columns(cli->arena, &w.options), 1);
    for (size_t i = 0; i < g->found[n].count; i++) {
        rows_add(cli, &w.options, w.table, g->found[n].items[i]);
        w.table->row_count = 0; /* shown already: for the widths of its columns alone */
    }
    return follow_run(cli, &options);
}

static Err *check_watch(Cli *cli, const Get *g)
{
    if (g->is_of[0] && g->is_of[1])
        return err_terminal(
            cli->arena, "--watch follows one kind: say `get nodes -w` or `get fleets -w`");
    if (!g->is_one && cli->arg_count > 1)
        return err_terminal(cli->arena, "--watch follows one name, or all");
    return OK;
}

int get_command(Cli *cli)
{
    Get *g = arena_new(cli->arena, Get);
    Err *err = find(cli, g);

    if (!err && cli->flags.watch)
        err = check_watch(cli, g);
    /* What has come is shown, also when the rest has not. */
    bool has_part = g->found[0].count || g->found[1].count;
    if (!err || has_part) {
        Err *show_err = show(cli, g);
        err = err ? err : show_err;
    }
    if (!err && cli->flags.watch && g->missing == 0)
        err = watch(cli, g);
    if (err)
        return output_error(cli, err);
    return g->missing ? EXIT_NOT_FOUND : EXIT_FINE;
}
