/* Validity: tables of objects that an API server takes or refuses, which the real one and the
 * world's are both asked. Each .json5 file here is about one kind:
 *
 *     {base: {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'it'}, ...},
 *      cases: [{name: 'no name', set: {'/metadata/name': null}, refused: [...]}, ...]}
 *
 * `set` changes the base, or with `old` (itself such changes to the base) the object that is stored
 * from it: a JSON pointer and the new value; null removes, '<null>' is null, "/-" appends. "@" is
 * the spec of a template's pod: /spec/template/spec. `verb` is create; update when there is an
 * `old`; or apply; or merge, of `set` as a merge patch onto the base.
 *
 * `refused` lists the causes of a 422, each once: "<reason> <field>"; or it is the status of
 * another refusal. Without it the object is taken. `words: 'other'` marks where the world does not
 * say it in the real server's words. */
#ifndef TESTS_VALIDITY_VALIDITY_H
#define TESTS_VALIDITY_VALIDITY_H

#include "kube/status.h"

#include <stdbool.h>

#define VALIDITY_NS "validity"

typedef struct ValidityCase {
    const char *name;   /* "ConfigMap: no name" */
    const Json *row;    /* of the table */
    const Json *object; /* the first that is sent: the wanted one, or the old */
    const Kind *kind;
    bool other_words;
} ValidityCase;

typedef struct ValidityCases {
    ValidityCase *items;
    size_t count;
} ValidityCases;

/* All cases of all tables. */
ValidityCases validity_cases(Arena *a);

/* Whoever judges: carries out a request. */
typedef struct Judge {
    Answer (*call)(void *self, Arena *a, const Request *request);
    void *self;
} Judge;

/* Makes the namespace that the cases live in. */
void validity_begin(Judge judge);

/* What the judge says about a case: "taken", or the status, the reason and the causes, one a line.
 * `ret_message` is what it says to people, or NULL. */
const char *validity_verdict(
    Judge judge, Arena *a, const ValidityCase *one, const char **ret_message);

/* The same as the table has it. */
const char *validity_wanted(Arena *a, const ValidityCase *one);

#endif
