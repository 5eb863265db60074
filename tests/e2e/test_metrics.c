/* Metrics served securely by the real operator under its real rights: who has no token, who has no
 * right, who has it; and a certificate that is renewed. The API server that it asks is real too. */
#include "tests/e2e/fetch.h"
#include "tests/e2e/nodes.h"
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

TEST(only_who_may_get_the_metrics_sees_them)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Scraper s = scraper_open(a, "scraped");
    const char *stranger = token_of(&s, "stranger"), *friend = token_of(&s, "friend");
    const char *page;

    kubectl(s.nodes.cp,
        a,
        "create",
        "clusterrolebinding",
        "scraped-friend",
        "--clusterrole=sei-operator-metrics-reader",
        "--serviceaccount=scraped:friend");
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

TEST(a_renewed_certificate_is_shown_without_a_restart)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Scraper s = scraper_open(a, "renewed");

    then_int(scrape(&s, "/metrics", NULL, NULL), 401);
    given_certificate(&s, "second"); /* and nothing else is trusted from now on */
    then_int(scrape(&s, "/metrics", NULL, NULL), 401);
    nodes_close(&s.nodes);
}
