/* JSON Patch (RFC 6902), on a tree that is opened only where the operations point.
 *
 * Operations multiply: twenty times "copy the whole into itself" is a million copies. So the values
 * that they put in are counted, and the arena's ceiling is looked at after each. */
#include "base/json_tree.h"

#include "base/str.h"

#include <string.h>

enum { STATUS_UNPROCESSABLE = 422 };

typedef struct Patch {
    Arena *arena;
    Draft *root;
    size_t values; /* an upper bound of those in the tree */
} Patch;

/* Where a pointer leads: the child, unless nothing stands there, in its parent, unless it is the
 * root. */
typedef struct Target {
    Draft *parent;
    Draft *child;
    Bytes token;
} Target;

static bool is_object(const Draft *d)
{
    return unsafe_yyjson_is_obj((void *)&d->val);
}

/* Takes "/token" off the pointer and undoes its escapes; false when it has wrong ones. */
static bool next_token(Arena *a, Bytes *pointer, Bytes *ret)
{
    const char *end = memchr(pointer->data + 1, '/', pointer->len - 1);
    size_t len = end ? (size_t)(end - pointer->data) : pointer->len;
    char *token = arena_alloc(a, len);
    size_t count = 0;

    for (size_t i = 1; i < len; i++) {
        char c = pointer->data[i];
        if (c == '~') {
            char escaped = ++i < len ? pointer->data[i] : '\0';
            if (escaped != '0' && escaped != '1')
                return false;
            c = escaped == '0' ? '~' : '/';
        }
        token[count++] = c;
    }
    *ret = (Bytes){.data = token, .len = count};
    pointer->data += len;
    pointer->len -= len;
    return true;
}

/* An array index: digits without a leading zero. */
static bool to_index(Bytes token, size_t *ret)
{
    size_t index = 0;
    if (token.len == 0 || token.len > 9 || (token.len > 1 && token.data[0] == '0'))
        return false;
    for (size_t i = 0; i < token.len; i++) {
        if (token.data[i] < '0' || token.data[i] > '9')
            return false;
        index = index * 10 + (size_t)(token.data[i] - '0');
    }
    *ret = index;
    return true;
}

static Draft *child_of(Draft *parent, Bytes token)
{
    size_t index;
    if (is_object(parent))
        return tree_find(parent, token);
    return to_index(token, &index) ? tree_at(parent, index) : NULL;
}

static Err *locate(Patch *p, Bytes pointer, Target *ret)
{
    Target at = {.child = p->root};
    size_t depth = 0;

    if (pointer.len > 0 && pointer.data[0] != '/')
        return err_terminal(p->arena, "the pointer does not begin with a slash");
    while (pointer.len > 0) {
        if (!next_token(p->arena, &pointer, &at.token))
            return err_terminal(p->arena, "the pointer has a ~ that is neither ~0 nor ~1");
        if (depth++ == JSON_DEPTH_MAX)
            return err_terminal(p->arena, "the pointer is deeper than %d", JSON_DEPTH_MAX);
        at.parent = at.child;
        if (!at.parent || !unsafe_yyjson_is_ctn(&at.parent->val))
            return err_terminal(p->arena, "there is no object or array to look into");
        tree_expand(at.parent);
        at.child = child_of(at.parent, at.token);
    }
    *ret = at;
    return OK;
}

static Err *locate_existing(Patch *p, Bytes pointer, Target *ret)
{
    TRY(locate(p, pointer, ret));
    return ret->child ? OK : err_terminal(p->arena, "there is no such value");
}

/* The place in an array where a value is added: an index, its length, or "-". */
static bool is_place(const Target *at)
{
    size_t index;
    if (at->token.len == 1 && at->token.data[0] == '-')
        return true;
    return to_index(at->token, &index) && index <= at->parent->count;
}

static Err *add(Patch *p, const Target *at, Draft *value)
{
    if (!at->parent) {
        p->root = value;
        return OK;
    }
    if (!is_object(at->parent)) {
        if (!is_place(at))
            return err_terminal(p->arena, "there is no such place in the array");
        tree_insert(at->parent, value, at->child);
        return OK;
    }
    tree_insert(at->parent, value, at->child);
    unsafe_yyjson_set_strn(&value->key, at->token.data, at->token.len);
    if (at->child)
        tree_remove(at->parent, at->child);
    return OK;
}

static Err *replace(Patch *p, const Target *at, Draft *value)
{
    if (at->parent && !is_object(at->parent)) {
        tree_insert(at->parent, value, at->child);
        tree_remove(at->parent, at->child);
        return OK;
    }
    return add(p, at, value);
}

/* A node for a value that an operation puts in; counted. */
static Err *new_value(Patch *p, yyjson_val *val, Draft **ret)
{
    p->values += val_extent(val) + 1;
    if (p->values > JSON_VALUES_MAX)
        return err_terminal(p->arena, "the result has more than %d values", JSON_VALUES_MAX);
    *ret = tree_value(p->arena, val);
    return OK;
}

static Err *do_add(Patch *p, Bytes path, yyjson_val *value)
{
    Target at;
    Draft *node;
    TRY(locate(p, path, &at));
    TRY(new_value(p, value, &node));
    return add(p, &at, node);
}

static Err *do_remove(Patch *p, Bytes path)
{
    Target at;
    TRY(locate_existing(p, path, &at));
    if (!at.parent)
        return err_terminal(p->arena, "the whole document cannot be removed");
    tree_remove(at.parent, at.child);
    return OK;
}

static Err *do_replace(Patch *p, Bytes path, yyjson_val *value)
{
    Target at;
    Draft *node;
    TRY(locate_existing(p, path, &at));
    TRY(new_value(p, value, &node));
    return replace(p, &at, node);
}

static Err *do_copy(Patch *p, Bytes path, Bytes from)
{
    Target source;
    TRY(locate_existing(p, from, &source));
    return do_add(p, path, tree_graft(source.child));
}

static Err *do_move(Patch *p, Bytes path, Bytes from)
{
    Target source, at;
    bool inside = path.len > from.len && memcmp(path.data, from.data, from.len) == 0
        && path.data[from.len] == '/';

    TRY(locate_existing(p, from, &source));
    if (inside)
        return err_terminal(p->arena, "a value cannot be moved into itself");
    if (!source.parent)
        return OK; /* the whole document to where it is */
    tree_remove(source.parent, source.child);
    TRY(locate(p, path, &at));
    return add(p, &at, source.child);
}

static Err *do_test(Patch *p, Bytes path, yyjson_val *value)
{
    Target at;
    Err *err = locate_existing(p, path, &at);
    if (!err && !json_equal(json_of(tree_graft(at.child)), json_of(value)))
        err = err_terminal(p->arena, "the value is another one");
    if (err)
        err->status = STATUS_UNPROCESSABLE;
    return err;
}

static Bytes text_of(yyjson_val *text)
{
    return (Bytes){.data = unsafe_yyjson_get_str(text), .len = unsafe_yyjson_get_len(text)};
}

static Err *apply(Patch *p, yyjson_val *operation)
{
    const char *op = json_str(json_of(operation), ".op");
    yyjson_val *path = yyjson_obj_get(operation, "path"), *from = yyjson_obj_get(operation, "from");
    yyjson_val *value = yyjson_obj_get(operation, "value");
    bool moves = str_eq(op, "move") || str_eq(op, "copy");
    bool puts = str_eq(op, "add") || str_eq(op, "replace") || str_eq(op, "test");

    if (!moves && !puts && !str_eq(op, "remove"))
        return err_terminal(p->arena, "op is not add, remove, replace, move, copy or test");
    if (!yyjson_is_str(path))
        return err_terminal(p->arena, "path is missing or no string");
    if (moves && !yyjson_is_str(from))
        return err_terminal(p->arena, "from is missing or no string");
    if (puts && !value)
        return err_terminal(p->arena, "value is missing");

    if (moves)
        return *op == 'm' ? do_move(p, text_of(path), text_of(from))
                          : do_copy(p, text_of(path), text_of(from));
    if (!puts)
        return do_remove(p, text_of(path));
    if (*op == 't')
        return do_test(p, text_of(path), value);
    return *op == 'a' ? do_add(p, text_of(path), value) : do_replace(p, text_of(path), value);
}

/* Never fails on an operation of whatever shape: it tells what it can. */
static Err *name_operation(Arena *a, Err *err, size_t number, yyjson_val *operation)
{
    const char *op = json_str(json_of(operation), ".op");
    const char *path = json_str(json_of(operation), ".path");
    return err_wrap(a,
        err,
        "operation %zu of the JSON patch (%s %s)",
        number,
        op ? str_cut(a, op, 16) : "?",
        path ? str_cut(a, path, 256) : "?");
}

Err *json_patch(Arena *a, const Json *doc, const Json *operations, const Json **ret)
{
    if (json_type(operations) != JSON_ARRAY)
        return err_terminal(a, "a JSON patch is an array of operations");
    if (json_count(operations) > JSON_OPERATIONS_MAX)
        return err_terminal(a, "a JSON patch has at most %d operations", JSON_OPERATIONS_MAX);

    yyjson_val *before = doc ? json_val(doc) : val_empty_object();
    Patch p = {.arena = a, .root = tree_value(a, before), .values = val_extent(before)};
    size_t number = 0;
    const Json *operation;
    json_each(operation, operations) {
        Err *err = apply(&p, json_val(operation));
        if (!err)
            err = arena_err(a);
        if (err)
            return name_operation(a, err, number, json_val(operation));
        number++;
    }
    const Json *after = tree_seal(a, p.root);
    if (!json_depth_fits(after))
        return err_terminal(
            a, "the JSON patch makes a value nested deeper than %d", JSON_DEPTH_MAX);
    *ret = after;
    return OK;
}
