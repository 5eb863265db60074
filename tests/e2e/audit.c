/* Reading the API server's audit log (JSON lines of audit.k8s.io/v1 Event). */
#include "tests/e2e/audit.h"

#include "base/bytes.h"
#include "base/str.h"
#include "kube/timestamp.h"
#include "tests/e2e/deadline.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    AUDIT_NS_PER_US = 1000,
    AUDIT_REFUSED = 300,
    AUDIT_ARENA_MAX = 64 << 20,
    PARTIAL_LINE_MS = 200, /* writing the rest of a line takes less */
};

static const JsonField fields[] = {
    {".stage", JSON_FIELD_STR, offsetof(AuditLine, stage), true},
    {".user.username", JSON_FIELD_STR, offsetof(AuditLine, user), false},
    {".userAgent", JSON_FIELD_STR, offsetof(AuditLine, user_agent), false},
    {".verb", JSON_FIELD_STR, offsetof(AuditLine, verb), true},
    {".objectRef.apiGroup", JSON_FIELD_STR, offsetof(AuditLine, group), false},
    {".objectRef.resource", JSON_FIELD_STR, offsetof(AuditLine, resource), false},
    {".objectRef.subresource", JSON_FIELD_STR, offsetof(AuditLine, subresource), false},
    {".objectRef.namespace", JSON_FIELD_STR, offsetof(AuditLine, namespace), false},
    {".objectRef.name", JSON_FIELD_STR, offsetof(AuditLine, name), false},
    {".requestURI", JSON_FIELD_STR, offsetof(AuditLine, uri), true},
    {".responseStatus.code", JSON_FIELD_INT, offsetof(AuditLine, code), false},
    {0},
};

static int64_t size_of(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? status.st_size : 0;
}

/* Where the last whole line ends. */
static int64_t end_of_lines(int fd, int64_t size)
{
    char last;

    while (size > 0 && pread(fd, &last, 1, (off_t)size - 1) == 1 && last != '\n')
        size--;
    return size;
}

/* The file can be seen while the server writes a line: that request is over, so it is waited for.
 */
int64_t audit_mark(const char *path)
{
    Deadline d = deadline_in_ms(PARTIAL_LINE_MS);
    int64_t size, end = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    do {
        size = size_of(path);
        end = end_of_lines(fd, size);
    } while (end < size && deadline_wait(&d));
    close(fd);
    return end;
}

static Err *parse_time(Arena *a, const Json *event, const char *path, int64_t *ret_us)
{
    const char *text = json_str(event, path);
    int64_t wall_ns;

    if (!timestamp_parse(text, &wall_ns))
        return err_terminal(a, "%s is not a time: %s", path, text ? text : "absent");
    *ret_us = wall_ns / AUDIT_NS_PER_US;
    return OK;
}

static Err *parse_line(Arena *a, Bytes text, AuditLine *ret)
{
    TRY(json_parse(a, text, &ret->event));
    TRY(json_decode(a, ret->event, fields, ret));
    TRY(parse_time(a, ret->event, ".requestReceivedTimestamp", &ret->received_us));
    return parse_time(a, ret->event, ".stageTimestamp", &ret->stage_us);
}

static Err *read_from(Arena *a, const char *path, int64_t mark, Bytes *ret)
{
    int64_t len = size_of(path) - mark;
    void *text;
    ssize_t got;
    int fd;

    if (len <= 0) {
        *ret = (Bytes){0};
        return OK;
    }
    TRY(arena_try(a, (size_t)len, &text));
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_failed(a, "cannot read %s: %s", path, strerror(errno));
    got = pread(fd, text, (size_t)len, (off_t)mark);
    close(fd);
    if (got < 0)
        return err_failed(a, "cannot read %s: %s", path, strerror(errno));
    *ret = (Bytes){text, (size_t)got};
    return OK;
}

static size_t count_lines(Bytes text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.len; i++)
        count += text.data[i] == '\n';
    return count;
}

Err *audit_read(Arena *a, const char *path, int64_t mark, AuditLog *ret)
{
    AuditLine *lines;
    size_t count, at = 0;
    Bytes text = {0};

    TRY(read_from(a, path, mark, &text));
    count = count_lines(text);
    TRY(arena_try(a, count * sizeof(*lines), (void **)&lines));
    for (size_t i = 0; i < count; i++) {
        const char *start = text.data + at;
        size_t len = (size_t)((const char *)memchr(start, '\n', text.len - at) - start);

        TRY(err_wrap(a, parse_line(a, (Bytes){start, len}, &lines[i]), "reading %s", path));
        at += len + 1;
    }
    *ret = (AuditLog){.lines = lines, .count = count, .end = mark + (int64_t)at};
    return OK;
}

static bool text_matches(const char *line, const char *like)
{
    return !like || str_eq(line, like);
}

static bool matches(const AuditLine *line, const AuditLine *like)
{
    return text_matches(line->stage, like->stage) && text_matches(line->user, like->user)
        && text_matches(line->user_agent, like->user_agent) && text_matches(line->verb, like->verb)
        && text_matches(line->group, like->group) && text_matches(line->resource, like->resource)
        && text_matches(line->subresource, like->subresource)
        && text_matches(line->namespace, like->namespace) && text_matches(line->name, like->name)
        && text_matches(line->uri, like->uri) && (!like->code || line->code == like->code);
}

size_t audit_count(const AuditLog *log, const AuditLine *like)
{
    size_t count = 0;

    for (size_t i = 0; i < log->count; i++)
        count += matches(&log->lines[i], like);
    return count;
}

const AuditLine *audit_find(const AuditLog *log, const AuditLine *like)
{
    for (size_t i = 0; i < log->count; i++)
        if (matches(&log->lines[i], like))
            return &log->lines[i];
    return NULL;
}

/* Who takes the last finalizer off gets the object as it was before. */
static bool is_gone(const Json *object)
{
    return json_str(object, ".metadata.deletionTimestamp")
        && !json_count(json_find(object, ".metadata.finalizers"));
}

int64_t audit_version(const AuditLine *line)
{
    bool is_write =
        str_eq(line->verb, "create") || str_eq(line->verb, "patch") || str_eq(line->verb, "update");
    const Json *object = json_find(line->event, ".responseObject");
    int64_t version;

    if (!is_write || line->code >= AUDIT_REFUSED || is_gone(object))
        return 0;
    return str_to_int(json_str(object, ".metadata.resourceVersion"), &version) ? version : 0;
}

/* Some write was answered with this version, or a later one, before a line's request came. */
static bool is_known(const AuditLog *log, const int64_t *versions, size_t at)
{
    for (size_t i = 0; i < log->count; i++)
        if (versions[i] >= versions[at] && log->lines[i].stage_us < log->lines[at].received_us)
            return true;
    return false;
}

size_t audit_empty_writes(const AuditLog *log, const char *user)
{
    SCOPED_ARENA a = arena_open(AUDIT_ARENA_MAX);
    int64_t *versions = arena_array(a, int64_t, log->count);
    size_t count = 0;

    for (size_t i = 0; i < log->count; i++)
        versions[i] = audit_version(&log->lines[i]);
    for (size_t i = 0; i < log->count; i++)
        count += versions[i] && str_eq(log->lines[i].user, user) && is_known(log, versions, i);
    return count;
}
