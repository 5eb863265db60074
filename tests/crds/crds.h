/* Crds: the definitions of deploy/crds as tests see them, and a table of what each of their rules
 * accepts and refuses. Whoever claims to serve these kinds can be asked all of it.
 *
 * The tables are the .json5 files here. A row names a rule by where it stands and what it is: a
 * keyword of the schema, or the message of a CEL rule. `accept` and `refuse` are merge patches onto
 * a minimal object, or onto `old`, itself such a patch, for rules about changes:
 *
 *     {at: 'spec.image', rule: 'minLength', accept: {spec: {image: 'x'}}, refuse: ...},
 *
 * "[]" stands for an element of an array, "*" for any key of a map; the rest is in
 * tests/tables.h. */
#ifndef TESTS_CRDS_CRDS_H
#define TESTS_CRDS_CRDS_H

#include "base/json.h"
#include "kube/kind.h"

#include <stdbool.h>
#include <stddef.h>

extern const Kind crd_seinode[1];
extern const Kind crd_seinodedeployment[1];

/* The definition of a kind, as it is installed. */
const Json *crd_load(Arena *a, const Kind *kind);

/* The smallest valid object of a kind, named "minimal" and without a namespace. */
const Json *crd_minimal(Arena *a, const Kind *kind);

/* A place in the schema. Parents stand before their children. */
typedef struct CrdNode {
    const char *path; /* "spec.peers[].static"; "" is the object */
    const Json *schema;
    bool required;
    bool property; /* has a name of its own, unlike elements of arrays and values of maps */
} CrdNode;

typedef struct CrdNodes {
    CrdNode *items;
    size_t count;
} CrdNodes;

CrdNodes crd_nodes(Arena *a, const Json *crd);

/* What can make an object invalid, types aside. */
typedef struct CrdRule {
    const char *at, *rule; /* as in the tables */
    bool cel;
} CrdRule;

typedef struct CrdRules {
    CrdRule *items;
    size_t count;
} CrdRules;

CrdRules crd_rules(Arena *a, const Json *crd);

/* One object that the rule accepts or refuses. */
typedef struct CrdCase {
    const char *name; /* "spec.image minLength, refused" */
    CrdRule rule;
    const Json *old;    /* what is stored before, or NULL: then the object is new */
    const Json *object; /* has a status only when the rule is one of the status */
    bool accepted;
} CrdCase;

typedef struct CrdCases {
    CrdCase *items;
    size_t count;
} CrdCases;

/* All cases of a kind. The spec of a node is tried in both kinds. A case that speaks of no rule of
 * the schema fails the test. */
CrdCases crd_cases(Arena *a, const Kind *kind);

/* What the server's message has in it when a rule refuses. */
const char *crd_says(CrdRule rule);

#endif
