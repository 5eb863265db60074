/* Json: a parsed, immutable JSON value that lives in an arena.
 *
 * Getters accept NULL and give the fallback when something is absent or of another type, so a
 * chain never needs guards; what depends on presence is asserted by its test. A path is a literal
 * such as ".status.conditions[0].type" or ".metadata.annotations['sei.io/retry']"; "" is the value
 * itself, and a path that is malformed is a BUG. Keys that are not literals (labels) go through
 * json_member. Of a key that stands twice in an object the getters see the first. A string with a
 * NUL character in it is written, copied and compared whole, but no getter gives it: C would see
 * another text.
 *
 * Values made from others (by projecting, merging, patching, sealing) borrow the strings of those
 * and must not outlive them; json_copy is the way out.
 *
 * Parsing is bounded in size, depth and number of values, and nothing here recurses on input. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/bytes.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Json Json;

enum {
    JSON_DEPTH_MAX = 100,        /* Kubernetes objects stay below 30 */
    JSON_BYTES_MAX = 16 << 20,   /* etcd stores 1.5 MiB; a page of a list is larger */
    JSON_VALUES_MAX = 1 << 20,   /* 16 bytes each once parsed */
    JSON_OPERATIONS_MAX = 10000, /* of one JSON patch, as in the API server */
    JSON_PATHS_MAX = 64,         /* of one projection */
};

typedef enum JsonType {
    JSON_ABSENT, /* json_type(NULL) */
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
} JsonType;

/* Parses strict RFC 8259 text into the arena; `text` is copied where needed and may go afterwards.
 * ERR_TERMINAL with line-free position and cause when it is malformed or passes a limit. */
Err *json_parse(Arena *a, Bytes text, const Json **ret) MUST_CHECK;

/* The same of a text that json_write gave: that it is not nested too deep is known, and not looked
 * at once more. */
Err *json_parse_again(Arena *a, Bytes text, const Json **ret) MUST_CHECK;

/* Parses JSON5 (single quotes, bare keys, comments, trailing commas): the language of fixtures.
 * Not for bytes from outside. Aborts with the position when the text is wrong. */
const Json *json_fixture(Arena *a, const char *text);

/* What kind of value it is. */
JsonType json_type(const Json *v);

/* The value at a path, or NULL. */
const Json *json_find(const Json *v, const char *path);

/* The member of an object with exactly this key, or NULL. */
const Json *json_member(const Json *v, const char *key);

/* The first member of an object with this key in any case (ASCII), or NULL. */
const Json *json_member_any_case(const Json *v, const char *key);

/* The string at a path, or NULL when absent or not a string. */
const char *json_str(const Json *v, const char *path);

/* The string of a value itself, or NULL. */
const char *json_text(const Json *v);

/* The integer, boolean or number at a path, or the fallback (also when out of range). */
int64_t json_int(const Json *v, const char *path, int64_t fallback);
bool json_bool(const Json *v, const char *path, bool fallback);
double json_number(const Json *v, const char *path, double fallback);

/* Members of an object or elements of an array; 0 for anything else. */
size_t json_count(const Json *v);

/* First and next element of an array, or member value of an object; NULL at the end. Linear. */
const Json *json_first(const Json *container);
const Json *json_next(const Json *container, const Json *element);

/* Loops over the elements of an array (or the member values of an object; see json_key). */
#define json_each(element, container)                                                              \
    for ((element) = json_first(container); (element);                                             \
        (element) = json_next((container), (element)))

/* The key under which a member value reached by json_each on an *object* stands. Never NULL; "" for
 * a key with a NUL character in it. */
const char *json_key(const Json *member);

/* Deep equality; the order of object members does not matter, that of arrays does. Numbers are
 * equal when their values are. */
bool json_equal(const Json *left, const Json *right);

/* A deep copy into another arena: the one way to cross lifetimes. NULL stays NULL. */
const Json *json_copy(Arena *to, const Json *v);

/* Minified text, NUL-terminated. NULL is written as null, here and below; text that is not UTF-8
 * gets U+FFFD where it is broken. */
Bytes json_write(Arena *a, const Json *v);

/* Indented text for people, NUL-terminated. */
Bytes json_pretty(Arena *a, const Json *v);

/* Minified text with sorted keys: equal values give equal bytes. */
Bytes json_canonical(Arena *a, const Json *v);

/* The JSON merge patch (RFC 7386) that turns `from` into `to`, or NULL when there is nothing to
 * change. NULL counts as an empty object. A merge patch cannot set a member to null, so a member of
 * `to` that is null counts as absent. */
const Json *json_merge_diff(Arena *a, const Json *from, const Json *to);

/* `base` with a JSON merge patch applied. `base` NULL counts as an empty object, `patch` NULL as no
 * change. Merged objects have their members in the order of keys. */
const Json *json_merge(Arena *a, const Json *base, const Json *patch);

/* `doc` with a JSON patch (RFC 6902) applied: all operations or none. ERR_TERMINAL names the
 * operation that failed, also when it would make the value pass a limit of parsing; a failed `test`
 * has status 422. */
Err *json_patch(Arena *a, const Json *doc, const Json *operations, const Json **ret) MUST_CHECK;

/* One row of a decode table: where a field stands, what it is, where it goes. */
typedef enum JsonFieldType {
    JSON_FIELD_STR,    /* const char * */
    JSON_FIELD_INT,    /* int64_t */
    JSON_FIELD_BOOL,   /* bool */
    JSON_FIELD_NUMBER, /* double */
    JSON_FIELD_VALUE,  /* const Json *: any value, looked at later */
    JSON_FIELD_OBJECT, /* const Json *: must be an object */
    JSON_FIELD_ARRAY,  /* const Json *: must be an array */
} JsonFieldType;

typedef struct JsonField {
    const char *path; /* NULL ends the table */
    JsonFieldType type;
    size_t offset; /* offsetof the field in the struct */
    bool required; /* absent or null is then an error */
} JsonField;

/* Fills `ret` by the table. What is absent or null is left as it was. ERR_TERMINAL names the path
 * and what was expected there. Strings are borrowed from `v`. */
Err *json_decode(Arena *a, const Json *v, const JsonField *fields, void *ret) MUST_CHECK;

/* Keeps of an object only what stands at the given paths (NULL ends the list), in the object's own
 * order. A path ".metadata.labels" keeps the whole subtree; "[]" goes through every element of an
 * array: ".spec.containers[].image"; an element of which nothing is kept stays as {}, so that
 * places hold. A member on the way of which nothing is kept goes. NULL paths keep everything. */
const Json *json_project(Arena *a, const Json *v, const char *const *paths);

/* Paths taken apart once, for those who use them again and again; NULL for NULL. In the arena, and
 * borrows the texts. */
typedef struct JsonPaths JsonPaths;
const JsonPaths *json_paths(Arena *a, const char *const *paths);
const Json *json_project_by(Arena *a, const Json *v, const JsonPaths *paths);

/* A value as a number, without what stands at these paths (NULL: with everything): for whoever asks
 * whether it is still the same, and has not kept it. The same members in another order give another
 * number. Who does not know the secret cannot make two values that give the same one. */
uint64_t json_digest(const Json *v, const JsonPaths *left_out, const uint64_t secret[2]);

#endif
