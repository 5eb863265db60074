/* Queries as clients write them, well and badly. */
#include "sandbox/query.h"
#include "tests/test.h"

TEST(url_escapes_are_decoded)
{
    static const struct {
        const char *name, *text, *want;
        bool plus;
    } cases[] = {
        {"nothing", "", ""},
        {"plain", "abc", "abc"},
        {"a slash", "a%2fb", "a/b"},
        {"at the end", "a%2F", "a/"},
        {"a plus in a path", "a+b", "a+b"},
        {"a plus in a query", "a+b", "a b", .plus = true},
        {"an escaped plus in a query", "a%2Bb", "a+b", .plus = true},
        {"cut off", "a%2", NULL},
        {"cut off earlier", "a%", NULL},
        {"no digits", "a%zz", NULL},
        {"a NUL", "a%00b", NULL},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 16);
        then_str(
            query_decode(a, cases[i].text, strlen(cases[i].text), cases[i].plus), cases[i].want);
    }
}

TEST(query_parameters_are_found_by_name)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Query q;

    query_read(a, "labelSelector=app%3Dweb&limit=5&watch&limit=6&%zz=1&&x=", &q);
    then_str(query_find(&q, "labelSelector"), "app=web");
    then_str(query_find(&q, "limit"), "5");
    then_str(query_find(&q, "watch"), "");
    then_str(query_find(&q, "x"), "");
    then_str(query_find(&q, "y"), NULL);
}

TEST(a_boolean_query_parameter_is_true_unless_it_says_otherwise)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Query q;

    query_read(a, "a&b=1&c=true&d=0&e=False&f=yes", &q);
    then_true(query_flag(&q, "a") && query_flag(&q, "b") && query_flag(&q, "c"));
    then_true(!query_flag(&q, "d") && !query_flag(&q, "e") && query_flag(&q, "f"));
    then_true(!query_flag(&q, "g"));
}

TEST(query_parameters_beyond_the_maximum_are_ignored)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *text = "";
    Query q;

    for (int i = 0; i < QUERY_PAIRS_MAX + 10; i++)
        text = str_format(a, "%sp%d=%d&", text, i, i);
    query_read(a, text, &q);
    then_int(q.count, QUERY_PAIRS_MAX);
    then_str(query_find(&q, "p63"), "63");
    then_str(query_find(&q, "p64"), NULL);
}
