/* Families declared and touched, and the page that a scraper would read. */
#include "kube/metrics.h"
#include "tests/test.h"

#include <float.h>
#include <math.h>

static const double bounds[] = {0.005, 1, 2.5, 0};

static const char *page_of(Arena *a, const Metrics *m)
{
    Buf page = {.ceiling = 1 << 20};
    then_true(metrics_write(m, &page));
    const char *text = str_copy(a, page.data);
    buf_close(&page);
    return text;
}

/* The page without the family that every page has. */
static const char *own_page_of(Arena *a, const Metrics *m)
{
    static const char last[] = "metrics_dropped_series_total 0\n";
    const char *page = page_of(a, m), *own = strstr(page, last);
    then_true(own != NULL);
    return own + strlen(last);
}

TEST(counters_and_gauges_and_histograms_are_written_in_the_prometheus_format)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Metrics *m = metrics_open(0);
    MetricFamily *adds = metrics_declare(m,
        &(MetricSpec){
            .name = "workqueue_adds_total",
            .help = "Keys added.",
            .type = METRIC_COUNTER,
            .labels = {"name", "result"},
        });
    MetricFamily *leader = metrics_declare(
        m, &(MetricSpec){.name = "leader", .help = "1 while leading.", .type = METRIC_GAUGE});
    MetricFamily *seconds = metrics_declare(m,
        &(MetricSpec){
            .name = "work_seconds",
            .help = "Time.",
            .type = METRIC_HISTOGRAM,
            .labels = {"name"},
            .buckets = bounds,
        });
    MetricFamily *bare = metrics_declare(m,
        &(MetricSpec){
            .name = "bare", .help = "No labels.", .type = METRIC_HISTOGRAM, .buckets = bounds});
    metrics_declare(m, &(MetricSpec){.name = "untouched", .type = METRIC_GAUGE});

    metrics_set(leader, (MetricLabels){0}, 1);
    metrics_add(adds, (MetricLabels){{"z", "ok"}}, 2);
    metrics_add(adds, (MetricLabels){{"a", "ok"}}, 1);
    metrics_add(adds, (MetricLabels){{"z", "ok"}}, 1.5);
    metrics_observe(seconds, (MetricLabels){{"z"}}, 0.005);
    metrics_observe(seconds, (MetricLabels){{"z"}}, 2);
    metrics_observe(seconds, (MetricLabels){{"z"}}, 100);
    metrics_observe(bare, (MetricLabels){0}, 1);

    then_str(own_page_of(a, m),
        "# HELP workqueue_adds_total Keys added.\n"
        "# TYPE workqueue_adds_total counter\n"
        "workqueue_adds_total{name=\"z\",result=\"ok\"} 3.5\n"
        "workqueue_adds_total{name=\"a\",result=\"ok\"} 1\n"
        "# HELP leader 1 while leading.\n"
        "# TYPE leader gauge\n"
        "leader 1\n"
        "# HELP work_seconds Time.\n"
        "# TYPE work_seconds histogram\n"
        "work_seconds_bucket{name=\"z\",le=\"0.005\"} 1\n"
        "work_seconds_bucket{name=\"z\",le=\"1\"} 1\n"
        "work_seconds_bucket{name=\"z\",le=\"2.5\"} 2\n"
        "work_seconds_bucket{name=\"z\",le=\"+Inf\"} 3\n"
        "work_seconds_sum{name=\"z\"} 102.005\n"
        "work_seconds_count{name=\"z\"} 3\n"
        "# HELP bare No labels.\n"
        "# TYPE bare histogram\n"
        "bare_bucket{le=\"0.005\"} 0\n"
        "bare_bucket{le=\"1\"} 1\n"
        "bare_bucket{le=\"2.5\"} 1\n"
        "bare_bucket{le=\"+Inf\"} 1\n"
        "bare_sum 1\n"
        "bare_count 1\n");
    then_true(metrics_value(adds, (MetricLabels){{"z", "ok"}}) == 3.5);
    then_true(metrics_value(seconds, (MetricLabels){{"z"}}) == 3);
    then_true(metrics_value(seconds, (MetricLabels){{"nobody"}}) == 0);
    metrics_close(m);
}

TEST(metric_families_are_written_in_the_order_of_their_declaration)
{
    Metrics *m = metrics_open(0);

    metrics_declare(m, &(MetricSpec){.name = "a", .help = "A.", .type = METRIC_GAUGE});
    metrics_declare(m, &(MetricSpec){.name = "b", .help = "B.", .type = METRIC_COUNTER});
    then_str(metrics_spec(m, 0)->name, "metrics_dropped_series_total");
    then_str(metrics_spec(m, 1)->name, "a");
    then_str(metrics_spec(m, 2)->help, "B.");
    then_true(metrics_spec(m, 3) == NULL);
    metrics_close(m);
}

TEST(metric_values_are_written_as_prometheus_reads_them)
{
    static const struct {
        const char *name;
        double value;
        const char *want;
    } cases[] = {
        {"nothing", 0, "v 0\n"},
        {"a whole number", 1234567, "v 1234567\n"},
        {"a large whole number has no exponent", 123456789012345, "v 123456789012345\n"},
        {"below zero", -3, "v -3\n"},
        {"a fraction", 0.1, "v 0.1\n"},
        {"one that fifteen digits do not tell", 0.1 + 0.2, "v 0.30000000000000004\n"},
        {"beyond every integer", 1e300, "v 1e+300\n"},
        {"infinity", INFINITY, "v +Inf\n"},
        {"minus infinity", -INFINITY, "v -Inf\n"},
        {"no number", NAN, "v NaN\n"},
    };
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Metrics *m = metrics_open(0);
        MetricFamily *v = metrics_declare(m, &(MetricSpec){.name = "v", .type = METRIC_GAUGE});
        metrics_set(v, (MetricLabels){0}, cases[i].value);
        then_true(str_has_suffix(own_page_of(a, m), cases[i].want));
        metrics_close(m);
    }
}

TEST(metric_help_and_labels_are_escaped)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Metrics *m = metrics_open(0);
    MetricFamily *f = metrics_declare(m,
        &(MetricSpec){
            .name = "f",
            .help = "a \\ and a\nline, \"quoted\"",
            .type = METRIC_GAUGE,
            .labels = {"l", "m"},
        });
    metrics_set(f, (MetricLabels){{"\\\"\n", NULL}}, 1);
    metrics_set(f, (MetricLabels){{"a\",m=\"b", "c"}}, 2);
    metrics_set(f, (MetricLabels){{"a", "b\",m=\"c"}}, 3);

    then_str(own_page_of(a, m),
        "# HELP f a \\\\ and a\\nline, \"quoted\"\n"
        "# TYPE f gauge\n"
        "f{l=\"\\\\\\\"\\n\",m=\"\"} 1\n"
        "f{l=\"a\\\",m=\\\"b\",m=\"c\"} 2\n"
        "f{l=\"a\",m=\"b\\\",m=\\\"c\"} 3\n");
    metrics_close(m);
}

TEST(long_label_values_are_cut_between_characters)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Metrics *m = metrics_open(0);
    MetricFamily *f = metrics_declare(m,
        &(MetricSpec){.name = "f", .type = METRIC_GAUGE, .labels = {"a", "b", "c", "d", "e", "f"}});
    char quotes[1000] = "", umlauts[1000] = "x";
    memset(quotes, '"', sizeof quotes - 1);
    for (size_t i = 1; i + 2 < sizeof umlauts; i += 2)
        stpcpy(umlauts + i, "\xC3\xBC");
    then_int(metrics_value_len(umlauts), METRIC_VALUE_MAX - 1);
    then_int(metrics_value_len("short"), 5);
    metrics_set(f, (MetricLabels){{quotes, quotes, quotes, quotes, quotes, umlauts}}, 1);

    const char *page = own_page_of(a, m), *line = strstr(page, "\nf{") + 1;
    size_t quoted = (size_t)2 * METRIC_VALUE_MAX + strlen("a=\"\",");
    then_int(
        strlen(line), strlen("f{") + 5 * quoted + strlen("f=\"\"} 1\n") + METRIC_VALUE_MAX - 1);
    then_true(strstr(line, "\xC3\xBC\"} 1\n") != NULL);
    metrics_close(m);
}

TEST(series_beyond_the_maximum_are_counted)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Metrics *m = metrics_open(3);
    MetricFamily *f = metrics_declare(m,
        &(MetricSpec){.name = "f", .type = METRIC_HISTOGRAM, .labels = {"l"}, .buckets = bounds});

    for (int i = 0; i < 10; i++)
        metrics_observe(f, (MetricLabels){{str_format(a, "%d", i)}}, 1);
    then_true(strstr(page_of(a, m), "metrics_dropped_series_total 7\n") != NULL);
    then_true(metrics_value(f, (MetricLabels){{"2"}}) == 1);
    then_true(metrics_value(f, (MetricLabels){{"3"}}) == 0);

    then_true(metrics_remove(f, (MetricLabels){{"1"}}));
    then_true(!metrics_remove(f, (MetricLabels){{"1"}}));
    metrics_observe(f, (MetricLabels){{"new"}}, 1);
    then_true(metrics_value(f, (MetricLabels){{"new"}}) == 1);
    const char *page = page_of(a, m);
    then_true(strstr(page, "metrics_dropped_series_total 7\n") != NULL);
    then_true(!strstr(page, "l=\"1\""));
    then_true(strstr(page, "f_count{l=\"0\"}") < strstr(page, "f_count{l=\"2\"}"));
    then_true(strstr(page, "f_count{l=\"2\"}") < strstr(page, "f_count{l=\"new\"}"));
    metrics_close(m);
}

enum { ROOM = 1000, TOLD = 2000 };

/* Tells of TOLD objects with the longest names and numbers; of how many it is shown. */
static int fill(MetricFamily *f, MetricType type)
{
    char name[METRIC_VALUE_MAX + 1] = "", quotes[METRIC_VALUE_MAX + 1] = "";
    MetricLabels labels = {{quotes, name, quotes, quotes}};
    int shown = 0;

    memset(quotes, '"', METRIC_VALUE_MAX);
    for (int i = 0; i < TOLD; i++) {
        snprintf(name, sizeof name, "%0*d", METRIC_VALUE_MAX, i);
        if (type == METRIC_GAUGE)
            metrics_set(f, labels, -DBL_MAX);
        else
            metrics_observe(f, labels, DBL_MAX);
        shown += metrics_value(f, labels) != 0;
    }
    return shown;
}

/* Long names fill the page before there are as many series as there may be. */
TEST(a_full_metrics_page_fits_and_reports_that_series_were_dropped)
{
    static const struct {
        const char *name;
        MetricSpec spec;
    } cases[] = {
        {"lines",
            {.name = "f",
                .help = "\n\n\n\n",
                .type = METRIC_GAUGE,
                .labels = {"a", "b", "c", "d"},
                .object_labels = 1}},
        {"histograms",
            {.name = "f",
                .type = METRIC_HISTOGRAM,
                .labels = {"a", "b", "c", "d"},
                .object_labels = 1,
                .buckets = bounds}},
    };
    char quotes[METRIC_VALUE_MAX + 1] = "";
    memset(quotes, '"', METRIC_VALUE_MAX);
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Metrics *m = metrics_open(ROOM);
        MetricFamily *f = metrics_declare(m, &cases[i].spec);
        int shown = fill(f, cases[i].spec.type);
        Buf page = {.ceiling = metrics_page_max(m)};

        then_true(shown > 0 && shown < ROOM);
        then_true(metrics_write(m, &page));
        then_true(
            strstr(page.data, str_format(a, "\nmetrics_dropped_series_total %d\n", TOLD - shown)));
        then_int(metrics_remove_object(f, (MetricLabels){{quotes}}), shown);
        then_int(fill(f, cases[i].spec.type), shown);
        buf_close(&page);
        metrics_close(m);
    }
}

TEST(a_metrics_page_that_is_too_long_leaves_the_buffer_unchanged)
{
    Metrics *m = metrics_open(0);
    Buf page = {.ceiling = 60};
    then_true(buf_append(&page, "kept", 4));
    then_true(!metrics_write(m, &page));
    then_str(page.data, "kept");
    buf_close(&page);
    Buf none = {.ceiling = 0};
    then_true(!metrics_write(m, &none));
    metrics_close(m);
    metrics_close(NULL);
}

TEST(a_wrong_metric_declaration_is_a_bug)
{
    static const double falling[] = {2, 1, 0};
    static const double many[] = {1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10,
        11,
        12,
        13,
        14,
        15,
        16,
        17,
        18,
        19,
        20,
        21,
        22,
        23,
        24,
        25,
        26,
        27,
        28,
        29,
        30,
        31,
        32,
        33,
        34,
        35,
        36,
        37,
        38,
        39,
        40,
        41,
        42,
        43,
        44,
        45,
        46,
        47,
        48,
        49,
        50,
        51,
        52,
        53,
        54,
        55,
        56,
        57,
        58,
        59,
        60,
        61,
        62,
        63,
        64,
        65,
        66,
        0};
    static const struct {
        const char *name;
        MetricSpec spec;
        const char *want;
    } cases[] = {
        {"no name", {.name = NULL}, "metric has a name"},
        {"a dash", {.name = "a-b"}, "metric has a name"},
        {"a leading digit", {.name = "1a"}, "metric has a name"},
        {"twice", {.name = "metrics_dropped_series_total"}, "declared twice"},
        {"a label with a colon", {.name = "a", .labels = {"b:c"}}, "label of a metric"},
        {"an empty label", {.name = "a", .labels = {""}}, "label of a metric"},
        {"a reserved label", {.name = "a", .labels = {"__b"}}, "label of a metric"},
        {"the label of buckets",
            {.name = "a", .type = METRIC_HISTOGRAM, .labels = {"le"}, .buckets = bounds},
            "label of a metric"},
        {"a label twice", {.name = "a", .labels = {"b", "c", "b"}}, "two labels of one name"},
        {"fewer labels than name an object",
            {.name = "a", .labels = {"b"}, .object_labels = 2},
            "fewer labels"},
        {"a histogram without buckets", {.name = "a", .type = METRIC_HISTOGRAM}, "needs buckets"},
        {"a gauge with buckets",
            {.name = "a", .type = METRIC_GAUGE, .buckets = bounds},
            "needs buckets"},
        {"falling buckets", {.name = "a", .type = METRIC_HISTOGRAM, .buckets = falling}, "ascend"},
        {"too many buckets", {.name = "a", .type = METRIC_HISTOGRAM, .buckets = many}, "too many"},
    };
    Metrics *m = metrics_open(0);
    each_case(i, cases)
        then_bug(cases[i].want, metrics_declare(m, &cases[i].spec));
    then_true(metrics_declare(m, &(MetricSpec){.name = "a:b_C9", .labels = {"_a"}}) != NULL);
    metrics_close(m);
}

TEST(removing_an_object_removes_exactly_its_series)
{
    static const struct {
        const char *name;
        MetricLabels object;
        size_t removed;
    } cases[] = {
        {"two series", {{"sei", "rpc-1"}}, 2},
        {"none any more", {{"sei", "rpc-1"}}, 0},
        {"further labels say nothing", {{"sei", "rpc-10", "Late"}}, 1},
        {"a name that others begin with", {{"sei", "rp"}}, 0},
        {"a name that escapes itself", {{"sei", "a\",reason=\"b"}}, 1},
        {"one that was removed and came again", {{"sei", "rpc-2"}}, 1},
        {"an object of the same name elsewhere", {{"dev", "rpc-1"}}, 1},
    };
    static const MetricLabels series[] = {{{"sei", "rpc-1", "Lost"}},
        {{"sei", "rpc-1", "Late"}},
        {{"sei", "rpc-10", "Lost"}},
        {{"sei", "rpc", "Lost"}},
        {{"sei", "a\",reason=\"b", "Lost"}},
        {{"sei", "a", "b\",reason=\"Lost"}},
        {{"sei", "rpc-2", "Lost"}},
        {{"dev", "rpc-1", "Lost"}}};
    SCOPED_ARENA a = arena_open(1 << 20);
    Metrics *m = metrics_open(0);
    MetricFamily *f = metrics_declare(m,
        &(MetricSpec){.name = "g",
            .type = METRIC_GAUGE,
            .labels = {"namespace", "name", "reason"},
            .object_labels = 2});
    MetricFamily *other = metrics_declare(m,
        &(MetricSpec){.name = "gg",
            .type = METRIC_GAUGE,
            .labels = {"namespace", "name"},
            .object_labels = 2});

    for (size_t i = 0; i < array_count(series); i++)
        metrics_set(f, series[i], 1);
    metrics_set(other, (MetricLabels){{"sei", "rpc-1"}}, 1);
    then_true(metrics_remove(f, (MetricLabels){{"sei", "rpc-2", "Lost"}}));
    metrics_set(f, (MetricLabels){{"sei", "rpc-2", "Late"}}, 1);
    each_case(i, cases)
        then_int(metrics_remove_object(f, cases[i].object), cases[i].removed);
    then_str(own_page_of(a, m),
        "# HELP g \n"
        "# TYPE g gauge\n"
        "g{namespace=\"sei\",name=\"rpc\",reason=\"Lost\"} 1\n"
        "g{namespace=\"sei\",name=\"a\",reason=\"b\\\",reason=\\\"Lost\"} 1\n"
        "# HELP gg \n"
        "# TYPE gg gauge\n"
        "gg{namespace=\"sei\",name=\"rpc-1\"} 1\n");
    then_int(metrics_remove_object(other, (MetricLabels){{"sei", "rpc-1"}}), 1);
    then_int(metrics_remove_object(other, (MetricLabels){{"sei", "rpc-1"}}), 0);
    metrics_close(m);
}

TEST(using_a_metric_with_an_operation_of_another_type_is_a_bug)
{
    Metrics *m = metrics_open(0);
    MetricFamily *counter = metrics_declare(m, &(MetricSpec){.name = "c", .type = METRIC_COUNTER});
    MetricFamily *gauge = metrics_declare(m, &(MetricSpec){.name = "g", .type = METRIC_GAUGE});
    MetricFamily *histogram =
        metrics_declare(m, &(MetricSpec){.name = "h", .type = METRIC_HISTOGRAM, .buckets = bounds});

    then_bug("never goes down", metrics_add(counter, (MetricLabels){0}, -1));
    then_bug("never goes down", metrics_add(counter, (MetricLabels){0}, NAN));
    then_bug("only a gauge", metrics_set(counter, (MetricLabels){0}, 1));
    metrics_mirror(counter, (MetricLabels){0}, 7);
    then_true(metrics_value(counter, (MetricLabels){0}) == 7);
    then_bug("never goes down", metrics_mirror(counter, (MetricLabels){0}, 6));
    then_bug("only a histogram", metrics_observe(counter, (MetricLabels){0}, 1));
    then_bug("only a histogram", metrics_observe(gauge, (MetricLabels){0}, 1));
    then_bug("names no objects", metrics_remove_object(gauge, (MetricLabels){0}));
    then_bug("does not add", metrics_add(histogram, (MetricLabels){0}, 1));
    metrics_add(gauge, (MetricLabels){0}, -1);
    then_true(metrics_value(gauge, (MetricLabels){0}) == -1);
    metrics_close(m);
}
