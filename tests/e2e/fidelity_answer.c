/* What is compared of an answer: its HTTP status and the whole body, but for the explained
 * differences. Each of those is a row here and a line in docs/FIDELITY.md; a test holds the two
 * lists together. */
#include "tests/e2e/fidelity.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"

#include <stdlib.h>
#include <string.h>

/* One explained difference, in one of four ways. */
typedef struct Explained {
    const char *name;
    /* Makes the two equal where it is met, and nothing else. */
    const Json *(*settle)(Arena *a, const Step *step, const Json *body);
    /* Says which events do not count. */
    bool (*drops)(const Json *event);
    /* Say which steps are not played, because the two would go on from different states, and which
     * kinds not in one sequence. */
    bool (*avoids)(const Step *step);
    bool (*parts)(const Kind *left, const Kind *right);
} Explained;

static bool is_failure(const Json *body)
{
    return str_eq(json_str(body, ".kind"), "Status")
        && str_eq(json_str(body, ".status"), "Failure");
}

/* --- go-structures --- */

static const char *first_line(Arena *a, const char *text)
{
    return text ? str_slice(a, text, strcspn(text, "\n")) : NULL;
}

static const Json *with_first_lines(Arena *a, const Step *step, const Json *body)
{
    const Json *causes = json_find(body, ".details.causes"), *cause;
    Draft *list = draft_array(a);

    (void)step;
    if (!is_failure(body))
        return body;
    json_each(cause, causes)
        draft_push_json(list,
            json_merge(a,
                cause,
                json_seal(
                    a, draft(a, str("message", first_line(a, json_str(cause, ".message")))))));
    body = json_merge(
        a, body, json_seal(a, draft(a, str("message", first_line(a, json_str(body, ".message"))))));
    if (!causes)
        return body;
    return json_merge(a, body, json_seal(a, draft(a, obj("details", sub("causes", list)))));
}

/* --- words-of-decoders --- */

/* "Pod in version "v1" cannot be handled as a Pod: ..." up to the colon. */
static const Json *without_decoder(Arena *a, const Json *body, const char *at)
{
    const char *message = json_str(body, ".message");

    return json_merge(a,
        body,
        json_seal(a,
            draft(a,
                str("message", str_slice(a, message, (size_t)(at - message) + strcspn(at, ":"))))));
}

/* What follows is compared: it names fields. */
static const char strictly[] = "strict decoding error";

static const Json *without_words_of_decoders(Arena *a, const Step *step, const Json *body)
{
    const char *message = is_failure(body) ? json_str(body, ".message") : NULL;
    const char *at = message ? strstr(message, "cannot be handled as a") : NULL;

    (void)step;
    if (at && !strstr(message, strictly))
        return without_decoder(a, body, at);
    if (!message || !str_eq(json_str(body, ".details.causes[0].field"), "patch"))
        return body;
    if (strstr(message, strictly))
        return json_merge(a,
            json_merge(a, body, json_fixture(a, "{details: {causes: ['patch']}}")),
            json_seal(a, draft(a, str("message", strstr(message, strictly)))));
    return json_merge(a, body, json_fixture(a, "{message: 'patch', details: {causes: ['patch']}}"));
}

/* --- order-of-managers --- */

typedef struct Entry {
    const char *key;
    const Json *value;
} Entry;

static int compare_entries(const void *left, const void *right)
{
    return str_compare(((const Entry *)left)->key, ((const Entry *)right)->key);
}

/* The elements in the order of what key_of says of each, and of equals one. */
static Draft *sorted(Arena *a, const Json *array, const char *(*key_of)(Arena *a, const Json *each))
{
    size_t count = json_count(array), i = 0;
    Entry *entries = arena_array(a, Entry, count);
    Draft *list = draft_array(a);
    const Json *each;

    json_each(each, array)
        entries[i++] = (Entry){key_of(a, each), each};
    qsort(entries, count, sizeof *entries, compare_entries);
    for (i = 0; i < count; i++)
        if (i == 0 || !str_eq(entries[i].key, entries[i - 1].key))
            draft_push_json(list, entries[i].value);
    return list;
}

/* All of it but the time: a manager may have two entries. */
static const char *manager_key(Arena *a, const Json *entry)
{
    return json_canonical(a, json_merge(a, entry, json_fixture(a, "{time: null}"))).data;
}

static const Json *managers_sorted(Arena *a, const Json *object)
{
    const Json *managers = json_find(object, ".metadata.managedFields");

    if (json_count(managers) == 0)
        return object;
    return json_merge(a,
        object,
        json_seal(
            a, draft(a, obj("metadata", sub("managedFields", sorted(a, managers, manager_key))))));
}

static const Json *with_managers_sorted(Arena *a, const Step *step, const Json *body)
{
    const Json *items = json_find(body, ".items"), *each;
    Draft *all = draft_array(a);

    (void)step;
    if (!items)
        return managers_sorted(a, body);
    json_each(each, items)
        draft_push_json(all, managers_sorted(a, each));
    return json_merge(a, body, json_seal(a, draft(a, sub("items", all))));
}

/* --- count-of-faults --- */

static const char *whole(Arena *a, const Json *value)
{
    return json_canonical(a, value).data;
}

static const Json *with_faults_once(Arena *a, const Step *step, const Json *body)
{
    const Json *causes = json_find(body, ".details.causes");
    const char *message = json_str(body, ".message"), *bracket;

    (void)step;
    if (!is_failure(body) || json_count(causes) < 2 || !message)
        return body;
    bracket = strstr(message, ": [");
    return json_merge(a,
        body,
        json_seal(a,
            draft(a,
                str("message",
                    bracket ? str_slice(a, message, (size_t)(bracket - message)) : message),
                obj("details", sub("causes", sorted(a, causes, whole))))));
}

/* --- uids-of-jobs --- */

static const Json *without_labels_of_job(Arena *a, const Step *step, const Json *body)
{
    static const char foreign[] = "metadata.uid";
    const Json *causes = json_find(body, ".details.causes"), *cause;
    Draft *uids = draft_array(a);

    if (fidelity_kinds[step->kind]->kind != kind_job || !is_failure(body))
        return body;
    json_each(cause, causes)
        if (str_eq(json_str(cause, ".field"), foreign))
            draft_push_json(uids, cause);
    if (draft_count(uids) == 0)
        return body;
    return json_merge(a,
        body,
        json_seal(a, draft(a, str("message", foreign), obj("details", sub("causes", uids)))));
}

/* --- hollow-deletions --- */

static const Json *without_hollow(Arena *a, const Step *step, const Json *body)
{
    static const char *const kept[] = {".apiVersion", ".kind", NULL};
    bool hollow = step->request.verb == VERB_DELETE && step->request.dry_run
        && !str_eq(json_str(body, ".kind"), "Status") && !meta_name(body);

    return hollow ? json_project(a, body, kept) : body;
}

/* --- version-of-lists --- */

static const Json *without_list_version(Arena *a, const Step *step, const Json *body)
{
    (void)step;
    if (!json_find(body, ".items"))
        return body;
    return json_merge(
        a, body, json_seal(a, draft(a, obj("metadata", str("resourceVersion", "of a list")))));
}

/* --- words-of-too-old --- */

static const Json *without_too_old(Arena *a, const Step *step, const Json *body)
{
    if (step->request.verb != VERB_WATCH || json_int(body, ".code", 0) != 410)
        return body;
    return json_merge(a, body, json_seal(a, draft(a, str("message", "too old"))));
}

/* --- status-of-no-service --- */

static bool may_make_service(const Step *step)
{
    Verb verb = step->request.verb;

    return fidelity_kinds[step->kind]->kind == kind_service
        && str_eq(step->request.subresource, "status")
        && (verb == VERB_UPDATE || verb == VERB_APPLY);
}

/* --- spec-in-a-status --- */

static bool says_spec_in_status(const Step *step)
{
    bool custom = str_eq(fidelity_kinds[step->kind]->kind->group, "sei.io");

    return str_eq(step->request.subresource, "status") && step->text
        && strstr(step->text, "spec: {") && (custom || step->request.verb == VERB_APPLY);
}

/* --- hollow-bookmarks --- */

/* What stands for the version of a bookmark: how far one reaches depends on what else was written.
 */
static const char of_a_bookmark[] = "of a bookmark";

static const Json *without_zeroes(Arena *a, const Step *step, const Json *body)
{
    static const char *const kept[] = {".apiVersion", ".kind", ".metadata", NULL};

    (void)step;
    return str_eq(meta_resource_version(body), of_a_bookmark) ? json_project(a, body, kept) : body;
}

/* --- moments-of-bookmarks --- */

/* The one that ends the first state comes for certain. */
static bool is_bookmark(const Json *event)
{
    return str_eq(json_str(event, ".type"), "BOOKMARK")
        && !json_find(event, ".object.metadata.annotations");
}

/* --- faces-of-events --- */

static bool are_both_faces(const Kind *left, const Kind *right)
{
    return !kind_eq(left, right) && str_eq(left->name, "Event") && str_eq(right->name, "Event");
}

/* --- events-of-the-server --- */

static bool is_told_by_the_server(const Json *object)
{
    static const char *const paths[] = {".reportingController",
        ".reportingComponent",
        ".source.component",
        ".deprecatedSource.component"};

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (str_eq(json_str(object, paths[i]), "ipallocator-repair-controller"))
            return true;
    return false;
}

static const Json *without_told_by_the_server(Arena *a, const Step *step, const Json *body)
{
    const Json *items = json_find(body, ".items"), *each;
    Draft *others = draft_array(a);

    (void)step;
    if (!items)
        return body;
    json_each(each, items)
        if (!is_told_by_the_server(each))
            draft_push_json(others, each);
    return json_merge(a, body, json_seal(a, draft(a, sub("items", others))));
}

static bool shows_told_by_the_server(const Json *event)
{
    return is_told_by_the_server(json_find(event, ".object"));
}

static const Explained explained[] = {
    {"go-structures", .settle = with_first_lines},
    {"words-of-decoders", .settle = without_words_of_decoders},
    {"order-of-managers", .settle = with_managers_sorted},
    {"count-of-faults", .settle = with_faults_once},
    {"uids-of-jobs", .settle = without_labels_of_job},
    {"hollow-deletions", .settle = without_hollow},
    {"version-of-lists", .settle = without_list_version},
    {"words-of-too-old", .settle = without_too_old},
    {"status-of-no-service", .avoids = may_make_service},
    {"spec-in-a-status", .avoids = says_spec_in_status},
    {"hollow-bookmarks", .settle = without_zeroes},
    {"moments-of-bookmarks", .drops = is_bookmark},
    {"faces-of-events", .parts = are_both_faces},
    {"events-of-the-server",
        .settle = without_told_by_the_server,
        .drops = shows_told_by_the_server},
};

enum { EXPLAINED_COUNT = sizeof explained / sizeof *explained };

const char *const *explained_names(Arena *a)
{
    const char **names = arena_array(a, const char *, EXPLAINED_COUNT + 1);

    for (size_t i = 0; i < EXPLAINED_COUNT; i++)
        names[i] = explained[i].name;
    return names;
}

bool explained_avoids(const Step *step)
{
    for (size_t i = 0; i < EXPLAINED_COUNT; i++)
        if (explained[i].avoids && explained[i].avoids(step))
            return true;
    return false;
}

bool explained_parts(const Kind *left, const Kind *right)
{
    for (size_t i = 0; i < EXPLAINED_COUNT; i++)
        if (explained[i].parts && explained[i].parts(left, right))
            return true;
    return false;
}

bool explained_drops(const Json *event)
{
    for (size_t i = 0; i < EXPLAINED_COUNT; i++)
        if (explained[i].drops && explained[i].drops(event))
            return true;
    return false;
}

static const char *body_text(Side *side, const Step *step, const Json *body)
{
    for (size_t i = 0; i < EXPLAINED_COUNT; i++)
        if (explained[i].settle)
            body = explained[i].settle(side->arena, step, body);
    return signs_for(side, json_canonical(side->arena, body).data);
}

const char *answer_text(Side *side, const Step *step, const Answer *answer)
{
    return str_format(side->arena, "%d %s", answer->status, body_text(side, step, answer->body));
}

const char *event_text(Side *side, const Step *step, const Json *event)
{
    const Json *object = json_member(event, "object");
    const char *type = json_str(event, ".type");

    if (str_eq(type, "BOOKMARK"))
        object = json_merge(side->arena,
            object,
            json_seal(side->arena,
                draft(side->arena, obj("metadata", str("resourceVersion", of_a_bookmark)))));
    return str_format(side->arena, "%s %s", type, body_text(side, step, object));
}
