/* Listing: one list on its way into a feed, page by page.
 *
 * The feed learns of a list with its first sound page, and of its end with the last; whatever goes
 * wrong in between leaves the feed as it was, because the list is abandoned. */
#ifndef KUBE_RUNTIME_LISTING_H
#define KUBE_RUNTIME_LISTING_H

#include "base/bytes.h"
#include "base/err.h"
#include "kube/runtime/news.h"
#include "kube/runtime/reflector.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Listing {
    const Kind *kind;
    Feed *feed;
    int64_t limit, limit_max; /* objects of a page */
    Buf body;                 /* of the page that is coming */
    Buf continue_key;         /* of that page; empty for the first */
    bool is_open;             /* the feed has seen list_begin */
    unsigned pages;
    unsigned tries;                     /* of the page at hand that failed */
    char version[NEWS_VERSION_MAX + 1]; /* of the list, once it is open */
} Listing;

void listing_open(Listing *l, const Kind *kind, Feed *feed, int64_t limit);
void listing_close(Listing *l);

/* Bytes of the page at hand; false when it is larger than a page may be. */
bool listing_append(Listing *l, Bytes chunk);

/* The page at hand is complete: puts its objects into the feed. *ret_is_last: the list has ended.
 * ERR_TERMINAL when it is no page, or leads nowhere. */
Err *listing_take_page(Listing *l, Arena *a, bool *ret_is_last) MUST_CHECK;

/* True when the page at hand, which has failed, could have passed a limit of parsing. */
bool listing_is_large(const Listing *l);

/* Asks for smaller pages; false when they are as small as can be. */
bool listing_shrink(Listing *l);

/* Begins the page at hand again; false when that was tried often enough. */
bool listing_retry(Listing *l);

/* Begins the list anew, and gives its memory back. */
void listing_abandon(Listing *l);

#endif
