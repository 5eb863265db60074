/* Steps as text and back: how a sequence that found something is kept and read by people. What a
 * step does not say is as usual. */
#include "tests/e2e/fidelity.h"

#include "base/draft.h"
#include "base/str.h"
#include "tests/test.h"

enum { LINE_MAX = 1 << 20 };

static const char *const verbs[] = {[VERB_GET] = "get",
    [VERB_LIST] = "list",
    [VERB_WATCH] = "watch",
    [VERB_CREATE] = "create",
    [VERB_UPDATE] = "update",
    [VERB_APPLY] = "apply",
    [VERB_MERGE_PATCH] = "merge",
    [VERB_JSON_PATCH] = "jsonpatch",
    [VERB_STRATEGIC_PATCH] = "strategic",
    [VERB_DELETE] = "delete"};

static const char *const sights[] = {[SEEN_NONE] = "none",
    [SEEN_LAST] = "last",
    [SEEN_FIRST] = "first",
    [SEEN_WRONG] = "wrong",
    [SEEN_LISTED] = "listed"};

static const char *const ways[] = {[PROPAGATION_DEFAULT] = "default",
    [PROPAGATION_BACKGROUND] = "background",
    [PROPAGATION_FOREGROUND] = "foreground",
    [PROPAGATION_ORPHAN] = "orphan"};

/* "StatefulSet.apps", "Pod" */
static const char *kind_text(Arena *a, const Kind *kind)
{
    return *kind->group ? str_format(a, "%s.%s", kind->name, kind->group) : kind->name;
}

/* --- writing --- */

static void put(Buf *to, const char *key, const char *value)
{
    if (value)
        then_true(buf_format(to, ", %s: '%s'", key, value));
}

static void put_flag(Buf *to, const char *key, bool value)
{
    if (value)
        then_true(buf_format(to, ", %s: true", key));
}

static void put_seen(Buf *to, const char *key, Seen seen)
{
    put(to, key, seen == SEEN_NONE ? NULL : sights[seen]);
}

static void put_step(Buf *to, Arena *a, const Step *step)
{
    const Request *r = &step->request;

    then_true(buf_format(to,
        "{verb: '%s', kind: '%s'",
        verbs[r->verb],
        kind_text(a, fidelity_kinds[step->kind]->kind)));
    if (r->verb != VERB_LIST && r->verb != VERB_WATCH)
        put(to, "name", fidelity_names[step->name]);
    put(to, "subresource", r->subresource);
    put(to, "by", r->manager);
    put_flag(to, "force", r->force);
    put_flag(to, "dryRun", r->dry_run);
    put_flag(to, "strict", r->field_validation == FIELD_VALIDATION_STRICT);
    put_seen(to, "uid", step->uid);
    put_seen(to, "version", step->version);
    put(to, "propagation", r->propagation == PROPAGATION_DEFAULT ? NULL : ways[r->propagation]);
    if (r->has_grace)
        then_true(buf_format(to, ", grace: %d", (int)r->grace_seconds));
    put(to, "labels", r->labels);
    put(to, "fields", r->fields);
    if (r->limit > 0)
        then_true(buf_format(to, ", limit: %d", (int)r->limit));
    put_flag(to, "goesOn", step->goes_on);
    put_flag(to, "bookmarks", r->bookmarks);
    if (step->text)
        then_true(buf_format(to, ",\n      body: %s", step->text));
    then_true(buf_format(to, "}"));
}

const char *step_text(Arena *a, const Step *step)
{
    Buf line = {.ceiling = LINE_MAX};

    if (step->compacts)
        return "{verb: 'compact'}";
    put_step(&line, a, step);
    const char *text = str_slice(a, line.data, line.len);
    buf_close(&line);
    return text;
}

/* --- reading --- */

static size_t place_in(const char *const *texts, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (texts[i] && str_eq(texts[i], text))
            return i;
    fail_msg("a step says %s, which is not known", text ? text : "nothing where it must");
    return 0;
}

static size_t kind_of(Arena *a, const char *text)
{
    const char *texts[FIDELITY_KINDS];

    for (size_t i = 0; i < FIDELITY_KINDS; i++)
        texts[i] = kind_text(a, fidelity_kinds[i]->kind);
    return place_in(texts, FIDELITY_KINDS, text);
}

static Seen seen_of(const char *text)
{
    return text ? (Seen)place_in(sights, array_count(sights), text) : SEEN_NONE;
}

static Step step_of(Arena *a, const Json *said)
{
    const char *verb = json_str(said, ".verb"), *name = json_str(said, ".name");
    const char *way = json_str(said, ".propagation");
    const Json *body = json_find(said, ".body");

    if (str_eq(verb, "compact"))
        return (Step){.compacts = true};
    return (Step){
        .request =
            {
                .verb = (Verb)place_in(verbs, array_count(verbs), verb),
                .subresource = json_str(said, ".subresource"),
                .manager = json_str(said, ".by"),
                .force = json_bool(said, ".force", false),
                .dry_run = json_bool(said, ".dryRun", false),
                .field_validation = json_bool(said, ".strict", false) ? FIELD_VALIDATION_STRICT
                                                                      : FIELD_VALIDATION_UNSAID,
                .propagation =
                    way ? (Propagation)place_in(ways, array_count(ways), way) : PROPAGATION_DEFAULT,
                .has_grace = json_find(said, ".grace") != NULL,
                .grace_seconds = json_int(said, ".grace", 0),
                .labels = json_str(said, ".labels"),
                .fields = json_str(said, ".fields"),
                .limit = json_int(said, ".limit", 0),
                .bookmarks = json_bool(said, ".bookmarks", false),
            },
        .kind = kind_of(a, json_str(said, ".kind")),
        .name = name ? place_in(fidelity_names, FIDELITY_NAMES, name) : 0,
        .text = body ? json_write(a, body).data : NULL,
        .uid = seen_of(json_str(said, ".uid")),
        .version = seen_of(json_str(said, ".version")),
        .goes_on = json_bool(said, ".goesOn", false),
    };
}

void steps_read(Arena *a, const char *text, Steps *ret)
{
    const Json *steps = json_find(json_fixture(a, text), ".steps"), *each;

    ret->count = 0;
    json_each(each, steps) {
        then_true(ret->count < FIDELITY_STEPS_MAX);
        ret->items[ret->count++] = step_of(a, each);
    }
    then_true(ret->count > 0);
}
