/* Metrics: counters, gauges and histograms in Prometheus' text format (0.0.4).
 *
 * A machine: its owner guards it. Families are declared once with their help and label names;
 * series come to life when first touched, up to a ceiling of their number and of the page that they
 * make: what is told about further ones is dropped and counted in metrics_dropped_series_total. So
 * there is always a page, and it says itself whether it is whole. A series can be removed with the
 * object it speaks about. */
#ifndef KUBE_METRICS_H
#define KUBE_METRICS_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Metrics Metrics;
typedef struct MetricFamily MetricFamily;

typedef enum MetricType { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM } MetricType;

enum { METRIC_LABELS_MAX = 6, METRIC_VALUE_MAX = 256 };

typedef struct MetricSpec {
    const char *name; /* checked: [a-zA-Z_:][a-zA-Z0-9_:]*; a second family of one name is a BUG */
    const char *help;
    MetricType type;
    const char *labels[METRIC_LABELS_MAX]; /* names, checked; NULL ends */
    size_t object_labels; /* so many of the first name the object that a series is about; 0: none */
    const double *buckets; /* upper bounds above 0, ascending, 0 ends; histograms only */
} MetricSpec;

/* An empty registry of at most `series_max` series (0: 20,000), whose lines on the page are at most
 * 1 MiB and 256 bytes for each of them. */
Metrics *metrics_open(size_t series_max);

/* Gives back everything, families too. Accepts NULL. */
void metrics_close(Metrics *m);

/* Declares a family; it lives as long as the registry, and so must the spec's strings and buckets.
 */
MetricFamily *metrics_declare(Metrics *m, const MetricSpec *spec);

/* The values of the labels, in the order of the declaration; UTF-8, cut at METRIC_VALUE_MAX bytes,
 * NULL is "". */
typedef struct MetricLabels {
    const char *values[METRIC_LABELS_MAX];
} MetricLabels;

/* How many bytes of a label's value stand on the page: at most METRIC_VALUE_MAX, cut at the border
 * of a character. What has been cut so stands there as it is. */
size_t metrics_value_len(const char *value);

/* Counter and gauge: add; gauge: set; counter that somebody else counts: mirror its total;
 * histogram: observe. Anything else, and a counter that would go down, is a BUG. */
void metrics_add(MetricFamily *f, MetricLabels labels, double amount);
void metrics_set(MetricFamily *f, MetricLabels labels, double value);
void metrics_mirror(MetricFamily *f, MetricLabels labels, double total);
void metrics_observe(MetricFamily *f, MetricLabels labels, double value);

/* The value of a counter or gauge, or the count of a histogram; 0 for a series that does not exist.
 */
double metrics_value(const MetricFamily *f, MetricLabels labels);

/* Removes one series; true when it was there. */
bool metrics_remove(MetricFamily *f, MetricLabels labels);

/* Removes every series of the object that the first labels name; how many there were. For families
 * that declare how many name one. */
size_t metrics_remove_object(MetricFamily *f, MetricLabels object);

/* The declaration of the n-th family, counted from 0; NULL past the last. */
const MetricSpec *metrics_spec(const Metrics *m, size_t n);

/* The longest page that there can be of the families declared so far. */
size_t metrics_page_max(const Metrics *m);

/* Appends the whole page: families in the order of declaration, series in that of their birth.
 * False, with the buffer as it was, when it would pass the ceiling of the buffer. */
bool metrics_write(const Metrics *m, Buf *page);

#endif
