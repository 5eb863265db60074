/* Fuzzes times: what parses is written as text that parses to the same; and any moment at all is
 * written and read back. */
#include "kube/timestamp.h"

#include "base/arena.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool law)
{
    if (!law)
        abort();
}

static int64_t floor_to(int64_t value, int64_t unit)
{
    int64_t rest = value % unit;

    return rest < 0 ? value - rest - unit : value - rest;
}

/* The first second of all begins before int64_t does, and reads back as its first nanosecond. */
static void check_moment(int64_t ns)
{
    char text[TIMESTAMP_SIZE];
    int64_t again = 0;

    if (ns < INT64_MIN + 1000000000)
        return;
    must(timestamp_parse(timestamp_format(ns, text), &again));
    must(again == floor_to(ns, 1000000000));
    must(timestamp_parse(timestamp_format_micro(ns, text), &again));
    must(again == floor_to(ns, 1000));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    int64_t ns = 0;

    if (timestamp_parse(str_slice(a, (const char *)data, size), &ns))
        check_moment(ns);
    if (size >= sizeof ns) {
        memcpy(&ns, data, sizeof ns);
        check_moment(ns);
    }
    return 0;
}
