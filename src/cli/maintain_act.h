/* MaintainAct: the writes of a maintenance run. Each is one request, made from the look before it,
 * and refused by the server when the node has changed since; so each may be sent at any moment by
 * anybody, and what it says is true when it is done. */
#ifndef CLI_MAINTAIN_ACT_H
#define CLI_MAINTAIN_ACT_H

#include "cli/maintain_look.h"

/* The merge patches of the SeiNode. A mark that is put in the place of another keeps what the node
 * was before that one. A pause that somebody asked for outlasts the run: it is
 * written again, because under the mark it may have been lost. */
const Json *maintain_mark_patch(Arena *a, const MaintainLook *look, const Maintenance *wanted);
const Json *maintain_record_patch(Arena *a, const MaintainLook *look);
const Json *maintain_return_patch(Arena *a, const MaintainLook *look);

/* Why a run cannot begin; OK: it can. */
Err *maintain_check(Cli *cli, const MaintainLook *look) MUST_CHECK;

/* What would come of it once the node is stopped: its Job as a dry run, and the rights that a run
 * needs later. Nothing is changed. */
Err *maintain_rehearse(Cli *cli, const MaintainLook *look, const Maintenance *wanted) MUST_CHECK;

/* Carries a step out that writes. `wanted` is of STEP_MARK. */
Err *maintain_act(
    Cli *cli, const MaintainLook *look, MaintainStep step, const Maintenance *wanted) MUST_CHECK;

/* The patch of the node, or the new Job, as it would be sent; *ret is what the server makes of it.
 */
Err *maintain_patch_node(
    Cli *cli, const MaintainLook *look, const Json *patch, const Json **ret) MUST_CHECK;
Err *maintain_create_job(Cli *cli, const MaintainLook *look, const Maintenance *run, bool dry_run,
    const Json **ret) MUST_CHECK;

#endif
