/* The tables of tests/validity, asked of a real API server: it judges every case as the tables say,
 * and, but for those marked so, the world says it in the same words. So it is with rules in CEL:
 * those of the house's own kinds, and those of a table that tries the language. */
#include "tests/validity/validity.h"

#include "tests/crds/crds.h"
#include "tests/e2e/controlplane_parts.h"
#include "tests/e2e/scene.h"
#include "tests/world/cel_cases.h"
#include "tests/world/desk.h"

#include "base/draft.h"

#include <regex.h>

enum { TABLES_MAX = 256 << 20, CASE_MAX = 64 << 20 };

/* --- the judges */

static Answer ask_real(void *self, Arena *a, const Request *request)
{
    Controlplane *cp = self;
    Fetch question = controlplane_fetch(cp, a);
    Answer answer = {0};
    const char *url = NULL, *text = NULL;

    then_ok(request_url(a, request, &url));
    question.url = str_format(a, "%s%s", controlplane_server(cp), url);
    question.method = request_method(request);
    question.type = request_content_type(request);
    question.body = request_body(a, request).data;
    then_ok(fetch_any(a, &question, &answer.status, &text));
    then_ok(json_parse(a, bytes_of(text), &answer.body));
    return answer;
}

static Answer ask_world(void *self, Arena *a, const Request *request)
{
    Desk *d = self;
    Answer answer;

    server_call(d->server, a, "admin", request, &answer);
    return answer;
}

/* --- the comparison */

/* Takes out of a message every match of a pattern. */
static const char *without(Arena *a, const char *message, const char *pattern)
{
    regmatch_t match;
    regex_t regex;

    then_int(regcomp(&regex, pattern, REG_EXTENDED), 0);
    while (regexec(&regex, message, 1, &match, 0) == 0)
        message = str_format(a, "%.*s%s", (int)match.rm_so, message, message + match.rm_eo);
    regfree(&regex);
    return message;
}

/* A message without what docs/FIDELITY.md excuses: Go's names of structures and types, where in a
 * time Go stopped, differences of Go structures, and UIDs. */
static const char *comparable(Arena *a, const char *message)
{
    static const char *const excused[] = {
        "Go struct field [A-Za-z]*",
        " of type [][A-Za-z0-9.]+$",
        ": cannot parse \".*",
        "\n@@ .*",
        "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    };

    for (size_t i = 0; message && i < array_count(excused); i++)
        message = without(a, message, excused[i]);
    return message ? message : "";
}

static bool agrees(Judge real, Judge world, const ValidityCase *one)
{
    SCOPED_ARENA a = arena_open(CASE_MAX);
    const char *said, *echo, *verdict = validity_verdict(real, a, one, &said);
    bool right = str_eq(verdict, validity_wanted(a, one));

    if (!right)
        print_error("%s\nreal:  %s\ntable: %s\n", one->name, verdict, validity_wanted(a, one));
    validity_verdict(world, a, one, &echo);
    said = comparable(a, said);
    echo = comparable(a, echo);
    if (str_eq(said, echo) == one->other_words) {
        print_error("%s\nreal:  %.2000s\nworld: %.2000s\n", one->name, said, echo);
        right = false;
    }
    return right;
}

TEST(the_real_server_validates_objects_like_the_tables_and_the_simulated_server)
{
    SCOPED_ARENA a = arena_open(TABLES_MAX);
    SCOPED_DESK d = desk_open();
    Controlplane *cp = scene_begin(controlplane_shared());
    ValidityCases cases = validity_cases(a);
    Judge real = {ask_real, cp}, world = {ask_world, d};
    size_t differ = 0, other_words = 0;

    then_true(cases.count > 0);
    validity_begin(real);
    validity_begin(world);
    eventually(scene_has(cp, "/api/v1/namespaces/" VALIDITY_NS "/serviceaccounts/default"));
    for (size_t i = 0; test_case(i < cases.count, cases.items[i % cases.count].name); i++) {
        differ += !agrees(real, world, &cases.items[i]);
        other_words += cases.items[i].other_words;
    }
    printf("# %zu cases, %zu of them in other words\n", cases.count, other_words);
    then_int(differ, 0);
}

/* --- rules in CEL */

typedef struct Both {
    Judge real, world;
} Both;

static Answer judged(Judge judge, Arena *a, Request request)
{
    return judge.call(judge.self, a, &request);
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* A Status without the order of its causes, in which the real server goes through maps. */
static const char *told(Arena *a, Answer answer)
{
    const Json *causes = json_find(answer.body, ".details.causes"), *cause;
    const char **lines = arena_array(a, const char *, json_count(causes) + 1);
    const char *text = answer.status < 300 ? "taken" : json_str(answer.body, ".reason");
    size_t count = 0;

    json_each(cause, causes)
        lines[count++] = json_canonical(a, cause).data;
    qsort(lines, count, sizeof *lines, by_text);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !str_eq(lines[i], lines[i - 1]))
            text = str_format(a, "%s\n%s", text, lines[i]);
    if (count < 2 && answer.status >= 300)
        text = str_format(a, "%s\n%s", text, json_str(answer.body, ".message"));
    return text;
}

static bool agree_on(Both both, Arena *a, const char *name, Request request)
{
    const char *real = told(a, judged(both.real, a, request));
    const char *world = told(a, judged(both.world, a, request));

    if (!str_eq(real, world))
        print_error("%s\nreal:  %.3000s\nworld: %.3000s\n", name, real, world);
    return str_eq(real, world);
}

static const Json *definition_of_rules(Arena *a, const char *plural, const char *properties)
{
    return json_fixture(a,
        str_format(a,
            "{apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition',"
            " metadata: {name: '%s.cel.io'}, spec: {group: 'cel.io', scope: 'Namespaced',"
            " names: {plural: '%s', singular: '%s', kind: 'Of%s', listKind: 'Of%sList'},"
            " versions: [{name: 'v1', served: true, storage: true, schema: {openAPIV3Schema:"
            " {type: 'object', properties: {%s}}}}]}}",
            plural,
            plural,
            plural,
            plural,
            plural,
            properties));
}

static const char *quoted(Arena *a, const char *text)
{
    Draft *d = draft_array(a);

    draft_push_str(d, text);
    text = json_write(a, json_seal(a, d)).data;
    return str_slice(a, text + 1, strlen(text) - 2);
}

static const Kind kind_rule[1] = {{"cel.io", "v1", "rules", "Ofrules", .namespaced = true}};

/* One definition for all rules of the table: each has a field of its own. */
static const Json *definition_of_answers(Arena *a)
{
    const char *properties = "";

    for (size_t i = 0; i < array_count(cel_answers); i++)
        properties = str_format(a,
            "%sc%zu: {type: 'object', properties: {%s}, 'x-kubernetes-validations': [{rule: %s}]},",
            properties,
            i,
            cel_fields,
            quoted(a, cel_answers[i].name));
    return definition_of_rules(a, "rules", properties);
}

static Both given_both(Controlplane *cp, Desk *d)
{
    Both both = {{ask_real, cp}, {ask_world, d}};

    scene_namespaces(cp, d->arena, VALIDITY_NS);
    validity_begin(both.world);
    return both;
}

TEST(the_real_and_the_simulated_server_accept_the_same_cel_rules)
{
    SCOPED_ARENA a = arena_open(TABLES_MAX);
    SCOPED_DESK d = desk_open();
    Controlplane *cp = scene_begin(controlplane_shared());
    Both both = given_both(cp, d);
    Request definition = {.verb = VERB_CREATE, .kind = kind_crd, .body = definition_of_answers(a)};
    size_t differ = 0;

    then_true(agree_on(both, a, "the definition", definition));
    eventually(scene_has(cp, "/apis/cel.io/v1/namespaces/" VALIDITY_NS "/rules"));
    for (size_t i = 0;
        test_case(i < array_count(cel_answers), cel_answers[i % array_count(cel_answers)].name);
        i++) {
        const char *object = str_format(a,
            "{apiVersion: 'cel.io/v1', kind: 'Ofrules', metadata: {name: 'x'}, c%zu: %s}",
            i,
            cel_answers[i].self);
        if (strstr(cel_answers[i].says, "not understood here"))
            continue;
        differ += !agree_on(both,
            a,
            cel_answers[i].name,
            (Request){.verb = VERB_CREATE,
                .kind = kind_rule,
                .key.namespace = VALIDITY_NS,
                .body = json_fixture(a, object),
                .dry_run = true});
    }
    judged(
        both.real, a, (Request){.verb = VERB_DELETE, .kind = kind_crd, .key.name = "rules.cel.io"});
    then_int(differ, 0);
}

static const Kind kind_write[1] = {{"cel.io", "v1", "writes", "Ofwrites", .namespaced = true}};

static const Json *written(Arena *a, const char *json5)
{
    return json_merge(a,
        json_fixture(a, json5),
        json_fixture(a, "{apiVersion: 'cel.io/v1', kind: 'Ofwrites', metadata: {name: 'x'}}"));
}

static bool agree_on_write(Both both, Arena *a, size_t i)
{
    Judge judges[] = {both.real, both.world};
    const char *said[2];

    for (size_t k = 0; k < 2; k++) {
        Request request = {.verb = VERB_CREATE,
            .kind = kind_write,
            .key.namespace = VALIDITY_NS,
            .body = written(a, cel_writes[i].object)};
        if (cel_writes[i].old) {
            request.body = written(a, cel_writes[i].old);
            request.body = json_merge(a,
                written(a, cel_writes[i].object),
                json_project(a,
                    judged(judges[k], a, request).body,
                    (const char *const[]){".metadata.resourceVersion", NULL}));
            request.verb = VERB_UPDATE;
            request.key.name = "x";
        }
        said[k] = told(a, judged(judges[k], a, request));
        judged(judges[k],
            a,
            (Request){.verb = VERB_DELETE, .kind = kind_write, .key = {VALIDITY_NS, "x"}});
    }
    if (!str_eq(said[0], said[1]))
        print_error("%s\nreal:  %s\nworld: %s\n", cel_writes[i].name, said[0], said[1]);
    return str_eq(said[0], said[1]);
}

TEST(the_real_and_the_simulated_server_evaluate_cel_rules_alike)
{
    SCOPED_ARENA a = arena_open(TABLES_MAX);
    SCOPED_DESK d = desk_open();
    Controlplane *cp = scene_begin(controlplane_shared());
    Both both = given_both(cp, d);
    Request definition = {.verb = VERB_CREATE,
        .kind = kind_crd,
        .body = definition_of_rules(a, "writes", cel_schema)};
    size_t differ = 0;

    then_true(agree_on(both, a, "the definition", definition));
    eventually(scene_has(cp, "/apis/cel.io/v1/namespaces/" VALIDITY_NS "/writes"));
    for (size_t i = 0;
        test_case(i < array_count(cel_writes), cel_writes[i % array_count(cel_writes)].name);
        i++)
        differ += !agree_on_write(both, a, i);
    judged(both.real,
        a,
        (Request){.verb = VERB_DELETE, .kind = kind_crd, .key.name = "writes.cel.io"});
    then_int(differ, 0);
}

TEST(the_real_and_the_simulated_server_refuse_the_same_cel_rules)
{
    SCOPED_ARENA a = arena_open(TABLES_MAX);
    SCOPED_DESK d = desk_open();
    Both both = given_both(scene_begin(controlplane_shared()), d);
    size_t differ = 0;

    for (size_t i = 0;
        test_case(i < array_count(cel_refusals), cel_refusals[i % array_count(cel_refusals)].name);
        i++) {
        Request request = {.verb = VERB_CREATE,
            .kind = kind_crd,
            .body = definition_of_rules(a,
                "bad",
                str_format(a,
                    "spec: {type: 'object', properties: {%s}, 'x-kubernetes-validations':"
                    " [{rule: %s}]}",
                    cel_fields,
                    quoted(a, cel_refusals[i].name))),
            .dry_run = true};
        if (strstr(cel_refusals[i].fault, "not known here"))
            continue;
        if (strstr(cel_refusals[i].fault, "Syntax error")
            || strstr(cel_refusals[i].fault, "object"))
            then_int(judged(both.real, a, request).status, 422);
        else
            differ += !agree_on(both, a, cel_refusals[i].name, request);
    }
    then_int(differ, 0);
}

/* --- the house's own kinds */

static void given_crd(Controlplane *cp, Both both, Arena *a, const Kind *kind)
{
    Request request = {.verb = VERB_CREATE, .kind = kind_crd, .body = crd_load(a, kind)};

    judged(both.real, a, request);
    then_int(judged(both.world, a, request).status, 201);
    eventually(scene_has(
        cp, str_format(a, "/apis/sei.io/v1alpha1/namespaces/" VALIDITY_NS "/%s", kind->plural)));
}

static const Json *seen_by(Judge judge, Arena *a, const Kind *kind, const Json *object)
{
    Answer answer = judged(judge,
        a,
        (Request){.verb = VERB_CREATE, .kind = kind, .key.namespace = VALIDITY_NS, .body = object});

    if (answer.status != 201)
        test_fail(__FILE__, __LINE__, "not stored: %s", json_write(a, answer.body).data);
    return json_project(
        a, answer.body, (const char *const[]){".metadata.name", ".metadata.resourceVersion", NULL});
}

/* A case as its table has it: a new object, or one in the place of a stored one. */
static const char *said_of(Judge judge, Arena *a, const Kind *kind, const CrdCase *one)
{
    bool status = str_has_prefix(one->rule.at, "status");
    Request request = {.verb = VERB_CREATE,
        .kind = kind,
        .key.namespace = VALIDITY_NS,
        .body = one->object,
        .dry_run = true};
    const char *said;

    if (!one->old && !status)
        return told(a, judged(judge, a, request));
    request.verb = VERB_UPDATE;
    request.body = json_merge(
        a, one->object, seen_by(judge, a, kind, one->old ? one->old : crd_minimal(a, kind)));
    request.key.name = meta_name(request.body);
    request.subresource = status ? "status" : NULL;
    said = told(a, judged(judge, a, request));
    judged(judge,
        a,
        (Request){
            .verb = VERB_DELETE, .kind = kind, .key = {VALIDITY_NS, meta_name(request.body)}});
    return said;
}

TEST(the_real_and_the_simulated_server_refuse_custom_objects_with_the_same_message)
{
    static const Kind *const kinds[] = {crd_seinode, crd_seinodedeployment};
    SCOPED_ARENA a = arena_open(TABLES_MAX);
    SCOPED_DESK d = desk_open();
    Controlplane *cp = scene_begin(controlplane_shared());
    Both both = given_both(cp, d);
    size_t differ = 0;

    for (size_t k = 0; k < array_count(kinds); k++) {
        CrdCases cases = crd_cases(a, kinds[k]);
        given_crd(cp, both, a, kinds[k]);
        then_true(cases.count > 0);
        for (size_t i = 0; test_case(i < cases.count, cases.items[i % cases.count].name); i++) {
            SCOPED_ARENA own = arena_open(CASE_MAX);
            const char *real = said_of(both.real, own, kinds[k], &cases.items[i]);
            const char *world = said_of(both.world, own, kinds[k], &cases.items[i]);
            if (str_eq(real, world))
                continue;
            print_error("%s\nreal:  %s\nworld: %s\n", cases.items[i].name, real, world);
            differ++;
        }
    }
    then_int(differ, 0);
}
