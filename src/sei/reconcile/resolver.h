/* Resolver: a port. Asks whether a host name has an address, as this process sees the world; nobody
 * waits for the answer. The system's own asks in threads aside. */
#ifndef SEI_RECONCILE_RESOLVER_H
#define SEI_RECONCILE_RESOLVER_H

typedef struct Resolver Resolver;

typedef enum Resolved {
    RESOLVED_PENDING,
    RESOLVED_FOUND,
    RESOLVED_NO_SUCH_NAME,
    RESOLVED_NO_ANSWER, /* from those who would know: nothing is said of the name */
} Resolved;

struct Resolver {
    /* Begins to ask; a number for the question, or -1 when there are too many. */
    int (*ask)(Resolver *self, const char *host);

    /* What came of it. Any answer but RESOLVED_PENDING ends the question. */
    Resolved (*answer)(Resolver *self, int question);

    /* Nobody wants to know any more. */
    void (*drop)(Resolver *self, int question);
};

enum { RESOLVER_QUESTIONS_MAX = 64, RESOLVER_HOST_SIZE = 254 };

Resolver *resolver_open_system(void);

/* Questions that are still open are given up. Accepts NULL. */
void resolver_close_system(Resolver *resolver);

#endif
