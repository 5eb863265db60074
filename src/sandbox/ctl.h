/* Ctl: what a person tells a sandbox that runs: orders for demonstrations (orders.h), and the few
 * things that one wants of kubectl where there is none. It speaks to the sandbox as the
 * administrator of a kubeconfig. */
#ifndef SANDBOX_CTL_H
#define SANDBOX_CTL_H

#include "base/bytes.h"
#include "kube/api.h"
#include "kube/config.h"

/* Where it is told, and by whom. */
typedef struct Ctl {
    Api *api;
    const Config *config;
    Buf *said; /* what goes to stdout */
} Ctl;

/* Carries out the words of a command, at least one. ERR_TERMINAL names what is wrong, and how it is
 * written; other errors are the server's. */
Err *ctl_run(Ctl *ctl, Arena *a, char *const *words, int count) MUST_CHECK;

/* Opens a client for a kubeconfig, carries the words out, and closes it. */
Err *ctl_main(Arena *a, const char *kubeconfig, char *const *words, int count) MUST_CHECK;

/* Appends how every command is written. */
void ctl_help(Buf *ret);

#endif
