/* What the judge of the operator's statuses believes: whether a node or fleet has been served since
 * its last wish. */
#include "tests/sim/chronicle.h"

#include "base/arena.h"
#include "base/str.h"
#include "sei/api/fleet.h"
#include "sei/api/node.h"
#include "tests/test.h"

enum { LOOK_MAX = 4 << 20, TEXT_MAX = 1 << 16 };

typedef struct Reader {
    Arena *arena;
    Chronicle *chronicle;
    char *text;
    int writes;
} Reader;

static void reader_close(Reader *r)
{
    chronicle_close(r->chronicle);
    arena_close(r->arena);
}

#define SCOPED_READER __attribute__((cleanup(reader_close))) Reader

static void given_reader(Reader *r)
{
    *r = (Reader){.arena = arena_open(LOOK_MAX)};
    r->text = arena_alloc(r->arena, TEXT_MAX);
    memset(r->text, 0, TEXT_MAX);
    FILE *file = fmemopen(r->text, TEXT_MAX, "w");
    then_true(file != NULL);
    r->chronicle = chronicle_to(r->arena, file);
}

static void see(const Reader *r, const Kind *kind, const char *name, const char *after)
{
    Request request = {.verb = VERB_UPDATE, .kind = kind, .key = {"sei", name}};

    chronicle_see(r->chronicle, &request, after ? json_fixture(r->arena, after) : NULL);
}

static void pod_shows(const Reader *r, const char *name, const char *tag)
{
    see(r,
        kind_pod,
        name,
        str_format(r->arena,
            "{metadata: {annotations: {'sei.io/template-hash': 'h'}},"
            " spec: {containers: [{name: 'seid', image: 'seid:%s'}]},"
            " status: {conditions: [{type: 'Ready', status: 'True'}]}}",
            tag));
}

static void pod_is_gone(const Reader *r, const char *name)
{
    see(r, kind_pod, name, NULL);
}

/* Its status is written once more; what is believed of it then. No two lines are alike. */
static bool is_served(Reader *r, const Kind *kind, const char *metadata, const char *spec)
{
    const char *object =
        str_format(r->arena, "{metadata: {name: 'rpc', %s}, spec: {%s},", metadata, spec);
    const Json *line;

    see(r, kind, "rpc", str_format(r->arena, "%s status: {phase: '%d'}}", object, ++r->writes));
    char *begin = r->text;
    for (char *end = begin; (end = strchr(end, '\n')) && end[1]; end++)
        begin = end + 1;
    then_ok(json_parse(r->arena, bytes_of(begin), &line));
    return json_bool(line, ".served", false);
}

#define FIRST  "uid: 'u', generation: 1"
#define EDITED "uid: 'u', generation: 2"

/* --- nodes */

#define NODE(tag) "image: 'example.com/seid:" tag "'"

TEST(a_node_counts_as_served_once_a_ready_pod_shows_what_its_spec_requests)
{
    SCOPED_READER r;
    given_reader(&r);
    then_true(!is_served(&r, kind_seinode, FIRST, NODE("v1")));
    pod_shows(&r, "rpc-0", "v0");
    then_true(!is_served(&r, kind_seinode, FIRST, NODE("v1")));
    pod_shows(&r, "rpc-0", "v1");
    then_true(is_served(&r, kind_seinode, FIRST, NODE("v1")));
    pod_is_gone(&r, "rpc-0");
    then_true(is_served(&r, kind_seinode, FIRST, NODE("v1")));
}

TEST(a_node_without_its_pod_stays_served_unless_its_spec_requests_something_else)
{
    static const struct {
        const char *name, *metadata, *spec;
        bool is_served;
    } cases[] = {
        {"peers", EDITED, NODE("v1") ", peers: []", true},
        {"another image", EDITED, NODE("v2"), false},
        {"a label", EDITED, NODE("v1") ", podLabels: {a: 'b'}", false},
        {"to be paused", EDITED, NODE("v1") ", paused: true", false},
        {"another node of its name", "uid: 'v', generation: 1", NODE("v1"), false},
    };

    each_case(i, cases) {
        SCOPED_READER r;
        given_reader(&r);
        is_served(&r, kind_seinode, FIRST, NODE("v1"));
        pod_shows(&r, "rpc-0", "v1");
        pod_is_gone(&r, "rpc-0");
        then_int(is_served(&r, kind_seinode, cases[i].metadata, cases[i].spec), cases[i].is_served);
    }
}

TEST(a_node_that_is_unpaused_is_served_once_its_pod_is_back)
{
    SCOPED_READER r;
    given_reader(&r);
    is_served(&r, kind_seinode, FIRST, NODE("v1"));
    pod_shows(&r, "rpc-0", "v1");
    then_true(is_served(&r, kind_seinode, EDITED, NODE("v1") ", paused: true"));
    pod_is_gone(&r, "rpc-0");
    then_true(!is_served(&r, kind_seinode, "uid: 'u', generation: 3", NODE("v1")));
    pod_shows(&r, "rpc-0", "v1");
    then_true(is_served(&r, kind_seinode, "uid: 'u', generation: 3", NODE("v1")));
}

/* --- fleets */

#define FLEET(replicas, tag) "replicas: " replicas ", template: {spec: {" NODE(tag) "}}"

static void given_fleet(Reader *r)
{
    given_reader(r);
    is_served(r, kind_seinodedeployment, FIRST, FLEET("2", "v1"));
    pod_shows(r, "rpc-0-0", "v1");
    then_true(!is_served(r, kind_seinodedeployment, FIRST, FLEET("2", "v1")));
    pod_shows(r, "rpc-1-0", "v1");
    then_true(is_served(r, kind_seinodedeployment, FIRST, FLEET("2", "v1")));
}

TEST(a_fleet_without_a_pod_stays_served_unless_its_spec_requests_something_else)
{
    static const struct {
        const char *name, *metadata, *spec;
        bool is_served;
    } cases[] = {
        {"a strategy", EDITED, FLEET("2", "v1") ", updateStrategy: {hold: true}", true},
        {"one less", EDITED, FLEET("1", "v1"), true},
        {"one more", EDITED, FLEET("3", "v1"), false},
        {"another image", EDITED, FLEET("2", "v2"), false},
        {"another image, which reaches no node",
            EDITED,
            FLEET("2", "v2") ", updateStrategy: {partition: 2}",
            true},
        {"to be paused", EDITED, FLEET("2", "v1") ", paused: true", false},
        {"another fleet of its name", "uid: 'v', generation: 1", FLEET("2", "v1"), false},
    };

    each_case(i, cases) {
        SCOPED_READER r;
        given_fleet(&r);
        pod_is_gone(&r, "rpc-1-0");
        then_int(is_served(&r, kind_seinodedeployment, cases[i].metadata, cases[i].spec),
            cases[i].is_served);
    }
}

TEST(a_fleet_that_removes_one_replica_and_adds_one_waits_for_the_new_one)
{
    SCOPED_READER r;
    given_fleet(&r);
    then_true(is_served(&r, kind_seinodedeployment, EDITED, FLEET("1", "v1")));
    pod_is_gone(&r, "rpc-1-0");
    const char *last = "uid: 'u', generation: 3";
    then_true(!is_served(&r, kind_seinodedeployment, last, FLEET("2", "v1")));
    pod_shows(&r, "rpc-1-0", "v1");
    then_true(is_served(&r, kind_seinodedeployment, last, FLEET("2", "v1")));
}
