/* Workloads that no actor of the world works on, and the budgets of their pods. A CronJob's
 * template of Jobs gets no defaults of Jobs: the Jobs that are made from it do. */
#include "base/draft.h"
#include "base/str.h"
#include "world/schema_rows.h"

static const ShapeKey by_type[] = {{"type", "\"\""}, {0}};

/* --- Deployment --- */

const Json *compute_rolling_deployment(const ShapeScene *s)
{
    const char *type = json_str(s->object, ".type");
    bool rolls = str_empty(type) || str_eq(type, "RollingUpdate");

    return rolls ? json_fixture(s->arena, "{}") : NULL;
}

static const Shape rolling_deployment =
    STRUCT(FIELD("maxSurge", OF(shape_int_or_text), KEPT, PRESET("'25%'")),
        FIELD("maxUnavailable", OF(shape_int_or_text), KEPT, PRESET("'25%'")));

static const Shape deployment_strategy =
    STRUCT(FIELD("rollingUpdate", OF(rolling_deployment), KEPT, COMPUTED(rolling_deployment)),
        FIELD("type", OF(shape_text), PRESET("'RollingUpdate'")));

static const Shape deployment_spec =
    STRUCT(FIELD("minReadySeconds", OF(shape_int32)), FIELD("paused", OF(shape_flag)),
        FIELD("progressDeadlineSeconds", OF(shape_int32), KEPT, PRESET("600")),
        FIELD("replicas", OF(shape_int32), KEPT, PRESET("1")),
        FIELD("revisionHistoryLimit", OF(shape_int32), KEPT, PRESET("10")),
        FIELD("selector", OF(shape_selector), SHOWN("null")),
        FIELD("strategy", OF(deployment_strategy), SHOWN("{}")),
        FIELD("template", OF(shape_pod_template), SHOWN("{}")));

static const Shape deployment_condition =
    STRUCT(FIELD("lastTransitionTime", OF(shape_time), SHOWN("null")),
        FIELD("lastUpdateTime", OF(shape_time), SHOWN("null")), PLAIN("message"), PLAIN("reason"),
        TEXT("status"), TEXT("type"));
static const Shape deployment_conditions = LIST_BY(by_type, &deployment_condition);

static const Shape deployment_status = STRUCT(FIELD("availableReplicas", OF(shape_int32)),
    FIELD("collisionCount", OF(shape_int32), KEPT), FIELD("conditions", OF(deployment_conditions)),
    FIELD("observedGeneration", OF(shape_int64)), FIELD("readyReplicas", OF(shape_int32)),
    FIELD("replicas", OF(shape_int32)), FIELD("terminatingReplicas", OF(shape_int32), KEPT),
    FIELD("unavailableReplicas", OF(shape_int32)), FIELD("updatedReplicas", OF(shape_int32)));

const Shape shape_deployment =
    STRUCT(PLAIN("apiVersion"), PLAIN("kind"), FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
        FIELD("spec", OF(deployment_spec), SHOWN("{}")),
        FIELD("status", OF(deployment_status), SHOWN("{}")));

/* --- ReplicaSet --- */

static const Shape replicaset_spec = STRUCT(FIELD("minReadySeconds", OF(shape_int32)),
    FIELD("replicas", OF(shape_int32), KEPT, PRESET("1")),
    FIELD("selector", OF(shape_selector), SHOWN("null")),
    FIELD("template", OF(shape_pod_template), SHOWN("{}")));

static const Shape replicaset_condition =
    STRUCT(FIELD("lastTransitionTime", OF(shape_time), SHOWN("null")), PLAIN("message"),
        PLAIN("reason"), TEXT("status"), TEXT("type"));
static const Shape replicaset_conditions = LIST_BY(by_type, &replicaset_condition);

static const Shape replicaset_status = STRUCT(FIELD("availableReplicas", OF(shape_int32)),
    FIELD("conditions", OF(replicaset_conditions)), FIELD("fullyLabeledReplicas", OF(shape_int32)),
    FIELD("observedGeneration", OF(shape_int64)), FIELD("readyReplicas", OF(shape_int32)),
    FIELD("replicas", OF(shape_int32), SHOWN("0")),
    FIELD("terminatingReplicas", OF(shape_int32), KEPT));

const Shape shape_replicaset =
    STRUCT(PLAIN("apiVersion"), PLAIN("kind"), FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
        FIELD("spec", OF(replicaset_spec), SHOWN("{}")),
        FIELD("status", OF(replicaset_status), SHOWN("{}")));

/* --- CronJob --- */

static const Shape cron_job_spec = STRUCT(FIELD("activeDeadlineSeconds", OF(shape_int64), KEPT),
    FIELD("backoffLimit", OF(shape_int32), KEPT),
    FIELD("backoffLimitPerIndex", OF(shape_int32), KEPT), HELD("completionMode"),
    FIELD("completions", OF(shape_int32), KEPT), HELD("managedBy"),
    FIELD("manualSelector", OF(shape_flag), KEPT), FIELD("maxFailedIndexes", OF(shape_int32), KEPT),
    FIELD("parallelism", OF(shape_int32), KEPT), FIELD("podFailurePolicy", KEPT),
    HELD("podReplacementPolicy"), FIELD("selector", OF(shape_selector), KEPT),
    FIELD("successPolicy", KEPT), FIELD("suspend", OF(shape_flag), KEPT),
    FIELD("template", OF(shape_pod_template), SHOWN("{}")),
    FIELD("ttlSecondsAfterFinished", OF(shape_int32), KEPT));

static const Shape job_template = STRUCT(FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
    FIELD("spec", OF(cron_job_spec), SHOWN("{}")));

static const Shape cronjob_spec =
    STRUCT(FIELD("concurrencyPolicy", OF(shape_text), PRESET("'Allow'")),
        FIELD("failedJobsHistoryLimit", OF(shape_int32), KEPT, PRESET("1")),
        FIELD("jobTemplate", OF(job_template), SHOWN("{}")), TEXT("schedule"),
        FIELD("startingDeadlineSeconds", OF(shape_int64), KEPT),
        FIELD("successfulJobsHistoryLimit", OF(shape_int32), KEPT, PRESET("3")),
        FIELD("suspend", OF(shape_flag), KEPT, PRESET("false")), HELD("timeZone"));

static const Shape references = LIST_OF(&shape_reference);
static const Shape cronjob_status =
    STRUCT(FIELD("active", OF(references)), FIELD("lastScheduleTime", OF(shape_time), KEPT),
        FIELD("lastSuccessfulTime", OF(shape_time), KEPT));

const Shape shape_cronjob = STRUCT(PLAIN("apiVersion"), PLAIN("kind"),
    FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
    FIELD("spec", OF(cronjob_spec), SHOWN("{}")), FIELD("status", OF(cronjob_status), SHOWN("{}")));

/* --- PodDisruptionBudget --- */

static const Shape pdb_spec = STRUCT(FIELD("maxUnavailable", OF(shape_int_or_text), KEPT),
    FIELD("minAvailable", OF(shape_int_or_text), KEPT), FIELD("selector", OF(shape_selector), KEPT),
    HELD("unhealthyPodEvictionPolicy"));

static const Shape pdb_conditions = LIST_BY(by_type, &shape_condition);
static const Shape disrupted_pods = {
    .merge = SHAPE_FIELDS, .type = SHAPE_MAP, .free_keys = true, .rest = &shape_time};
static const Shape pdb_status = STRUCT(FIELD("conditions", OF(pdb_conditions)),
    FIELD("currentHealthy", OF(shape_int32), SHOWN("0")),
    FIELD("desiredHealthy", OF(shape_int32), SHOWN("0")),
    FIELD("disruptedPods", OF(disrupted_pods)),
    FIELD("disruptionsAllowed", OF(shape_int32), SHOWN("0")),
    FIELD("expectedPods", OF(shape_int32), SHOWN("0")),
    FIELD("observedGeneration", OF(shape_int64)));

const Shape shape_pdb =
    STRUCT(PLAIN("apiVersion"), PLAIN("kind"), FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
        FIELD("spec", OF(pdb_spec), SHOWN("{}")), FIELD("status", OF(pdb_status), SHOWN("{}")));
