/* Chat: the conversation with one sidecar about tasks. A machine: it says what to ask next and
 * when, and is told what came of it.
 *
 *     wanted ──► hand over (POST) ──► poll (GET, GET, ...) ──► ended
 *       │           ▲    └─ no one knows whether it arrived ─┐
 *       └─ handed over before ──────────────────────────────►ask (GET) ──► poll, ended
 *                   └───── two 404 in a row, one poll apart ──┘
 *
 * A task of this node that may still be at work there when another one is wanted comes first: it is
 * asked for until it has ended or is not known; only then is the other one handed over. */
#ifndef SEI_SIDECAR_CHAT_H
#define SEI_SIDECAR_CHAT_H

#include "base/rng.h"
#include "base/slab.h"
#include "sei/sidecar/reading.h"
#include "sei/sidecar/request_backoff.h"
#include "sei/sidecar/sidecar.h"
#include "sei/sidecar/slab_text.h"

enum { CHAT_ID_SIZE = 40 }; /* a UUID and its NUL; an id that does not fit is none */

typedef enum ChatPhase { CHAT_IDLE, CHAT_HAND_OVER, CHAT_ASK, CHAT_POLL, CHAT_ENDED } ChatPhase;

/* What one asks a sidecar. */
typedef enum Errand { ERRAND_NONE, ERRAND_SUBMIT, ERRAND_ASK, ERRAND_HEALTH, ERRAND_NAME } Errand;

/* The zero value wants nothing. */
typedef struct Chat {
    char id[CHAT_ID_SIZE];       /* the wanted task; "": none */
    char previous[CHAT_ID_SIZE]; /* another one that may be at work there; "": none */
    SlabText body;               /* what is posted */
    SlabText message;
    SlabText result; /* of a task that has completed */
    int64_t due_ms;
    int64_t attempt;
    int64_t failed_run;  /* the run whose failure was told; 0: none */
    int64_t retried_run; /* the one that this attempt is to make up for; 0: none */
    int64_t pause_ms;    /* until the next poll */
    int64_t backoff_ms;  /* after the next trouble */
    SidecarState state;
    ChatPhase phase;
    uint8_t missing, previous_missing; /* 404s in a row */
    bool submitted;                    /* it is known there */
    bool may_be_there;                 /* it was sent, and nobody has said that it is not there */
    bool submit_and_go, only_awaited, is_mark_ready;
    bool renewed; /* another token was tried at once */
} Chat;

/* Time, chance and memory for it. */
typedef struct ChatPorts {
    Slab *slab;
    Rng *rng;
    int64_t now_ms;
} ChatPorts;

/* A task is wanted. False when it can never be asked for: its id is none, or its parameters are
 * larger than SIDECAR_BODY_MAX. */
bool chat_want(Chat *c, const ChatPorts *p, Arena *a, const SidecarJob *job);

/* No task is wanted. */
void chat_rest(Chat *c, const ChatPorts *p);

/* Another pod: what the one before said counts no more, but the volume is the same. */
void chat_move(Chat *c, const ChatPorts *p);

/* Another token: the one before it was refused, if any. */
void chat_renew(Chat *c, const ChatPorts *p);

/* What is to be asked once it is due, and about which task. */
Errand chat_errand(const Chat *c, const char **ret_id);

/* That errand is on its way. */
void chat_sent(Chat *c, Errand errand);

/* What came of it. */
void chat_hear(Chat *c, const ChatPorts *p, Errand errand, const char *id, const Reading *reading);

/* Gives back its memory. */
void chat_close(Chat *c, Slab *slab);

#endif
