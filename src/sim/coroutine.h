/* Coroutine: a piece of code with a stack of its own, that stops where it likes and goes on later.
 *
 * So code that waits for an answer in the middle of a function (a reconcile) runs unchanged in
 * virtual time. Below the stack lies a page that nobody may touch: running over the end stops the
 * process instead of spoiling something. Sanitizers are told of every switch. */
#ifndef SIM_COROUTINE_H
#define SIM_COROUTINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Coroutine Coroutine;

/* As much as a worker's thread has. Sanitizers make frames larger. */
enum { COROUTINE_STACK_BYTES = 512 << 10 };

/* A coroutine that will run body(self) once it is resumed. */
Coroutine *coroutine_open(void (*body)(void *self), void *self);

/* Gives the stack back. One that has begun must have ended: what stands on its stack would be lost,
 * so anything else is a BUG. Accepts NULL. */
void coroutine_close(Coroutine *c);

/* Runs it until it yields or ends. Never from within itself, never once it has ended. */
void coroutine_resume(Coroutine *c);

/* From within: gives control back to whoever resumed it. */
void coroutine_yield(Coroutine *c);

/* Its body has returned. */
bool coroutine_has_ended(const Coroutine *c);

#endif
