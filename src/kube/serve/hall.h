/* Hall: HTTP and HTTPS with bodies and streams, moved by its owner: no thread, no lock. What comes
 * in is handed to one function as a value; what it gives back goes out, at once or, as a stream,
 * piece by piece for as long as there are any.
 *
 * Everything about a guest is bounded: the request, how long it may say nothing, how much is kept
 * for all of them. When the hall is full, a newcomer takes the place of whoever has waited longest
 * without a request under way. So a misbehaving client hurts only itself. */
#ifndef KUBE_SERVE_HALL_H
#define KUBE_SERVE_HALL_H

#include "base/bytes.h"
#include "base/err.h"
#include "kube/serve/certificate_texts.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Hall Hall;

typedef enum HallNext {
    HALL_PIECE,   /* the next bytes */
    HALL_NOTHING, /* there are none now */
    HALL_END,     /* there will be none */
} HallNext;

/* A port. An answer that comes piece by piece. */
typedef struct HallStream HallStream;
struct HallStream {
    /* Bytes are borrowed until the next call. A stream that said HALL_NOTHING is asked again when
     * hall_stir is called. */
    HallNext (*next)(HallStream *self, Bytes *ret);
    /* Once, when it has ended or nobody listens any more. */
    void (*close)(HallStream *self);
};

enum { HALL_GROUPS_MAX = 8 }; /* those behind are not looked at */

/* Who the client is by the certificate that it showed. */
typedef struct HallPeer {
    const char *user;                        /* "" without a certificate, or when it is refused */
    const char *groups[HALL_GROUPS_MAX + 1]; /* ended by NULL */
    bool is_refused;                         /* it showed one that is not to be trusted */
} HallPeer;

/* Texts are borrowed until the answer is given, and "" where the client said nothing. */
typedef struct HallRequest {
    const char *method;
    const char *target; /* path and query as they came */
    HallPeer peer;
    const char *bearer; /* the token that came with it, a secret, or NULL */
    const char *accept, *content_type, *user_agent, *if_none_match;
    const char *as_user;                        /* Impersonate-User */
    const char *as_groups[HALL_GROUPS_MAX + 1]; /* Impersonate-Group, ended by NULL */
    Bytes body;
    bool is_too_large; /* the body is, and was not kept: the connection ends with the answer */
} HallRequest;

enum { HALL_HEADERS_MAX = 8 };

typedef struct HallHeader {
    const char *name, *value;
} HallHeader;

typedef struct HallAnswer {
    int status;                           /* 200 when left 0 */
    const char *content_type;             /* NULL: none is said */
    HallHeader headers[HALL_HEADERS_MAX]; /* ended by one without a name */
    Bytes body;                           /* in the arena, or of the program */
    HallStream *stream;                   /* instead of a body; closed by the hall */
} HallAnswer;

typedef struct HallOptions {
    const char *address; /* as in ServeOptions */
    /* Answers a request; the arena lives until the answer is out. */
    void (*handle)(void *self, Arena *a, const HallRequest *request, HallAnswer *ret);
    void *self;
    const CertificateTexts *tls; /* NULL: plain HTTP */
    unsigned connections_max;    /* 0: 1,000 */
    unsigned timeout_s;          /* of a connection without a byte; 0: 60 */
    size_t body_max;             /* 0: 3 MiB */
    size_t held_max;             /* bodies and answers of all guests; 0: 256 MiB */
} HallOptions;

/* Listens. ERR_TERMINAL names the address, or the certificate, and what is wrong with it. */
Err *hall_open(Arena *a, const HallOptions *options, Hall **ret) MUST_CHECK;

/* Ends every connection and stream. Accepts NULL. */
void hall_close(Hall *h);

/* The port in use. */
int hall_port(const Hall *h);

/* Takes in and gives out what can be moved, and waits for that at most `timeout_ms`. */
void hall_poll(Hall *h, int64_t timeout_ms);

/* A descriptor that is readable when a poll would not wait for a client. */
int hall_descriptor(const Hall *h);

/* From now on a poll waits no longer when that descriptor is readable, too. It is borrowed, and
 * what is to be read there is the owner's business. */
void hall_heed(Hall *h, int descriptor);

/* Asks every stream that had nothing whether it has something now. */
void hall_stir(Hall *h);

/* Connections, and streams that wait, now. */
unsigned hall_guests(const Hall *h);
size_t hall_waiting(const Hall *h);

#endif
