/* Faulty: a transport that breaks exactly one call of the transport below it.
 *
 * Calls are counted over all Apis and Streams together, from 1, in the order in which they are
 * made; starting a stream is a call. The broken one fails either before the server hears of it, or
 * after the server carried it out: then the answer is lost, and of a stream only the first half of
 * its first bytes arrives. All other calls pass. */
#ifndef TESTS_E2E_FAULTY_H
#define TESTS_E2E_FAULTY_H

#include "kube/transport.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Faulty Faulty;

typedef struct Fault {
    int64_t call; /* which one breaks; 0: none */
    bool after;   /* after the server carried it out */
} Fault;

/* `below` must live longer. */
Faulty *faulty_open(Transport *below, Fault fault);
void faulty_close(Faulty *f);

/* The breaking transport; lives as long as the Faulty. */
Transport *faulty_transport(Faulty *f);

/* Calls made so far. */
int64_t faulty_calls(Faulty *f);

#endif
