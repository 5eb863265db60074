/* The tables of tests/validity, asked of a real API server: it judges every case as the tables say,
 * and, but for those marked so, the world says it in the same words. */
#include "tests/validity/validity.h"

#include "tests/e2e/controlplane_parts.h"
#include "tests/e2e/scene.h"
#include "tests/world/desk.h"

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

TEST(the_real_server_judges_as_the_tables_and_the_world_do)
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
