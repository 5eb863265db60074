/* The tape: writing one, copying one, and the order of keys. */
#include "base/json_tape.h"

#include "base/arena_raw.h"

#include <assert.h>
#include <string.h>

enum { TAPE_CAPACITY_MIN = 64 };

yyjson_val *val_empty_object(void)
{
    static const yyjson_val empty = {.tag = YYJSON_TYPE_OBJ, .uni = {.ofs = sizeof(yyjson_val)}};
    return (yyjson_val *)&empty;
}

static void *memory_take(void *ctx, size_t size)
{
    JsonMemory *m = ctx;
    m->newest = arena_raw_overdraw(m->arena, size);
    m->size = size;
    return m->newest;
}

static void *memory_change(void *ctx, void *old, size_t old_size, size_t size)
{
    JsonMemory *m = ctx;
    m->newest = arena_raw_resize_overdraw(m->arena, old, old_size, size);
    m->size = size;
    return m->newest;
}

static void memory_give(void *ctx, void *memory)
{
    JsonMemory *m = ctx;
    if (memory == m->newest)
        json_memory_trim(m, memory);
}

yyjson_alc json_memory_allocator(JsonMemory *m)
{
    return (yyjson_alc){memory_take, memory_change, memory_give, m};
}

void json_memory_trim(JsonMemory *m, const void *end)
{
    size_t size = (size_t)((const char *)end - (const char *)m->newest);
    assert(size <= m->size);
    arena_raw_resize_overdraw(m->arena, m->newest, m->size, size);
    m->size = size;
}

static yyjson_val *tape_extend(Tape *t, size_t more)
{
    if (t->count + more > t->capacity) {
        size_t capacity = t->capacity ? t->capacity * 2 : TAPE_CAPACITY_MIN;
        if (capacity < t->count + more)
            capacity = t->count + more;
        size_t size = sizeof(yyjson_val);
        t->vals = t->vals
            ? arena_raw_resize_overdraw(t->arena, t->vals, t->capacity * size, capacity * size)
            : arena_raw_overdraw(t->arena, capacity * size);
        t->capacity = capacity;
    }
    yyjson_val *end = t->vals + t->count;
    t->count += more;
    return end;
}

static void count_child(Tape *t)
{
    if (t->depth > 0)
        t->open[t->depth - 1].len++;
}

void tape_open(Tape *t, yyjson_type type)
{
    if (t->depth == JSON_DEPTH_MAX)
        BUG("a JSON value nested deeper than JSON_DEPTH_MAX");
    count_child(t);
    t->open[t->depth].at = t->count;
    t->open[t->depth].len = 0;
    t->depth++;
    val_set_container(tape_extend(t, 1), type);
}

void tape_close(Tape *t)
{
    assert(t->depth > 0);
    t->depth--;
    yyjson_val *container = t->vals + t->open[t->depth].at;
    unsafe_yyjson_set_len(container, t->open[t->depth].len);
    container->uni.ofs = (t->count - t->open[t->depth].at) * sizeof(yyjson_val);
}

void tape_drop(Tape *t)
{
    assert(t->depth > 0);
    t->depth--;
    t->count = t->open[t->depth].at;
    if (t->depth == 0)
        return;
    t->open[t->depth - 1].len--;
    if (unsafe_yyjson_is_obj(t->vals + t->open[t->depth - 1].at))
        t->count--;
}

bool tape_is_empty(const Tape *t)
{
    assert(t->depth > 0);
    return t->open[t->depth - 1].len == 0;
}

void tape_key(Tape *t, yyjson_val *key)
{
    *tape_extend(t, 1) = *key;
}

void tape_value(Tape *t, yyjson_val *val)
{
    size_t extent = val_extent(val);
    memcpy(tape_extend(t, extent), val, extent * sizeof *val);
    count_child(t);
}

const Json *tape_seal(Tape *t)
{
    assert(t->depth == 0 && t->count > 0);
    size_t size = sizeof(yyjson_val);
    return arena_raw_resize(t->arena, t->vals, t->capacity * size, t->count * size);
}

const Json *json_copy(Arena *to, const Json *v)
{
    if (!v)
        return NULL;
    size_t extent = val_extent(json_val(v)), text_size = 0;
    yyjson_val *vals = arena_raw_overdraw(to, extent * sizeof *vals);
    memcpy(vals, v, extent * sizeof *vals);
    for (size_t i = 0; i < extent; i++)
        if (unsafe_yyjson_is_str(vals + i))
            text_size += unsafe_yyjson_get_len(vals + i) + 1;

    char *text = arena_raw_overdraw(to, text_size);
    for (size_t i = 0; i < extent; i++) {
        if (!unsafe_yyjson_is_str(vals + i))
            continue;
        size_t size = unsafe_yyjson_get_len(vals + i);
        memcpy(text, vals[i].uni.str, size);
        text[size] = '\0';
        vals[i].uni.str = text;
        text += size + 1;
    }
    return json_of(vals);
}

int key_compare(yyjson_val *left, yyjson_val *right)
{
    size_t left_len = unsafe_yyjson_get_len(left), right_len = unsafe_yyjson_get_len(right);
    size_t common = left_len < right_len ? left_len : right_len;
    int order = memcmp(left->uni.str, right->uni.str, common);
    if (order != 0)
        return order;
    return (left_len > right_len) - (left_len < right_len);
}

/* Merges the two sorted runs that meet at `middle`. */
static void merge_runs(yyjson_val **to, yyjson_val **run, size_t middle, size_t end)
{
    size_t left = 0, right = middle;
    for (size_t i = 0; i < end; i++) {
        bool take_left = right == end || (left < middle && key_compare(run[left], run[right]) <= 0);
        to[i] = take_left ? run[left++] : run[right++];
    }
}

/* A merge sort from the bottom up: stable, without recursion, and unlike qsort without malloc. */
static yyjson_val **sort_keys(Arena *a, yyjson_val **keys, size_t count)
{
    yyjson_val **spare = arena_array(a, yyjson_val *, count);
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t left = count - start;
            size_t end = left < 2 * width ? left : 2 * width;
            merge_runs(spare + start, keys + start, width < end ? width : end, end);
        }
        yyjson_val **sorted = spare;
        spare = keys;
        keys = sorted;
    }
    return keys;
}

Children children_sorted(Arena *a, yyjson_val *container)
{
    Children all = children_of(container), walk = all;
    if (!all.keyed || all.left < 2)
        return all;
    yyjson_val **keys = arena_array(a, yyjson_val *, all.left), *child;
    bool in_order = true;
    size_t count = 0;
    while ((child = children_next(&walk))) {
        keys[count++] = child - 1;
        in_order = in_order && (count < 2 || key_compare(keys[count - 2], child - 1) <= 0);
    }
    if (!in_order)
        all.sorted = sort_keys(a, keys, count);
    return all;
}

yyjson_val number_normal(yyjson_val *number)
{
    static const double two_to_63 = 9223372036854775808.0, two_to_64 = 18446744073709551616.0;
    yyjson_val normal = *number;

    if (unsafe_yyjson_is_sint(number) && number->uni.i64 >= 0)
        unsafe_yyjson_set_uint(&normal, (uint64_t)number->uni.i64);
    if (!unsafe_yyjson_is_real(number))
        return normal;
    double real = number->uni.f64;
    if (real >= 0 && real < two_to_64 && (double)(uint64_t)real == real)
        unsafe_yyjson_set_uint(&normal, (uint64_t)real);
    else if (real < 0 && real >= -two_to_63 && (double)(int64_t)real == real)
        unsafe_yyjson_set_sint(&normal, (int64_t)real);
    return normal;
}

bool json_depth_fits(const Json *v)
{
    yyjson_val *ends[JSON_DEPTH_MAX], *val = json_val(v);
    yyjson_val *end = unsafe_yyjson_get_next(val);
    size_t depth = 0;

    for (; val < end; val++) {
        while (depth > 0 && val >= ends[depth - 1])
            depth--;
        if (!unsafe_yyjson_is_ctn(val))
            continue;
        if (depth == JSON_DEPTH_MAX)
            return false;
        ends[depth++] = unsafe_yyjson_get_next(val);
    }
    return true;
}
