/* HTTPS as a scraper sees it: whom it trusts, what it is shown, and what changes under it. The
 * client is curl, with a fresh connection each time unless it is told to keep one. */
#include "kube/serve.h"
#include "tests/pki.h"
#include "tests/test.h"

#include <curl/curl.h>

typedef struct Shop {
    Arena *arena;
    char folder[64];
    ServeTls tls;
    Serve *serve;
    const char *bearer; /* what the last request came with */
} Shop;

static void handle(void *self, const char *path, Reply *reply)
{
    (void)self, (void)path;
    then_true(buf_format(&reply->body, "hello"));
}

static bool admit(void *self, const char *path, const char *bearer, Reply *reply)
{
    Shop *s = self;

    s->bearer = str_copy(s->arena, bearer);
    if (str_eq(bearer, "good"))
        return true;
    reply->status = bearer ? 403 : 401;
    then_true(buf_format(&reply->body, "no %s for you", path));
    return false;
}

static Shop *shop_new(void)
{
    Arena *a = arena_open(4 << 20);
    Shop *s = arena_new(a, Shop);

    s->arena = a;
    snprintf(s->folder, sizeof s->folder, "/tmp/serve-XXXXXX");
    then_true(mkdtemp(s->folder) != NULL);
    return s;
}

static Err *shop_start(Shop *s, bool is_guarded)
{
    ServeOptions options = {.address = "127.0.0.1:0",
        .handle = handle,
        .tls = &s->tls,
        .admit = is_guarded ? admit : NULL,
        .admit_self = s};

    return serve_open(s->arena, &options, &s->serve);
}

static const char *path_of(Shop *s, const char *name)
{
    return str_format(s->arena, "%s/%s", s->folder, name);
}

static void shop_close(Shop **s)
{
    static const char *const names[] = {
        "red.crt", "red.key", "blue.crt", "blue.key", "tls.crt", "tls.key"};

    serve_close((*s)->serve);
    for (size_t i = 0; i < array_count(names); i++)
        (void)unlink(path_of(*s, names[i]));
    (void)rmdir((*s)->folder);
    arena_close((*s)->arena);
}

#define SCOPED_SHOP __attribute__((cleanup(shop_close))) Shop *

/* A certificate that signs itself, and a file for who trusts it. */
static PkiCert given_cert(Shop *s, const char *name)
{
    PkiCert cert;

    then_ok(pki_new_cert(s->arena,
        NULL,
        &(PkiOptions){.common_name = name,
            .dns_names = (const char *const[]){"localhost", NULL},
            .ip_addresses = (const char *const[]){"127.0.0.1", NULL}},
        &cert));
    then_ok(pki_write(s->arena, &cert, s->folder, name));
    return cert;
}

/* Puts a certificate where the server looks. */
static void given_files(Shop *s, const PkiCert *cert)
{
    then_ok(pki_write(s->arena, cert, s->folder, "tls"));
    s->tls = (ServeTls){path_of(s, "tls.crt"), path_of(s, "tls.key")};
}

static size_t swallow(char *bytes, size_t size, size_t count, void *self)
{
    (void)bytes, (void)self;
    return size * count;
}

static CURL *customer(void)
{
    CURL *c = curl_easy_init();

    then_true(c != NULL);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, swallow);
    curl_easy_setopt(c, CURLOPT_NOPROXY, "*");
    return c;
}

/* The status of a GET that trusts one certificate ("red"; NULL: any); 0 without an answer. */
static int visit(Shop *s, CURL *c, const char *trusted, const char *token)
{
    char errors[CURL_ERROR_SIZE] = "";
    struct curl_slist *headers = NULL;
    long status = 0;

    curl_easy_setopt(
        c, CURLOPT_URL, str_format(s->arena, "https://127.0.0.1:%d/x", serve_port(s->serve)));
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, errors);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, trusted ? 1L : 0L);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, trusted ? 2L : 0L);
    if (trusted)
        curl_easy_setopt(c, CURLOPT_CAINFO, path_of(s, str_format(s->arena, "%s.crt", trusted)));
    if (token)
        headers = curl_slist_append(NULL, str_format(s->arena, "Authorization: bearer %s", token));
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
    if (curl_easy_perform(c) == CURLE_OK)
        curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, NULL);
    return (int)status;
}

static int visit_once(Shop *s, const char *trusted, const char *token)
{
    CURL *c = customer();
    int status = visit(s, c, trusted, token);

    curl_easy_cleanup(c);
    return status;
}

TEST(the_server_presents_the_certificate_of_its_files)
{
    SCOPED_SHOP s = shop_new();
    PkiCert red = given_cert(s, "red");

    given_cert(s, "blue");
    given_files(s, &red);
    then_ok(shop_start(s, false));
    then_int(visit_once(s, "red", NULL), 200);
    then_int(visit_once(s, "blue", NULL), 0);
}

TEST(without_files_the_server_generates_a_certificate)
{
    SCOPED_SHOP s = shop_new();

    given_cert(s, "red");
    then_ok(shop_start(s, false));
    then_int(visit_once(s, NULL, NULL), 200);
    then_int(visit_once(s, "red", NULL), 0);
}

TEST(changed_certificate_files_apply_to_new_connections_and_keep_existing_ones)
{
    SCOPED_SHOP s = shop_new();
    PkiCert red = given_cert(s, "red"), blue = given_cert(s, "blue");
    CURL *regular = customer();

    given_files(s, &red);
    then_ok(shop_start(s, false));
    then_int(visit(s, regular, "red", NULL), 200);
    for (int i = 0; i < 10; i++) {
        given_files(s, i % 2 ? &red : &blue);
        then_int(visit_once(s, i % 2 ? "red" : "blue", NULL), 200);
        then_int(visit_once(s, i % 2 ? "blue" : "red", NULL), 0);
        then_int(visit(s, regular, "red", NULL), 200); /* on the connection that it has */
    }
    curl_easy_cleanup(regular);
}

/* Files change one after the other. */
TEST(a_certificate_without_its_matching_key_is_not_presented)
{
    SCOPED_SHOP s = shop_new();
    PkiCert red = given_cert(s, "red"), blue = given_cert(s, "blue"), half = blue;

    half.key_pem = red.key_pem;
    given_files(s, &red);
    then_ok(shop_start(s, false));
    given_files(s, &half);
    then_int(visit_once(s, "red", NULL), 200);
    given_files(s, &(PkiCert){.cert_pem = "", .key_pem = ""});
    then_int(visit_once(s, "red", NULL), 200);
    (void)unlink(s->tls.key_file);
    then_int(visit_once(s, "red", NULL), 200);
    given_files(s, &blue);
    then_int(visit_once(s, "blue", NULL), 200);
}

static const struct {
    const char *name, *cert, *key; /* NULL: no such file; "": as it should be */
    Want want;
} files[] = {
    {"no certificate", NULL, "", TERMINAL("No such file")},
    {"no key", "", NULL, TERMINAL("No such file")},
    {"no PEM", "hello", "", TERMINAL("tls.crt")},
    {"a key that is none", "", "hello", TERMINAL("tls.key")},
    {"the key of another", "", "other", TERMINAL("do not match")},
};

TEST(unusable_certificate_files_are_named_when_the_server_starts)
{
    each_case(i, files) {
        SCOPED_SHOP s = shop_new();
        PkiCert red = given_cert(s, "red"), blue = given_cert(s, "blue"), cert = red;

        if (files[i].cert && *files[i].cert)
            cert.cert_pem = files[i].cert;
        if (files[i].key && *files[i].key)
            cert.key_pem = str_eq(files[i].key, "other") ? blue.key_pem : files[i].key;
        given_files(s, &cert);
        if (!files[i].cert)
            (void)unlink(s->tls.certificate_file);
        if (!files[i].key)
            (void)unlink(s->tls.key_file);
        then_err(shop_start(s, false), files[i].want);
    }
}

static const struct {
    const char *name, *token;
    int status;
} guests[] = {
    {"without a token", NULL, 401},
    {"with a bad one", "bad", 403},
    {"with a good one", "good", 200},
};

TEST(a_client_without_admission_sees_nothing)
{
    SCOPED_SHOP s = shop_new();

    then_ok(shop_start(s, true));
    each_case(i, guests) {
        then_int(visit_once(s, NULL, guests[i].token), guests[i].status);
        then_str(s->bearer, guests[i].token);
    }
}
