/* Reads the tables and asks about them. Updates have an object of their own each, which is deleted
 * afterwards; whatever else is asked is a dry run. */
#include "tests/validity/validity.h"

#include "base/draft.h"
#include "kube/core/text.h"
#include "kube/meta.h"
#include "tests/tables.h"
#include "tests/test.h"

enum { CASES_MAX = 1000 };

static const char *const tables[] = {
    "claim",
    "clusterrole",
    "clusterrolebinding",
    "configmap",
    "controllerrevision",
    "core-event",
    "cronjob",
    "deployment",
    "disruptionbudget",
    "event",
    "job",
    "lease",
    "networkpolicy",
    "pod",
    "role",
    "rolebinding",
    "secret",
    "service",
    "statefulset",
    "storageclass",
};

static const Kind *kind_of(const Json *base)
{
    return kind_find(json_str(base, ".apiVersion"), json_str(base, ".kind"));
}

/* --- changing objects --- */

static const char *pointer_of(Arena *a, const char *text)
{
    return *text == '@' ? str_format(a, "/spec/template/spec%s", text + 1) : text;
}

static const Json *value_of(Arena *a, const Json *value)
{
    return str_eq(json_text(value), "<null>") ? json_fixture(a, "null") : value;
}

static const Json *changed(Arena *a, const Json *object, const Json *set)
{
    const Json *change, *result = NULL;
    Draft *patch = draft_array(a);

    json_each(change, set) {
        const char *at = pointer_of(a, json_key(change));
        bool removes = json_type(change) == JSON_NULL;
        /* What is to go need not have been there. */
        if (removes)
            draft_push(
                patch, draft(a, str("op", "add"), str("path", at), draft_json("value", change)));
        draft_push(patch,
            draft(a,
                str("op", removes ? "remove" : "add"),
                str("path", at),
                draft_json("value", removes ? NULL : value_of(a, change))));
    }
    then_ok(json_patch(a, object, json_seal(a, patch), &result));
    return result;
}

/* {'/spec/replicas': 1} as {spec: {replicas: 1}}; one change, without lists on the way. */
static const Json *merge_of(Arena *a, const Json *set)
{
    const Json *change = json_first(set);
    const char *path = pointer_of(a, json_key(change)), *slash;
    const Json *patch = change;

    then_int(json_count(set), 1);
    while ((slash = strrchr(path, '/')) != NULL) {
        patch = json_seal(a, draft(a, draft_json(slash + 1, patch)));
        path = str_slice(a, path, (size_t)(slash - path));
    }
    return patch;
}

static const Json *renamed(Arena *a, const Json *object, const char *name)
{
    return json_merge(a, object, json_seal(a, draft(a, obj("metadata", str("name", name)))));
}

/* --- the tables --- */

static void add_table(Arena *a, ValidityCases *cases, const char *table)
{
    const Json *row, *file = table_load(a, str_format(a, "tests/validity/%s.json5", table));
    const Json *base = json_find(file, ".base");

    json_each(row, json_find(file, ".cases")) {
        bool stored = json_member(row, "old") || str_eq(json_str(row, ".verb"), "merge");
        const Json *first = changed(a, base, json_member(row, stored ? "old" : "set"));
        then_true(cases->count < CASES_MAX && json_str(row, ".name"));
        cases->items[cases->count] = (ValidityCase){
            .name = str_format(a, "%s: %s", table, json_str(row, ".name")),
            .row = row,
            .object = stored ? renamed(a, first, str_format(a, "it-%zu", cases->count)) : first,
            .kind = kind_of(base),
            .other_words = str_eq(json_str(row, ".words"), "other"),
        };
        cases->count++;
    }
}

ValidityCases validity_cases(Arena *a)
{
    ValidityCases cases = {.items = arena_array(a, ValidityCase, CASES_MAX)};

    for (size_t i = 0; i < array_count(tables); i++)
        add_table(a, &cases, tables[i]);
    return cases;
}

/* --- asking --- */

void validity_begin(Judge judge)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_namespace,
        .body = json_fixture(
            a, "{apiVersion: 'v1', kind: 'Namespace', metadata: {name: '" VALIDITY_NS "'}}"),
    };

    then_int(judge.call(judge.self, a, &request).status, 201);
}

static Request request_of(const ValidityCase *one, Verb verb)
{
    return (Request){
        .verb = verb,
        .kind = one->kind,
        .key = {one->kind->namespaced ? VALIDITY_NS : NULL,
            verb == VERB_CREATE ? NULL : meta_name(one->object)},
        .manager = "test",
    };
}

static const Json *stored(Judge judge, Arena *a, const ValidityCase *one)
{
    Request request = request_of(one, VERB_CREATE);

    request.body = one->object;
    Answer answer = judge.call(judge.self, a, &request);
    if (answer.status != 201)
        test_fail(__FILE__, __LINE__, "not stored: %s", json_write(a, answer.body).data);
    return answer.body;
}

static void dropped(Judge judge, Arena *a, const ValidityCase *one)
{
    Request request = request_of(one, VERB_DELETE);

    request.body = json_fixture(a, "{gracePeriodSeconds: 0, propagationPolicy: 'Background'}");
    then_true(judge.call(judge.self, a, &request).status < 300);
}

/* Controllers write to what is stored, so an update asks for no version; Leases, which none writes
 * to, cannot be updated without. */
static const Json *free_of(Arena *a, const ValidityCase *one, const Json *object)
{
    return kind_eq(one->kind, kind_lease)
        ? object
        : json_merge(a, object, json_fixture(a, "{metadata: {resourceVersion: null}}"));
}

static Answer answer_of(Judge judge, Arena *a, const ValidityCase *one)
{
    const Json *set = json_member(one->row, "set");
    bool applies = str_eq(json_str(one->row, ".verb"), "apply");
    bool merges = str_eq(json_str(one->row, ".verb"), "merge");
    bool updates = json_member(one->row, "old") != NULL;
    Request request = request_of(one,
        applies       ? VERB_APPLY
            : merges  ? VERB_MERGE_PATCH
            : updates ? VERB_UPDATE
                      : VERB_CREATE);
    const Json *before = merges || updates ? stored(judge, a, one) : NULL;

    request.dry_run = true;
    request.force = applies;
    request.body = merges ? merge_of(a, set)
        : updates         ? changed(a, free_of(a, one, before), set)
                          : one->object;
    Answer answer = judge.call(judge.self, a, &request);
    if (before)
        dropped(judge, a, one);
    return answer;
}

static void add_once(Text *text, const char *line)
{
    if (!strstr(text_seen(text), line))
        text_add(text, line);
}

const char *validity_verdict(
    Judge judge, Arena *a, const ValidityCase *one, const char **ret_message)
{
    Answer answer = answer_of(judge, a, one);
    Text text = {.arena = a};
    const Json *cause;

    *ret_message = NULL;
    if (answer.status < 300)
        return "taken";
    *ret_message = json_str(answer.body, ".message");
    text_add(&text,
        str_format(a,
            "%d %s\n",
            answer.status,
            json_str(answer.body, ".reason") ? json_str(answer.body, ".reason") : ""));
    json_each(cause, json_find(answer.body, ".details.causes"))
        if (answer.status == 422)
            add_once(&text,
                str_format(a, "%s %s\n", json_str(cause, ".reason"), json_str(cause, ".field")));
    return text_seen(&text);
}

static const char *reason_of(int64_t status)
{
    static const struct {
        int64_t status;
        const char *reason;
    } reasons[] = {
        {400, "BadRequest"},
        {409, "Conflict"},
        {413, "RequestEntityTooLarge"},
        {500, ""},
    };

    for (size_t i = 0; i < array_count(reasons); i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    fail_msg("no reason is known of status %lld", (long long)status);
    return NULL;
}

const char *validity_wanted(Arena *a, const ValidityCase *one)
{
    const Json *refused = json_member(one->row, "refused"), *cause;
    int64_t status = json_int(refused, "", 422);
    Text text = {.arena = a};

    if (!refused)
        return "taken";
    if (json_type(refused) == JSON_NUMBER)
        return str_format(a, "%lld %s\n", (long long)status, reason_of(status));
    text_add(&text, "422 Invalid\n");
    json_each(cause, refused) {
        const char *line = json_text(cause), *at = strstr(line, " @");
        if (at)
            line = str_format(a, "%.*s spec.template.spec%s", (int)(at - line), line, at + 2);
        text_add(&text, str_format(a, "%s\n", line));
    }
    return text_seen(&text);
}
