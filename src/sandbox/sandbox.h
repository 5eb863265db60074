/* Sandbox: the world in real time: its server behind HTTPS, its sidecars and seids behind the
 * addresses of their pods, and its clock tied to ours. One thread moves all of it. */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include "base/err.h"
#include "base/log.h"

#include <stdint.h>

typedef struct Sandbox Sandbox;

typedef struct SandboxOptions {
    const char *address; /* "127.0.0.1:7443" */
    int64_t speed;       /* how many times faster than ours the time of the pods runs */
    int64_t nodes;       /* machines; 0: 3 */
    int64_t network;     /* pods get addresses in 127.<network>.0.0/16; 0: 200 */
    const char *state; /* a folder that keeps everything over the end of the process; NULL: none */
    const Log *log;    /* borrowed */
} SandboxOptions;

/* Opens a world and listens. ERR_TERMINAL says what is wrong with the address or
 * the folder. */
Err *sandbox_open(Arena *a, const SandboxOptions *options, Sandbox **ret) MUST_CHECK;

/* Ends every connection, then the world. Accepts NULL. */
void sandbox_close(Sandbox *s);

/* Lets happen what is due, and waits for more for at most `timeout_ms`. */
void sandbox_move(Sandbox *s, int64_t timeout_ms);

/* From now on it waits no longer when that descriptor is readable, too. */
void sandbox_heed(Sandbox *s, int descriptor);

/* How to reach it: a kubeconfig with the administrator's token, which is a secret. */
const char *sandbox_kubeconfig(const Sandbox *s, Arena *a);

int sandbox_port(const Sandbox *s);

#endif
