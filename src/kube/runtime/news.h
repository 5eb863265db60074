/* News: what the answers to lists and watches say, understood or refused. Pure.
 *
 * The one place that decides whether bytes are a list: an answer that is not surely one is an
 * error, so that no mishap ever reads as "everything was deleted". */
#ifndef KUBE_RUNTIME_NEWS_H
#define KUBE_RUNTIME_NEWS_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "kube/kind.h"

enum { NEWS_VERSION_MAX = 253 }; /* bytes of a resourceVersion */

/* A page of a list. In the arena. */
typedef struct NewsPage {
    const Json *items;        /* an array of sound objects */
    const char *version;      /* of the list */
    const char *continue_key; /* of the next page, or NULL after the last */
} NewsPage;

/* ERR_TERMINAL when the body is not JSON, not of the kind's List, or has no items or version; or
 * when an item is not sound (see news_event). */
Err *news_page(Arena *a, const Kind *kind, Bytes body, NewsPage *ret) MUST_CHECK;

typedef enum NewsEventType {
    NEWS_PUT, /* ADDED, MODIFIED */
    NEWS_REMOVE,
    NEWS_BOOKMARK,
    NEWS_ERROR,   /* the object is a Status; it has no version */
    NEWS_UNKNOWN, /* a type of the future: nothing is known about its object */
} NewsEventType;

/* An event of a watch. In the arena. */
typedef struct NewsEvent {
    NewsEventType type;
    const Json *object;
    const char *version;
} NewsEvent;

/* ERR_TERMINAL when the line is no event, or its object not sound: of another kind, or without
 * name, resourceVersion or, where the kind has one, namespace. A bookmark needs a version only. */
Err *news_event(Arena *a, const Kind *kind, Bytes line, NewsEvent *ret) MUST_CHECK;

#endif
