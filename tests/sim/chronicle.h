/* Chronicle: every status of a node or fleet that a play came by, beside what was true then, for
 * judges of other languages: tests/gitops reads it with the libraries of Flux and Argo CD.
 *
 * A line of JSON each: the object as far as such tools look at it, and `served`, whether all that
 * was asked for and a pod can show (asked.h) had been shown by a Ready pod since it was asked for;
 * an edit of something else asks for nothing, a fleet or node that is paused or goes on does.
 * That is seen from specs and pods, not from what the operator says; what is no part of a pod, as
 * Services, peers and overrides, is not judged. Nothing is written unless SEI_CHRONICLE names a
 * folder. */
#ifndef TESTS_SIM_CHRONICLE_H
#define TESTS_SIM_CHRONICLE_H

#include "base/arena.h"
#include "kube/request.h"

#include <stdio.h>

typedef struct Chronicle Chronicle;

/* NULL when none is wanted; the others take that as well. */
Chronicle *chronicle_open(Arena *a);

/* One that is written to a file of the caller's; closing it closes that. */
Chronicle *chronicle_to(Arena *a, FILE *take_file);

void chronicle_close(Chronicle *c);

/* A write, and what the object was after it; NULL: gone. */
void chronicle_see(Chronicle *c, const Request *request, const Json *after);

#endif
