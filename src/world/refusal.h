/* Refusal: a metav1.Status that says no, worded as the API server words it. Each of these puts the
 * Status into the call and gives the error that ends the call. */
#ifndef WORLD_REFUSAL_H
#define WORLD_REFUSAL_H

#include "world/call.h"

/* 400, 404 without an object, 500, 504: whatever has a message and perhaps a reason, no details. */
Err *refuse_plain(Call *c, int status, const char *reason, const char *format, ...)
    __attribute__((format(printf, 4, 5))) MUST_CHECK;
Err *refuse_bad_request(Call *c, const char *format, ...)
    __attribute__((format(printf, 2, 3))) MUST_CHECK;

/* 404: the path is none, the object is none, the namespace is none. */
Err *refuse_path(Call *c) MUST_CHECK;
Err *refuse_not_found(Call *c) MUST_CHECK;
Err *refuse_namespace(Call *c, const char *namespace) MUST_CHECK;

/* 422 of a JSON patch that does not fit. */
Err *refuse_unprocessable(Call *c) MUST_CHECK;

/* 405 */
Err *refuse_method(Call *c) MUST_CHECK;

/* 409 AlreadyExists: the object that is in the way. A name that the server might have made up
 * itself is asked for again later. */
Err *refuse_exists(Call *c, const Json *object, bool generated) MUST_CHECK;

/* 409 Conflict: "Operation cannot be fulfilled on <what> "<name>": ...". `what` is plural for lost
 * races of writes and singular for failed preconditions of deletes. */
Err *refuse_conflict(Call *c, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4))) MUST_CHECK;

/* 409 Conflict by the storage: the UID or the ResourceVersion of the object is not `wanted`. */
Err *refuse_precondition(Call *c, const char *what, const char *wanted, const char *own) MUST_CHECK;

/* 403; causes may be NULL. */
typedef struct RefusalCause {
    const char *reason, *message, *field;
} RefusalCause;
Err *refuse_forbidden(
    Call *c, const char *name, const char *why, const RefusalCause *cause) MUST_CHECK;

/* 410 of a list page; `continue_key` is where an inconsistent list would go on. */
Err *refuse_expired(Call *c, const char *continue_key) MUST_CHECK;

/* The Status of a watch that is too old: 410. */
const Json *refusal_too_old(Arena *a, uint64_t version, uint64_t floor);

/* 422 and 409 by the message of schema or fields: the causes are read back out of it. */
Err *refuse_err(Call *c, const Err *err) MUST_CHECK;

/* What is wrong with an object, field by field. */
typedef struct FaultSaid {
    const char *text;
    struct FaultSaid *before;
} FaultSaid;

typedef struct Faults {
    Arena *arena;
    Draft *causes;
    const char *text; /* all of them, each once, with ", " between */
    FaultSaid *said;  /* the last of the different ones */
    size_t count;     /* of different ones */
} Faults;

/* Adds one: reason "FieldValueInvalid", the field, and the text "Invalid value: ...". */
void faults_add(Faults *f, const char *reason, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds those that a message of the server lists: "... is invalid: field: Invalid value: ...". */
void faults_add_text(Faults *f, const char *text);

/* Adds those that an error of schema has below it: a reason and "field: Invalid value: ..." each.
 */
void faults_add_causes(Faults *f, const Err *cause);

/* 422 with all faults of the object `name` of kind `what`; OK when there are none. */
Err *refuse_faults(Call *c, const char *what, const char *name, Faults *f) MUST_CHECK;

/* The Status itself, for whoever refuses without a call; reason and details may be NULL. */
const Json *refusal_status(
    Arena *a, int status, const char *reason, const char *message, Draft *details);

/* The details that name an object: group and kind are left out where they are "". */
Draft *refusal_details(Arena *a, const char *group, const char *kind, const char *name);

#endif
