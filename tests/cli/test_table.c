/* Table: as wide as it needs to be, and narrower where a screen asks for it. */
#include "cli/output.h"
#include "cli/table.h"
#include "tests/test.h"

static const TableColumn columns[] = {{"NAME", 0}, {"B", 2}, {"C", 1}, {NULL, 0}};

TEST(table_columns_are_as_wide_as_their_content)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Table *t = table_new(a, columns, 3);

    table_add(t, (const char *const[]){"x", "long text", "1"});
    table_add(t, (const char *const[]){"✔ ok", NULL, ""});
    then_str(table_text(t, true, 0),
        "NAME  B          C\n"
        "x     long text  1\n"
        "✔ ok  -          -\n");
    table_add(t, (const char *const[]){"y", "z", "2"});
    then_str(table_text(t, false, 0), "y     z          2\n");
}

static const struct {
    const char *name;
    size_t columns;
    const char *want;
} screens[] = {
    {"any", 0, "a  bb  c\n"},
    {"just wide enough", 8, "a  bb  c\n"},
    {"one too narrow", 7, "a  c\n"},
    {"two too narrow", 3, "a\n"},
    {"what may not go stays", 1, "a\n"},
};

TEST(a_narrow_screen_drops_table_columns)
{
    each_case(i, screens) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Table *t = table_new(a, columns, 1);
        table_add(t, (const char *const[]){"a", "bb", "c"});
        then_str(table_text(t, false, screens[i].columns), screens[i].want);
    }
}

TEST(the_width_of_a_text_is_what_a_terminal_shows)
{
    then_int(output_width(""), 0);
    then_int(output_width("abc"), 3);
    then_int(output_width("◌ x…"), 4);
    then_int(output_width("\033[32mgood\033[0m"), 4);
    then_int(output_width("\033["), 0);
}
