/* Kinds: what the operator's caches keep of the objects that it watches: rows for the tables of
 * watches. Everything else asks by the kinds of kube/kind.h; kinds are equal by group and plural.
 */
#ifndef SEI_API_KINDS_H
#define SEI_API_KINDS_H

#include "base/json.h"
#include "kube/kind.h"

#include <stdbool.h>

extern const Kind cached_statefulset[1]; /* replicas, selector, status; of the template its hash and
                                          * Secrets */
extern const Kind cached_pod[1];         /* what it was made from, where it is, how it is */
extern const Kind cached_service[1];
extern const Kind cached_configmap[1]; /* no data: its owned hash tells */
extern const Kind cached_pvc[1];
extern const Kind cached_httproute[1]; /* its owned hash tells */
extern const Kind cached_job[1];       /* suspended or not, its conditions, its image of seid */

/* --- what a Pod says, cached or live; all accept NULL --- */

/* Its condition Ready is True. */
bool pod_is_ready(const Json *pod);

/* It has ended: Succeeded or Failed. */
bool pod_is_finished(const Json *pod);

/* Its seid container has been started: it has a containerID, and runs or ran. */
bool pod_has_started_seid(const Json *pod);

/* Container seid runs, and its own readiness probe succeeds. What the other containers of the pod
 * do does not count. */
bool pod_seid_is_ready(const Json *pod);

/* The pod is Ready or has been: its condition Ready has changed since its init containers ended. */
bool pod_was_ready(const Json *pod);

/* "cosmos-exporter, sei-sidecar": the containers that keep a pod from being Ready although its seid
 * is; or NULL. */
const char *pod_unready_helpers(Arena *a, const Json *pod);

/* Why it does not get on, in words ("cannot pull image x: not found"), or NULL: not scheduled,
 * image not pulled, container not created, container crashing. */
const char *pod_trouble(Arena *a, const Json *pod);

/* An image of one of its containers cannot be had: pod_trouble says which. */
bool pod_lacks_image(const Json *pod);

/* Since when it has been bound to a machine, by the wall clock; 0: it is not. */
int64_t pod_bound_since_ms(const Json *pod);

/* Whether anything has changed that is read of a pod: what stands above and below, its address, its
 * image of seid, and its metadata. A pod that starts says much more than that. Who reads more of a
 * pod adds it there, or is not woken by it. */
bool pod_is_news(Arena *a, const Json *before, const Json *now);

/* The claim is among its volumes. */
bool pod_mounts_claim(const Json *pod, const char *claim);

/* The same, and the pod has not ended: a process may write to the volume. */
bool pod_uses_claim(const Json *pod, const char *claim);

/* It mounts the Secret, wherever; and so do the pods that a StatefulSet makes. Of a cached one only
 * what is mounted as a volume of its own is known. */
bool pod_mounts_secret(const Json *pod, const char *secret);
bool statefulset_mounts_secret(const Json *statefulset, const char *secret);

/* The pods that a StatefulSet makes use the claim. */
bool statefulset_mounts_claim(const Json *statefulset, const char *claim);

/* --- what a PersistentVolumeClaim says, cached or live; both accept NULL --- */

/* The SeiNode that controls the claim: the name of another one than that of this UID, or NULL. */
const char *claim_other_node(const Json *claim, const char *node_uid);

/* Its PersistentVolume is gone: what is stopped on it cannot start again. */
bool claim_is_lost(const Json *claim);

/* --- what a Job says, cached or live; all accept NULL --- */

/* It has reached its end, well or not: its pods have ended. */
bool job_is_complete(const Json *job);
bool job_is_failed(const Json *job);

/* Why it failed, in its own words; "" when it does not say. */
const char *job_failure(Arena *a, const Json *job);

/* The image of its seid, or NULL. */
const char *job_image(const Json *job);

/* Its pods use the claim. */
bool job_mounts_claim(const Json *job, const char *claim);

/* --- what a SeiNode says --- */

/* Whether anything has changed that is read of a node by its own reconcile. Words for people alone
 * are not: messages of conditions, and what the plan is said to wait for. */
bool node_is_news(Arena *a, const Json *before, const Json *now);

#endif
