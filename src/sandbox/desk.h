/* Desk: where requests meet the world: who asks, what for, whether they may, and the answer. */
#ifndef SANDBOX_DESK_H
#define SANDBOX_DESK_H

#include "kube/serve/authority.h"
#include "kube/serve/hall.h"
#include "sandbox/cast.h"
#include "sandbox/tempo.h"

typedef struct Desk Desk;

typedef struct DeskOptions {
    const Cast *cast;               /* must outlive the desk and every stream */
    const char *admin_token;        /* a secret */
    const ClientAuthority *clients; /* who signs the certificates of clients; borrowed */
    Tempo *tempo;                   /* orders change it; borrowed */
    void (*on_obeyed)(void *self);  /* after every order, before it is answered; or NULL */
    void *self;
} DeskOptions;

/* A desk in the arena. */
Desk *desk_new(Arena *a, const DeskOptions *options);

/* Tells it where clients reach it, "127.0.0.1:7443", which they are told in turn. Borrowed. */
void desk_reach(Desk *d, const char *address);

/* Answers one request: the handle of a Hall. */
void desk_handle(void *desk, Arena *a, const HallRequest *request, HallAnswer *ret);

#endif
