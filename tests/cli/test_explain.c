/* explain: every word that people meet, without a cluster. */
#include "cli/doctor/exam.h"
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

TEST(explain_describes_a_known_word)
{
    SCOPED_TERMINAL t = terminal_open();

    each_case(i, cases) {
        then_int(type(t, cases[i].line), EXIT_FINE);
        then_said(t, cases[i].said);
        then_int(t->calls, 0);
    }
}

TEST(explain_reports_an_unknown_word_with_similar_ones)
{
    SCOPED_TERMINAL t = terminal_open();

    then_int(type(t, "explain Volume"), EXIT_NOT_FOUND);
    then_talked(t, "is called Volume");
    then_talked(t, "DataVolumeMissing");
    then_int(type(t, "explain Nonsense"), EXIT_NOT_FOUND);
    then_true(!strstr(talked(t), "hint"));
}

static const struct {
    const char *name, *line, *hint;
} slips[] = {
    {"a letter that is missing", "explain PodNotRedy", "hint: did you mean PodNotReady?\n"},
    {"a letter too many", "explain replacee-pod", "hint: did you mean replace-pod?\n"},
    {"two that changed places", "explain PlnaFailed", "hint: did you mean PlanFailed"},
    {"another letter, and small ones",
        "explain datavolumemissinx",
        "hint: did you mean DataVolumeMissing?\n"},
    {"a code that is none", "explain SEI2109", "SEI2101"},
};

TEST(explain_guesses_a_misspelt_word)
{
    SCOPED_TERMINAL t = terminal_open();

    each_case(i, slips) {
        then_int(type(t, slips[i].line), EXIT_NOT_FOUND);
        then_talked(t, slips[i].hint);
    }
}

TEST(the_fix_of_an_explained_check_has_placeholders_for_names)
{
    static const char *const braces[] = {"{name}", "{namespace}", "{other}", "{value}"};
    SCOPED_TERMINAL t = terminal_open();

    for (size_t i = 0; check_at(i); i++) {
        then_int(type(t, str_format(t->arena, "explain %s", check_at(i)->code)), EXIT_FINE);
        for (size_t n = 0; n < array_count(braces); n++)
            if (strstr(said(t), braces[n]))
                test_fail(__FILE__, __LINE__, "%s in:\n%s", braces[n], said(t));
        if (strstr(said(t), "''"))
            test_fail(__FILE__, __LINE__, "no word for a name in:\n%s", said(t));
    }
    type(t, "explain SEI3101");
    then_said(t, "kubectl logs NAME -n NAMESPACE -c CONTAINER --previous");
}

TEST(explain_knows_every_word_that_completion_offers)
{
    SCOPED_TERMINAL t = terminal_open();
    Words words = explain_words(t->arena);

    then_true(words.count > 100);
    for (size_t i = 0; i < words.count; i++) {
        then_int(type(t, str_format(t->arena, "explain %s", words.items[i])), EXIT_FINE);
        then_said(t, words.items[i]);
    }
}
