/* Checks of the two definitions: are they there, served, and those that this program knows. */
#include "base/str.h"
#include "cli/doctor/definition_hashes.h"
#include "cli/doctor/exam.h"
#include "kube/hash.h"
#include "kube/meta.h"

#define VERSION "v1alpha1"

typedef struct Definition {
    const char *name, *file, *schema_hash, *column_hash;
} Definition;

static const Definition definitions[] = {
    {"seinodes.sei.io", "sei.io_seinodes.yaml", SEINODES_SCHEMA_HASH, SEINODES_COLUMN_HASH},
    {"seinodedeployments.sei.io",
        "sei.io_seinodedeployments.yaml",
        SEINODEDEPLOYMENTS_SCHEMA_HASH,
        SEINODEDEPLOYMENTS_COLUMN_HASH},
};

enum { DEFINITIONS = sizeof definitions / sizeof definitions[0] };

static const Json *found(const Exam *exam, size_t i)
{
    return chart_find(exam->chart, CHART_DEFINITIONS, NULL, definitions[i].name);
}

/* The same for a check that cannot be answered without it. */
static const Json *needed(Exam *exam, size_t i)
{
    const Json *one = found(exam, i);

    if (!one)
        exam_skip(exam, "a definition is missing");
    return one;
}

/* The version that this program speaks, or NULL. */
static const Json *version_of(const Json *definition)
{
    const Json *version, *versions = json_find(definition, ".spec.versions");

    json_each(version, versions)
        if (str_eq(json_str(version, ".name"), VERSION))
            return version;
    return NULL;
}

static const Json *needed_version(Exam *exam, size_t i)
{
    const Json *one = needed(exam, i), *version = version_of(one);

    if (one && !version)
        exam_skip(exam, "a definition has no " VERSION);
    return version;
}

static void tell(Exam *exam, size_t i, const char *message)
{
    exam_find(exam,
        (Finding){.kind = "CustomResourceDefinition",
            .object.name = definitions[i].name,
            .value = definitions[i].file,
            .message = message});
}

static void definition_is_missing(Exam *exam)
{
    for (size_t i = 0; i < DEFINITIONS; i++)
        if (!found(exam, i))
            tell(exam, i, "is not there");
}

static void definition_is_not_established(Exam *exam)
{
    for (size_t i = 0; i < DEFINITIONS; i++) {
        const Json *one = needed(exam, i);
        if (one && !chart_has_condition(one, "Established", "True", NULL))
            tell(exam, i, "is not established");
    }
}

static void version_is_not_served(Exam *exam)
{
    for (size_t i = 0; i < DEFINITIONS; i++) {
        const Json *one = needed(exam, i);
        if (one && !json_bool(version_of(one), ".served", false))
            tell(exam, i, "is not served at " VERSION);
    }
}

static void schema_differs(Exam *exam)
{
    for (size_t i = 0; i < DEFINITIONS; i++) {
        const Json *schema = json_find(needed_version(exam, i), ".schema");
        if (schema && !str_eq(hash_json(exam->arena, schema), definitions[i].schema_hash))
            tell(exam,
                i,
                str_format(exam->arena,
                    "its schema is not the one of kubectl-sei %s",
                    exam->chart->cli_version));
    }
}

static void columns_differ(Exam *exam)
{
    for (size_t i = 0; i < DEFINITIONS; i++) {
        const Json *version = needed_version(exam, i);
        const Json *columns = json_find(version, ".additionalPrinterColumns");
        if (version && !str_eq(hash_json(exam->arena, columns), definitions[i].column_hash))
            tell(exam, i, "`kubectl get` shows other columns than this version's");
    }
}

static void other_version_is_stored(Exam *exam)
{
    for (size_t i = 0; i < DEFINITIONS; i++) {
        const Json *version, *stored = json_find(needed(exam, i), ".status.storedVersions");
        json_each(version, stored)
            if (!str_eq(json_text(version), VERSION))
                tell(exam,
                    i,
                    str_format(
                        exam->arena, "objects may be stored as %s", exam_word(json_text(version))));
    }
}

static void fields_are_not_selectable(Exam *exam)
{
    for (size_t i = 0; i < DEFINITIONS; i++) {
        const Json *version = needed_version(exam, i);
        if (version && json_count(json_find(version, ".selectableFields")) == 0)
            tell(exam, i, "objects cannot be selected by chain or phase");
    }
}

static void definition_is_going(Exam *exam)
{
    for (size_t i = 0; i < DEFINITIONS; i++)
        if (meta_deleting(found(exam, i)))
            tell(exam, i, "is being deleted, and every object of it");
}

#define APPLY_THEN                                                                                 \
    "When the line shows that deploy/crds is the newer one, apply it (with Helm: upgrade the "     \
    "release); never an older one over a newer: fields that it does not know are lost."

/* Which of the two is newer cannot be told, and an older one in its place drops fields. */
#define COMPARE "kubectl diff --server-side -f deploy/crds"

const Check definition_checks[] = {
    {.code = "SEI1201",
        .area = AREA_DEFINITIONS,
        .severity = SEVERITY_ERROR,
        .title = "a definition is missing",
        .fine = "both definitions are there",
        .about = "The API server does not know the kind, so there can be no such object and the "
                 "operator has nothing to watch.",
        .fix = "kubectl apply --server-side -f deploy/crds/{value}",
        .value_is = "FILE",
        .needs = {CHART_DEFINITIONS},
        .run = definition_is_missing},
    {.code = "SEI1202",
        .area = AREA_DEFINITIONS,
        .severity = SEVERITY_ERROR,
        .is_pre = true,
        .title = "a definition is not established",
        .fine = "the definitions are established",
        .about = "The API server has the definition and does not serve it: its names collide with "
                 "another one's, or its schema is refused. The conditions of the definition say "
                 "which.",
        .fix = "kubectl get crd {name} -o jsonpath={.status.conditions}",
        .needs = {CHART_DEFINITIONS},
        .run = definition_is_not_established},
    {.code = "SEI1203",
        .area = AREA_DEFINITIONS,
        .severity = SEVERITY_ERROR,
        .is_pre = true,
        .title = "the version of the API that this program speaks is not served",
        .fine = "the version of the API that this program speaks is served",
        .about = "Neither the operator nor this program can read the objects. A definition of "
                 "another release is installed. " APPLY_THEN,
        .fix = COMPARE,
        .needs = {CHART_DEFINITIONS},
        .run = version_is_not_served},
    {.code = "SEI1204",
        .area = AREA_DEFINITIONS,
        .severity = SEVERITY_WARNING,
        .is_pre = true,
        .title = "the schema of a definition is another release's",
        .fine = "the schemas of the definitions are those of this release",
        .about =
            "Fields that the installed schema does not know are dropped without a word, and "
            "its rules may be fewer. Definitions are upgraded with the operator, never "
            "after it. If the cluster is newer, use the kubectl-sei of that release. " APPLY_THEN,
        .fix = COMPARE,
        .needs = {CHART_DEFINITIONS},
        .run = schema_differs},
    {.code = "SEI1205",
        .area = AREA_DEFINITIONS,
        .severity = SEVERITY_NOTE,
        .title = "the columns of a definition are another release's",
        .fine = "the columns of the definitions are those of this release",
        .about = "Nothing breaks but scripts that count columns of `kubectl get`.",
        .fix = COMPARE,
        .needs = {CHART_DEFINITIONS},
        .run = columns_differ},
    {.code = "SEI1206",
        .area = AREA_DEFINITIONS,
        .severity = SEVERITY_WARNING,
        .title = "objects may be stored in a version that nobody speaks",
        .fine = "no object is stored in a version that nobody speaks",
        .about = "status.storedVersions of the definition names a version beside " VERSION ". "
                 "Such objects cannot be read once that version is gone: write each once, then "
                 "take the version out of the list.",
        .fix = "kubectl get crd {name} -o jsonpath={.status.storedVersions}",
        .needs = {CHART_DEFINITIONS},
        .run = other_version_is_stored},
    {.code = "SEI1207",
        .area = AREA_DEFINITIONS,
        .severity = SEVERITY_NOTE,
        .title = "objects cannot be selected by their fields",
        .fine = "objects can be selected by their fields",
        .about = "`kubectl get seinodes --field-selector spec.chainId=pacific-1` is refused: the "
                 "server is older than 1.31, or somebody took selectableFields out.",
        .fix = COMPARE,
        .needs = {CHART_DEFINITIONS},
        .run = fields_are_not_selectable},
    {.code = "SEI1208",
        .area = AREA_DEFINITIONS,
        .severity = SEVERITY_ERROR,
        .is_pre = true,
        .title = "a definition is being deleted",
        .fine = "no definition is being deleted",
        .about = "All nodes go with it, and that cannot be taken back. While the operator runs it "
                 "keeps every volume. The definition is gone when the last object is; if it "
                 "hangs, the operator is gone and its finalizers wait: install it again.",
        .fix = "kubectl get {name} -A",
        .needs = {CHART_DEFINITIONS},
        .run = definition_is_going},
    {.code = NULL},
};
