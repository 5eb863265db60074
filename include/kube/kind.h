/* Kind: a Kubernetes resource type as a row of data.
 *
 * The library knows the built-in kinds below; a program adds its own by writing such rows. */
#ifndef KUBE_KIND_H
#define KUBE_KIND_H

#include <stdbool.h>

typedef struct Kind {
    const char *group;   /* "" for core */
    const char *version; /* "v1" */
    const char *plural;  /* "statefulsets" */
    const char *name;    /* "StatefulSet" */
    bool namespaced;
    /* The paths that caches keep of such an object, in the language of json_project, ended by NULL;
     * NULL keeps everything except metadata.managedFields. apiVersion, kind and the metadata that
     * every object has (name, namespace, uid, resourceVersion, generation, deletionTimestamp,
     * labels, annotations without last-applied-configuration, ownerReferences, finalizers) are
     * always kept. */
    const char *const *projection;
} Kind;

/* Arrays of one, so that a kind's name is a pointer to it and also a constant, fit for static
 * tables of watches. */
extern const Kind kind_namespace[1];
extern const Kind kind_node[1];
extern const Kind kind_pod[1];
extern const Kind kind_service[1];
extern const Kind kind_configmap[1];
extern const Kind kind_secret[1];
extern const Kind kind_serviceaccount[1];
extern const Kind kind_pvc[1];
extern const Kind kind_pv[1];
extern const Kind kind_statefulset[1];
extern const Kind kind_controllerrevision[1];
extern const Kind kind_job[1];
extern const Kind kind_lease[1];
extern const Kind kind_event[1];
extern const Kind kind_crd[1];
extern const Kind kind_core_event[1]; /* an Event as v1 has it */
extern const Kind kind_deployment[1];
extern const Kind kind_replicaset[1];
extern const Kind kind_cronjob[1];
extern const Kind kind_pdb[1];
extern const Kind kind_networkpolicy[1];
extern const Kind kind_endpointslice[1];
extern const Kind kind_storageclass[1];
extern const Kind kind_role[1];
extern const Kind kind_rolebinding[1];
extern const Kind kind_clusterrole[1];
extern const Kind kind_clusterrolebinding[1];

/* Those that are asked, never stored. */
extern const Kind kind_token_review[1];
extern const Kind kind_access_review[1];       /* SubjectAccessReview */
extern const Kind kind_local_access_review[1]; /* the same in one namespace */
extern const Kind kind_self_access_review[1];
extern const Kind kind_self_rules_review[1];
extern const Kind kind_self_review[1]; /* who am I */

/* Of the Gateway API, which a cluster may or may not have. */
extern const Kind kind_httproute[1];

/* "v1", "apps/v1": what stands in apiVersion. Written into `ret`, which is always NUL-terminated.
 */
enum { KIND_API_VERSION_SIZE = 320 };
const char *kind_api_version(const Kind *kind, char ret[KIND_API_VERSION_SIZE]);

/* The built-in kind of an apiVersion and kind name, or NULL. */
const Kind *kind_find(const char *api_version, const char *name);

/* Same group and plural. NULL equals only NULL. */
bool kind_eq(const Kind *left, const Kind *right);

#endif
