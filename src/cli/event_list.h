/* EventList: the events about one object. */
#ifndef CLI_EVENT_LIST_H
#define CLI_EVENT_LIST_H

#include "kube/kube.h"
#include "kube/request.h"

/* Asks for those of one object. A server that cannot select by this field says 400, and is to be
 * asked for all, without `fields`. */
Request event_list_request(Arena *a, const Json *object);

/* Those of a list that are about the object, the newest first. */
Objects event_list_about(Arena *a, const Json *items, const Json *object);

/* When it was seen last; "" when it does not say. */
const char *event_list_time(const Json *event);

#endif
