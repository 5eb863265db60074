/* A table from fleet to its host name, the last answer and the open question. */
#include "sei/reconcile/lookups.h"

#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

enum {
    FLEET_TEXT_SIZE = 320, /* 63 + 1 + 253 and the NUL */
    NO_QUESTION = -1,
    SOON_MS = 250,  /* an answer mostly comes within this */
    LATER_MS = 2000 /* and when it has not, there is trouble */
};

typedef struct Name {
    NameState state;
    int question;     /* open, or NO_QUESTION */
    int64_t asked_ms; /* when the last question began */
    int64_t due_ms;   /* when the next one is to */
    char host[RESOLVER_HOST_SIZE];
    char fleet[FLEET_TEXT_SIZE];
} Name;

struct Lookups {
    Slab *slab;
    Map *names;
    Resolver *resolver;
};

Lookups *lookups_open(Resolver *resolver)
{
    Slab *slab = slab_open();
    Lookups *l = slab_alloc(slab, sizeof *l);

    *l = (Lookups){.slab = slab, .names = map_open(LOOKUPS_MAX), .resolver = resolver};
    return l;
}

void lookups_close(Lookups *l)
{
    if (!l)
        return;
    map_close(l->names);
    slab_close(l->slab);
}

static const char *text_of(Key key, char text[static FLEET_TEXT_SIZE])
{
    snprintf(text, FLEET_TEXT_SIZE, "%s/%s", key.namespace, key.name);
    return text;
}

static Name *begin(Lookups *l, const char *fleet)
{
    Name *name = slab_alloc(l->slab, sizeof *name);

    *name = (Name){.question = NO_QUESTION};
    snprintf(name->fleet, sizeof name->fleet, "%s", fleet);
    if (map_put(l->names, name->fleet, name))
        return name;
    slab_free(l->slab, name, sizeof *name);
    return NULL;
}

static void drop_question(Lookups *l, Name *name)
{
    if (name->question != NO_QUESTION)
        l->resolver->drop(l->resolver, name->question);
    name->question = NO_QUESTION;
}

/* The fleet's entry, about this host. */
static Name *name_of(Lookups *l, Key fleet, const char *host)
{
    char text[FLEET_TEXT_SIZE];
    Name *name = map_find(l->names, text_of(fleet, text));

    if (!name)
        name = begin(l, text);
    if (!name || str_eq(name->host, host))
        return name;
    drop_question(l, name);
    snprintf(name->host, sizeof name->host, "%s", host);
    name->state = NAME_UNKNOWN;
    name->due_ms = INT64_MIN;
    return name;
}

static void hear(Name *name, Resolved resolved, int64_t now_ms)
{
    if (resolved == RESOLVED_FOUND)
        name->state = NAME_RESOLVES;
    else if (resolved == RESOLVED_NO_SUCH_NAME)
        name->state = NAME_MISSING;
    name->due_ms = now_ms + (resolved == RESOLVED_FOUND ? LOOKUPS_FOUND_MS : LOOKUPS_MISSING_MS);
}

static void take_answer(Lookups *l, Name *name, int64_t now_ms)
{
    Resolved resolved = l->resolver->answer(l->resolver, name->question);

    if (resolved == RESOLVED_PENDING)
        return;
    hear(name, resolved, now_ms);
    name->question = NO_QUESTION;
}

/* At once: an answer may be there as soon as a question was asked. */
static void ask_now(Lookups *l, Name *name, int64_t now_ms)
{
    name->question = l->resolver->ask(l->resolver, name->host);
    name->asked_ms = now_ms;
    if (name->question != NO_QUESTION)
        take_answer(l, name, now_ms);
}

Lookup lookups_ask(Lookups *l, Key fleet, const char *host, int64_t now_ms)
{
    if (!l->resolver)
        return (Lookup){.state = NAME_RESOLVES};
    if (strlen(host) >= RESOLVER_HOST_SIZE) /* no name is so long */
        return (Lookup){.state = NAME_MISSING, .again_ms = LOOKUPS_MISSING_MS};
    Name *name = name_of(l, fleet, host);
    if (!name)
        return (Lookup){.again_ms = LOOKUPS_MISSING_MS};

    if (name->question != NO_QUESTION)
        take_answer(l, name, now_ms);
    if (name->question == NO_QUESTION && now_ms >= name->due_ms)
        ask_now(l, name, now_ms);
    bool is_waiting = name->question != NO_QUESTION || now_ms >= name->due_ms;
    bool is_soon = name->question != NO_QUESTION && now_ms - name->asked_ms < LATER_MS;
    return (Lookup){
        .state = name->state,
        .again_ms = is_waiting ? is_soon ? SOON_MS : LATER_MS : name->due_ms - now_ms,
    };
}

void lookups_forget(Lookups *l, Key fleet)
{
    char text[FLEET_TEXT_SIZE];
    Name *name = map_find(l->names, text_of(fleet, text));

    if (!name)
        return;
    drop_question(l, name);
    map_remove(l->names, name->fleet);
    slab_free(l->slab, name, sizeof *name);
}
