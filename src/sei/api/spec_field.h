/* SpecField: every field of the spec of a SeiNode, as one row of a table.
 *
 * Derived from the rows: decoding, the hashes of node_hash.h and fleet_hash.h, what a fleet takes
 * from its template or from a revision, and what it strips from a child. A field without a row, or
 * with a wrong effect, fails tests/sei/plan/test_spec_field.c, which walks the schema of the CRDs.
 */
#ifndef SEI_API_SPEC_FIELD_H
#define SEI_API_SPEC_FIELD_H

#include "base/draft.h"
#include "sei/api/node.h"

/* What an edit of the field does to a node that runs. */
typedef enum SpecEffect {
    SPEC_IDENTITY = 1 << 0,   /* nothing: the recorded value counts, Stalled/IdentityChanged */
    SPEC_TEMPLATE = 1 << 1,   /* the pod is replaced */
    SPEC_BOOTSTRAP = 1 << 2,  /* nothing: only an init reads it, UpToDate False/ConfigDrift */
    SPEC_FIRST_INIT = 1 << 3, /* nothing: an init reads it and leaves no trace that could differ */
    SPEC_LIVE = 1 << 4,       /* it takes effect without a new pod */
    SPEC_UNUSED = 1 << 5,     /* nothing: the operator does not read it */
} SpecEffect;

/* Where a fleet takes the field of a child from. */
typedef enum SpecOrigin {
    SPEC_FROM_TEMPLATE, /* the template as it is now */
    SPEC_FROM_REVISION, /* the revision that the child is on */
    SPEC_FROM_FLEET,    /* the fleet sets it */
} SpecOrigin;

typedef enum SpecForm {
    SPEC_TEXT,     /* const char * */
    SPEC_NUMBER,   /* int64_t */
    SPEC_SWITCH,   /* bool */
    SPEC_OBJECT,   /* const Json * */
    SPEC_ARRAY,    /* const Json * */
    SPEC_IS_BLOCK, /* bool: there is an object */
    SPEC_IS_THERE, /* bool: there is anything but null */
    SPEC_NOT_KEPT, /* NodeSpec has no place for it */
} SpecForm;

typedef struct SpecField {
    const char *path; /* below .spec, or below the block of its modes: ".sidecar.port" */
    unsigned modes;   /* bits 1 << NodeMode of these blocks; 0: below .spec */
    SpecForm form;
    size_t offset; /* in NodeSpec */
    SpecEffect effect;
    SpecOrigin origin;
    const char *group, *key;  /* where it stands in hashes; key NULL: in none */
    size_t only_if, not_if;   /* of a bool in NodeSpec that decides whether it counts; or 0 */
    bool required, may_blank; /* may_blank: "" means absent */
} SpecField;

/* All rows, in the order in which they are decoded; path NULL ends them. */
extern const SpecField spec_fields[];

/* Fills `spec` from an object: .spec (MODE_NONE), or the block of a mode. ERR_TERMINAL names the
 * path below that object. */
Err *spec_fields_decode(Arena *a, const Json *object, NodeMode mode, NodeSpec *spec) MUST_CHECK;

/* Adds the fields of these effects to the inputs of a hash, for a node of a mode. */
void spec_fields_hash_into(
    Arena *a, Draft *inputs, const NodeSpec *spec, NodeMode mode, unsigned effects);

/* The names of the members of .spec (MODE_NONE), or of the block of a mode, that have fields of an
 * origin; ended by NULL. Blocks of modes are not among them. */
const char *const *spec_members(Arena *a, NodeMode mode, SpecOrigin origin);

/* Where a member of fleet_spec_inputs stands in a SeiNode: "spec.sidecar.image". */
const char *spec_path_of_input(Arena *a, const char *key);

#endif
