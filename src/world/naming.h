/* Naming: what names, keys and paths may be, in the words of the API server. */
#ifndef WORLD_NAMING_H
#define WORLD_NAMING_H

#include "base/arena.h"

#include <stddef.h>

/* What is wrong with a text; NULL when nothing is. */
typedef const char *NamingRule(const char *text);

extern NamingRule naming_subdomain;    /* a.b-c */
extern NamingRule naming_label;        /* without dots */
extern NamingRule naming_label_1035;   /* and beginning with a letter */
extern NamingRule naming_path_segment; /* "system:masters" */
extern NamingRule naming_label_value;  /* of a label */
extern NamingRule naming_config_key;   /* of data in ConfigMaps and Secrets */
extern NamingRule naming_variable;     /* of the environment */
extern NamingRule naming_header;       /* of HTTP */
extern NamingRule naming_address;      /* IPv4 or IPv6 */
extern NamingRule naming_inner_path;   /* stays in its folder */
extern NamingRule naming_file_path;    /* and does not begin with two dots */

/* Where the server may find more than one thing wrong. */
typedef struct NamingFaults {
    const char *list[5];
    size_t count;
} NamingFaults;

/* "prefix/name" or "name": keys of labels and annotations, finalizers, conditions. */
NamingFaults naming_key(Arena *a, const char *key);

/* A port by its name. */
NamingFaults naming_port(const char *name);

#endif
