/* FakeFeed: a Feed that writes down what it is told: "begin a@5 +b@6 -b@7 ^9 end@8 abort", where a
 * bare object is of a list, + a put, - a removal, ^ a version reached. It knows its own contract:
 * a list begins, gets objects, and ends or is aborted. */
#ifndef TESTS_KUBE_RUNTIME_FAKE_FEED_H
#define TESTS_KUBE_RUNTIME_FAKE_FEED_H

#include "base/bytes.h"
#include "kube/runtime/reflector.h"

typedef struct FakeFeed {
    Feed port; /* first */
    Buf said;
    bool is_listing;
    bool is_silent; /* for long runs: count only */
    size_t removals, list_ends;
} FakeFeed;

void fake_feed_init(FakeFeed *f);
void fake_feed_close(FakeFeed *f);

/* What was said since the last time. */
const char *fake_feed_take(FakeFeed *f, Arena *a);

#endif
