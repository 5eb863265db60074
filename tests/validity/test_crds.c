/* The tables of tests/crds, asked of the world's API server: it accepts and refuses as the real one
 * does in tests/e2e/test_crds.c, where a rule is broken as much as where it is not. */
#include "kube/meta.h"
#include "tests/crds/crds.h"
#include "tests/world/desk.h"

enum { TABLES_MAX = 256 << 20, CASE_MAX = 16 << 20 };

static const Kind *const kinds[] = {crd_seinode, crd_seinodedeployment};

static void given_crds(Desk *d)
{
    for (size_t k = 0; k < array_count(kinds); k++) {
        ask(d,
            (Request){.verb = VERB_CREATE, .kind = kind_crd, .body = crd_load(d->arena, kinds[k])});
        then_status(d, 201);
    }
}

static Answer call(Desk *d, Arena *a, Request request)
{
    Answer answer;

    request.key.namespace = "default";
    server_call(d->server, a, "tester", &request, &answer);
    return answer;
}

static const Json *stored(Desk *d, Arena *a, const Kind *kind, const Json *object)
{
    Answer answer = call(d, a, (Request){.verb = VERB_CREATE, .kind = kind, .body = object});

    if (answer.status != 201)
        test_fail(__FILE__, __LINE__, "not stored: %s", json_write(a, answer.body).data);
    return answer.body;
}

/* New objects are created; others are updated, or their status is. */
static Answer answer_of(Desk *d, Arena *a, const Kind *kind, const CrdCase *one)
{
    bool status = str_has_prefix(one->rule.at, "status");
    const Json *before, *metadata;
    Answer answer;

    if (!one->old && !status)
        return call(d,
            a,
            (Request){.verb = VERB_CREATE, .kind = kind, .body = one->object, .dry_run = true});
    before = stored(d, a, kind, one->old ? one->old : crd_minimal(a, kind));
    metadata = json_project(
        a, before, (const char *const[]){".metadata.name", ".metadata.resourceVersion", NULL});
    answer = call(d,
        a,
        (Request){.verb = VERB_UPDATE,
            .kind = kind,
            .key.name = meta_name(before),
            .subresource = status ? "status" : NULL,
            .body = json_merge(a, one->object, metadata),
            .dry_run = true});
    then_int(call(d, a, (Request){.verb = VERB_DELETE, .kind = kind, .key.name = meta_name(before)})
                 .status,
        200);
    return answer;
}

/* Whether the world says what the real server says: that it is fine, or which rule is broken. */
static bool agrees(Desk *d, const Kind *kind, const CrdCase *one)
{
    SCOPED_ARENA a = arena_open(CASE_MAX);
    Answer answer = answer_of(d, a, kind, one);
    const char *message = json_str(answer.body, ".message");
    bool right = one->accepted ? answer.status < 300
                               : answer.status == 422 && strstr(message, crd_says(one->rule));

    if (!right)
        print_error("%s %s\ngot: %d %s\n", kind->name, one->name, answer.status, message);
    return right;
}

TEST(the_simulated_api_server_enforces_every_crd_rule)
{
    for (size_t k = 0; k < array_count(kinds); k++) {
        SCOPED_DESK d = desk_open();
        SCOPED_ARENA a = arena_open(TABLES_MAX);
        CrdCases cases = crd_cases(a, kinds[k]);
        size_t differ = 0, of_cel = 0;

        given_crds(d);
        for (size_t i = 0; i < cases.count; i++) {
            differ += !agrees(d, kinds[k], &cases.items[i]);
            of_cel += cases.items[i].rule.cel;
        }
        printf("# %s: %zu cases asked, %zu of them of CEL\n", kinds[k]->name, cases.count, of_cel);
        then_int(differ, 0);
        then_true(of_cel > 0);
    }
}
