/* Reading: what an answer of a sidecar, or of the proxy in front of it, means. Pure. Nothing is
 * believed that is not whole, well formed, and about the task that was asked for. */
#ifndef SEI_SIDECAR_READING_H
#define SEI_SIDECAR_READING_H

#include "kube/http.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum ReadingKind {
    READING_ACCEPTED, /* the task is known there now */
    READING_RUNNING,
    READING_COMPLETED,
    READING_FAILED,
    READING_MISSING, /* no such task, in its own words; may be a store that cannot be read */
    READING_REFUSED, /* never as asked */
    READING_UNAUTHORIZED,
    READING_READY,
    READING_NOT_READY,
    READING_NAMED,    /* node_id */
    READING_UNUSABLE, /* anything else */
} ReadingKind;

typedef struct Reading {
    ReadingKind kind;
    const char *message; /* for people, in the arena; or NULL */
    const char *node_id; /* of NAMED: 40 hexadecimal digits, in the arena */
    const char *result;  /* of COMPLETED: the JSON text of what it has to say, or NULL */
    int64_t run;         /* of a task: how often it was begun; 0: not said */
    bool is_silence;     /* of UNUSABLE: no answer came at all */
    bool is_undone;      /* of UNUSABLE: what was asked has certainly not been done */
} Reading;

enum {
    READING_MESSAGE_MAX = 400, /* bytes of what a sidecar says that are passed on */
    READING_RESULT_MAX = 4096, /* of a result; a larger one is none */
};

/* The answer to POST /v0/tasks of this id. */
Reading reading_of_submission(Arena *a, const char *id, const HttpAnswer *answer);

/* The answer to GET /v0/tasks/{id}. */
Reading reading_of_task(Arena *a, const char *id, const HttpAnswer *answer);

/* The answer to GET /v0/healthz. */
Reading reading_of_health(Arena *a, const HttpAnswer *answer);

/* The answer to GET /v0/node-id. */
Reading reading_of_name(Arena *a, const HttpAnswer *answer);

/* No answer. */
Reading reading_of_silence(Arena *a, const Err *why);

#endif
