/* SchemaFaults: what is wrong with an object, in the server's words. */
#ifndef SRC_WORLD_SCHEMA_FAULTS_H
#define SRC_WORLD_SCHEMA_FAULTS_H

#include "base/err.h"
#include "base/json.h"

enum { SCHEMA_FAULTS_MAX = 256 }; /* the server names all of them */

typedef struct SchemaFaults {
    Arena *arena;
    Err *list[SCHEMA_FAULTS_MAX];
    size_t count;
    bool blocks; /* rules in CEL are not looked at any more */
} SchemaFaults;

/* Adds one: the reason of a cause, the field, and what is wrong with it. */
void faults_put(SchemaFaults *f, const char *reason, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The error of status 422 that tells all of them; OK when there are none. `what` is the object:
 * "Widget.x.io \"w\"". */
Err *faults_err(SchemaFaults *f, const char *what) MUST_CHECK;

/* A number as the server writes the limits of schemas: 65535, 0.5, 1e+06. */
const char *faults_number(Arena *a, double number);

#endif
