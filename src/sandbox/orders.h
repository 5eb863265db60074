/* Orders: what a person tells a running sandbox that no API server would be told: those of
 * world/order.h about pods, images and machines, and more about chains and about the sandbox
 * itself. They arrive as objects of a kind that only a sandbox has, which are obeyed and never
 * stored. */
#ifndef SANDBOX_ORDERS_H
#define SANDBOX_ORDERS_H

#include "kube/kind.h"
#include "sandbox/cast.h"
#include "sandbox/tempo.h"

#include <stddef.h>

/* {spec: {line: "evict sei/rpc-0-0"}} */
extern const Kind kind_order[1];

/* {spec: {user: "jane", groups: ["devs"]}}; the answer has status.certificate and status.key. Of
 * the same group as orders, and not stored either. */
extern const Kind kind_client_certificate[1];

/* What orders are about. */
typedef struct OrdersScope {
    const Cast *cast;
    Tempo *tempo;
} OrdersScope;

/* Carries out one line now; a changed tempo is the caller's to keep. ERR_TERMINAL says what is
 * wrong with it, and how it is written. */
Err *orders_obey(Arena *a, const OrdersScope *scope, const char *line) MUST_CHECK;

/* How the n-th order is written, counted from 0; NULL past the last. */
const char *orders_form(size_t n);

#endif
