/* Metrics: families in the order of their declaration, and in each its series in the order of their
 * birth, so that two pages differ only where values do.
 *
 * A series is known by the very text that stands before its value on the page,
 * `name{label="value"}`: it is found by it, and writing a page is little more than copying. What a
 * family tells of one object is found in the same way by the text of the first labels: with many
 * thousands of objects nobody may walk a family to look after one of them. */
#include "kube/metrics.h"

#include "base/arena.h"
#include "base/link.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_MAX = 128,
    BUCKETS_MAX = 64,
    NUMBER_SIZE = 32,
    /* Every byte of a value may need an escape; then its name, and ="", around it. */
    TEXT_SIZE = NAME_MAX + METRIC_LABELS_MAX * (NAME_MAX + 2 * METRIC_VALUE_MAX + 4) + 3,
    SERIES_MAX_DEFAULT = 20000,
    /* The page has room for so much of each series and, because a histogram is many lines, for a
     * little more. */
    LINES_PER_SERIES = 256,
    LINES_MORE = 1 << 20,
};

typedef struct Series {
    Link link;
    Link kin; /* with those of the family about the same object, where one can have several */
    size_t size;
    const char *text; /* name{label="value"}, behind the counts */
    double value;     /* of a histogram: the sum */
    uint64_t count;   /* of a histogram: observations */
    uint64_t buckets[];
} Series;

/* What a family tells of an object; it lives while there is a series. */
typedef struct Object {
    Link series; /* by their kin */
    size_t size;
    char text[]; /* as of a series that had no other labels */
} Object;

struct MetricFamily {
    Metrics *metrics;
    MetricSpec spec;
    size_t name_len;
    size_t label_count, bucket_count;
    Link series; /* in the order of their birth */
    MetricFamily *next;
};

struct Metrics {
    Arena *own;
    Slab *slab;
    Map *series;  /* by text */
    Map *objects; /* by text */
    size_t series_max;
    size_t heads_size;            /* of the families on the page */
    size_t lines_max, lines_size; /* of the series there, if numbers were as long as they get */
    MetricFamily *first, *last;
    MetricFamily *dropped;
};

/* Declaring. */

static bool is_name(const char *name, bool colons)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789:";
    if (str_empty(name) || (*name >= '0' && *name <= '9') || (!colons && strchr(name, ':')))
        return false;
    return strspn(name, letters) == strlen(name) && strlen(name) <= NAME_MAX;
}

static size_t count_labels(const MetricSpec *spec)
{
    size_t count = 0;
    while (count < METRIC_LABELS_MAX && spec->labels[count]) {
        const char *label = spec->labels[count];
        bool reserved =
            str_has_prefix(label, "__") || (spec->type == METRIC_HISTOGRAM && str_eq(label, "le"));
        if (!is_name(label, false) || reserved)
            BUG("a label of a metric has a name that Prometheus does not take");
        for (size_t i = 0; i < count; i++)
            if (str_eq(spec->labels[i], label))
                BUG("a metric has two labels of one name");
        count++;
    }
    return count;
}

static size_t count_buckets(const MetricSpec *spec)
{
    size_t count = 0;
    if ((spec->type == METRIC_HISTOGRAM) != (spec->buckets != NULL))
        BUG("a histogram needs buckets, and nothing else has any");
    while (spec->buckets && spec->buckets[count] > 0) {
        if (count > 0 && spec->buckets[count] <= spec->buckets[count - 1])
            BUG("the buckets of a histogram ascend");
        if (++count > BUCKETS_MAX)
            BUG("a histogram has too many buckets, or they do not end with 0");
    }
    return count;
}

/* What write_head writes at most. */
static size_t size_of_head(const MetricSpec *spec)
{
    static const char frame[] = "# HELP  \n# TYPE  histogram\n";
    return sizeof frame + 2 * strlen(spec->name) + 2 * (spec->help ? strlen(spec->help) : 0);
}

MetricFamily *metrics_declare(Metrics *m, const MetricSpec *spec)
{
    if (!is_name(spec->name, true))
        BUG("a metric has a name that Prometheus does not take");
    for (const MetricFamily *f = m->first; f; f = f->next)
        if (str_eq(f->spec.name, spec->name))
            BUG("a metric is declared twice");

    MetricFamily *f = arena_new(m->own, MetricFamily);
    f->metrics = m;
    f->spec = *spec;
    f->name_len = strlen(spec->name);
    f->label_count = count_labels(spec);
    f->bucket_count = count_buckets(spec);
    if (spec->object_labels > f->label_count)
        BUG("a metric has fewer labels than name its objects");
    link_init(&f->series);
    *(m->last ? &m->last->next : &m->first) = f;
    m->last = f;
    m->heads_size += size_of_head(spec);
    return f;
}

Metrics *metrics_open(size_t series_max)
{
    Arena *own = arena_open(1 << 20);
    Metrics *m = arena_new(own, Metrics);

    m->own = own;
    m->slab = slab_open();
    m->series_max = series_max ? series_max : SERIES_MAX_DEFAULT;
    m->series = map_open(m->series_max + 1);
    m->objects = map_open(m->series_max + 1);
    m->lines_max = LINES_MORE + m->series_max * LINES_PER_SERIES;
    m->dropped = metrics_declare(m,
        &(MetricSpec){
            .name = "metrics_dropped_series_total",
            .help =
                "Values that found no room because there were too many series, or too long ones.",
            .type = METRIC_COUNTER,
        });
    metrics_add(m->dropped, (MetricLabels){0}, 0);
    return m;
}

void metrics_close(Metrics *m)
{
    if (!m)
        return;
    map_close(m->objects);
    map_close(m->series);
    slab_close(m->slab);
    arena_close(m->own);
}

/* Series. */

size_t metrics_value_len(const char *value)
{
    size_t len = strnlen(value, METRIC_VALUE_MAX + 1);
    if (len <= METRIC_VALUE_MAX)
        return len;
    len = METRIC_VALUE_MAX;
    while (len > 0 && ((unsigned char)value[len] & 0xC0) == 0x80)
        len--;
    return len;
}

/* Appends a label's value with its escapes. */
static char *write_value(char *to, const char *value)
{
    size_t len = metrics_value_len(value);
    for (size_t i = 0; i < len; i++) {
        if (value[i] == '\\' || value[i] == '"' || value[i] == '\n')
            *to++ = '\\';
        *to++ = value[i] == '\n' ? 'n' : value[i];
    }
    return to;
}

/* The text of a series, with as many of its labels as asked for. */
static void write_text(
    const MetricFamily *f, const MetricLabels *labels, size_t count, char text[TEXT_SIZE])
{
    char *to = stpcpy(text, f->spec.name);
    for (size_t i = 0; i < count; i++) {
        *to++ = i == 0 ? '{' : ',';
        to = stpcpy(to, f->spec.labels[i]);
        to = stpcpy(to, "=\"");
        to = write_value(to, labels->values[i] ? labels->values[i] : "");
        *to++ = '"';
    }
    if (count > 0)
        *to++ = '}';
    *to = '\0';
}

/* What write_family writes of a series at most. */
static size_t size_of_lines(const MetricFamily *f, const char *text)
{
    static const char bucket[] = "_bucket{,le=\"\"} \n";
    size_t len = strlen(text);
    if (f->spec.type != METRIC_HISTOGRAM)
        return len + NUMBER_SIZE + strlen(" \n");
    size_t lines = f->bucket_count + 3; /* +Inf, the sum and the count */
    return lines * (len + sizeof bucket + (size_t)2 * NUMBER_SIZE);
}

static Object *add_object(Metrics *m, const char *text)
{
    size_t text_size = strlen(text) + 1;
    size_t size = sizeof(Object) + text_size;
    Object *o = slab_alloc(m->slab, size);
    link_init(&o->series);
    o->size = size;
    memcpy(o->text, text, text_size);
    if (!map_put(m->objects, o->text, o))
        BUG("there are more objects than series about them");
    return o;
}

/* True when one object can have several series. */
static bool has_kin(const MetricFamily *f)
{
    return f->spec.object_labels > 0 && f->spec.object_labels < f->label_count;
}

static void join_object(MetricFamily *f, const MetricLabels *labels, Series *s)
{
    Metrics *m = f->metrics;
    char text[TEXT_SIZE];
    write_text(f, labels, f->spec.object_labels, text);
    Object *o = map_find(m->objects, text);
    if (!o)
        o = add_object(m, text);
    link_insert_before(&o->series, &s->kin);
}

static void leave_object(Metrics *m, Series *s)
{
    Link *neighbour = s->kin.next;
    link_remove(&s->kin);
    if (!link_is_alone(neighbour))
        return;
    Object *o = link_owner(Object, series, neighbour);
    map_remove(m->objects, o->text);
    slab_free(m->slab, o, o->size);
}

static Series *add_series(MetricFamily *f, const MetricLabels *labels, const char *text)
{
    Metrics *m = f->metrics;
    size_t lines_size = m->lines_size + size_of_lines(f, text);
    if (map_count(m->series) > m->series_max || lines_size > m->lines_max) {
        metrics_add(m->dropped, (MetricLabels){0}, 1);
        return NULL;
    }

    m->lines_size = lines_size;
    size_t counts_size = f->bucket_count * sizeof(uint64_t);
    size_t text_size = strlen(text) + 1;
    size_t size = sizeof(Series) + counts_size + text_size;
    Series *s = slab_alloc(m->slab, size);
    char *copy = (char *)s + sizeof(Series) + counts_size;
    memset(s, 0, sizeof(Series) + counts_size);
    memcpy(copy, text, text_size);
    s->size = size;
    s->text = copy;
    if (!map_put(m->series, s->text, s))
        BUG("the map of the series is smaller than their ceiling");
    link_init(&s->link);
    link_insert_before(&f->series, &s->link);
    link_init(&s->kin);
    if (has_kin(f))
        join_object(f, labels, s);
    return s;
}

static Series *find_series(const MetricFamily *f, const MetricLabels *labels)
{
    char text[TEXT_SIZE];
    write_text(f, labels, f->label_count, text);
    return map_find(f->metrics->series, text);
}

/* The series of these labels; NULL when it is new and there is no room. */
static Series *touch_series(MetricFamily *f, const MetricLabels *labels)
{
    char text[TEXT_SIZE];
    write_text(f, labels, f->label_count, text);
    Series *s = map_find(f->metrics->series, text);
    return s ? s : add_series(f, labels, text);
}

void metrics_add(MetricFamily *f, MetricLabels labels, double amount)
{
    if (f->spec.type == METRIC_HISTOGRAM)
        BUG("a histogram observes, it does not add");
    if (f->spec.type == METRIC_COUNTER && !(amount >= 0))
        BUG("a counter never goes down");
    Series *s = touch_series(f, &labels);
    if (s)
        s->value += amount;
}

void metrics_set(MetricFamily *f, MetricLabels labels, double value)
{
    if (f->spec.type != METRIC_GAUGE)
        BUG("only a gauge can be set");
    Series *s = touch_series(f, &labels);
    if (s)
        s->value = value;
}

void metrics_mirror(MetricFamily *f, MetricLabels labels, double total)
{
    if (f->spec.type != METRIC_COUNTER)
        BUG("only a counter mirrors a total");
    Series *s = touch_series(f, &labels);
    if (s && !(total >= s->value))
        BUG("a counter never goes down");
    if (s)
        s->value = total;
}

void metrics_observe(MetricFamily *f, MetricLabels labels, double value)
{
    if (f->spec.type != METRIC_HISTOGRAM)
        BUG("only a histogram observes");
    Series *s = touch_series(f, &labels);
    if (!s)
        return;
    s->value += value;
    s->count++;
    for (size_t i = 0; i < f->bucket_count; i++)
        s->buckets[i] += value <= f->spec.buckets[i];
}

double metrics_value(const MetricFamily *f, MetricLabels labels)
{
    const Series *s = find_series(f, &labels);
    if (!s)
        return 0;
    return f->spec.type == METRIC_HISTOGRAM ? (double)s->count : s->value;
}

static void drop_series(MetricFamily *f, Series *s)
{
    Metrics *m = f->metrics;
    m->lines_size -= size_of_lines(f, s->text);
    map_remove(m->series, s->text);
    link_remove(&s->link);
    if (has_kin(f))
        leave_object(m, s);
    slab_free(m->slab, s, s->size);
}

bool metrics_remove(MetricFamily *f, MetricLabels labels)
{
    Series *s = find_series(f, &labels);
    if (!s)
        return false;
    drop_series(f, s);
    return true;
}

size_t metrics_remove_object(MetricFamily *f, MetricLabels object)
{
    Metrics *m = f->metrics;
    if (f->spec.object_labels == 0)
        BUG("a metric that names no objects is asked to forget one");
    if (link_is_alone(&f->series)) /* most that tell of troubles, most of the time */
        return 0;
    if (!has_kin(f))
        return metrics_remove(f, object);

    char text[TEXT_SIZE];
    write_text(f, &object, f->spec.object_labels, text);
    const Object *o = map_find(m->objects, text);
    size_t removed = 0;
    for (bool more = o != NULL; more; removed++) {
        Series *s = link_owner(Series, kin, o->series.next);
        more = s->kin.next != &o->series; /* the object goes with its last series */
        drop_series(f, s);
    }
    return removed;
}

/* The page. */

/* A whole number without exponent, any other as short as it can be told from its neighbours. */
static const char *number_text(double value, char ret[NUMBER_SIZE])
{
    if (isnan(value))
        return "NaN";
    if (isinf(value))
        return value > 0 ? "+Inf" : "-Inf";
    if (value > -1e15 && value < 1e15 && (double)(int64_t)value == value) {
        snprintf(ret, NUMBER_SIZE, "%.0f", value);
        return ret;
    }
    snprintf(ret, NUMBER_SIZE, "%.15g", value);
    if (strtod(ret, NULL) != value)
        snprintf(ret, NUMBER_SIZE, "%.17g", value);
    return ret;
}

static bool write_head(const MetricFamily *f, Buf *page)
{
    static const char *const types[] = {"counter", "gauge", "histogram"};

    if (!buf_format(page, "# HELP %s ", f->spec.name))
        return false;
    for (const char *at = f->spec.help ? f->spec.help : ""; *at; at++) {
        const char *escaped = *at == '\\' ? "\\\\" : *at == '\n' ? "\\n" : NULL;
        if (!buf_append(page, escaped ? escaped : at, escaped ? 2 : 1))
            return false;
    }
    return buf_format(page, "\n# TYPE %s %s\n", f->spec.name, types[f->spec.type]);
}

static bool write_bucket(
    const MetricFamily *f, const Series *s, const char *bound, uint64_t count, Buf *page)
{
    const char *labels = s->text + f->name_len;
    int inner = *labels ? (int)strlen(labels) - 2 : 0; /* without the braces */
    return buf_format(page,
        "%s_bucket{%.*s%sle=\"%s\"} %llu\n",
        f->spec.name,
        inner,
        *labels ? labels + 1 : "",
        *labels ? "," : "",
        bound,
        (unsigned long long)count);
}

static bool write_histogram(const MetricFamily *f, const Series *s, Buf *page)
{
    char number[NUMBER_SIZE];
    for (size_t i = 0; i < f->bucket_count; i++) {
        const char *bound = number_text(f->spec.buckets[i], number);
        if (!write_bucket(f, s, bound, s->buckets[i], page))
            return false;
    }
    const char *labels = s->text + f->name_len;
    return write_bucket(f, s, "+Inf", s->count, page)
        && buf_format(page, "%s_sum%s %s\n", f->spec.name, labels, number_text(s->value, number))
        && buf_format(
            page, "%s_count%s %llu\n", f->spec.name, labels, (unsigned long long)s->count);
}

static bool write_family(const MetricFamily *f, Buf *page)
{
    char number[NUMBER_SIZE];
    if (!link_is_alone(&f->series) && !write_head(f, page))
        return false;
    for (const Link *at = f->series.next; at != &f->series; at = at->next) {
        const Series *s = link_owner(const Series, link, at);
        bool written = f->spec.type == METRIC_HISTOGRAM
            ? write_histogram(f, s, page)
            : buf_format(page, "%s %s\n", s->text, number_text(s->value, number));
        if (!written)
            return false;
    }
    return true;
}

const MetricSpec *metrics_spec(const Metrics *m, size_t n)
{
    const MetricFamily *f = m->first;

    while (f && n-- > 0)
        f = f->next;
    return f ? &f->spec : NULL;
}

size_t metrics_page_max(const Metrics *m)
{
    return m->heads_size + m->lines_max;
}

bool metrics_write(const Metrics *m, Buf *page)
{
    size_t before = page->len;
    for (const MetricFamily *f = m->first; f; f = f->next)
        if (!write_family(f, page)) {
            page->len = before;
            if (page->data)
                page->data[before] = '\0';
            return false;
        }
    return true;
}
