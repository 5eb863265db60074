/* Options: each kind of them is read by one function, and refused as the real server's validation
 * of them does: as an invalid object without a name. */
#include "sandbox/options.h"

#include "base/str.h"
#include "world/refusal.h"

#include <ctype.h>
#include <string.h>

enum { MANAGER_MAX = 128 };

/* What is read, and of what. */
typedef struct Reading {
    Arena *arena;
    const Query *query;
    Routed *routed;
    const char *what; /* "ListOptions" */
    Faults faults;
} Reading;

static const char *value(const Reading *r, const char *name)
{
    const char *text = query_find(r->query, name);

    return str_empty(text) ? NULL : text;
}

/* --- refusals */

static void refuse_bad(Reading *r, const char *message)
{
    if (r->routed->refusal.status == 0)
        r->routed->refusal = (Answer){
            .status = 400, .body = refusal_status(r->arena, 400, "BadRequest", message, NULL)};
}

static void finish(Reading *r)
{
    Call call = {.arena = r->arena, .request = &r->routed->request};
    const Err *err =
        refuse_faults(&call, str_format(r->arena, "%s.meta.k8s.io", r->what), "", &r->faults);

    if (err && r->routed->refusal.status == 0)
        r->routed->refusal = (Answer){.status = call.status, .body = call.body};
}

/* --- values */

static int64_t read_number(Reading *r, const char *name)
{
    const char *text = value(r, name);
    int64_t number = 0;

    if (text && !str_to_int(text, &number))
        refuse_bad(
            r, str_format(r->arena, "strconv.ParseInt: parsing \"%s\": invalid syntax", text));
    return number;
}

static void read_dry_run(Reading *r, const char *text)
{
    if (!text)
        return;
    if (!str_eq(text, "All"))
        faults_add(&r->faults,
            "FieldValueNotSupported",
            "dryRun",
            "Unsupported value: [\"%s\"]: supported values: \"All\"",
            text);
    r->routed->request.dry_run = true;
}

/* Who says nothing is warned. */
static void read_validation(Reading *r, const char *text)
{
    static const struct {
        const char *word;
        FieldValidation meant;
    } words[] = {{"", FIELD_VALIDATION_WARN},
        {"Ignore", FIELD_VALIDATION_IGNORE},
        {"Strict", FIELD_VALIDATION_STRICT},
        {"Warn", FIELD_VALIDATION_WARN}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!str_eq(words[i].word, text ? text : ""))
            continue;
        r->routed->request.field_validation = words[i].meant;
        return;
    }
    faults_add(&r->faults,
        "FieldValueNotSupported",
        "fieldValidation",
        "Unsupported value: \"%s\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
        text);
}

/* The part of a User-Agent before the slash: who writes without saying a name. */
static const char *manager_of(Arena *a, const char *user_agent)
{
    size_t len = strcspn(user_agent, "/"), kept = 0;
    char *name = arena_array(a, char, MANAGER_MAX + 1);

    for (size_t i = 0; i < len && kept < MANAGER_MAX; i++)
        if (isprint((unsigned char)user_agent[i]))
            name[kept++] = user_agent[i];
    return kept ? name : "unknown";
}

static void read_manager(Reading *r, const HallRequest *in)
{
    const char *manager = value(r, "fieldManager");

    if (manager && strlen(manager) > MANAGER_MAX)
        faults_add(&r->faults,
            "FieldValueTooLong",
            "fieldManager",
            "Too long: may not be more than %d bytes",
            MANAGER_MAX);
    r->routed->request.manager = manager ? manager : manager_of(r->arena, in->user_agent);
}

/* --- the kinds of options */

static void read_version_match(Reading *r)
{
    const char *match = value(r, "resourceVersionMatch"), *version = value(r, "resourceVersion");

    if (!match)
        return;
    if (!version && !value(r, "sendInitialEvents"))
        faults_add(&r->faults,
            "FieldValueForbidden",
            "resourceVersionMatch",
            "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided");
    if (value(r, "continue"))
        faults_add(&r->faults,
            "FieldValueForbidden",
            "resourceVersionMatch",
            "Forbidden: resourceVersionMatch is forbidden when continue is provided");
    if (!str_eq(match, "Exact") && !str_eq(match, "NotOlderThan"))
        faults_add(&r->faults,
            "FieldValueNotSupported",
            "resourceVersionMatch",
            "Unsupported value: \"%s\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
            match);
    if (str_eq(match, "Exact") && str_eq(version, "0"))
        faults_add(&r->faults,
            "FieldValueForbidden",
            "resourceVersionMatch",
            "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
}

static void read_list(Reading *r)
{
    Request *request = &r->routed->request;

    request->labels = value(r, "labelSelector");
    request->fields = value(r, "fieldSelector");
    request->limit = read_number(r, "limit");
    request->continue_key = value(r, "continue");
    request->timeout_seconds = read_number(r, "timeoutSeconds");
    request->bookmarks = query_flag(r->query, "allowWatchBookmarks");
    if (request->verb == VERB_WATCH)
        request->resource_version = value(r, "resourceVersion");
    if (request->verb == VERB_WATCH && query_flag(r->query, "sendInitialEvents"))
        request->resource_version = NULL; /* which begins with the state */
    read_version_match(r);
}

static void read_patch(Reading *r)
{
    Request *request = &r->routed->request;
    bool is_apply = request->verb == VERB_APPLY;

    request->force = query_flag(r->query, "force");
    if (is_apply && !value(r, "fieldManager"))
        faults_add(&r->faults,
            "FieldValueRequired",
            "fieldManager",
            "Required value: is required for apply patch");
    if (!is_apply && value(r, "force"))
        faults_add(&r->faults,
            "FieldValueForbidden",
            "force",
            "Forbidden: may not be specified for non-apply patch");
}

static void read_propagation(Reading *r, const char *text)
{
    static const struct {
        const char *text;
        Propagation propagation;
    } known[] = {
        {"Background", PROPAGATION_BACKGROUND},
        {"Foreground", PROPAGATION_FOREGROUND},
        {"Orphan", PROPAGATION_ORPHAN},
    };

    if (str_empty(text))
        return;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq(known[i].text, text)) {
            r->routed->request.propagation = known[i].propagation;
            return;
        }
    faults_add(&r->faults,
        "FieldValueNotSupported",
        "propagationPolicy",
        "Unsupported value: \"%s\": supported values: \"Foreground\", \"Background\", \"Orphan\", "
        "\"nil\"",
        text);
}

static void read_delete_body(Reading *r, const Json *options)
{
    Request *request = &r->routed->request;
    const Json *orphans = json_find(options, ".orphanDependents");

    request->uid = json_str(options, ".preconditions.uid");
    request->resource_version = json_str(options, ".preconditions.resourceVersion");
    request->has_grace = json_type(json_find(options, ".gracePeriodSeconds")) == JSON_NUMBER;
    request->grace_seconds = json_int(options, ".gracePeriodSeconds", 0);
    read_propagation(r, json_str(options, ".propagationPolicy"));
    if (json_type(orphans) == JSON_BOOL)
        request->propagation =
            json_bool(orphans, "", false) ? PROPAGATION_ORPHAN : PROPAGATION_BACKGROUND;
    read_dry_run(r, json_str(options, ".dryRun[0]"));
}

static void read_delete(Reading *r)
{
    Request *request = &r->routed->request;

    if (request->body) {
        read_delete_body(r, request->body);
        request->body = NULL;
    } else {
        request->has_grace = value(r, "gracePeriodSeconds") != NULL;
        request->grace_seconds = read_number(r, "gracePeriodSeconds");
        read_propagation(r, value(r, "propagationPolicy"));
        read_dry_run(r, value(r, "dryRun"));
    }
    if (r->routed->is_sweep) {
        request->labels = value(r, "labelSelector");
        request->fields = value(r, "fieldSelector");
    }
}

static const char *options_name(Verb verb)
{
    switch (verb) {
    case VERB_CREATE:
        return "CreateOptions";
    case VERB_UPDATE:
        return "UpdateOptions";
    case VERB_DELETE:
        return "DeleteOptions";
    case VERB_GET:
    case VERB_LIST:
    case VERB_WATCH:
    case VERB_RAW_GET:
        return "ListOptions";
    case VERB_APPLY:
    case VERB_MERGE_PATCH:
    case VERB_JSON_PATCH:
    case VERB_STRATEGIC_PATCH:
        break;
    }
    return "PatchOptions";
}

void options_read(Arena *a, const HallRequest *in, const Query *query, Routed *ret)
{
    Verb verb = ret->request.verb;
    Reading r = {.arena = a,
        .query = query,
        .routed = ret,
        .what = options_name(verb),
        .faults = {.arena = a}};

    if (verb == VERB_LIST || verb == VERB_WATCH) {
        read_list(&r);
    } else if (verb == VERB_DELETE) {
        read_delete(&r);
    } else if (verb != VERB_GET) {
        read_manager(&r, in);
        read_dry_run(&r, value(&r, "dryRun"));
        read_validation(&r, value(&r, "fieldValidation"));
        if (str_eq(in->method, "PATCH"))
            read_patch(&r);
    }
    finish(&r);
}
