/* Target: the object that a person means by a word: NAME, node/NAME or fleet/NAME. */
#ifndef CLI_TARGET_H
#define CLI_TARGET_H

#include "cli/command.h"
#include "kube/kind.h"

typedef struct Target {
    const Kind *kind; /* kind_seinode or kind_seinodedeployment */
    Key key;
    const Json *object; /* as it is now; never NULL once it was got */
} Target;

/* The kind that a word names: "node", "nodes", "seinode", "seinodes", "snode"; "fleet", "fleets",
 * "seinodedeployment", "seinodedeployments", "snd"; with ".sei.io" behind it or not. NULL for any
 * other. */
const Kind *target_kind(const char *word);

/* "node" or "fleet": what this program calls a kind. */
const char *target_noun(const Kind *kind);

/* "fleet/NAME": as it can be typed. */
const char *target_text(Arena *a, const Target *target);

/* What has to stand behind a command that is typed next, about the same cluster and namespace:
 * " -n sei", since who named one has to name it again; "" where that goes without saying. */
const char *target_where(const Cli *cli);

bool target_is_fleet(const Target *target);

/* Reads what a word names. A name alone is looked for among fleets and nodes; where it is both,
 * ERR_TERMINAL says how to write the one that is meant. 404 when there is none. */
Err *target_get(Cli *cli, const char *word, Target *ret) MUST_CHECK;

/* The name of the fleet that a node belongs to, or NULL. Its label does not say so: that is left to
 * a node whose fleet was deleted without it, and another fleet may have that name since. */
const char *target_fleet_of(const Json *node);

/* Whether the fleet of a node is paused, which pauses its nodes; false of a node without one, and
 * where nobody may look. */
Err *target_fleet_is_paused(Cli *cli, const Target *node, bool *ret) MUST_CHECK;

/* The object anew. 404 when it is gone, or another by now. */
Err *target_refresh(Cli *cli, Target *target) MUST_CHECK;

#endif
