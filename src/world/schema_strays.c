/* Strays: fields that a schema does not know, and keys that stand twice.
 *
 * They are told as they come where one part of the server looks for both; where two do, each has
 * its turn. */
#include "base/str.h"
#include "kube/core/text.h"
#include "world/schema.h"
#include "world/schema_shape.h"

#include <stdlib.h>
#include <string.h>

enum {
    STRAYS_MAX = 100,    /* as many as the server names */
    SEARCHED_MAX = 1000, /* in larger objects nobody looks for what stands twice */
    DEPTH_MAX = JSON_DEPTH_MAX + 1,
};

typedef struct Level {
    const Json *value, *next;
    const Shape *shape;
    size_t index, len;
} Level;

typedef struct Strays {
    Arena *arena;
    const char *unknown[STRAYS_MAX + 1], *twice[STRAYS_MAX + 1];
    size_t unknown_count, twice_count;
    const char **all; /* both of them, as they come */
    size_t count;
    Text path;
    Level levels[DEPTH_MAX];
    size_t depth;
} Strays;

static void add(Strays *s, const char *format, const char **list, size_t *count)
{
    const char *text = str_format(s->arena, "%s field \"%s\"", format, text_seen(&s->path));

    for (size_t i = 0; i < *count; i++)
        if (str_eq(list[i], text))
            return;
    if (s->count == STRAYS_MAX)
        return;
    list[(*count)++] = text;
    s->all[s->count++] = text;
}

static void enter(Strays *s, const Shape *shape, const Json *value)
{
    s->levels[s->depth++] =
        (Level){.value = value, .next = json_first(value), .shape = shape, .len = s->path.len};
}

static bool stands_twice(const Level *l, const Json *member)
{
    return json_count(l->value) <= SEARCHED_MAX
        && json_member(l->value, json_key(member)) != member;
}

static void step(Strays *s, Level *l)
{
    const Json *child = l->next;
    const Shape *shape = NULL;
    bool declared;

    l->next = json_next(l->value, child);
    s->path.len = l->len;
    if (json_type(l->value) == JSON_ARRAY) {
        text_add(&s->path, str_format(s->arena, "[%zu]", l->index++));
        shape = shape_of_element(l->shape);
    } else {
        text_add(&s->path, l->len > 0 ? "." : "");
        text_add(&s->path, json_key(child));
        shape = shape_of_field(l->shape, json_key(child), &declared);
        if (stands_twice(l, child))
            add(s, "duplicate", s->twice, &s->twice_count);
        if (l->shape->closed && !shape_find(l->shape, json_key(child))) {
            add(s, "unknown", s->unknown, &s->unknown_count);
            return;
        }
    }
    if (json_type(child) == JSON_OBJECT || json_type(child) == JSON_ARRAY)
        enter(s, shape, child);
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void put_in_order(Strays *s)
{
    qsort(s->unknown, s->unknown_count, sizeof *s->unknown, by_text);
    for (size_t i = 0; i < s->count; i++)
        s->all[i] = i < s->twice_count ? s->twice[i] : s->unknown[i - s->twice_count];
}

const char *const *schema_strays(Arena *a, const Schema *schema, const Json *object, bool by_name)
{
    Strays *s = arena_new(a, Strays);

    s->arena = s->path.arena = a;
    s->all = arena_array(a, const char *, STRAYS_MAX + 1);
    enter(s, schema->root, object);
    while (s->depth > 0) {
        Level *l = &s->levels[s->depth - 1];
        if (l->next)
            step(s, l);
        else
            s->depth--;
    }
    if (by_name)
        put_in_order(s);
    return s->count > 0 ? s->all : NULL;
}
