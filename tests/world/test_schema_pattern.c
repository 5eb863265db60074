/* Patterns of RE2, matched as POSIX ones. */
#include "tests/test.h"
#include "world/schema_rules.h"

static const struct {
    const char *name, *pattern;
    const char *fits, *misfits;
} patterns[] = {
    {"a name", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "a-1", "-a"},
    {"an unanchored part", "b+", "abbc", "ac"},
    {"digits", "^\\d{2,3}$", "123", "1"},
    {"words and spaces", "^\\w+\\s\\w+$", "a_1 B", "a-1 b"},
    {"classes in brackets", "^[\\d.]+$", "1.2", "1,2"},
    {"a dash in brackets", "^[a\\-z]+$", "a-z", "b"},
    {"punctuation in brackets", "^[\\.\\/]$", "/", "\\"},
    {"a bracket in brackets", "^[]a]$", "]", "b"},
    {"all but some", "^[^a]$", "b", "a"},
    {"a group that is not kept", "^(?:ab)+$", "abab", "aba"},
    {"a dot of its own", "^a\\.b$", "a.b", "axb"},
    {"a quantity",
        "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|"
        "([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
        "1.5Gi",
        "1.5G i"},
    {"as many as RE2 counts", "^a{0,1000}$", "aaa", "b"},
    {"as many as RE2 counts, in two steps", "^(a{10}){100}$|^c$", "c", "aa"},
    {"a brace that is a letter", "^[{]9999[}]\\{9999\\}$", "{9999}{9999}", "9"},
};

TEST(schema_patterns_match_as_in_re2)
{
    each_case(i, patterns) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Pattern *pattern = pattern_new(a, patterns[i].pattern);

        then_true(pattern != NULL);
        then_true(pattern_matches(pattern, patterns[i].fits));
        then_true(!pattern_matches(pattern, patterns[i].misfits));
    }
}

static const struct {
    const char *name, *pattern;
} refused[] = {
    {"flags", "(?i)a"},
    {"lazy repetition", "a+?"},
    {"possessive repetition", "a++"},
    {"a class by name", "[[:alpha:]]"},
    {"a letter that says something", "\\bword"},
    {"a class of Unicode", "\\p{L}"},
    {"a letter in brackets", "[\\D]"},
    {"brackets without end", "[a"},
    {"a group without end", "(a"},
    {"a backslash at the end", "a\\"},
    {"a count above that of RE2", "a{1001}"},
    {"a highest count above that of RE2", "a{1,1001}"},
    {"a lowest count above that of RE2", "a{1001,}"},
    {"a count beyond every number", "a{99999999999999999999999}"},
    {"counts inside of each other", "((a{1,32}){1,32})"},
    {"counts of nothing", "((){1,32}){1,32}"},
    {"counts behind each other", "a{32}{32}"},
    {"counts side by side", "a{0,600}b{0,600}"},
    {"repetitions that double", "((((((((((a+)+)+)+)+)+)+)+)+)+)"},
    {"the end of a group that did not begin", "a)"},
};

TEST(an_unsupported_schema_pattern_is_refused)
{
    each_case(i, refused) {
        SCOPED_ARENA a = arena_open(1 << 20);
        then_true(!pattern_new(a, refused[i].pattern));
    }
}
