/* Metrics served securely by the real operator under its real rights: who has no token, who has no
 * right, who has it; a certificate that is renewed; and what stands on the page while a fleet
 * lives, to which promtool has no objection. The API server that it asks is real too. */
#include "tests/e2e/fetch.h"
#include "tests/e2e/fleets.h"
#include "tests/e2e/process.h"
#include "tests/pki.h"

enum { PORT = 18443 };

typedef struct Scraper {
    Nodes nodes;
    Arena *arena;
    const char *folder;  /* with tls.crt and tls.key */
    const char *trusted; /* the certificate that is believed */
    const char *address;
} Scraper;

static void given_certificate(Scraper *s, const char *name)
{
    PkiCert cert;
    const char *address = controlplane_address(s->nodes.cp);

    then_ok(pki_new_cert(s->arena,
        NULL,
        &(PkiOptions){.common_name = name, .ip_addresses = (const char *const[]){address, NULL}},
        &cert));
    s->trusted = str_format(s->arena, "%s/%s.crt", s->folder, name);
    then_ok(pki_write(s->arena, &cert, s->folder, name));
    then_ok(pki_write(s->arena, &cert, s->folder, "tls"));
}

static Scraper scraper_open(Arena *a, const char *namespace)
{
    Scraper s = {.arena = a, .nodes = nodes_open(a, controlplane_shared(), namespace)};
    Controlplane *cp = s.nodes.cp;

    s.folder = controlplane_folder(cp);
    s.address = str_format(a, "%s:%d", controlplane_address(cp), (int)PORT);
    given_certificate(&s, "first");
    then_int(operator_end(&s.nodes.op), 0);
    s.nodes.metrics = s.address;
    s.nodes.certificate = s.folder;
    nodes_start_operator(&s.nodes, NULL);
    return s;
}

static const char *token_of(Scraper *s, const char *account)
{
    const char *token;

    kubectl(s->nodes.cp, s->arena, "create", "serviceaccount", account, "-n", s->nodes.namespace);
    then_ok(controlplane_token(s->nodes.cp,
        s->arena,
        &(TokenWish){.namespace = s->nodes.namespace, .account = account},
        &token));
    return token;
}

/* The status of a scrape, 0 without an answer; and the page. */
static int scrape(Scraper *s, const char *path, const char *token, const char **ret_page)
{
    Fetch request = {.url = str_format(s->arena, "https://%s%s", s->address, path),
        .ca_file = s->trusted,
        .token = token};
    const char *page = "";
    int status = 0;

    if (fetch_any(s->arena, &request, &status, &page))
        status = 0;
    if (ret_page)
        *ret_page = page;
    return status;
}

/* The token of an account that may. */
static const char *friend_of(Scraper *s)
{
    const char *token = token_of(s, "friend");

    kubectl(s->nodes.cp,
        s->arena,
        "create",
        "clusterrolebinding",
        str_format(s->arena, "%s-friend", s->nodes.namespace),
        "--clusterrole=sei-operator-metrics-reader",
        str_format(s->arena, "--serviceaccount=%s:friend", s->nodes.namespace));
    return token;
}

TEST(only_a_user_with_permission_can_read_the_metrics)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Scraper s = scraper_open(a, "scraped");
    const char *stranger = token_of(&s, "stranger"), *friend = friend_of(&s);
    const char *page;

    then_int(scrape(&s, "/metrics", NULL, &page), 401);
    then_true(!strstr(page, "sei_controller"));
    then_int(scrape(&s, "/metrics", "nobody's", NULL), 401);
    then_int(scrape(&s, "/metrics", stranger, &page), 403);
    then_true(!strstr(page, "sei_controller"));
    eventually(scrape(&s, "/metrics", friend, &page) == 200);
    then_true(strstr(page, "sei_controller_reconcile_errors_total") != NULL);
    then_int(scrape(&s, "/", friend, NULL), 403);
    then_true(!operator_said(&s.nodes.op, stranger));
    then_true(!operator_said(&s.nodes.op, friend));
    nodes_close(&s.nodes);
}

TEST(a_renewed_metrics_certificate_is_used_without_a_restart)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Scraper s = scraper_open(a, "renewed");

    then_int(scrape(&s, "/metrics", NULL, NULL), 401);
    given_certificate(&s, "second"); /* and nothing else is trusted from now on */
    then_int(scrape(&s, "/metrics", NULL, NULL), 401);
    nodes_close(&s.nodes);
}

/* --- what stands there */

typedef struct Reader {
    Scraper scraper;
    const char *token, *page; /* as last read */
} Reader;

/* Whether a page that can be read now has a text. */
static bool reads(Reader *r, const char *text)
{
    return scrape(&r->scraper, "/metrics", r->token, &r->page) == 200 && strstr(r->page, text);
}

static void then_promtool_is_content(const Reader *r)
{
    Arena *a = r->scraper.arena;
    const char *said;

    then_ok(process_run(a,
        &(ProcessOptions){
            .program = str_format(a, "%s/build/deps/promtool", getenv("SEI_SOURCE_ROOT")),
            .args = PROCESS_ARGS("check", "metrics"),
            .input = r->page},
        &said));
    then_str(said, "");
}

#define FLEET        "namespace=\"rolled\",name=\"rpc\""
#define OF_FLEET(of) "\nsei_controller_seinodedeployment_" of "{" FLEET

/* In the reference the page stood still during a rollout, and kept the replicas of deleted fleets.
 */
TEST(the_metrics_page_is_correct_at_rest_and_in_a_rollout_and_after_the_deletion)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Reader r = {.scraper = scraper_open(a, "rolled")};
    const Nodes *n = &r.scraper.nodes;

    r.token = friend_of(&r.scraper);
    fleets_create(n, "rpc", 2, "{}");
    eventually(fleets_settled(n, "rpc"));
    eventually(reads(&r, OF_FLEET("phase") ",phase=\"Ready\"} 1\n"));
    then_true(strstr(r.page, "\nsei_operator_build_info{version=\"") != NULL);
    then_str(strstr(r.page, OF_FLEET("rollout_start_time_seconds")), NULL);
    then_promtool_is_content(&r);

    fleets_change(n, "rpc", FLEETS_IMAGE("v2"));
    eventually(reads(&r, OF_FLEET("phase") ",phase=\"Upgrading\"} 1\n"));
    then_true(strstr(r.page, OF_FLEET("rollout_start_time_seconds") "} ") != NULL);
    then_true(strstr(r.page, FLEET ",plan_type=\"rollout\"} ") != NULL);
    then_promtool_is_content(&r);
    eventually(reads(&r, OF_FLEET("replicas") ",replica_state=\"unavailable\"} 1\n"));
    eventually(fleets_settled(n, "rpc"));
    eventually(reads(&r, OF_FLEET("phase") ",phase=\"Ready\"} 1\n"));
    then_str(strstr(r.page, OF_FLEET("rollout_start_time_seconds")), NULL);

    nodes_delete(n, FLEETS_PLURAL, "rpc", "background");
    eventually(!nodes_have(n, FLEETS_PLURAL, "rpc") && !nodes_have(n, "seinodes", "rpc-0")
        && !nodes_have(n, "seinodes", "rpc-1"));
    eventually(!reads(&r, "\"rpc") && str_has_prefix(r.page, "# HELP"));
    then_promtool_is_content(&r);
    nodes_close(&r.scraper.nodes);
}
