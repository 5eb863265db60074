/* Quantity: amounts of resources ("4", "32Gi", "100m", "1e3"), exact and comparable. */
#ifndef KUBE_QUANTITY_H
#define KUBE_QUANTITY_H

#include "base/err.h"

typedef enum QuantityFormat {
    QUANTITY_DECIMAL_SI,       /* 100m, 4k */
    QUANTITY_BINARY_SI,        /* 32Gi */
    QUANTITY_DECIMAL_EXPONENT, /* 1e3 */
} QuantityFormat;

__extension__ typedef __int128 Nanos;

/* value = nanos / 10^9. Amounts finer than 1n are rounded up (away from zero) and binary ones
 * beyond 2^63 - 1 units are capped, as the API server does it. */
typedef struct Quantity {
    Nanos nanos;
    QuantityFormat format;
    const char *text; /* as it was written, when the server keeps it so; else NULL */
} Quantity;

/* ERR_TERMINAL with the text when it is no quantity. Also for decimal amounts beyond 10^28 units,
 * and for texts without a digit ("", "k"), which the server reads as 0. */
Err *quantity_parse(Arena *a, const char *text, Quantity *ret) MUST_CHECK;

/* <0, 0, >0. The format does not matter. */
int quantity_compare(Quantity left, Quantity right);

/* The text that the API server stores of it: "1000m" becomes "1", "1024Mi" "1Gi"; but "1.500",
 * being a whole number of thousandths, stays as it was written. */
const char *quantity_text(Arena *a, Quantity q);

/* The same of an amount of a resource (requests, limits), which the server rounds up to
 * thousandths, away from zero: "100u" becomes "1m". */
const char *quantity_resource_text(Arena *a, Quantity q);

#endif
