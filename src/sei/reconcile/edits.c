/* A table from node to one finding, kept as text behind a header. */
#include "sei/reconcile/edits.h"

#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

enum { NODE_TEXT_SIZE = 320, ABOUT_SIZE = 512 };

struct Edits {
    Slab *slab;
    Map *map;
};

typedef struct Edit {
    size_t size;
    HandEdit edit;
    bool has_foreign_fields;
    const char *about, *foreign_fields;
    char node[]; /* and behind it the other two */
} Edit;

Edits *edits_open(void)
{
    Slab *slab = slab_open();
    Edits *e = slab_alloc(slab, sizeof *e);

    *e = (Edits){.slab = slab, .map = map_open(EDITS_MAX)};
    return e;
}

void edits_close(Edits *e)
{
    if (!e)
        return;
    map_close(e->map);
    slab_close(e->slab);
}

static void write_node(Key node, char ret[NODE_TEXT_SIZE])
{
    snprintf(ret, NODE_TEXT_SIZE, "%s/%s", node.namespace, node.name);
}

/* Everything that the finding depends on. */
static void write_about(const EditFinding *of, char ret[ABOUT_SIZE])
{
    snprintf(ret,
        ABOUT_SIZE,
        "%s %s %s %lld",
        of->pod_uid ? of->pod_uid : "",
        of->revision ? of->revision : "",
        of->template_hash ? of->template_hash : "",
        (long long)of->generation);
}

bool edits_find(const Edits *e, Arena *a, Key node, EditFinding *ask)
{
    char text[NODE_TEXT_SIZE], about[ABOUT_SIZE];

    write_node(node, text);
    write_about(ask, about);
    const Edit *known = map_find(e->map, text);
    if (!known || strcmp(known->about, about) != 0)
        return false;
    ask->edit = known->edit;
    ask->foreign_fields = known->has_foreign_fields ? str_copy(a, known->foreign_fields) : NULL;
    return true;
}

static void forget(Edits *e, const char *node)
{
    Edit *known = map_remove(e->map, node);

    if (known)
        slab_free(e->slab, known, known->size);
}

void edits_forget(Edits *e, Key node)
{
    char text[NODE_TEXT_SIZE];

    write_node(node, text);
    forget(e, text);
}

/* Puts a text at *end, which moves behind it. */
static const char *put(char **end, const char *text)
{
    size_t size = strlen(text) + 1;
    char *at = *end;

    memcpy(at, text, size);
    *end += size;
    return at;
}

void edits_note(Edits *e, Key node, const EditFinding *found)
{
    char text[NODE_TEXT_SIZE], about[ABOUT_SIZE];
    const char *fields = found->foreign_fields ? found->foreign_fields : "";

    write_node(node, text);
    write_about(found, about);
    forget(e, text);
    size_t size = sizeof(Edit) + strlen(text) + strlen(about) + strlen(fields) + 3;
    Edit *known = slab_alloc(e->slab, size);
    char *end = known->node;
    *known = (Edit){
        .size = size,
        .edit = found->edit,
        .has_foreign_fields = found->foreign_fields != NULL,
    };
    put(&end, text);
    known->about = put(&end, about);
    known->foreign_fields = put(&end, fields);
    if (!map_put(e->map, known->node, known))
        slab_free(e->slab, known, size);
}
