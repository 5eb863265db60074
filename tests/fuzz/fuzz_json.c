/* Fuzzes JSON: whatever parses obeys the laws of base/json.h, and nothing crashes.
 *
 * The input is one text or, cut at the first zero byte, two: a document and a patch for it. */
#include "base/json.h"

#include "base/draft.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool law)
{
    if (!law)
        abort();
}

static const Json *parse(Arena *a, Bytes text)
{
    const Json *v = NULL;
    Err *err = json_parse(a, text, &v);
    must((v != NULL) == (err == OK));
    must(!err || err_is(err, ERR_TERMINAL));
    return v;
}

static bool has_null_or_double_key(const Json *object)
{
    const Json *member, *other;
    json_each(member, object) {
        if (json_type(member) == JSON_NULL)
            return true;
        for (other = json_next(object, member); other; other = json_next(object, other))
            if (str_eq(json_key(member), json_key(other)))
                return true;
    }
    return false;
}

/* The laws of merge patches hold for objects without null and without one key twice. */
static bool is_plain(const Json *v)
{
    const Json *child;
    if (json_type(v) == JSON_OBJECT && has_null_or_double_key(v))
        return false;
    json_each(child, v)
        if (!is_plain(child))
            return false;
    return true;
}

static void check_writing(Arena *a, const Json *v)
{
    const Json *again = parse(a, json_write(a, v));
    must(json_equal(v, again) && json_equal(again, v));
    must(json_equal(v, parse(a, json_pretty(a, v))));
    must(json_equal(v, json_copy(a, v)));

    Bytes canonical = json_canonical(a, v);
    const Json *sorted = parse(a, canonical);
    must(json_equal(v, sorted));
    must(bytes_equal(canonical, json_write(a, sorted)));
    must(bytes_equal(canonical, json_canonical(a, sorted)));
}

static void check_reading(const Json *v)
{
    const Json *child;
    size_t count = 0;
    json_each(child, v)
        count++;
    must(count == json_count(v));
    const char *text = json_text(v);
    must(!text || json_type(v) == JSON_STRING);
    (void)json_int(v, ".a[0].b", 0);
    (void)json_number(v, "['a.b']", 0);
}

static void check_merging(Arena *a, const Json *from, const Json *to)
{
    const Json *patch = json_merge_diff(a, from, to);
    const Json *merged = json_merge(a, from, patch);
    if (is_plain(from) && is_plain(to)) {
        must(json_equal(merged, to));
        must((patch == NULL) == json_equal(from, to));
    }
    must(json_merge_diff(a, merged, merged) == NULL);
}

static void check_patching(Arena *a, const Json *doc, const Json *operations)
{
    const Json *before = json_copy(a, doc), *after = NULL;
    Err *err = json_patch(a, doc, operations, &after);
    must((after != NULL) == (err == OK));
    must(json_equal(doc, before));
    if (after)
        check_writing(a, after);
}

static void check_projecting(Arena *a, const Json *v)
{
    static const char *const paths[] = {".a", ".b.c", ".d[].e", ".f['g.h'][][].i", "[].a", NULL};
    const Json *kept = json_project(a, v, paths);
    must(json_equal(kept, json_project(a, kept, paths)));
    Draft *around = draft(a, draft_json("around", kept));
    must(json_equal(json_find(json_seal(a, around), ".around"), kept));
}

/* In an arena that may be too small a text is refused, or read as in a large one. */
static void check_ceiling(const Json *v, Bytes text)
{
    SCOPED_ARENA small = arena_open(text.len * 5);
    const Json *again = parse(small, text);
    must(!again || json_equal(v, again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *cut = size > 0 ? memchr(text, '\0', size) : NULL;
    size_t first_len = cut ? (size_t)(cut - text) : size;
    SCOPED_ARENA a = arena_open((size_t)256 << 20);

    const Json *left = parse(a, (Bytes){text, first_len});
    if (!left)
        return 0;
    check_reading(left);
    check_ceiling(left, (Bytes){text, first_len});
    check_writing(a, left);
    check_projecting(a, left);
    const Json *right = cut ? parse(a, (Bytes){cut + 1, size - first_len - 1}) : NULL;
    if (!right)
        return 0;
    check_merging(a, left, right);
    check_merging(a, right, left);
    check_patching(a, left, right);
    return 0;
}
