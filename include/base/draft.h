/* Draft: a JSON value being composed, so that C looks like the YAML it becomes.
 *
 *     Draft *d = draft(a,
 *         str("apiVersion", "v1"),
 *         obj("metadata", str("name", name), sub("labels", labels)),
 *         list("ports", draft(a, num("port", 26657))));
 *
 * NULL leaves a field out, Kubernetes' own omitempty; optional values need no `if`. Keys and
 * strings are borrowed: literals or arena memory. A draft has one parent: adopting it twice is a
 * BUG, and so is one key twice in an object. Only renderers, encoders and request builders include
 * this header. */
#ifndef BASE_DRAFT_H
#define BASE_DRAFT_H

#include "base/arena.h"
#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Draft Draft;

typedef enum DraftFieldType {
    DRAFT_FIELD_END,
    DRAFT_FIELD_OMITTED,
    DRAFT_FIELD_STR,
    DRAFT_FIELD_NUM,
    DRAFT_FIELD_FLAG,
    DRAFT_FIELD_STRS,
    DRAFT_FIELD_DRAFT,
    DRAFT_FIELD_JSON,
    DRAFT_FIELD_OBJECT,
    DRAFT_FIELD_LIST,
} DraftFieldType;

/* One field of an object being composed. Made by the functions below only. */
typedef struct DraftField {
    DraftFieldType type;
    const char *key;
    union {
        const char *str;
        int64_t num;
        bool flag;
        const char *const *strs;
        Draft *draft;
        const Json *json;
        const struct DraftField *fields;
        Draft *const *drafts;
    };
} DraftField;

/* A string; NULL omits. */
DraftField str(const char *key, const char *value);
/* An integer. */
DraftField num(const char *key, int64_t value);
/* A boolean. */
DraftField flag(const char *key, bool value);
/* A composed value; NULL omits. */
DraftField sub(const char *key, Draft *value);
/* A parsed value, borrowed; NULL omits. */
DraftField draft_json(const char *key, const Json *value);
/* A number that is left out unless `present`. */
DraftField draft_num_if(bool present, const char *key, int64_t value);
/* A boolean that is left out when false. */
DraftField draft_flag_if(const char *key, bool value);
/* For the macros obj, list and strs alone. `values` ends with NULL; NULL omits. */
DraftField draft_field_object(const char *key, const DraftField *fields);
DraftField draft_field_list(const char *key, Draft *const *values);
DraftField draft_field_strs(const char *key, const char *const *values);

/* For the macro draft alone. */
Draft *draft_compose(Arena *a, const DraftField *fields);

/* A new object of these fields. */
#define draft(a, ...) draft_compose((a), (const DraftField[]){__VA_ARGS__, {0}})
/* A nested object; an object without present fields stays, as {}. */
#define obj(key, ...) draft_field_object((key), (const DraftField[]){__VA_ARGS__, {0}})
/* An array of drafts. */
#define list(key, ...) draft_field_list((key), (Draft *const[]){__VA_ARGS__, NULL})
/* An array of strings. */
#define strs(key, ...) draft_field_strs((key), (const char *const[]){__VA_ARGS__, NULL})

/* An empty object, and a field put into it. A second field of one key is a BUG. */
Draft *draft_object(Arena *a);
void draft_set(Draft *object, DraftField field);

/* The same for a key that the caller knows to be new: it is not looked for, so that an object costs
 * no more than its size. Takes no obj(). */
void draft_add(Draft *object, DraftField field);

/* An empty array, and elements put at its end. */
Draft *draft_array(Arena *a);
void draft_push(Draft *array, Draft *element);
void draft_push_str(Draft *array, const char *element);
void draft_push_json(Draft *array, const Json *element);

/* Number of fields or elements. */
size_t draft_count(const Draft *d);

/* The finished value, readable with the getters of json.h. NULL stays NULL. */
const Json *json_seal(Arena *a, const Draft *d);

#endif
