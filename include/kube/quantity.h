/* Quantity: amounts of resources ("4", "32Gi", "100m", "1e3"), exact and comparable. */
#ifndef KUBE_QUANTITY_H
#define KUBE_QUANTITY_H

#include "base/err.h"

typedef enum QuantityFormat {
    QUANTITY_DECIMAL_SI,       /* 100m, 4k */
    QUANTITY_BINARY_SI,        /* 32Gi */
    QUANTITY_DECIMAL_EXPONENT, /* 1e3 */
} QuantityFormat;

/* value = nanos / 10^9. Holds all that the API server does: up to 2^63 - 1 units, down to 1n (finer
 * amounts are rounded up, larger ones capped, as there). */
typedef struct Quantity {
    __extension__ __int128 nanos;
    QuantityFormat format;
} Quantity;

/* ERR_TERMINAL with the text when it is no quantity. */
Err *quantity_parse(Arena *a, const char *text, Quantity *ret) MUST_CHECK;

/* <0, 0, >0. The format does not matter. */
int quantity_compare(Quantity left, Quantity right);

/* The text that the API server stores: "1000m" becomes "1", "1024Mi" "1Gi". */
const char *quantity_text(Arena *a, Quantity q);

#endif
