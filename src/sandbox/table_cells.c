/* The cells that columns of many kinds are made from. */
#include "sandbox/table_cells.h"

#include "base/str.h"
#include "kube/cond.h"
#include "kube/selector.h"
#include "kube/timestamp.h"

#include <inttypes.h>

/* --- pushing --- */

void row_push_text(TableRow *row, const char *text)
{
    draft_push_str(row->cells, text ? text : "");
}

void row_push_number(TableRow *row, int64_t number)
{
    const Json *holder = json_seal(row->arena, draft(row->arena, num("n", number)));

    draft_push_json(row->cells, json_find(holder, ".n"));
}

void row_push_null(TableRow *row)
{
    draft_push_json(row->cells, json_fixture(row->arena, "null"));
}

/* --- telling --- */

const char *row_since(const TableRow *row, const char *time)
{
    char text[TIMESTAMP_SIZE];
    int64_t then_ns;

    if (str_empty(time))
        return "<unknown>";
    if (!timestamp_parse(time, &then_ns))
        return "<invalid>";
    return str_copy(row->arena, timestamp_elapsed(row->now_ns - then_ns, text));
}

void row_join(Text *all, const char *separator, const char *more)
{
    if (all->data) /* something was there, if only "" */
        text_add(all, separator);
    text_add(all, more ? more : "");
}

const char *row_joined(Text *all)
{
    return all->data ? text_seen(all) : NULL;
}

const char *row_condition(const TableRow *row, const char *type)
{
    return json_str(cond_in(row->object, type), ".status");
}

/* --- cells --- */

void cell_text(TableRow *row, const TableColumn *column)
{
    const char *text = json_str(row->object, column->path);

    row_push_text(row, str_empty(text) ? column->fallback : text);
}

void cell_integer(TableRow *row, const TableColumn *column)
{
    row_push_number(row, json_int(row->object, column->path, 0));
}

void cell_since(TableRow *row, const TableColumn *column)
{
    const char *time = json_str(row->object, column->path);

    row_push_text(row, !time && column->fallback ? column->fallback : row_since(row, time));
}

void cell_count(TableRow *row, const TableColumn *column)
{
    row_push_number(row, (int64_t)json_count(json_find(row->object, column->path)));
}

void cell_ready(TableRow *row, const TableColumn *column)
{
    (void)column;
    row_push_text(row,
        str_format(row->arena,
            "%" PRId64 "/%" PRId64,
            json_int(row->object, ".status.readyReplicas", 0),
            json_int(row->object, ".spec.replicas", 0)));
}

/* One member of all containers, with commas between. */
static void push_of_containers(TableRow *row, const char *path, const char *member)
{
    Text all = {.arena = row->arena};
    const Json *each;

    json_each(each, json_find(row->object, path))
        row_join(&all, ",", json_str(each, member));
    row_push_text(row, row_joined(&all));
}

void cell_containers(TableRow *row, const TableColumn *column)
{
    push_of_containers(row, column->path, ".name");
}

void cell_images(TableRow *row, const TableColumn *column)
{
    push_of_containers(row, column->path, ".image");
}

static void push_selector(TableRow *row, const Json *label_selector)
{
    const Selector *selector;
    const char *text = NULL;

    if (!selector_decode(row->arena, label_selector, &selector))
        text = selector_text(row->arena, selector);
    row_push_text(row, str_empty(text) ? "<none>" : text);
}

void cell_selector(TableRow *row, const TableColumn *column)
{
    push_selector(row, json_find(row->object, column->path));
}

void cell_labels(TableRow *row, const TableColumn *column)
{
    const Json *labels = json_find(row->object, column->path);

    push_selector(row, json_seal(row->arena, draft(row->arena, draft_json("matchLabels", labels))));
}

void cell_flag(TableRow *row, const TableColumn *column)
{
    const Json *value = json_find(row->object, column->path);

    if (json_type(value) == JSON_BOOL)
        row_push_text(row, json_bool(value, "", false) ? "True" : "False");
    else
        row_push_text(row, "<unset>");
}

void cell_truth(TableRow *row, const TableColumn *column)
{
    bool truth = json_bool(row->object, column->path, false);

    draft_push_json(row->cells, json_fixture(row->arena, truth ? "true" : "false"));
}
