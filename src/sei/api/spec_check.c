/* Checks that the kinds share. */
#include "sei/api/spec_check.h"

Err *spec_check_range(Arena *a, const char *path, int64_t value, int64_t min, int64_t max)
{
    if (value >= min && value <= max)
        return OK;
    return err_terminal(a,
        "%s: expected a number from %lld to %lld, found %lld",
        path,
        (long long)min,
        (long long)max,
        (long long)value);
}

Err *spec_check_texts(Arena *a, const char *path, const Json *map)
{
    const Json *value;

    json_each(value, map)
        if (!json_text(value))
            return err_terminal(a, "%s['%s']: expected a string", path, json_key(value));
    return OK;
}
