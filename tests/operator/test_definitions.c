/* What is said at the start about definitions of an older release, or of another operator. */
#include "operator/definitions.h"

#include "base/draft.h"
#include "base/str.h"
#include "sei/api/fleet.h"
#include "tests/crds/crds.h"
#include "tests/test.h"

#include <string.h>

enum { ARENA_MAX = 64 << 20 };

static const Kind *const kinds[] = {kind_seinode, kind_seinodedeployment};

/* A definition as far as it is looked at. */
static const Json *with_schema(Arena *a, const char *properties)
{
    return json_fixture(a,
        str_format(a,
            "{spec: {versions: [{name: 'v1', schema: {openAPIV3Schema: {}}},"
            " {name: 'v1alpha1', schema: {openAPIV3Schema: {properties: {%s}}}}]}}",
            properties));
}

/* --- one definition --- */

TEST(the_shipped_crds_lack_no_field)
{
    for (size_t i = 0; i < array_count(kinds); i++) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        then_str(definition_lacks(a, kinds[i], crd_load(a, kinds[i])), NULL);
    }
}

/* The shipped one without a field, wherever in the schema it stands. */
TEST(a_field_that_an_installed_crd_lacks_is_named)
{
    static const struct {
        const char *name, *schema; /* merged into the schema of the fleet */
    } cases[] = {
        {"status.founderVolumes", "{status: {properties: {founderVolumes: null}}}"},
        {"status.plan.targetHash",
            "{status: {properties: {plan: {properties: {targetHash: null}}}}}"},
        {"status.rollout.nodes[].updatedAt",
            "{status: {properties: {rollout: {properties: {nodes: {items: {properties:"
            " {updatedAt: null}}}}}}}}"},
        {"spec.updateStrategy.hold",
            "{spec: {properties: {updateStrategy: {properties: {hold: null}}}}}"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Json *shipped = crd_load(a, kind_seinodedeployment);
        const Json *schema = json_find(shipped, ".spec.versions[0].schema.openAPIV3Schema");
        const Json *less =
            json_merge(a, json_find(schema, ".properties"), json_fixture(a, cases[i].schema));
        const Json *installed = json_seal(a,
            draft(a,
                obj("spec",
                    list("versions",
                        draft(a,
                            str("name", "v1alpha1"),
                            obj("schema",
                                obj("openAPIV3Schema", draft_json("properties", less))))))));
        then_str(definition_lacks(a, kind_seinodedeployment, installed), cases[i].name);
    }
}

TEST(of_many_lacking_fields_only_the_first_are_named)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const char *lacks = definition_lacks(a, kind_seinode, with_schema(a, "status: {}"));

    then_true(str_has_prefix(lacks, "status.observedGeneration, status.phase, "));
    then_true(strstr(lacks, " more") != NULL);
}

TEST(a_crd_that_preserves_unknown_fields_lacks_nothing)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *open = with_schema(a,
        "status: {'x-kubernetes-preserve-unknown-fields': true},"
        " spec: {'x-kubernetes-preserve-unknown-fields': true}");

    then_str(definition_lacks(a, kind_seinodedeployment, open), NULL);
}

/* --- at the start --- */

typedef struct Start {
    Transport transport; /* first, so that the port is this */
    Api api;
    LogSink sink;
    Arena *arena;
    const Json *answer; /* NULL: none */
    const char *said;   /* NULL: nothing */
    int questions;
} Start;

static Err *answer(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Start *s = (Start *)(void *)((char *)self - offsetof(Start, api));

    then_int(request->verb, VERB_GET);
    then_true(kind_eq(request->kind, kind_crd) && request->deadline_ms > 0);
    s->questions++;
    if (!s->answer)
        return err_retry(a, "no answer");
    *ret = s->answer;
    return OK;
}

static Api *open_api(Transport *self)
{
    return &((Start *)(void *)self)->api;
}

static void close_api(Transport *self, Api *api)
{
    (void)self, (void)api;
}

static void note(LogSink *self, const char *line, size_t length)
{
    Start *s = (Start *)(void *)((char *)self - offsetof(Start, sink));
    s->said = str_format(s->arena, "%s%.*s", s->said ? s->said : "", (int)length, line);
}

static void look(Start *s, Arena *a, const Json *definition)
{
    *s = (Start){.transport = {.open_api = open_api, .close_api = close_api},
        .api = {.call = answer},
        .sink = {.write = note},
        .arena = a,
        .answer = definition};
    Log log = {.sink = &s->sink, .clock = clock_system(), .level = LOG_INFO};
    definitions_look(&s->transport, &log);
}

TEST(outdated_crds_are_logged_as_a_warning_with_the_remedy)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Start s;

    look(&s, a, with_schema(a, "status: {}, spec: {}"));
    then_int(s.questions, 2);
    then_true(strstr(s.said, "\"warn\"") != NULL);
    then_true(strstr(s.said, "seinodes.sei.io") && strstr(s.said, "seinodedeployments.sei.io"));
    then_true(strstr(s.said, "status.observedGeneration") != NULL);
    then_true(
        strstr(s.said, "kubectl apply --server-side --force-conflicts -f deploy/crds") != NULL);
}

TEST(if_the_crds_cannot_be_read_no_warning_about_them_is_logged)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Start s;

    look(&s, a, NULL);
    then_int(s.questions, 1);
    then_true(strstr(s.said, "\"warn\"") == NULL && strstr(s.said, "no answer") != NULL);
}
