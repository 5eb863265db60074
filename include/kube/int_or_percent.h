/* IntOrPercent: 3 or "25%", as in maxUnavailable. */
#ifndef KUBE_INT_OR_PERCENT_H
#define KUBE_INT_OR_PERCENT_H

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct IntOrPercent {
    int64_t value;
    bool percent;
} IntOrPercent;

typedef enum Rounding { ROUND_DOWN, ROUND_UP } Rounding;

/* Reads a JSON integer, or a string of digits with or without "%". Negative values and other text
 * are ERR_TERMINAL. */
Err *int_or_percent_decode(Arena *a, const Json *v, IntOrPercent *ret) MUST_CHECK;

/* The number it means of `total`. */
int64_t int_or_percent_of(IntOrPercent v, int64_t total, Rounding rounding);

#endif
