/* Wanted: the objects of a node as they should be, rendered, and what they are known by. Renderers
 * fill it; the planner and the tasks compare with it. */
#ifndef SEI_API_WANTED_H
#define SEI_API_WANTED_H

#include "base/json.h"

typedef struct Wanted {
    const Json *statefulset, *service, *proxy_config;
    const Json *volume;        /* the claim, or NULL when it is imported */
    const char *claim;         /* name of the claim, imported or not */
    const char *image;         /* of seid, as rendered */
    const char *template_hash; /* of the pod template */
    const char *config_hash;   /* of the proxy's configuration */
    /* The first stage of a set-up that has two; NULL of one that has not, and of a Running node. */
    const Json *bootstrap_job, *bootstrap_service;
    const char *bootstrap_hash; /* of the Job's pod template */
    /* As hash_owned_of_rendered gives them: equal to meta_owned_hash of what is already right. */
    const char *statefulset_owned, *service_owned, *proxy_config_owned;
} Wanted;

#endif
