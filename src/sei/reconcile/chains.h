/* Chains: which of them have nodes, per namespace, so that what is counted of a chain can go with
 * its last node. People write the names of chains: a year of short-lived ones would fill the page
 * of the metrics. In memory only. */
#ifndef SEI_RECONCILE_CHAINS_H
#define SEI_RECONCILE_CHAINS_H

#include "kube/key.h"
#include "kube/metrics.h"

#include <stdbool.h>

typedef struct Chains Chains;

enum {
    CHAINS_NODES_MAX = 100000, /* a node that has no room is on no chain */
    CHAINS_NAME_SIZE = METRIC_VALUE_MAX + 1,
};

/* No node is on any. */
Chains *chains_open(void);

/* Accepts NULL. */
void chains_close(Chains *c);

/* From now on the node is on this chain and on no other; NULL: it is gone. True when a chain lost
 * its last node by that: `ret` is its name, cut as the label of a metric is. */
bool chains_move(Chains *c, Key node, const char *chain, char ret[CHAINS_NAME_SIZE]);

/* Whether a node of this namespace is on the chain. */
bool chains_has(const Chains *c, const char *namespace, const char *chain);

/* Whether a node of this namespace is on any. */
bool chains_has_any(const Chains *c, const char *namespace);

#endif
