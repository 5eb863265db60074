/* Two tables: from node to chain, and the chains with how many nodes each has. A chain is known by
 * "namespace/chain", which is one text for one chain because no namespace has a slash in it. */
#include "sei/reconcile/chains.h"

#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 1024 }; /* of a namespace and a name, or the name of a chain */

struct Chains {
    Slab *slab;
    Map *nodes, *chains;
};

typedef struct Chain {
    size_t size, nodes;
    char text[];
} Chain;

typedef struct Resident {
    size_t size;
    Chain *chain;
    char node[];
} Resident;

Chains *chains_open(void)
{
    Slab *slab = slab_open();
    Chains *c = slab_alloc(slab, sizeof *c);

    *c = (Chains){
        .slab = slab,
        .nodes = map_open(CHAINS_NODES_MAX),
        .chains = map_open(CHAINS_NODES_MAX),
    };
    return c;
}

void chains_close(Chains *c)
{
    if (!c)
        return;
    map_close(c->nodes);
    map_close(c->chains);
    slab_close(c->slab);
}

static void write_text(const char *namespace, const char *name, char ret[TEXT_SIZE])
{
    snprintf(ret, TEXT_SIZE, "%s/%.*s", namespace, (int)metrics_value_len(name), name);
}

static Chain *touch_chain(Chains *c, const char *text)
{
    Chain *chain = map_find(c->chains, text);
    size_t text_size = strlen(text) + 1, size = sizeof *chain + text_size;

    if (chain)
        return chain;
    chain = slab_alloc(c->slab, size);
    *chain = (Chain){.size = size};
    memcpy(chain->text, text, text_size);
    if (!map_put(c->chains, chain->text, chain))
        BUG("there are more chains than nodes");
    return chain;
}

static void enter(Chains *c, const char *node, const char *chain)
{
    size_t node_size = strlen(node) + 1, size = sizeof(Resident) + node_size;

    if (map_count(c->nodes) == CHAINS_NODES_MAX)
        return;
    Resident *resident = slab_alloc(c->slab, size);
    *resident = (Resident){.size = size, .chain = touch_chain(c, chain)};
    memcpy(resident->node, node, node_size);
    resident->chain->nodes++;
    if (!map_put(c->nodes, resident->node, resident))
        BUG("a table with room has none");
}

/* True when nobody is left: its name. */
static bool leave(Chains *c, Resident *resident, char ret[CHAINS_NAME_SIZE])
{
    Chain *chain = resident->chain;

    map_remove(c->nodes, resident->node);
    slab_free(c->slab, resident, resident->size);
    if (--chain->nodes > 0)
        return false;
    snprintf(ret, CHAINS_NAME_SIZE, "%s", strchr(chain->text, '/') + 1);
    map_remove(c->chains, chain->text);
    slab_free(c->slab, chain, chain->size);
    return true;
}

bool chains_move(Chains *c, Key node, const char *chain, char ret[CHAINS_NAME_SIZE])
{
    char node_text[TEXT_SIZE], chain_text[TEXT_SIZE];
    bool is_left = false;

    write_text(node.namespace, node.name, node_text);
    write_text(node.namespace, chain ? chain : "", chain_text);
    Resident *known = map_find(c->nodes, node_text);
    if (known && chain && str_eq(known->chain->text, chain_text))
        return false;
    if (known)
        is_left = leave(c, known, ret);
    if (chain)
        enter(c, node_text, chain_text);
    return is_left;
}

bool chains_has(const Chains *c, const char *namespace, const char *chain)
{
    char text[TEXT_SIZE];

    write_text(namespace, chain, text);
    return map_find(c->chains, text) != NULL;
}

bool chains_has_any(const Chains *c, const char *namespace)
{
    const Chain *chain;
    size_t len = strlen(namespace), cursor = 0;

    while ((chain = map_next(c->chains, &cursor)))
        if (strncmp(chain->text, namespace, len) == 0 && chain->text[len] == '/')
            return true;
    return false;
}
