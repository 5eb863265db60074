/* FleetHash: what a template asks of its nodes, in 16 hex digits.
 *
 * There are two. The reference's (templateHash, rollout.targetHash) is kept digit for digit, so
 * that taking a fleet over rolls nothing: but it overlooks most fields, and two templates can have
 * the same. The revision is ours and decides: every field for which a pod is replaced, and no
 * other. */
#ifndef SEI_API_FLEET_HASH_H
#define SEI_API_FLEET_HASH_H

#include "sei/api/fleet.h"

/* As the reference computes it: of chain, image and sidecar image. */
const char *fleet_template_hash(Arena *a, const FleetSpec *spec);

/* The revision of a template {metadata, spec}: of mode, image, sidecar, keys and the restart that
 * is asked for. Not of the chain, which never changes. ERR_TERMINAL names the path of what cannot
 * be read. */
Err *fleet_revision(Arena *a, const Json *template, const char **ret) MUST_CHECK;

/* The same of a child as it stands. A restart that was asked of the child itself does not take it
 * off the revision of a template that asks for an older one, or for none. */
const char *fleet_child_revision(Arena *a, const SeiNode *child, const Json *template);

/* A revision of before, whose template is not at hand: whether the child has what it asks for, and
 * with it the restart that it asks for, into `ret` (NULL: none). */
bool fleet_child_tells_restart(
    Arena *a, const SeiNode *child, const char *revision, const char **ret);

/* Once that is known: the child is on such a revision, as it is on that of a template. */
bool fleet_child_is_of(
    Arena *a, const SeiNode *child, const char *revision, const char *restarted_at);

/* The fields of a spec for which a pod is replaced, by name; without a restart. */
const Json *fleet_spec_inputs(Arena *a, const NodeSpec *spec);

/* What a fleet writes onto a child with its spec, when the turn of that child has come: of the same
 * fields, but for restarts. */
const char *fleet_released_spec(Arena *a, const NodeSpec *spec);

/* A child whose spec was written by somebody else than its fleet: a person, or the operator that
 * came before. It follows that spec only when its fleet says so. */
bool fleet_child_is_unreleased(const SeiNode *child);

/* The same of one whose fleet is gone, and which belongs to nobody now. */
bool fleet_child_was_unreleased(const SeiNode *node);

#endif
