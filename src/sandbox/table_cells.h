/* Cells: what the columns of built-in kinds are made from. */
#ifndef SRC_SANDBOX_TABLE_CELLS_H
#define SRC_SANDBOX_TABLE_CELLS_H

#include "base/draft.h"
#include "base/json.h"
#include "kube/core/text.h"

#include <stdint.h>

typedef struct TableColumn TableColumn;

/* A row on its way: cells are pushed from left to right. */
typedef struct TableRow {
    Arena *arena;
    int64_t now_ns;
    const Json *object;
    Draft *cells;
} TableRow;

/* Pushes the one cell of a column. */
typedef void TableCell(TableRow *row, const TableColumn *column);

struct TableColumn {
    const char *name; /* NULL ends a table */
    const char *type; /* NULL: "string" */
    const char *format;
    const char *about;
    int64_t priority; /* above 0 only with -o wide */
    TableCell *cell;
    const char *path;     /* where the cell's value stands, for those that are told */
    const char *fallback; /* what stands in for an absent one; NULL: "" */
};

/* The columns of a built-in kind, those of the default printer when it has none of its own. Also
 * of "Scale", which is no kind of its own. */
const TableColumn *table_columns(const char *group, const char *kind);

/* Pushing. Text NULL is written as "". */
void row_push_text(TableRow *row, const char *text);
void row_push_number(TableRow *row, int64_t number);
void row_push_null(TableRow *row);

/* How long ago an RFC 3339 time is; "<unknown>" when it is absent, "<invalid>" when it is none. */
const char *row_since(const TableRow *row, const char *time);

/* Texts joined to one, which grows, since an object may hold very many. NULL counts as "". */
void row_join(Text *all, const char *separator, const char *more);

/* What was joined; NULL of none. */
const char *row_joined(Text *all);

/* The status of a condition of the object, or NULL. */
const char *row_condition(const TableRow *row, const char *type);

/* What stands at the column's path: text, an integer (0), how long ago it was, the number of its
 * members; and pairs "ready/wanted" of integers below status and spec. */
extern TableCell cell_text, cell_integer, cell_since, cell_count, cell_ready;

/* Names and images of the containers at the path, a selector or labels there; a flag as True or
 * False, and as itself. */
extern TableCell cell_containers, cell_images, cell_selector, cell_labels, cell_flag, cell_truth;

/* Of workloads. */
extern TableCell cell_controller, cell_job_status, cell_job_completions, cell_job_duration;
extern TableCell cell_budget;

/* Of networking. The path of cell_node_address is a type of addresses. */
extern TableCell cell_service_address, cell_service_ports, cell_slice_ports, cell_slice_endpoints;
extern TableCell cell_node_status, cell_node_roles, cell_node_address;

/* Of events, in both groups that have them. */
extern TableCell cell_event_last, cell_event_first, cell_event_object, cell_event_part;
extern TableCell cell_event_source, cell_event_message, cell_event_count;

/* Of data and volumes. */
extern TableCell cell_config_data, cell_modes, cell_volume_phase, cell_volume_claim;
extern TableCell cell_storage_class, cell_class_name, cell_claim_capacity, cell_claim_modes;

/* Of rights. The path of cell_subjects is a kind of subjects. */
extern TableCell cell_role, cell_subjects;

/* Of pods. */
extern TableCell cell_pod_ready, cell_pod_status, cell_pod_restarts, cell_pod_gates;

/* The conditions of a pod's row, or NULL: it has come to its end. */
Draft *pod_row_conditions(Arena *a, const Json *pod);

#endif
