/* The reference of the program: its flags, its settings and how it ends. */
#include "operator/pages.h"
#include "tests/docs/page.h"

TEST(the_operator_page_in_docs_lists_the_flags_of_the_operator)
{
    SCOPED_ARENA a = arena_open(8 << 20);
    Buf help = {.ceiling = PAGE_MAX};
    Page p = page_open(a,
        "test_operator",
        "The operator",
        "What `sei-operator --help` says. `sei-operator config` says what it would run with; no\n"
        "secret is among it. The settings about the platform come from the ConfigMap of\n"
        "`deploy/operator`, and a change of them rolls nodes one at a time.");

    page_help(&help);
    say(&p, "\n```text\n%s```\n\n## Exit codes\n\n| Code | When |\n| --- | --- |\n", help.data);
    buf_close(&help);
    for (const OperatorExitRow *row = operator_exit_rows; row->when; row++)
        say(&p, "| %d | %s |\n", row->code, row->when);
    then_page(&p, "OPERATOR.md");
}
