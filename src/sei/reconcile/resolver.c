/* The system's resolver, by getaddrinfo_a. A question that cannot be called back may be answered
 * after the end: then its memory is left to the process, which ends too. */
#include "sei/reconcile/resolver.h"

#include "base/arena.h"
#include "base/err.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>

enum { ARENA_MAX = 256 << 10 };

typedef struct Question {
    struct gaicb request;
    bool is_open;
    bool is_dropped; /* and goes when it is answered */
    char host[RESOLVER_HOST_SIZE];
} Question;

typedef struct SystemResolver {
    Resolver port; /* first, so that the port is the resolver */
    Arena *arena;
    struct addrinfo hints;
    Question questions[RESOLVER_QUESTIONS_MAX];
} SystemResolver;

static Resolved answer_of(int error)
{
    switch (error) {
    case EAI_INPROGRESS:
        return RESOLVED_PENDING;
    case 0:
        return RESOLVED_FOUND;
    case EAI_NONAME:
    case EAI_NODATA:
    case EAI_ADDRFAMILY:
        return RESOLVED_NO_SUCH_NAME;
    default:
        return RESOLVED_NO_ANSWER;
    }
}

static Resolved look(Question *q)
{
    Resolved resolved = answer_of(gai_error(&q->request));

    if (resolved == RESOLVED_FOUND)
        freeaddrinfo(q->request.ar_result);
    q->is_open = resolved == RESOLVED_PENDING;
    return resolved;
}

static Question *find_free(SystemResolver *r)
{
    for (int i = 0; i < RESOLVER_QUESTIONS_MAX; i++) {
        Question *q = &r->questions[i];
        if (!q->is_open || (q->is_dropped && look(q) != RESOLVED_PENDING))
            return q;
    }
    return NULL;
}

static int ask(Resolver *self, const char *host)
{
    SystemResolver *r = (SystemResolver *)self;
    Question *q = find_free(r);

    if (!q || strlen(host) >= sizeof q->host)
        return -1;
    snprintf(q->host, sizeof q->host, "%s", host);
    q->request = (struct gaicb){.ar_name = q->host, .ar_request = &r->hints};
    q->is_dropped = false;
    struct gaicb *requests[] = {&q->request};
    q->is_open = getaddrinfo_a(GAI_NOWAIT, requests, 1, NULL) == 0;
    return q->is_open ? (int)(q - r->questions) : -1;
}

static Question *question_of(Resolver *self, int question)
{
    SystemResolver *r = (SystemResolver *)self;

    if (question < 0 || question >= RESOLVER_QUESTIONS_MAX || !r->questions[question].is_open)
        BUG("a question that was never asked");
    return &r->questions[question];
}

static Resolved answer(Resolver *self, int question)
{
    return look(question_of(self, question));
}

static void drop(Resolver *self, int question)
{
    question_of(self, question)->is_dropped = true;
}

Resolver *resolver_open_system(void)
{
    Arena *arena = arena_open(ARENA_MAX);
    SystemResolver *r = arena_new(arena, SystemResolver);

    *r = (SystemResolver){
        .port = {.ask = ask, .answer = answer, .drop = drop},
        .arena = arena,
        .hints = {.ai_socktype = SOCK_STREAM},
    };
    return &r->port;
}

void resolver_close_system(Resolver *resolver)
{
    SystemResolver *r = (SystemResolver *)resolver;
    bool is_idle = true;

    if (!r)
        return;
    for (int i = 0; i < RESOLVER_QUESTIONS_MAX; i++) {
        Question *q = &r->questions[i];
        if (!q->is_open)
            continue;
        gai_cancel(&q->request);
        is_idle = look(q) != RESOLVED_PENDING && is_idle;
    }
    if (is_idle)
        arena_close(r->arena);
}
