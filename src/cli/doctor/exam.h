/* Exam: the checks, and what they find.
 *
 * A Check is a row of data with a pure function: it looks at the Chart and says what is wrong, each
 * time with the object, a sentence and what its fix line needs. From the same rows come the
 * reference page (docs/DOCTOR.md) and `explain SEI2104`. Codes are API: none is ever used for
 * something else. */
#ifndef CLI_DOCTOR_EXAM_H
#define CLI_DOCTOR_EXAM_H

#include "cli/doctor/chart_operator.h"

typedef enum Severity {
    SEVERITY_NOTE,    /* worth knowing; not counted against the cluster */
    SEVERITY_WARNING, /* will hurt some day, or hides something */
    SEVERITY_ERROR,   /* hurts now, or costs data or stake when touched */
    SEVERITY_COUNT,
} Severity;

typedef enum Area {
    AREA_CLUSTER,
    AREA_DEFINITIONS,
    AREA_RIGHTS,
    AREA_OPERATOR,
    AREA_MONITORING,
    AREA_STORAGE,
    AREA_NODES,
    AREA_PODS,
    AREA_SURROUNDINGS,
    AREA_FLEETS,
    AREA_VALIDATORS,
    AREA_GITOPS,
    AREA_COUNT,
} Area;

enum { CHECK_NEEDS_MAX = 4, FINDINGS_MAX = 5000 };

typedef struct Exam Exam;

typedef struct Check {
    const char *code; /* "SEI2104"; NULL ends a table */
    Area area;
    Severity severity;
    bool is_pre;       /* also asked before anything is installed */
    bool is_pre_alone; /* asked only then */
    const char *title; /* what is wrong, in a clause: "a claim is pending" */
    const char *fine;  /* what is true when nothing is found, also where there is nothing */
    const char *about; /* why that matters, and what to think of; sentences */
    /* A command line. {namespace}, {name}, {other} and {value} are filled in by the finding. */
    const char *fix;
    const char *other_is, *value_is;  /* what the last two are, where there is no finding: "NODE" */
    ChartList needs[CHECK_NEEDS_MAX]; /* without these nothing can be said */
    bool needs_kinds;                 /* nor where the server does not have the kinds of these */
    bool needs_operator;              /* nor where no operator has a Deployment */
    void (*run)(Exam *exam);
    /* Or, in its place: asked of the Deployment of each operator, which it needs. */
    void (*run_of_operator)(Exam *exam, const Json *deployment);
} Check;

typedef struct Finding {
    const Check *check; /* filled in by exam_find */
    const char *kind;   /* of the object: "SeiNode" */
    Key object;         /* namespace NULL: one of the cluster */
    const char *message;
    const char *other, *value; /* for the fix line, or NULL */
    const char *fix; /* in place of the check's, where that one would harm; filled by exam_find */
} Finding;

typedef struct Outcome {
    bool is_asked;       /* false: it does not matter before an installation, or only then */
    const char *skipped; /* why it could not be asked, or NULL */
    size_t found;
} Outcome;

struct Exam {
    const Chart *chart;
    Arena *arena;
    const Check *check; /* the one that runs */
    Outcome *outcomes;  /* of each check, in the order of check_at */
    size_t outcome_at;  /* of the one that runs */
    Finding *findings;
    size_t count;
    size_t dropped; /* found past FINDINGS_MAX */
};

/* The checks in the order in which they are asked; NULL past the last. */
const Check *check_at(size_t index);

/* How many there are. */
size_t check_count(void);

/* The check of a code, in large or small letters, or NULL. */
const Check *check_find(const char *code);

/* The fix line with words where the names go: "kubectl describe pod NAME -n NAMESPACE". */
const char *check_fix_text(Arena *a, const Check *check);

/* "storage", "warning" */
const char *area_text(Area area);
const char *severity_text(Severity severity);

/* What is known of an area at a glance, in a line, or NULL. */
const char *area_summary(const Chart *chart, Area area);

/* Runs all checks that matter. */
Exam *exam_run(Arena *a, const Chart *chart);

/* Reports something; nothing when the object is in a namespace that was not asked about. */
void exam_find(Exam *exam, Finding finding);

/* Says that the check cannot be answered, and why. What it has found all the same is told: then it
 * was asked. */
void exam_skip(Exam *exam, const char *why);

/* A finding about an object. */
Finding exam_about(const char *kind, const Json *object, const char *message);

/* The text, or "?" for NULL: a server may leave out whatever it likes. */
const char *exam_word(const char *text);

/* A text that a shell reads as one word, whatever is in it. */
const char *exam_shell_word(Arena *a, const char *text);

/* --- the tables, one for each area; each ends with a row without a code --- */

extern const Check cluster_checks[];
extern const Check definition_checks[];
extern const Check right_checks[];
extern const Check operator_checks[];
extern const Check lease_checks[];
extern const Check monitoring_checks[];
extern const Check storage_checks[];
extern const Check node_checks[];
extern const Check pod_checks[];
extern const Check object_checks[];
extern const Check surrounding_checks[];
extern const Check fleet_checks[];
extern const Check validator_checks[];
extern const Check gitops_checks[];

#endif
