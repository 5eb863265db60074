/* Http: a head of lines, then Content-Length bytes. Chunked requests are not understood: no client
 * of a pod sends them. */
#include "player/http.h"

#include "base/str.h"

#include <string.h>
#include <strings.h>

/* The end of the head, behind its empty line; or 0. */
static size_t head_len(Bytes bytes)
{
    const char *end = bytes.len ? memmem(bytes.data, bytes.len, "\r\n\r\n", 4) : NULL;
    return end ? (size_t)(end - bytes.data) + 4 : 0;
}

static const char *next_line(const char *line)
{
    const char *end = strstr(line, "\r\n");
    return end ? end + 2 : line + strlen(line);
}

/* The value of a header, or NULL. */
static const char *header(Arena *a, const char *head, const char *name)
{
    size_t len = strlen(name);

    for (const char *line = next_line(head); *line; line = next_line(line)) {
        if (strncasecmp(line, name, len) != 0 || line[len] != ':')
            continue;
        const char *value = line + len + 1;
        value += strspn(value, " \t");
        size_t size = strcspn(value, "\r\n");
        while (size > 0 && (value[size - 1] == ' ' || value[size - 1] == '\t'))
            size--;
        return str_slice(a, value, size);
    }
    return NULL;
}

static bool parse_first_line(Arena *a, const char *head, SidecarRequest *ret)
{
    size_t method = strcspn(head, " \r\n");
    const char *target = head + method + (head[method] == ' ');
    size_t size = strcspn(target, " \r\n");

    if (!method || head[method] != ' ' || target[0] != '/' || target[size] != ' '
        || !str_has_prefix(target + size, " HTTP/1."))
        return false;
    ret->method = str_slice(a, head, method);
    ret->target = str_slice(a, target, size);
    return true;
}

HttpState http_parse(Arena *a, Bytes bytes, HttpRequest *ret)
{
    size_t head_size = head_len(bytes);
    int64_t body_len = 0;

    *ret = (HttpRequest){0};
    if (!head_size)
        return bytes.len > HTTP_HEAD_MAX ? HTTP_BAD : HTTP_MORE;
    if (head_size > HTTP_HEAD_MAX || memchr(bytes.data, '\0', head_size))
        return HTTP_BAD;
    const char *head = str_slice(a, bytes.data, head_size);
    const char *length = header(a, head, "Content-Length");
    const char *token = header(a, head, "Authorization");
    if (!parse_first_line(a, head, &ret->request) || header(a, head, "Transfer-Encoding")
        || (length && (!str_to_int(length, &body_len) || body_len < 0 || body_len > HTTP_BODY_MAX)))
        return HTTP_BAD;
    ret->len = head_size + (size_t)body_len;
    if (bytes.len < ret->len)
        return HTTP_MORE;
    ret->request.token = str_has_prefix(token, "Bearer ") ? token + 7 : NULL;
    ret->request.body = (Bytes){bytes.data + head_size, (size_t)body_len};
    ret->closes =
        strcasecmp(header(a, head, "Connection") ? header(a, head, "Connection") : "", "close")
        == 0;
    return HTTP_DONE;
}

static const char *reason_of(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        {200, "OK"},
        {201, "Created"},
        {204, "No Content"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {417, "Expectation Failed"},
        {500, "Internal Server Error"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
    };

    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Unknown";
}

bool http_write(Buf *out, const SidecarAnswer *answer, bool is_head, bool closes)
{
    size_t body_len = is_head ? 0 : answer->body.len;

    if (!buf_format(out, "HTTP/1.1 %d %s\r\n", answer->status, reason_of(answer->status)))
        return false;
    if (answer->content_type && !buf_format(out, "Content-Type: %s\r\n", answer->content_type))
        return false;
    if (answer->allow && !buf_format(out, "Allow: %s\r\n", answer->allow))
        return false;
    if (answer->retry_after_s && !buf_format(out, "Retry-After: %d\r\n", answer->retry_after_s))
        return false;
    if (closes && !buf_format(out, "Connection: close\r\n"))
        return false;
    if (answer->status != 204 && !buf_format(out, "Content-Length: %zu\r\n", body_len))
        return false;
    return buf_format(out, "\r\n") && buf_append(out, answer->body.data, body_len);
}
