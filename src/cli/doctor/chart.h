/* Chart: what was read of a cluster before it is judged: lists of objects, and of each list whether
 * it could be read at all. Everything is read once (gather.c); checks only look here, so that a
 * test can write a cluster down instead of having one.
 *
 * No Secret is in it: of each that a validator names there are the names of its files, each with a
 * hash that tells equal keys apart from different ones and says nothing else. */
#ifndef CLI_DOCTOR_CHART_H
#define CLI_DOCTOR_CHART_H

#include "base/map.h"
#include "kube/kube.h"

#include <stdbool.h>
#include <stdint.h>

/* The lists. The order is the one in which they are asked for: what most depends on comes first,
 * in case that time runs out. */
typedef enum ChartList {
    CHART_NOTHING, /* ends a row of needs */
    CHART_DEFINITIONS,
    CHART_NODES,
    CHART_FLEETS,
    CHART_LEASES,
    CHART_DEPLOYMENTS, /* of operators */
    CHART_OPERATOR_PODS,
    CHART_PODS, /* of nodes */
    CHART_CLAIMS,
    CHART_STATEFULSETS,
    CHART_SETTINGS, /* the ConfigMaps that operators read */
    CHART_NAMESPACES,
    CHART_CLASSES,
    CHART_VOLUMES,
    CHART_SECRETS, /* of validators: hashes alone */
    CHART_REVISIONS,
    CHART_SERVICES,
    CHART_ACCOUNTS,
    CHART_ROUTES,
    CHART_SCALERS,
    CHART_BUDGETS,
    CHART_LIMITS,
    CHART_QUOTAS,
    CHART_MONITORS,
    CHART_RULES,
    CHART_OWN_REVIEWS,     /* access reviews of the person, answered */
    CHART_REVIEWS,         /* and of the accounts of operators */
    CHART_SIDECAR_REVIEWS, /* and of those whose tokens sidecars are shown */
    CHART_NODE_REVIEWS,    /* and of those of nodes */
    CHART_LISTS,
} ChartList;

typedef enum ChartState {
    CHART_UNREAD,    /* not asked, or no answer */
    CHART_READ,      /* all of it is here */
    CHART_UNSERVED,  /* the server does not know the kind: there are none */
    CHART_FORBIDDEN, /* the person may not look */
} ChartState;

typedef struct ChartPart {
    ChartState state;
    const char *why; /* it is not here, in words; NULL when it is */
    Objects objects;
    Map *by_key; /* "namespace/name" */
} ChartPart;

typedef struct Chart {
    Arena *arena;
    const char *namespace;      /* findings about objects elsewhere are left out; NULL: none are */
    const char *program;        /* "kubectl sei" */
    const char *cli_version;    /* of this program */
    const char *server_version; /* gitVersion, or NULL */
    int64_t server_minor;       /* of 1.x; -1: not known */
    int64_t now_ns;             /* this machine's clock, when the chart was taken */
    bool has_server_time;
    int64_t ahead_ns; /* how far this machine's clock is before the server's */
    bool is_pre;      /* nothing is installed yet */
    ChartPart parts[CHART_LISTS];
} Chart;

/* "storage classes": what a list is called among people. */
const char *chart_list_text(ChartList list);

/* The member of a written-down chart that holds a list: "classes". */
const char *chart_list_name(ChartList list);

/* The kind of the objects of a list, or NULL where they are no objects of the cluster. */
const Kind *chart_list_kind(ChartList list);

/* Puts a list in: read, with these objects. */
void chart_put(Chart *c, ChartList list, Objects objects);

/* Says that a list is not there, and why. */
void chart_miss(Chart *c, ChartList list, ChartState state, const char *why);

/* The objects of a list; none where it could not be read. */
const Objects *chart_list(const Chart *c, ChartList list);

/* Whether the list says something: it was read, or the server has no such kind. */
bool chart_knows(const Chart *c, ChartList list);

/* Whether the server has the kind. */
bool chart_serves(const Chart *c, ChartList list);

/* The object of a list by its name, or NULL. */
const Json *chart_find(const Chart *c, ChartList list, const char *namespace, const char *name);

/* --- what several checks ask --- */

/* Seconds since a time of the server; -1 for NULL or what is no time. */
int64_t chart_seconds_since(const Chart *c, const char *text);

/* Seconds since the time at a path of an object; -1 where there is none. */
int64_t chart_age_s(const Chart *c, const Json *object, const char *path);

/* Seconds since a condition has been so; -1 where there is none. */
int64_t chart_condition_age_s(const Chart *c, const Json *object, const char *type);

/* A number of seconds as kubectl shows it: "5m3s". */
const char *chart_age_text(const Chart *c, int64_t seconds);

/* A condition has the status (and the reason, unless that is NULL). */
bool chart_has_condition(
    const Json *object, const char *type, const char *status, const char *reason);

/* The name of the claim with a node's data: the recorded one, else the one that will be. */
const char *chart_claim_name(const Chart *c, const Json *node);

/* The claim of a node, or NULL. */
const Json *chart_claim(const Chart *c, const Json *node);

/* The pod of a node's StatefulSet, or NULL. */
const Json *chart_pod(const Chart *c, const Json *node);

/* The operator holds a node and its pod is seen to be gone. What cannot be seen may run. */
bool chart_is_stopped(const Chart *c, const Json *node);

/* What is in this namespace was asked about; NULL is the cluster's own. */
bool chart_is_asked_about(const Chart *c, const char *namespace);

/* There are nodes or fleets in a namespace. */
bool chart_has_nodes(const Chart *c, const char *namespace);

/* No node before this one, by its place in the list, is in its namespace. */
bool chart_is_first_of_namespace(const Chart *c, size_t node);

#endif
