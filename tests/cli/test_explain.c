/* explain: every word that people meet, without a cluster. */
#include "cli/explain.h"
#include "tests/cli/terminal.h"

static const struct {
    const char *name, *line;
    const char *said;
} cases[] = {
    {"a reason of nodes",
        "explain DataVolumeMissing",
        "reason of the condition Stalled of a SeiNode\n"},
    {"what to do", "explain DataVolumeMissing", "To do: Restore the claim"},
    {"small letters", "explain datavolumemissing", "DataVolumeMissing\n"},
    {"a reason of fleets", "explain RevisionLost", "the condition Stalled of a SeiNodeDeployment"},
    {"a condition", "explain UpToDate", "condition of a SeiNode\n"},
    {"an event", "explain VolumeKept", "event about a SeiNode, of type Normal\n"},
    {"a task", "explain replace-pod", "task in a plan of a SeiNode\n"},
    {"a code of the doctor", "explain sei2104", "error of `doctor`, about storage\n"},
    {"an alert",
        "explain seinodestalled",
        "alert of severity warning, when it has been so for 5m\n"},
    {"an alert at once", "explain SeiNodeVolumeAtRisk", "alert of severity critical, at once\n"},
    {"what to type then",
        "explain SeiOperatorDown",
        "To do: kubectl sei doctor, then\n    https://"},
    {"for machines", "explain VolumeKept -o jsonpath={.word}", "VolumeKept"},
};

TEST(a_word_is_explained)
{
    SCOPED_TERMINAL t = terminal_open();

    each_case(i, cases) {
        then_int(type(t, cases[i].line), EXIT_FINE);
        then_said(t, cases[i].said);
        then_int(t->calls, 0);
    }
}

TEST(a_word_that_nobody_says_is_not)
{
    SCOPED_TERMINAL t = terminal_open();

    then_int(type(t, "explain Volume"), EXIT_NOT_FOUND);
    then_talked(t, "is called Volume");
    then_talked(t, "DataVolumeMissing");
    then_int(type(t, "explain Nonsense"), EXIT_NOT_FOUND);
    then_true(!strstr(talked(t), "hint"));
}

TEST(every_word_that_is_offered_is_explained)
{
    SCOPED_TERMINAL t = terminal_open();
    Words words = explain_words(t->arena);

    then_true(words.count > 100);
    for (size_t i = 0; i < words.count; i++) {
        then_int(type(t, str_format(t->arena, "explain %s", words.items[i])), EXIT_FINE);
        then_said(t, words.items[i]);
    }
}
