/* Tables: headers, rows, and what rows carry of their objects. */
#include "sandbox/table.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "sandbox/printer.h"
#include "sandbox/table_cells.h"

/* What all rows of a table have in common. Of the two kinds of columns one is NULL. */
typedef struct Sheet {
    const Served *served;
    const TableWish *wish;
    const TableColumn *built_in;
    const Json *custom;
} Sheet;

Err *table_check_include(Arena *a, const char *include)
{
    Err *err;

    if (str_empty(include) || str_eq(include, "Metadata") || str_eq(include, "Object")
        || str_eq(include, "None"))
        return OK;
    err = err_terminal(a,
        "Unable to convert to Table as requested: includeObject: Invalid value: \"%s\": must be "
        "'Metadata', 'Object', 'None', or empty",
        include);
    err->status = 400;
    err->reason = "BadRequest";
    return err;
}

static bool is_list(const Json *body)
{
    return str_has_suffix(json_str(body, ".kind"), "List")
        && json_type(json_member(body, "items")) == JSON_ARRAY;
}

static bool is_status(const Json *body)
{
    return str_eq(json_str(body, ".kind"), "Status") && str_eq(json_str(body, ".apiVersion"), "v1");
}

static const Json *null_value(Arena *a)
{
    return json_fixture(a, "null");
}

/* --- metadata --- */

static const char *meta_group_version(Arena *a, const char *version)
{
    return str_format(a, "meta.k8s.io/%s", version ? version : "v1");
}

static Draft *partial(Arena *a, const char *version, const Json *object)
{
    return draft(a,
        str("kind", "PartialObjectMetadata"),
        str("apiVersion", meta_group_version(a, version)),
        draft_json("metadata", json_member(object, "metadata")));
}

static Err *not_acceptable(Arena *a, const char *wanted, const char *got)
{
    Err *err = err_terminal(a, "you requested %s, but the requested object is %s", wanted, got);

    err->status = 406;
    err->reason = "NotAcceptable";
    return err;
}

Err *table_metadata(Arena *a, const char *version, const Json *object, const Json **ret)
{
    if (is_list(object))
        return not_acceptable(a, "PartialObjectMetadata", "a list");
    *ret = is_status(object) ? object : json_seal(a, partial(a, version, object));
    return OK;
}

/* What a list says about itself: the version, and what follows it. */
static Draft *list_metadata(Arena *a, const Json *body)
{
    const char *more = json_str(body, ".metadata.continue");

    return draft(a,
        str("resourceVersion", meta_resource_version(body)),
        str("continue", str_empty(more) ? NULL : more),
        draft_json("remainingItemCount", json_find(body, ".metadata.remainingItemCount")));
}

Err *table_metadata_list(Arena *a, const char *version, const Json *list, const Json **ret)
{
    const Json *items = json_member(list, "items"), *each;
    Draft *partials = draft_array(a);

    *ret = list;
    if (is_status(list))
        return OK;
    if (!is_list(list))
        return not_acceptable(a, "PartialObjectMetadataList", "not a list");
    json_each(each, items)
        draft_push(partials, partial(a, version, each));
    *ret = json_seal(a,
        draft(a,
            str("kind", "PartialObjectMetadataList"),
            str("apiVersion", meta_group_version(a, version)),
            sub("metadata", list_metadata(a, list)),
            sub("items", partials)));
    return OK;
}

/* --- headers --- */

static Draft *built_in_headers(Arena *a, const TableColumn *columns)
{
    Draft *headers = draft_array(a);

    for (const TableColumn *column = columns; column->name; column++)
        draft_push(headers,
            draft(a,
                str("name", column->name),
                str("type", column->type ? column->type : "string"),
                str("format", column->format ? column->format : ""),
                str("description", column->about),
                num("priority", column->priority)));
    return headers;
}

static Draft *custom_headers(Arena *a, const Json *columns)
{
    Draft *headers = draft_array(a);
    const Json *each;

    draft_push(headers,
        draft(a,
            str("name", "Name"),
            str("type", "string"),
            str("format", "name"),
            str("description", "Its name."),
            num("priority", 0)));
    json_each(each, columns)
        draft_push(headers, printer_header(a, each));
    return headers;
}

/* --- rows --- */

/* In lists objects of built-in kinds do not say what they are; in rows they do. */
static const Json *whole_object(Arena *a, const Kind *kind, const Json *object)
{
    Draft *whole;
    const Json *each;
    char api_version[KIND_API_VERSION_SIZE];

    if (json_member(object, "kind"))
        return object;
    whole = draft(a,
        str("kind", kind->name),
        str("apiVersion", str_copy(a, kind_api_version(kind, api_version))));
    json_each(each, object)
        draft_add(whole, draft_json(json_key(each), each));
    return json_seal(a, whole);
}

static const Json *carried(Arena *a, const Sheet *sheet, const Json *object)
{
    const char *include = sheet->wish->include;

    if (str_eq(include, "None"))
        return null_value(a);
    if (str_eq(include, "Object"))
        return whole_object(a, sheet->served->kind, object);
    return json_seal(a, partial(a, sheet->wish->version, object));
}

static Draft *row_of(Arena *a, const Sheet *sheet, const Json *object)
{
    TableRow row = {
        .arena = a, .now_ns = sheet->wish->now_ns, .object = object, .cells = draft_array(a)};
    const Json *column;
    Draft *conditions = NULL;

    if (!sheet->built_in)
        row_push_text(&row, meta_name(object));
    json_each(column, sheet->custom)
        printer_push_cell(&row, column);
    for (const TableColumn *own = sheet->built_in; own && own->name; own++)
        own->cell(&row, own);
    if (sheet->served->kind == kind_pod)
        conditions = pod_row_conditions(a, object);
    return draft(a,
        sub("cells", row.cells),
        sub("conditions", conditions),
        draft_json("object", carried(a, sheet, object)));
}

static Draft *rows_of(Arena *a, const Sheet *sheet, const Json *body)
{
    Draft *rows = draft_array(a);
    const Json *each;

    if (!is_list(body))
        draft_push(rows, row_of(a, sheet, body));
    json_each(each, json_member(body, "items"))
        if (is_list(body))
            draft_push(rows, row_of(a, sheet, each));
    return rows;
}

/* The columns of what stands in the body: a Scale has its own. */
static Sheet sheet_of(Arena *a, const Served *served, const Json *body, const TableWish *wish)
{
    const Kind *kind = served->kind;
    Sheet sheet = {.served = served, .wish = wish};

    if (str_eq(json_str(body, ".apiVersion"), "autoscaling/v1"))
        sheet.built_in = table_columns("autoscaling", json_str(body, ".kind"));
    else if (served->definition)
        sheet.custom = printer_columns(a, served->definition, kind->version);
    else
        sheet.built_in = table_columns(kind->group, kind->name);
    return sheet;
}

const Json *table_of(Arena *a, const Served *served, const Json *body, const TableWish *wish)
{
    Sheet sheet;
    Draft *table;

    if (is_status(body))
        return body;
    sheet = sheet_of(a, served, body, wish);
    table = draft(a,
        str("kind", "Table"),
        str("apiVersion", meta_group_version(a, wish->version)),
        sub("metadata", list_metadata(a, body)));
    if (wish->no_headers)
        draft_set(table, draft_json("columnDefinitions", null_value(a)));
    else
        draft_set(table,
            sub("columnDefinitions",
                sheet.built_in ? built_in_headers(a, sheet.built_in)
                               : custom_headers(a, sheet.custom)));
    draft_set(table, sub("rows", rows_of(a, &sheet, body)));
    return json_seal(a, table);
}
