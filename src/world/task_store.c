/* TaskStore: rows in one piece of memory each, found by id, linked by age. Putting a row makes a
 * new piece before it lets the old one go, because what is put may borrow from it. */
#include "world/task_store.h"

#include "base/map.h"

#include <string.h>

typedef struct Stored {
    TaskRow row; /* first: a row leads to its piece */
    Link age;
    size_t size;
    char text[];
} Stored;

struct TaskStore {
    Slab *slab;
    Map *by_id;
    Link newest;
    TaskListener *listener; /* or NULL */
    void *listener_self;
};

TaskStore *task_store_open(Slab *slab)
{
    TaskStore *s = slab_alloc(slab, sizeof *s);

    *s = (TaskStore){.slab = slab, .by_id = map_open(TASK_ROWS_MAX)};
    link_init(&s->newest);
    return s;
}

void task_store_close(TaskStore *s)
{
    if (!s)
        return;
    for (Link *next, *link = s->newest.next; link != &s->newest; link = next) {
        Stored *stored = link_owner(Stored, age, link);
        next = link->next;
        slab_free(s->slab, stored, stored->size);
    }
    map_close(s->by_id);
    slab_free(s->slab, s, sizeof *s);
}

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static const char *copy_text(char **at, const char *text)
{
    if (!text)
        return NULL;
    char *copy = memcpy(*at, text, strlen(text) + 1);
    *at += strlen(text) + 1;
    return copy;
}

static Stored *store(TaskStore *s, const TaskRow *row)
{
    size_t size = sizeof(Stored) + text_size(row->id) + text_size(row->type)
        + text_size(row->params) + text_size(row->result) + text_size(row->error);
    Stored *stored = slab_alloc(s->slab, size);
    char *at = stored->text;

    stored->row = *row;
    stored->row.id = copy_text(&at, row->id);
    stored->row.type = copy_text(&at, row->type);
    stored->row.params = copy_text(&at, row->params);
    stored->row.result = copy_text(&at, row->result);
    stored->row.error = copy_text(&at, row->error);
    stored->size = size;
    link_init(&stored->age);
    return stored;
}

const TaskRow *task_store_find(const TaskStore *s, const char *id)
{
    const Stored *stored = map_find(s->by_id, id);
    return stored ? &stored->row : NULL;
}

static void tell(const TaskStore *s, const char *id, const TaskRow *row)
{
    if (s->listener)
        s->listener(s->listener_self, id, row);
}

bool task_store_put(TaskStore *s, const TaskRow *row)
{
    Stored *old = map_find(s->by_id, row->id);
    Stored *new = store(s, row);

    if (!map_put(s->by_id, new->row.id, new)) {
        slab_free(s->slab, new, new->size);
        return false;
    }
    if (old && old->row.submitted_ns == row->submitted_ns)
        link_replace(&old->age, &new->age);
    else
        link_insert_before(s->newest.next, &new->age);
    if (old) {
        link_remove(&old->age);
        slab_free(s->slab, old, old->size);
    }
    tell(s, new->row.id, &new->row);
    return true;
}

bool task_store_restore(TaskStore *s, const TaskRow *row)
{
    Stored *new = store(s, row);
    Link *younger = s->newest.next;

    if (map_find(s->by_id, row->id) || !map_put(s->by_id, new->row.id, new)) {
        slab_free(s->slab, new, new->size);
        return false;
    }
    while (younger != &s->newest
        && link_owner(Stored, age, younger)->row.submitted_ns > row->submitted_ns)
        younger = younger->next;
    link_insert_before(younger, &new->age);
    return true;
}

void task_store_listen(TaskStore *s, TaskListener *listener, void *self)
{
    s->listener = listener;
    s->listener_self = self;
}

bool task_store_remove(TaskStore *s, const char *id)
{
    Stored *stored = map_remove(s->by_id, id);

    if (!stored)
        return false;
    link_remove(&stored->age);
    tell(s, stored->row.id, NULL);
    slab_free(s->slab, stored, stored->size);
    return true;
}

const TaskRow *task_store_next(const TaskStore *s, const TaskRow *row)
{
    const Stored *stored = (const Stored *)(const void *)row;
    const Link *next = row ? stored->age.next : s->newest.next;

    return next == &s->newest ? NULL : &link_owner(Stored, age, next)->row;
}

size_t task_store_count(const TaskStore *s)
{
    return map_count(s->by_id);
}

const char *task_status_text(RowStatus status)
{
    static const char *const texts[] = {"running", "completed", "failed"};
    return texts[status];
}
