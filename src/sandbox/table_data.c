/* The cells of events, of data and volumes, and of rights.
 *
 * An Event has one meaning and two spellings, that of v1 and that of events.k8s.io; both are
 * printed alike. */
#include "base/str.h"
#include "kube/meta.h"
#include "sandbox/table_cells.h"

#include <ctype.h>
#include <string.h>

/* --- events --- */

/* The text at the one path or at the other. */
static const char *either(const Json *object, const char *old_path, const char *new_path)
{
    const char *text = json_str(object, old_path);

    return str_empty(text) ? json_str(object, new_path) : text;
}

static const char *first_seen(const TableRow *row)
{
    const char *first = either(row->object, ".firstTimestamp", ".deprecatedFirstTimestamp");

    return row_since(row, str_empty(first) ? json_str(row->object, ".eventTime") : first);
}

void cell_event_first(TableRow *row, const TableColumn *column)
{
    (void)column;
    row_push_text(row, first_seen(row));
}

static const Json *series_of(const TableRow *row)
{
    const Json *series = json_find(row->object, ".series");

    return json_type(series) == JSON_OBJECT ? series : NULL;
}

void cell_event_last(TableRow *row, const TableColumn *column)
{
    const char *last = either(row->object, ".lastTimestamp", ".deprecatedLastTimestamp");
    const Json *series = series_of(row);

    (void)column;
    if (series)
        row_push_text(row, row_since(row, json_str(series, ".lastObservedTime")));
    else
        row_push_text(row, str_empty(last) ? first_seen(row) : row_since(row, last));
}

void cell_event_object(TableRow *row, const TableColumn *column)
{
    const char *kind = either(row->object, ".involvedObject.kind", ".regarding.kind");
    const char *name = either(row->object, ".involvedObject.name", ".regarding.name");
    const char *text = kind ? str_lower(row->arena, kind) : "";

    (void)column;
    row_push_text(row, str_empty(name) ? text : str_format(row->arena, "%s/%s", text, name));
}

void cell_event_part(TableRow *row, const TableColumn *column)
{
    (void)column;
    row_push_text(row, either(row->object, ".involvedObject.fieldPath", ".regarding.fieldPath"));
}

void cell_event_source(TableRow *row, const TableColumn *column)
{
    const Json *event = row->object;
    const char *component = either(event, ".source.component", ".deprecatedSource.component");
    const char *instance = either(event, ".source.host", ".deprecatedSource.host");

    (void)column;
    if (str_empty(component))
        component = either(event, ".reportingComponent", ".reportingController");
    if (str_empty(instance))
        instance = json_str(event, ".reportingInstance");
    row_push_text(row,
        str_empty(instance)
            ? component
            : str_format(row->arena, "%s, %s", component ? component : "", instance));
}

void cell_event_message(TableRow *row, const TableColumn *column)
{
    const char *text = either(row->object, ".message", ".note");
    size_t len;

    (void)column;
    text = text ? text : "";
    while (isspace((unsigned char)*text))
        text++;
    len = strlen(text);
    while (len > 0 && isspace((unsigned char)text[len - 1]))
        len--;
    row_push_text(row, str_slice(row->arena, text, len));
}

void cell_event_count(TableRow *row, const TableColumn *column)
{
    const Json *series = series_of(row);
    int64_t count = json_int(row->object, ".count", json_int(row->object, ".deprecatedCount", 0));

    (void)column;
    if (series)
        row_push_number(row, json_int(series, ".count", 0));
    else
        row_push_number(row, count == 0 ? 1 : count);
}

/* --- data --- */

void cell_config_data(TableRow *row, const TableColumn *column)
{
    size_t count = json_count(json_find(row->object, ".data"))
        + json_count(json_find(row->object, ".binaryData"));

    (void)column;
    row_push_number(row, (int64_t)count);
}

/* --- volumes --- */

/* In an order of their own, each once: "RWO,RWX". */
static void push_modes(TableRow *row, const Json *modes)
{
    static const struct {
        const char *mode, *short_name;
    } all[] = {
        {"ReadWriteOnce", "RWO"},
        {"ReadOnlyMany", "ROX"},
        {"ReadWriteMany", "RWX"},
        {"ReadWriteOncePod", "RWOP"},
    };
    Text text = {.arena = row->arena};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const Json *each;
        bool has = false;
        json_each(each, modes)
            has = has || str_eq(json_text(each), all[i].mode);
        if (has)
            row_join(&text, ",", all[i].short_name);
    }
    row_push_text(row, row_joined(&text));
}

void cell_modes(TableRow *row, const TableColumn *column)
{
    push_modes(row, json_find(row->object, column->path));
}

void cell_claim_modes(TableRow *row, const TableColumn *column)
{
    bool bound = !str_empty(json_str(row->object, ".spec.volumeName"));

    (void)column;
    push_modes(row, bound ? json_find(row->object, ".status.accessModes") : NULL);
}

void cell_claim_capacity(TableRow *row, const TableColumn *column)
{
    const char *size = json_str(row->object, ".status.capacity.storage");

    (void)column;
    if (str_empty(json_str(row->object, ".spec.volumeName")))
        row_push_text(row, "");
    else
        row_push_text(row, size ? size : "0");
}

void cell_volume_phase(TableRow *row, const TableColumn *column)
{
    (void)column;
    row_push_text(
        row, meta_deleting(row->object) ? "Terminating" : json_str(row->object, ".status.phase"));
}

void cell_volume_claim(TableRow *row, const TableColumn *column)
{
    const char *namespace = json_str(row->object, ".spec.claimRef.namespace");
    const char *name = json_str(row->object, ".spec.claimRef.name");

    (void)column;
    row_push_text(row,
        json_find(row->object, ".spec.claimRef")
            ? str_format(row->arena, "%s/%s", namespace ? namespace : "", name ? name : "")
            : "");
}

void cell_storage_class(TableRow *row, const TableColumn *column)
{
    const char *old = meta_annotation(row->object, "volume.beta.kubernetes.io/storage-class");

    (void)column;
    row_push_text(row, old ? old : json_str(row->object, ".spec.storageClassName"));
}

void cell_class_name(TableRow *row, const TableColumn *column)
{
    static const char *const marks[] = {"storageclass.kubernetes.io/is-default-class",
        "storageclass.beta.kubernetes.io/is-default-class"};
    const char *name = meta_name(row->object);

    (void)column;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (str_eq(meta_annotation(row->object, marks[i]), "true")) {
            row_push_text(row, str_format(row->arena, "%s (default)", name));
            return;
        }
    }
    row_push_text(row, name);
}

/* --- rights --- */

void cell_role(TableRow *row, const TableColumn *column)
{
    const char *kind = json_str(row->object, ".roleRef.kind");
    const char *name = json_str(row->object, ".roleRef.name");

    (void)column;
    row_push_text(row, str_format(row->arena, "%s/%s", kind ? kind : "", name ? name : ""));
}

void cell_subjects(TableRow *row, const TableColumn *column)
{
    Text all = {.arena = row->arena};
    const Json *each;

    json_each(each, json_find(row->object, ".subjects")) {
        const char *name = json_str(each, ".name"), *namespace = json_str(each, ".namespace");
        if (!name || !str_eq(json_str(each, ".kind"), column->path))
            continue;
        if (str_eq(column->path, "ServiceAccount"))
            name = str_format(row->arena, "%s/%s", namespace ? namespace : "", name);
        row_join(&all, ", ", name);
    }
    row_push_text(row, row_joined(&all));
}
