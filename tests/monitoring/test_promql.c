/* What is read out of an expression: as "metric", "metric.label", "metric.label=value" or
 * ".label". */
#include "tests/monitoring/promql.h"

#include "tests/test.h"

static const struct {
    const char *name, *expression, *want;
} cases[] = {
    {"a metric", "up", "up"},
    {"a selector", "a{b=\"c\", d=~\"e|f\"}", "a a.b=c a.d=e|f"},
    {"a comparison", "a == 1 and b{c!=\"}\"} > 2.5e3", "a b b.c=}"},
    {"functions and durations",
        "sum(rate(a_total{b!~'x'}[5m] offset 1h)) * 60",
        "a_total a_total.b=x"},
    {"a grouping before", "sum by (le, x) (rate(a_bucket[$__rate_interval]))", ".le .x a_bucket"},
    {"a grouping behind", "max(a) by (b)", "a .b"},
    {"a join", "a * on (b) group_left (c) d{e=\"$f\"}", "a .b .c d d.e=$f"},
    {"a label that is made",
        "a and on (made) label_replace(b, \"made\", \"$1\", \"c\", \"(.+)\")",
        "a b"},
    {"a variable of a board", "label_values(a{b=\"$c\"}, d)", "a a.b=$c a.d"},
    {"another", "label_values(a, d)", "a a.d"},
    {"no metric", "time() - 3600 > vector(1)", ""},
    {"a recording rule's name", "job:a:rate5m{}", "job:a:rate5m"},
};

static const char *text_of(Arena *a, const PromqlUses *uses)
{
    const char *text = "";

    for (size_t i = 0; i < uses->count; i++) {
        const PromqlUse *use = &uses->items[i];
        text = str_format(a,
            "%s%s%s%s%s%s%s",
            text,
            i ? " " : "",
            use->metric ? use->metric : "",
            use->label ? "." : "",
            use->label ? use->label : "",
            use->value ? "=" : "",
            use->value ? use->value : "");
    }
    return text;
}

TEST(metrics_and_labels_of_a_promql_expression_are_found)
{
    SCOPED_ARENA a = arena_open(1 << 20);

    each_case(i, cases) {
        PromqlUses uses = promql_uses(a, cases[i].expression);
        then_str(text_of(a, &uses), cases[i].want);
    }
}

TEST(a_truncated_promql_expression_is_parsed_to_its_end)
{
    static const char *const texts[] = {"a{",
        "a{b",
        "a{b=",
        "a{b=\"",
        "a{b=\"\\",
        "sum by",
        "sum by (",
        "a[",
        "label_values(",
        "label_values(a",
        "label_values(a,",
        "'"};
    SCOPED_ARENA a = arena_open(1 << 20);

    for (size_t i = 0; i < array_count(texts); i++)
        then_true(promql_uses(a, texts[i]).count <= 2);
}

TEST(a_promql_expression_with_too_many_metrics_is_a_bug)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *text = "";

    for (int i = 0; i <= PROMQL_USES_MAX; i++)
        text = str_format(a, "%sa + ", text);
    then_bug("asks for too much", promql_uses(a, text));
}
