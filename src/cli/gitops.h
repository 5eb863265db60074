/* Gitops: whether an object is put there by Flux or Argo CD, which put back what is changed by
 * hand. */
#ifndef CLI_GITOPS_H
#define CLI_GITOPS_H

#include "cli/target.h"

/* By whom, for people: "Flux (Kustomization flux-system/apps)"; NULL for none. */
const char *gitops_owner(Arena *a, const Json *object);

/* The leaves of a patch as lines of a manifest: "spec.template.spec.image: x", at most 8 of them,
 * each with an indent and a newline. A resourceVersion is none. */
const char *gitops_lines(Arena *a, const Json *patch);

/* Says to stderr that Git will put the spec back, and what to change there. Nothing when nobody
 * does, or when the patch does not touch the spec. */
void gitops_warn(Cli *cli, const Target *target, const Json *patch);

#endif
