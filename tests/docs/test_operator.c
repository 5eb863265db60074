/* The reference of the program: its flags, its settings and how it ends. */
#include "operator/pages.h"
#include "tests/docs/page.h"

static const struct {
    int code;
    const char *meaning;
} exits[] = {
    {0,
        "It was told to end (SIGTERM, SIGINT), or said what it was asked for (`--help`, "
        "`config`)."},
    {1, "The Lease was lost: the pod is to start again, as a standby."},
    {2, "Flags, settings or credentials cannot work; the message names each of them."},
};

TEST(the_flags_of_the_operator_are_as_the_page_says)
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
    say(&p, "\n```\n%s```\n\n## Exit codes\n\n| Code | When |\n| --- | --- |\n", help.data);
    buf_close(&help);
    for (size_t i = 0; i < sizeof exits / sizeof exits[0]; i++)
        say(&p, "| %d | %s |\n", exits[i].code, exits[i].meaning);
    then_page(&p, "OPERATOR.md");
}
