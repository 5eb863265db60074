/* Nametag: the node id that one pod's sidecar says. Asked once per pod, until it is known: the key
 * that it comes from does not change under a running pod. */
#ifndef SEI_SIDECAR_NAMETAG_H
#define SEI_SIDECAR_NAMETAG_H

#include "sei/sidecar/chat.h"

/* The zero value is not asked. */
typedef struct Nametag {
    int64_t due_ms, backoff_ms;
    char id[SIDECAR_NODE_ID_SIZE]; /* "": not known */
    bool is_wanted;
    bool is_refused; /* the token was */
    bool is_renewed; /* another token was tried at once */
} Nametag;

/* It is wanted from now on. */
void nametag_want(Nametag *t, const ChatPorts *p);

/* Another pod: nothing is known of it. */
void nametag_move(Nametag *t, const ChatPorts *p);

/* Another token: the one before it was refused, if any. */
void nametag_renew(Nametag *t, const ChatPorts *p);

/* When it is asked next; INT64_MAX for never. */
int64_t nametag_due_ms(const Nametag *t);

/* What came of asking. */
void nametag_hear(Nametag *t, const ChatPorts *p, const Reading *reading);

/* Another token might help, and has not been tried yet. */
bool nametag_needs_token(const Nametag *t);

#endif
