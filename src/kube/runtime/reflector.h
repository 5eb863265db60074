/* Reflector: keeps one feed in step with the API server: lists, watches, resumes, lists again when
 * it must.
 *
 *     waiting ──► listing (page by page) ──► watching ──► (end, silence, fault) ──► waiting
 *                    ▲                            │            resume at the last version, no list
 *                    └────────── 410, ERROR event ┘
 *
 * Lists are consistent (never resourceVersion 0) and come in pages; a page that failed because of
 * the network or a busy server is asked for again, any other trouble begins the list anew. A watch
 * that ends in order is resumed at once, other ends after a wait that grows (see trouble.h). What
 * makes a watch fail at one version five times, such as an event that is too large, is overcome by
 * a list; so is a bookmark older than what was seen (a restored etcd). Failures count until a watch
 * has brought something new, or has lived 10 s.
 *
 * A kind that the server does not know (404) is waited for like a right that is missing (403); or,
 * if it is optional, taken as a kind without objects, and looked for every 30 s. A right that is
 * missed only later says nothing about the objects that were seen.
 *
 * A machine: bytes come in through the Streams port, time through step. It never invents a delete:
 * a page that fails half-way, a page that expires, or an answer that is no list leaves the feed as
 * it was. A dropped connection resumes at the last version. It is driven by one caller; the feed
 * takes the guard where it must. */
#ifndef KUBE_RUNTIME_REFLECTOR_H
#define KUBE_RUNTIME_REFLECTOR_H

#include "base/json.h"
#include "base/rng.h"
#include "kube/kind.h"
#include "kube/stream.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Feed Feed;

/* Where objects go: the manager's side of a store. Objects are borrowed for the call, from an arena
 * that is reset after each event. */
struct Feed {
    void (*put)(Feed *self, const Json *object);
    void (*remove)(Feed *self, const Json *object);
    void (*reach)(Feed *self, const char *version);
    void (*list_begin)(Feed *self);
    void (*list_put)(Feed *self, const Json *object);
    void (*list_end)(Feed *self, const char *version);
    void (*list_abort)(Feed *self);
};

typedef struct Reflector Reflector;

typedef struct ReflectorOptions {
    const Kind *kind;
    const char *namespace, *labels, *fields; /* as in Watch */
    Streams *streams;
    Feed *feed;
    Rng *rng;
    int64_t page_limit; /* 0: 250; halved when a page is too large */
    bool optional;      /* as in Watch */
    size_t event_max;   /* bytes of one event; 0: 8 MiB */
    int64_t silence_ms; /* a watch without a byte for so long is dropped; 0: 90,000 */
} ReflectorOptions;

/* Opens a reflector that will list at its first step. Strings are borrowed. */
Reflector *reflector_open(const ReflectorOptions *options);

/* Cancels what runs. Accepts NULL. */
void reflector_close(Reflector *r);

/* Does what is due: draws the conclusion of what a poll of the streams brought, starts a list or a
 * watch, drops a silent one. To be called after every poll that may have moved bytes of it, and at
 * the latest at the time that it gives. Never call it, or what follows, from within a poll. */
int64_t reflector_step(Reflector *r, int64_t now_ms);

/* Drops the connection of a watch and resumes: the peer is believed dead. */
void reflector_drop(Reflector *r, int64_t now_ms);

/* Lists anew at the next step, whatever it is doing: what was seen is no longer trusted. */
void reflector_relist(Reflector *r, int64_t now_ms);

/* What a person or readyz wants to know. */
typedef struct ReflectorHealth {
    bool watching;          /* a watch is open and was answered with 200 */
    bool absent;            /* the server does not know or show the kind, which is optional */
    bool forbidden;         /* it is absent for want of a right */
    int64_t since_ms;       /* when that last changed */
    uint64_t lists;         /* lists begun */
    uint64_t watches;       /* watches begun */
    uint64_t events;        /* events taken in */
    uint64_t ignored;       /* of them, of a type that is not known */
    uint64_t bytes;         /* received */
    unsigned failures;      /* in a row */
    const char *last_error; /* of the last of them, or NULL; borrowed until the next step */
} ReflectorHealth;
ReflectorHealth reflector_health(const Reflector *r);

#endif
