/* Render: a node in, Kubernetes objects out. Pure: same input, same bytes. One file per object; the
 * containers of the pod have one of their own each.
 *
 * A running node is rendered by its recorded identity (chain, mode, claim), not by an edit that
 * would move it: see subject_of. Quantities are as the server stores them, and no field is set to
 * the server's default except protocol and replicas: so the hash of what we own equals the hash of
 * what we rendered (tests/e2e/test_render_owned.c proves it on the real server). */
#ifndef SEI_RENDER_RENDER_H
#define SEI_RENDER_RENDER_H

#include "base/draft.h"
#include "base/json.h"
#include "sei/api/node.h"
#include "sei/api/settings.h"
#include "sei/api/wanted.h"

#include <stdbool.h>

typedef enum ReplicaRule {
    REPLICAS_ONE,
    REPLICAS_ZERO,     /* paused */
    REPLICAS_LEFT_OUT, /* scaled to 0 by hand: the field is not ours */
} ReplicaRule;

/* What is rendered. */
typedef struct Subject {
    const SeiNode *node;
    const Settings *settings;
    const char *chain_id;
    NodeMode mode;
    const char *claim;
    bool imported;            /* the claim is somebody else's: it is used, and not rendered */
    const char *restarted_at; /* newest honoured restart, or NULL */
    ReplicaRule replicas;
} Subject;

/* The subject of a node: recorded identity before spec. */
Subject subject_of(Arena *a, const SeiNode *node, const Settings *settings, ReplicaRule replicas);

/* All objects of a node with their hashes. ERR_TERMINAL when something cannot be rendered (a
 * quantity, a port, a label, a name that is too long), with the path in the spec and the reason. */
Err *render_node(Arena *a, const Subject *subject, Wanted *ret) MUST_CHECK;

/* The parts. The StatefulSet's template carries its own hash and the hash of the proxy's config. A
 * volume that is to be retained has an annotation instead of an owner. */
Err *render_statefulset(
    Arena *a, const Subject *s, const char *config_hash, const Json **ret) MUST_CHECK;
Draft *render_headless_service(Arena *a, const Subject *s);
Draft *render_data_volume(Arena *a, const Subject *s);
Draft *render_proxy_config(Arena *a, const Subject *s);

/* The Job of a bootstrap stage and the Service in front of its pod, which has the name of the
 * node's own. The pod is the StatefulSet's as far as it goes, with another image of seid, and
 * without any key. */
Err *render_bootstrap_job(
    Arena *a, const Subject *s, const char *config_hash, const Json **ret) MUST_CHECK;
Draft *render_bootstrap_service(Arena *a, const Subject *s);

/* metadata with name, namespace, labels and the owner; and the selector that never changes. */
Draft *render_metadata(Arena *a, const Subject *s, const char *name);
Draft *render_labels(Arena *a, const Subject *s);

/* The same of objects that outlast rollouts: without the revision of a fleet, so that a rollout
 * costs no write of them. */
Draft *render_lasting_metadata(Arena *a, const Subject *s, const char *name);
Draft *render_lasting_labels(Arena *a, const Subject *s);
Draft *render_selector(Arena *a, const Subject *s);

/* A TCP port of a Service, which leads to the port of the same number. */
Draft *render_service_port(Arena *a, const char *name, int number, const char *app_protocol);

/* The hash of a pod template: of its spec, and of the annotations that count. */
const char *render_template_hash(Arena *a, const Json *template);

/* The template with that hash as an annotation. */
Draft *render_stamped_template(Arena *a, const Json *template);

#endif
