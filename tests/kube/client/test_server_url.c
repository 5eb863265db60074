/* Addresses of API servers, taken apart. */
#include "kube/client/server_url.h"
#include "tests/test.h"

static const struct {
    const char *name, *text, *base, *host, *port, *prefix;
} good[] = {
    {"a host with a port",
        "https://api.example.org:6443",
        .base = "https://api.example.org:6443",
        "api.example.org",
        "6443",
        ""},
    {"the port of https",
        "https://api.example.org",
        .base = "https://api.example.org:443",
        "api.example.org",
        "443",
        ""},
    {"the port of http", "http://localhost", .base = "http://localhost:80", "localhost", "80", ""},
    {"a trailing slash", "https://h:1/", .base = "https://h:1", "h", "1", ""},
    {"a prefix",
        "https://h:1/k8s/clusters/one//",
        .base = "https://h:1/k8s/clusters/one",
        "h",
        "1",
        "/k8s/clusters/one"},
    {"IPv4", "https://127.0.0.1:6443", .base = "https://127.0.0.1:6443", "127.0.0.1", "6443", ""},
    {"IPv6", "https://[::1]:6443", .base = "https://[::1]:6443", "[::1]", "6443", ""},
};

TEST(a_server_url_is_split_into_its_parts)
{
    each_case(i, good) {
        SCOPED_ARENA a = arena_open(1 << 20);
        ServerUrl url = {0};

        then_ok(server_url_parse(a, good[i].text, &url));
        then_str(url.base, good[i].base);
        then_str(url.host, good[i].host);
        then_str(url.port, good[i].port);
        then_str(url.prefix, good[i].prefix);
        then_int(url.https, str_has_prefix(good[i].text, "https"));
    }
}

static const struct {
    const char *name, *text;
    Want want;
} bad[] = {
    {"nothing", "", .want = TERMINAL("must begin with https://")},
    {"no scheme", "api.example.org:6443", .want = TERMINAL("must begin with https://")},
    {"another scheme", "ftp://h", .want = TERMINAL("must begin with https://")},
    {"no host", "https://", .want = TERMINAL("is not a URL")},
    {"no host but a port", "https://:6443", .want = TERMINAL("is not a URL")},
    {"a port that is none", "https://h:99999", .want = TERMINAL("is not a URL")},
    {"a space", "https://h /x", .want = TERMINAL("is not a URL")},
    {"a line break", "https://h\r\nHost: x", .want = TERMINAL("is not a URL")},
    {"a user", "https://bob@h", .want = TERMINAL("user or a password")},
    {"a password", "https://bob:s3cret@h", .want = TERMINAL("user or a password")},
    {"a query", "https://h/?a=b", .want = TERMINAL("query or a fragment")},
    {"a fragment", "https://h/#x", .want = TERMINAL("query or a fragment")},
};

TEST(an_invalid_server_url_is_refused_without_repeating_its_password)
{
    each_case(i, bad) {
        SCOPED_ARENA a = arena_open(1 << 20);
        ServerUrl url;
        Err *err = server_url_parse(a, bad[i].text, &url);

        then_err(err, bad[i].want);
        then_true(!strstr(err_text(a, err), "s3cret"));
    }
}
