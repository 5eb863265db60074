/* Draft: the fields that renderers write down, turned into a tree. */
#include "base/draft.h"

#include "base/json_tree.h"

#include <assert.h>
#include <string.h>

DraftField str(const char *key, const char *value)
{
    if (!value)
        return (DraftField){.type = DRAFT_FIELD_OMITTED};
    return (DraftField){.type = DRAFT_FIELD_STR, .key = key, .str = value};
}

DraftField num(const char *key, int64_t value)
{
    return (DraftField){.type = DRAFT_FIELD_NUM, .key = key, .num = value};
}

DraftField flag(const char *key, bool value)
{
    return (DraftField){.type = DRAFT_FIELD_FLAG, .key = key, .flag = value};
}

DraftField sub(const char *key, Draft *value)
{
    if (!value)
        return (DraftField){.type = DRAFT_FIELD_OMITTED};
    return (DraftField){.type = DRAFT_FIELD_DRAFT, .key = key, .draft = value};
}

DraftField draft_json(const char *key, const Json *value)
{
    if (!value)
        return (DraftField){.type = DRAFT_FIELD_OMITTED};
    return (DraftField){.type = DRAFT_FIELD_JSON, .key = key, .json = value};
}

DraftField draft_num_if(bool present, const char *key, int64_t value)
{
    return present ? num(key, value) : (DraftField){.type = DRAFT_FIELD_OMITTED};
}

DraftField draft_flag_if(const char *key, bool value)
{
    return value ? flag(key, true) : (DraftField){.type = DRAFT_FIELD_OMITTED};
}

DraftField draft_field_object(const char *key, const DraftField *fields)
{
    if (!fields)
        return (DraftField){.type = DRAFT_FIELD_OMITTED};
    return (DraftField){.type = DRAFT_FIELD_OBJECT, .key = key, .fields = fields};
}

DraftField draft_field_list(const char *key, Draft *const *values)
{
    if (!values)
        return (DraftField){.type = DRAFT_FIELD_OMITTED};
    return (DraftField){.type = DRAFT_FIELD_LIST, .key = key, .drafts = values};
}

DraftField draft_field_strs(const char *key, const char *const *values)
{
    if (!values)
        return (DraftField){.type = DRAFT_FIELD_OMITTED};
    return (DraftField){.type = DRAFT_FIELD_STRS, .key = key, .strs = values};
}

Draft *draft_object(Arena *a)
{
    return tree_container(a, YYJSON_TYPE_OBJ);
}

Draft *draft_array(Arena *a)
{
    return tree_container(a, YYJSON_TYPE_ARR);
}

static Draft *text_node(Arena *a, const char *text)
{
    yyjson_val val;
    unsafe_yyjson_set_strn(&val, text, strlen(text));
    return tree_value(a, &val);
}

static Draft *strs_node(Arena *a, const char *const *texts)
{
    Draft *array = draft_array(a);
    for (; *texts; texts++)
        draft_push_str(array, *texts);
    return array;
}

static Draft *list_node(Arena *a, Draft *const *drafts)
{
    Draft *array = draft_array(a);
    for (; *drafts; drafts++)
        draft_push(array, *drafts);
    return array;
}

/* The value of a field, without the fields of an object, which compose puts in itself. */
static Draft *field_node(Arena *a, const DraftField *field)
{
    yyjson_val val;

    switch (field->type) {
    case DRAFT_FIELD_STR:
        return text_node(a, field->str);
    case DRAFT_FIELD_NUM:
        unsafe_yyjson_set_sint(&val, field->num);
        val = number_normal(&val);
        return tree_value(a, &val);
    case DRAFT_FIELD_FLAG:
        unsafe_yyjson_set_bool(&val, field->flag);
        return tree_value(a, &val);
    case DRAFT_FIELD_STRS:
        return strs_node(a, field->strs);
    case DRAFT_FIELD_DRAFT:
        return field->draft;
    case DRAFT_FIELD_JSON:
        return tree_value(a, json_val(field->json));
    case DRAFT_FIELD_OBJECT:
        return draft_object(a);
    case DRAFT_FIELD_LIST:
        return list_node(a, field->drafts);
    case DRAFT_FIELD_END:
    case DRAFT_FIELD_OMITTED:
        break;
    }
    BUG("a draft field without a value");
}

static Draft *append_field(Draft *object, const DraftField *field)
{
    Draft *child = field_node(object->arena, field);
    tree_insert(object, child, NULL);
    unsafe_yyjson_set_strn(&child->key, field->key, strlen(field->key));
    return child;
}

static Draft *add_field(Draft *object, const DraftField *field)
{
    if (!field->key)
        BUG("a draft field without a key");
    if (tree_find(object, bytes_of(field->key)))
        BUG("a draft with one key twice");
    return append_field(object, field);
}

/* Fields nest as deep as the code that wrote them down; a stack keeps even that from recursing. */
static void compose(Draft *object, const DraftField *fields)
{
    struct {
        Draft *object;
        const DraftField *next;
    } stack[JSON_DEPTH_MAX] = {{object, fields}};
    size_t depth = 1;

    while (depth > 0) {
        const DraftField *field = stack[depth - 1].next++;
        if (field->type == DRAFT_FIELD_END) {
            depth--;
        } else if (field->type != DRAFT_FIELD_OMITTED) {
            Draft *child = add_field(stack[depth - 1].object, field);
            if (field->type != DRAFT_FIELD_OBJECT)
                continue;
            if (depth == JSON_DEPTH_MAX)
                BUG("a draft nested deeper than JSON_DEPTH_MAX");
            stack[depth].object = child;
            stack[depth++].next = field->fields;
        }
    }
}

Draft *draft_compose(Arena *a, const DraftField *fields)
{
    Draft *object = draft_object(a);
    compose(object, fields);
    return object;
}

static void check_type(const Draft *d, yyjson_type type)
{
    if (unsafe_yyjson_get_type((void *)&d->val) != type)
        BUG(type == YYJSON_TYPE_OBJ ? "this draft is no object" : "this draft is no array");
}

void draft_set(Draft *object, DraftField field)
{
    check_type(object, YYJSON_TYPE_OBJ);
    compose(object, (const DraftField[]){field, {0}});
}

void draft_add(Draft *object, DraftField field)
{
    check_type(object, YYJSON_TYPE_OBJ);
    if (field.type == DRAFT_FIELD_OBJECT)
        BUG("a nested object is no field to add");
    if (field.type != DRAFT_FIELD_OMITTED && !field.key)
        BUG("a draft field without a key");
    if (field.type != DRAFT_FIELD_OMITTED)
        append_field(object, &field);
}

void draft_push(Draft *array, Draft *element)
{
    check_type(array, YYJSON_TYPE_ARR);
    tree_insert(array, element, NULL);
}

void draft_push_str(Draft *array, const char *element)
{
    draft_push(array, text_node(array->arena, element));
}

void draft_push_json(Draft *array, const Json *element)
{
    draft_push(array, tree_value(array->arena, json_val(element)));
}

size_t draft_count(const Draft *d)
{
    return d ? d->count : 0;
}

const Json *json_seal(Arena *a, const Draft *d)
{
    if (!d)
        return NULL;
    const Json *v = tree_seal(a, d);
    if (!json_depth_fits(v))
        BUG("a draft nested deeper than JSON_DEPTH_MAX");
    return v;
}
