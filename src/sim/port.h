/* Port: every call that a simulated process makes to the API server or to a sidecar, and what may
 * happen to it.
 *
 * A call goes out, is carried out by the server, and its answer comes back; at each of these places
 * something can go wrong. A judge decides, call by call; without one all is fine. */
#ifndef SIM_PORT_H
#define SIM_PORT_H

#include "kube/http.h"
#include "kube/request.h"
#include "kube/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct PortCall {
    uint64_t number;        /* of all calls of the run, from 1 */
    const char *process;    /* "r0" */
    const char *strand;     /* "r0/worker-1" */
    bool is_stream;         /* a list or watch of the Streams port; else a call of an Api */
    const Request *request; /* to the API server; else NULL */
    const HttpCall *http;   /* to a sidecar; else NULL */
} PortCall;

typedef enum PortFaultKind {
    PORT_FINE,
    PORT_UNSENT,       /* no connection: nothing reaches the server */
    PORT_REFUSED,      /* the server answers with `status` and does nothing */
    PORT_DISGUISED,    /* carried out, but answered with `status` */
    PORT_LOST,         /* carried out, but the connection breaks before the answer */
    PORT_LATE,         /* on its way for delay_ms more; the caller may have given up by then */
    PORT_SILENT,       /* carried out, but after `bytes` of the answer not a byte comes any more */
    PORT_CUT,          /* carried out; the connection breaks after `bytes` of the answer */
    PORT_CRASH_BEFORE, /* the process dies before it has sent anything */
    PORT_CRASH_SENT,   /* it dies when it has sent; the request still reaches the server */
    PORT_CRASH_AFTER,  /* it dies when the request was carried out, and before it hears of it */
} PortFaultKind;

typedef struct PortFault {
    PortFaultKind kind;
    int status;             /* of PORT_REFUSED and PORT_DISGUISED: 403, 409, 410, 429, 5xx */
    int64_t retry_after_ms; /* of the same; or 0 */
    int64_t delay_ms;       /* of PORT_LATE */
    int64_t bytes;          /* of PORT_SILENT and PORT_CUT; a call of an Api has no such parts */
} PortFault;

typedef PortFault PortJudge(void *self, const PortCall *call);

/* "refused 409", "crash after": for traces and tables. */
const char *port_fault_text(Arena *a, PortFault fault);

/* What a server says that refuses with a status: a Status object with the usual reason. */
Answer port_refusal(Arena *a, const PortFault *fault);

/* Fails the k-th call of a run, and no other. */
typedef struct PortOneFault {
    uint64_t number;
    PortFault fault;
    bool struck; /* that call was made */
} PortOneFault;
PortFault port_judge_one(void *one_fault, const PortCall *call);

#endif
