/* Writing: yyjson writes; this file puts values into canonical form first where that is asked for,
 * and repairs text that is not UTF-8, as Go does, so that writing never fails. */
#include "base/arena_raw.h"
#include "base/json_tape.h"
#include "base/utf8.h"

#include <string.h>

static char *write_to(JsonMemory *memory, yyjson_val *val, yyjson_write_flag flags, size_t *len)
{
    yyjson_alc allocator = json_memory_allocator(memory);
    return yyjson_val_write_opts(val, flags, &allocator, len, NULL);
}

static void repair(Arena *a, yyjson_val *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    const char *at = text->uni.str, *stop = at + unsafe_yyjson_get_len(text);
    char *begin = arena_raw_overdraw(a, (size_t)(stop - at) * strlen(replacement) + 1);
    char *end = begin;

    while (at < stop) {
        uint32_t code;
        size_t len = utf8_character(at, (size_t)(stop - at), &code);
        if (len > 0)
            end = mempcpy(end, at, len);
        else
            end = mempcpy(end, replacement, strlen(replacement));
        at += len > 0 ? len : 1;
    }
    *end = '\0';
    unsafe_yyjson_set_strn(text, begin, (size_t)(end - begin));
}

static yyjson_val *repair_all(Arena *a, yyjson_val *val)
{
    Tape t = {.arena = a};
    tape_value(&t, val);
    for (size_t i = 0; i < t.count; i++)
        if (unsafe_yyjson_is_str(t.vals + i))
            repair(a, t.vals + i);
    return t.vals;
}

static Bytes write_val(Arena *a, yyjson_val *val, yyjson_write_flag flags)
{
    JsonMemory memory = {.arena = a};
    size_t len = 0;
    char *text = write_to(&memory, val, flags, &len);
    if (!text)
        text = write_to(&memory, repair_all(a, val), flags, &len);
    if (!text)
        BUG("a JSON value that cannot be written");
    json_memory_trim(&memory, text + len + 1);
    return (Bytes){.data = text, .len = len};
}

static yyjson_val *val_or_null(const Json *v)
{
    static const yyjson_val null = {.tag = YYJSON_TYPE_NULL};
    return v ? json_val(v) : (yyjson_val *)&null;
}

Bytes json_write(Arena *a, const Json *v)
{
    return write_val(a, val_or_null(v), YYJSON_WRITE_NOFLAG);
}

Bytes json_pretty(Arena *a, const Json *v)
{
    return write_val(a, val_or_null(v), YYJSON_WRITE_PRETTY_TWO_SPACES);
}

static void put_outside(Tape *t, yyjson_val *val)
{
    if (unsafe_yyjson_is_ctn(val)) {
        tape_open(t, unsafe_yyjson_get_type(val));
    } else if (unsafe_yyjson_is_num(val)) {
        yyjson_val number = number_normal(val);
        tape_value(t, &number);
    } else {
        tape_value(t, val);
    }
}

static yyjson_val *put_in_order(Arena *a, yyjson_val *val)
{
    Tape t = {.arena = a};
    Children stack[JSON_DEPTH_MAX];

    for (;;) {
        put_outside(&t, val);
        if (unsafe_yyjson_is_ctn(val))
            stack[t.depth - 1] = children_sorted(a, val);
        while (t.depth > 0 && stack[t.depth - 1].left == 0)
            tape_close(&t);
        if (t.depth == 0)
            return json_val(tape_seal(&t));
        val = children_next(&stack[t.depth - 1]);
        if (stack[t.depth - 1].keyed)
            tape_key(&t, val - 1);
    }
}

Bytes json_canonical(Arena *a, const Json *v)
{
    return write_val(a, put_in_order(a, val_or_null(v)), YYJSON_WRITE_NOFLAG);
}
