/* ServerUrl, on curl's own URL parser: what is accepted here is what will be dialled. */
#include "kube/client/server_url.h"

#include "base/str.h"

#include <curl/curl.h>
#include <string.h>

/* One part as a copy in the arena, or NULL when the URL has none. */
static const char *part_of(Arena *a, CURLU *url, CURLUPart part, unsigned int flags)
{
    char *text = NULL;
    if (curl_url_get(url, part, &text, flags) != CURLUE_OK)
        return NULL;
    const char *copy = str_copy(a, text);
    curl_free(text);
    return copy;
}

static Err *take_apart(Arena *a, CURLU *url, ServerUrl *ret)
{
    const char *scheme = part_of(a, url, CURLUPART_SCHEME, 0);
    const char *path = part_of(a, url, CURLUPART_PATH, 0);
    ServerUrl parts = {
        .host = part_of(a, url, CURLUPART_HOST, 0),
        .port = part_of(a, url, CURLUPART_PORT, CURLU_DEFAULT_PORT),
        .https = str_eq(scheme, "https"),
    };

    if (!parts.https && !str_eq(scheme, "http"))
        return err_terminal(a, "must begin with https:// or http://");
    if (str_empty(parts.host))
        return err_terminal(a, "has no host");
    if (part_of(a, url, CURLUPART_USER, 0) || part_of(a, url, CURLUPART_PASSWORD, 0))
        return err_terminal(a, "must not carry a user or a password: use a token or a certificate");
    if (part_of(a, url, CURLUPART_QUERY, 0) || part_of(a, url, CURLUPART_FRAGMENT, 0))
        return err_terminal(a, "must not have a query or a fragment");

    size_t len = path ? strlen(path) : 0;
    while (len > 0 && path[len - 1] == '/')
        len--;
    parts.prefix = str_slice(a, path, len);
    parts.base = str_format(a, "%s://%s:%s%s", scheme, parts.host, parts.port, parts.prefix);
    *ret = parts;
    return OK;
}

Err *server_url_parse(Arena *a, const char *text, ServerUrl *ret)
{
    if (!str_has_prefix(text, "https://") && !str_has_prefix(text, "http://"))
        return err_terminal(a, "must begin with https:// or http://");
    CURLU *url = curl_url();
    if (!url)
        BUG("libcurl ran out of memory");
    CURLUcode code = curl_url_set(url, CURLUPART_URL, text, 0);
    Err *err = code ? err_terminal(a, "is not a URL: %s", curl_url_strerror(code)) : OK;
    if (!err)
        err = take_apart(a, url, ret);
    curl_url_cleanup(url);
    return err;
}
