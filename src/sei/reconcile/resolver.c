/* The system's resolver: each question waits in a thread of its own. One that is still open at the
 * end may be answered after it: who gets the last answer then tidies up. */
#include "sei/reconcile/resolver.h"

#include "base/arena.h"
#include "base/err.h"
#include "kube/runtime/host.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>

enum { ARENA_MAX = 256 << 10 };

typedef struct SystemResolver SystemResolver;

/* Under the guard, all but the host. */
typedef struct Question {
    SystemResolver *resolver;
    bool is_open;
    bool is_dropped; /* and goes when it is answered */
    Resolved answer;
    char host[RESOLVER_HOST_SIZE]; /* does not change while it is open */
} Question;

struct SystemResolver {
    Resolver port; /* first, so that the port is the resolver */
    Arena *arena;
    Guard *guard;
    int waiting;    /* threads */
    bool is_closed; /* by its user */
    Question questions[RESOLVER_QUESTIONS_MAX];
};

static Resolved answer_of(int error)
{
    switch (error) {
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

static void tidy_up(SystemResolver *r)
{
    host_close_guard(r->guard);
    arena_close(r->arena);
}

static void *look_up(void *self)
{
    Question *q = self;
    SystemResolver *r = q->resolver;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    int error = getaddrinfo(q->host, NULL, &hints, &found);

    if (!error)
        freeaddrinfo(found);
    guard_enter(r->guard);
    q->answer = answer_of(error);
    r->waiting--;
    bool is_last = r->is_closed && !r->waiting;
    guard_leave(r->guard);
    if (is_last)
        tidy_up(r);
    return NULL;
}

/* The guard is held. */
static Resolved look(Question *q)
{
    q->is_open = q->answer == RESOLVED_PENDING;
    return q->answer;
}

/* The guard is held. */
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

    if (strlen(host) >= RESOLVER_HOST_SIZE)
        return -1;
    guard_enter(r->guard);
    Question *q = find_free(r);
    if (q) {
        *q = (Question){.resolver = r};
        snprintf(q->host, sizeof q->host, "%s", host);
        q->is_open = host_run_aside(look_up, q);
        r->waiting += q->is_open;
    }
    int question = q && q->is_open ? (int)(q - r->questions) : -1;
    guard_leave(r->guard);
    return question;
}

/* The guard is held. */
static Question *question_of(SystemResolver *r, int question)
{
    if (question < 0 || question >= RESOLVER_QUESTIONS_MAX || !r->questions[question].is_open)
        BUG("a question that was never asked");
    return &r->questions[question];
}

static Resolved answer(Resolver *self, int question)
{
    SystemResolver *r = (SystemResolver *)self;

    guard_enter(r->guard);
    Resolved resolved = look(question_of(r, question));
    guard_leave(r->guard);
    return resolved;
}

static void drop(Resolver *self, int question)
{
    SystemResolver *r = (SystemResolver *)self;

    guard_enter(r->guard);
    question_of(r, question)->is_dropped = true;
    guard_leave(r->guard);
}

Resolver *resolver_open_system(void)
{
    Arena *arena = arena_open(ARENA_MAX);
    SystemResolver *r = arena_new(arena, SystemResolver);

    *r = (SystemResolver){
        .port = {.ask = ask, .answer = answer, .drop = drop},
        .arena = arena,
        .guard = host_open_guard(),
    };
    return &r->port;
}

void resolver_close_system(Resolver *resolver)
{
    SystemResolver *r = (SystemResolver *)resolver;

    if (!r)
        return;
    guard_enter(r->guard);
    r->is_closed = true;
    bool is_last = !r->waiting;
    guard_leave(r->guard);
    if (is_last)
        tidy_up(r);
}
