/* Pages: tried one after the other; each knows its own paths. */
#include "sandbox/pages.h"

#include "base/str.h"
#include "sandbox/discovery.h"
#include "sandbox/negotiation.h"
#include "sandbox/openapi.h"

/* One path that is asked for. */
typedef struct Page {
    Arena *arena;
    Server *server;
    const PageAsk *ask;
    HallAnswer *answer;
} Page;

static void say_json(Page *p, const Json *body, const char *type)
{
    p->answer->status = 200;
    p->answer->content_type = type;
    p->answer->body = json_write(p->arena, body);
}

static bool is_one_of(const char *path, const char *const *paths)
{
    for (; *paths; paths++)
        if (str_eq(path, *paths))
            return true;
    return false;
}

static bool try_probe(Page *p)
{
    static const char *const probes[] = {"/healthz", "/livez", "/readyz", NULL};

    if (!is_one_of(p->ask->path, probes))
        return false;
    *p->answer = (HallAnswer){
        .status = 200, .content_type = "text/plain; charset=utf-8", .body = bytes_of("ok")};
    return true;
}

static bool try_version(Page *p)
{
    static const char *const paths[] = {"/version", "/version/", NULL};
    Request request = {.verb = VERB_RAW_GET, .raw_path = "/version"};
    Answer answer;

    if (!is_one_of(p->ask->path, paths))
        return false;
    server_call(p->server, p->arena, "", &request, &answer);
    say_json(p, answer.body, "application/json");
    return true;
}

static bool try_discovery(Page *p)
{
    static const char *const roots[] = {"/api", "/api/", "/apis", "/apis/", NULL};
    bool is_root = is_one_of(p->ask->path, roots);
    Form form =
        negotiate(p->arena, p->ask->accept, is_root ? ENDPOINT_DISCOVERY : ENDPOINT_DOCUMENT).form;
    const Json *document = discovery_find(p->arena,
        p->server,
        &(DiscoveryQuestion){
            .path = p->ask->path, .whole = form == FORM_DISCOVERY, .address = p->ask->address});

    if (!document)
        return false;
    if (form == FORM_NOT_ACCEPTABLE) {
        say_json(p, negotiation_refusal(p->arena), "application/json");
        p->answer->status = 406;
        return true;
    }
    say_json(p, document, form == FORM_DISCOVERY ? discovery_whole_type : "application/json");
    return true;
}

static bool try_openapi(Page *p)
{
    if (str_eq(p->ask->path, "/openapi/v2")) {
        *p->answer =
            (HallAnswer){.status = 200, .content_type = openapi_v2_type, .body = openapi_v2()};
        return true;
    }
    const Json *document = openapi_find(p->arena, p->server, p->ask->path);
    if (document)
        say_json(p, document, "application/json");
    return document != NULL;
}

void pages_answer(Arena *a, Server *s, const PageAsk *ask, HallAnswer *ret)
{
    Page p = {.arena = a, .server = s, .ask = ask, .answer = ret};

    if (try_probe(&p) || try_version(&p) || try_discovery(&p) || try_openapi(&p))
        return;
    *ret = (HallAnswer){.status = 404,
        .content_type = "text/plain; charset=utf-8",
        .body = bytes_of("404 page not found\n")};
}
