/* Pages: what is made from the tables is what is there. SEI_GOLDEN=write makes it anew. */
#include "cli/alerts.h"
#include "tests/cli/terminal.h"
#include "tests/cli/understood.h"
#include "tests/sei/golden.h"

TEST(the_page_of_kubectl_sei_in_docs_is_current)
{
    SCOPED_TERMINAL t = terminal_open();

    then_int(type(t, "__reference"), EXIT_FINE);
    then_golden_text(t->arena, said(t), "../../docs/KUBECTL_SEI.md");
}

TEST(the_page_of_the_doctor_checks_in_docs_is_current)
{
    SCOPED_TERMINAL t = terminal_open();

    then_int(type(t, "__checks"), EXIT_FINE);
    then_golden_text(t->arena, said(t), "../../docs/DOCTOR.md");
}

/* Some follow for ever, and some are about objects that nobody has: so they are read, not run. */
TEST(every_example_in_the_help_is_a_valid_command)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    int count = 0;

    for (const Command *c = commands; c->name; c++)
        for (const char *line = c->topic ? c->examples : ""; *line; count++) {
            size_t len = strcspn(line, "\n");
            then_understood(a, str_slice(a, line, len));
            line += len + (line[len] == '\n');
        }
    then_true(count > 30);
}

/* Commands between two words of a page, which may leave out whom they are about. Gives how many. */
static size_t check_prose(Arena *a, const char *page)
{
    static const char opening[] = "`kubectl sei ";
    const char *text = golden_read(a, str_format(a, "../../%s", page));
    size_t ret = 0, count;

    then_true(*text);
    while ((text = strstr(text, opening))) {
        text += strlen(opening);
        size_t len = strcspn(text, "`");
        (void)then_known(a, str_slice(a, text, len), &count);
        ret++;
    }
    return ret;
}

TEST(every_command_in_the_documentation_exists)
{
    static const char *const pages[] = {"README.md",
        "docs/CONCEPTS.md",
        "docs/HOWTO.md",
        "docs/INSTALL.md",
        "docs/MIGRATE.md",
        "docs/MONITORING.md"};
    SCOPED_ARENA a = arena_open(64 << 20);
    size_t count = 0;

    for (size_t i = 0; i < array_count(pages); i++)
        count += check_prose(a, pages[i]);
    for (const AlertRow *row = alert_rows; row->name; row++)
        count += check_prose(a, str_format(a, "docs/runbooks/%s.md", row->name));
    then_true(count >= 15);
}

TEST(the_help_texts_equal_their_golden_file)
{
    SCOPED_TERMINAL t = terminal_open();

    then_int(type(t, "--help"), EXIT_FINE);
    const char *all = str_copy(t->arena, said(t));
    for (const Command *c = commands; c->name; c++) {
        if (!c->topic)
            continue;
        then_int(type(t, str_format(t->arena, "%s --help", c->name)), EXIT_FINE);
        const char *flags = strstr(said(t), "\nFlags:\n");
        then_true(flags != NULL);
        all = str_format(t->arena,
            "%s\n---- %s --help, as far as its flags\n%.*s",
            all,
            c->name,
            (int)(flags - said(t)),
            said(t));
    }
    then_golden_text(t->arena, all, "cli/help.txt");
}

TEST(no_line_of_help_is_wider_than_a_screen)
{
    SCOPED_TERMINAL t = terminal_open();

    for (const Command *c = commands; c->name; c++) {
        then_int(type(t, str_format(t->arena, "%s --help", c->name)), EXIT_FINE);
        for (const char *line = said(t); *line;) {
            size_t len = strcspn(line, "\n");
            then_true(len <= 100);
            line += len + (line[len] == '\n');
        }
    }
}

TEST(the_man_page_has_every_command_and_flag)
{
    SCOPED_TERMINAL t = terminal_open();

    then_int(type(t, "__man"), EXIT_FINE);
    for (const Command *c = commands; c->name; c++)
        then_true(
            !c->topic || strstr(said(t), str_format(t->arena, "\n.SS kubectl sei %s", c->name)));
    then_said(t, "\n.B \\-n, \\-\\-namespace \\fINAME\\fR\n");
    then_said(t, "\n.SH EXIT STATUS\n");
}
