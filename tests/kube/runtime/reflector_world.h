/* The world of the reflector's tests: a reflector of Pods between a scripted server and a feed that
 * writes down what it is told. */
#ifndef TESTS_KUBE_RUNTIME_REFLECTOR_WORLD_H
#define TESTS_KUBE_RUNTIME_REFLECTOR_WORLD_H

#include "kube/runtime/reflector.h"
#include "tests/kube/runtime/fake_feed.h"
#include "tests/kube/runtime/fake_streams.h"
#include "tests/test.h"

typedef struct World {
    Arena *arena;
    FakeStreams server;
    FakeFeed feed;
    SeededRng rng;
    Reflector *reflector;
    int64_t now;
    int64_t next; /* when the reflector wants to be called */
} World;

/* A reflector that has asked for its first page; the options' ports are filled in. */
void given(World *w, ReflectorOptions options);

/* A watch from version 10 on, answered with 200 and nothing yet. */
void given_watch(World *w, ReflectorOptions options);

/* Checks that nothing was left open. */
void close_world(World *w);

#define SCOPED_WORLD __attribute__((cleanup(close_world))) World

/* The reflector's turn. */
void step(World *w);

/* What the feed was told since the last time. */
const char *said(World *w);

ReflectorHealth health(const World *w);

/* What the server says. */
void answer_head(World *w, int status);
void answer(World *w, const char *text);
void answer_whole(World *w, int status, const char *text);
void lose_connection(World *w);

/* Time passes until the reflector acts, and not a millisecond more; gives how long that was. */
int64_t wait_for_next(World *w);

void then_lists_from_the_start(World *w);
void then_watches_from(World *w, const char *version);

/* The server's language. */
#define OBJECT(name, version)                                                                      \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"n\",\"resourceVersion\":\"" version      \
    "\"},\"spec\":{\"text\":\"\\u00e9 \\n {}[]\"}}"
#define PAGE(version, next, items)                                                                 \
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" version     \
    "\",\"continue\":\"" next "\"},\"items\":[" items "]}\n"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define BOOKMARK(version)                                                                          \
    EVENT("BOOKMARK", "{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"" version "\"}}")
#define EXPIRED                                                                                    \
    "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"too old resource version\","        \
    "\"reason\":\"Expired\",\"code\":410}"

/* A list of a, b and c at version 10 in two pages, or of nothing; and what happens after it. */
__attribute__((unused)) static const char first_page[] =
    PAGE("10", "token", OBJECT("a", "3") "," OBJECT("b", "7"));
__attribute__((unused)) static const char last_page[] = PAGE("10", "", OBJECT("c", "9"));
__attribute__((unused)) static const char empty_page[] = PAGE("10", "", "");
__attribute__((unused)) static const char stream[] = EVENT("ADDED", OBJECT("d", "11"))
    EVENT("MODIFIED", OBJECT("a", "12")) BOOKMARK("15") EVENT("DELETED", OBJECT("b", "16"));

#endif
