/* Table: cells are measured as a terminal shows them, so colours and signs do not shift a
 * column. */
#include "cli/table.h"

#include "base/bytes.h"
#include "base/err.h"
#include "cli/output.h"

#include "base/str.h"

enum { GAP = 2, TABLE_TEXT_MAX = 64 << 20 };

Table *table_new(Arena *a, const TableColumn *columns, size_t row_max)
{
    Table *t = arena_new(a, Table);

    *t = (Table){.arena = a, .columns = columns, .row_max = row_max};
    t->rows = (const char *const **)arena_array(a, const char *const *, row_max + 1);
    while (columns[t->column_count].header)
        t->column_count++;
    return t;
}

void table_add(Table *t, const char *const *cells)
{
    const char **row = arena_array(t->arena, const char *, t->column_count);

    if (t->row_count == t->row_max)
        BUG("a row more than the table was made for");
    for (size_t i = 0; i < t->column_count; i++) {
        row[i] = str_empty(cells[i]) ? "-" : cells[i];
        size_t width = output_width(row[i]);
        if (width > t->widths[i])
            t->widths[i] = width;
    }
    t->rows[t->row_count++] = row;
}

static size_t width_of(const Table *t)
{
    size_t width = 0;

    for (size_t i = 0; i < t->column_count; i++)
        width += t->hidden[i] ? 0 : t->widths[i] + GAP;
    return width - GAP;
}

/* Hides the column that is missed least; false when none may go. */
static bool hide_one(Table *t)
{
    size_t least = t->column_count;

    for (size_t i = 0; i < t->column_count; i++)
        if (!t->hidden[i] && t->columns[i].sacrifice > 0
            && (least == t->column_count || t->columns[i].sacrifice > t->columns[least].sacrifice))
            least = i;
    if (least == t->column_count)
        return false;
    t->hidden[least] = true;
    return true;
}

static void put_line(const Table *t, const char *const *cells, Buf *text)
{
    size_t pending = 0;
    bool fits = true;

    for (size_t i = 0; i < t->column_count; i++) {
        if (t->hidden[i])
            continue;
        fits = fits && buf_format(text, "%*s%s", (int)pending, "", cells[i]);
        size_t width = output_width(cells[i]);
        pending = t->widths[i] + GAP - (width < t->widths[i] ? width : t->widths[i]);
    }
    if (!fits || !buf_append(text, "\n", 1))
        BUG("a table of too many bytes");
}

const char *table_text(Table *t, bool has_headers, size_t columns)
{
    Buf text = {.ceiling = TABLE_TEXT_MAX};
    const char *headers[TABLE_COLUMNS_MAX];

    for (size_t i = 0; i < t->column_count; i++) {
        headers[i] = t->columns[i].header;
        size_t width = has_headers ? output_width(headers[i]) : 0;
        if (width > t->widths[i])
            t->widths[i] = width;
    }
    while (columns && width_of(t) > columns && hide_one(t))
        continue;
    if (has_headers)
        put_line(t, headers, &text);
    for (size_t i = 0; i < t->row_count; i++)
        put_line(t, t->rows[i], &text);
    t->row_count = 0;
    const char *ret = text.len ? str_copy(t->arena, text.data) : "";
    buf_close(&text);
    return ret;
}
