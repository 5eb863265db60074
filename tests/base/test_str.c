/* Str: NULL everywhere, numbers at their limits, text cut between characters. */
#include "tests/test.h"

TEST(null_is_equal_only_to_null_as_a_string)
{
    then_true(str_eq(NULL, NULL));
    then_true(!str_eq(NULL, ""));
    then_true(!str_eq("", NULL));
    then_true(str_eq("pod", "pod"));
    then_true(!str_eq("pod", "pods"));
}

TEST(a_null_string_and_an_empty_string_are_empty)
{
    then_true(str_empty(NULL));
    then_true(str_empty(""));
    then_true(!str_empty(" "));
}

TEST(null_sorts_before_every_string)
{
    then_int(str_compare(NULL, NULL), 0);
    then_true(str_compare(NULL, "") < 0);
    then_true(str_compare("", NULL) > 0);
    then_true(str_compare("a", "b") < 0);
    then_int(str_compare("a", "a"), 0);
}

TEST(prefix_and_suffix_of_a_string_are_recognized)
{
    static const struct {
        const char *name, *text, *part;
        bool prefix, suffix;
    } cases[] = {
        {"at the front", "sei.io/node", "sei.io/", .prefix = true},
        {"at the back", "sei.io/node", "/node", .suffix = true},
        {"the whole", "node", "node", true, true},
        {"longer than the text", "node", "nodes"},
        {"nothing", "node", "", true, true},
        {"no part", "node", NULL, true, true},
        {"no text", NULL, ""},
    };

    each_case(i, cases) {
        then_int(str_has_prefix(cases[i].text, cases[i].part), cases[i].prefix);
        then_int(str_has_suffix(cases[i].text, cases[i].part), cases[i].suffix);
    }
}

TEST(a_copied_string_is_independent_and_ends_with_nul)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    char text[] = "snapshot";

    const char *copy = str_copy(a, text), *slice = str_slice(a, text, 4);
    text[0] = 'x';

    then_str(copy, "snapshot");
    then_str(slice, "snap");
    then_str(str_slice(a, NULL, 0), "");
    then_true(str_copy(a, NULL) == NULL);
}

__attribute__((format(printf, 2, 3))) static const char *quoted(Arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = str_vformat(a, format, args);
    va_end(args);
    return str_format(a, "<%s>", text);
}

TEST(formatting_with_a_va_list_gives_the_text)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    then_str(quoted(a, "%s %d", "n", 7), "<n 7>");
}

TEST(short_and_long_texts_are_formatted)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    then_str(str_format(a, "%s-%d", "n", 7), "n-7");
    for (int width = 250; width < 260; width++)
        then_int(strlen(str_format(a, "%*d", width, 1)), width);
}

TEST(only_whole_numbers_are_parsed)
{
    static const struct {
        const char *name, *text;
        bool good;
        int64_t number;
    } cases[] = {
        {"zero", "0", true, 0},
        {"a sign", "-12", true, -12},
        {"a plus", "+12", true, 12},
        {"leading zeros", "007", true, 7},
        {"the greatest", "9223372036854775807", true, INT64_MAX},
        {"the least", "-9223372036854775808", true, INT64_MIN},
        {"one too great", "9223372036854775808"},
        {"one too small", "-9223372036854775809"},
        {"far too great", "99999999999999999999999"},
        {"nothing", ""},
        {"NULL", NULL},
        {"a sign alone", "-"},
        {"two signs", "--1"},
        {"a space before", " 1"},
        {"a space behind", "1 "},
        {"a fraction", "1.0"},
        {"hex", "0x10"},
    };

    each_case(i, cases) {
        int64_t number = 42;
        then_int(str_to_int(cases[i].text, &number), cases[i].good);
        then_int(number, cases[i].good ? cases[i].number : 42);
    }
}

TEST(a_text_is_cut_between_utf8_characters)
{
    static const struct {
        const char *name, *text;
        size_t max;
        const char *want;
    } cases[] = {
        {"shorter", "node", 10, "node"},
        {"exactly as long", "node", 4, "node"},
        {"longer by one", "nodes", 4, "n…"},
        {"cut before a character of two bytes", "aéé", 4, "a…"},
        {"cut before a character of four bytes", "ab\U0001F600cd", 6, "ab…"},
        {"room for the mark alone", "node", 3, "…"},
        {"no room for the mark", "node", 2, "no"},
        {"no room for half a character", "é", 1, ""},
        {"no room", "node", 0, ""},
        {"NULL", NULL, 3, NULL},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *cut = str_cut(a, cases[i].text, cases[i].max);
        then_str(cut, cases[i].want);
        then_true(!cut || strlen(cut) <= cases[i].max);
    }
}

TEST(ascii_letters_are_converted_to_lower_case)
{
    SCOPED_ARENA a = arena_open(1 << 16);

    then_str(str_lower(a, "StatefulSet.Z-1"), "statefulset.z-1");
    then_str(str_lower(a, "\xc3\x84"), "\xc3\x84");
    then_str(str_lower(a, ""), "");
    then_true(!str_lower(a, NULL));
}
