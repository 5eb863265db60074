/* Rules: tables of what the parts of an object must be like, in the order in which the real server
 * looks. To teach the world a rule, add a row to the table of its kind (validity_kinds.c,
 * validity_pod.c, ...) and a case to tests/validity, which the real server is asked as well.
 *
 *     {".spec.replicas", rule_not_negative},
 *     {".spec.containers", rule_required, .each = container_rules},
 *
 * A Spot is the place that a rule is looking at: a value, perhaps absent, and the way to it, which
 * becomes text only when something is wrong there. */
#ifndef WORLD_VALIDITY_RULES_H
#define WORLD_VALIDITY_RULES_H

#include "base/json.h"
#include "world/naming.h"
#include "world/refusal.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Rule Rule;

typedef struct Spot {
    const struct Spot *up; /* what it is in; NULL: it is the object */
    const Rule *rule;      /* that looks at it; NULL of elements and of the object */
    const Json *value;     /* NULL: absent */
    const char *name;      /* ".spec.replicas"; NULL: an element */
    size_t index;          /* of an element */
} Spot;

typedef void RuleCheck(const Spot *spot, Faults *f);

struct Rule {
    const char *at;                   /* NULL ends a table; "" is what the table is about */
    RuleCheck *check;                 /* or NULL */
    const char *words;                /* rule_choice: "A|B"; rule_required: what it says, or NULL */
    int64_t least, most;              /* rule_range */
    NamingRule *naming;               /* rule_named */
    bool (*when)(const Spot *around); /* whether the row counts; NULL: always */
    const Rule *inside;               /* of what is there */
    const Rule *each;                 /* of each element of a list, each value of a map */
};

/* Looks at an object by a table, and adds what is wrong. */
void rules_check(const Rule *rules, const Json *object, Faults *f);

/* The same for a part of it; whether nothing is wrong with that. */
void rules_check_spot(const Rule *rules, const Spot *spot, Faults *f);
bool rules_hold(const Rule *rules, const Spot *spot, Arena *a);

/* --- what many rows ask for; absent is fine unless it says otherwise --- */

extern RuleCheck rule_required;     /* there, and not empty */
extern RuleCheck rule_choice;       /* one of the words */
extern RuleCheck rule_range;        /* a number from least to most */
extern RuleCheck rule_not_negative; /* 0 or more */
extern RuleCheck rule_positive;     /* more than 0 */
extern RuleCheck rule_named;        /* a text that the naming allows; the empty one passes */
extern RuleCheck rule_key;          /* "prefix/name"; the empty one passes */
extern RuleCheck rule_port;     /* a number from 1 to 65535 or the name of a port; absent is 0 */
extern RuleCheck rule_labels;   /* of an object, or a map that selects by them */
extern RuleCheck rule_selector; /* {matchLabels, matchExpressions} */
extern RuleCheck rule_mode;     /* of a file */
extern RuleCheck rule_id;       /* of a user or group */

/* --- for checks of their own --- */

/* A member of what the spot is about. */
Spot spot_at(const Spot *up, const char *name);

/* The nearest place around the spot that has such a member. Never NULL: the rules see to that. */
const Spot *spot_around(const Spot *spot, const char *member);

/* The text there; "" when there is none. */
const char *spot_text(const Spot *spot);

/* Whether an element before this one has the same text at a path. */
bool spot_repeats(const Spot *element, const char *path);

/* Faults at the spot. `why` may be NULL where the server gives no reason. */
void spot_invalid(const Spot *spot, Faults *f, const char *why);
void spot_invalid_as(const Spot *spot, Faults *f, const char *shown, const char *why);
void spot_required(const Spot *spot, Faults *f, const char *why);
void spot_forbidden(const Spot *spot, Faults *f, const char *why);
void spot_unsupported(const Spot *spot, Faults *f, const char *choices);
void spot_duplicate(const Spot *spot, Faults *f);
void spot_not_found(const Spot *spot, Faults *f);
void spot_too_long(const Spot *spot, Faults *f, int bytes_max);

#endif
