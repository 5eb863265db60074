/* LogStream: lines are made when somebody reads them, so a log that nobody reads costs nothing. */
#include "sandbox/log_stream.h"

#include "base/str.h"
#include "world/kubelet_log.h"
#include "world/refusal.h"

enum { LINES_MAX = 16 << 20 };

typedef struct LogStream {
    HallStream port; /* first, so that the port is this */
    KubeletLog *log;
    Arena *arena; /* of the lines that were read last */
} LogStream;

static HallNext next(HallStream *port, Bytes *ret)
{
    LogStream *l = (LogStream *)port;
    bool has_ended;

    arena_reset(l->arena);
    if (kubelet_next_log(l->log, l->arena, ret, &has_ended) && ret->len > 0)
        return HALL_PIECE;
    return has_ended ? HALL_END : HALL_NOTHING;
}

static void close_log(HallStream *port)
{
    LogStream *l = (LogStream *)port;

    kubelet_close_log(l->log);
    arena_close(l->arena);
}

/* False when it is there and is no number. */
static bool read_number(const Query *query, const char *name, bool *ret_has, int64_t *ret)
{
    const char *text = query_find(query, name);

    *ret_has = !str_empty(text);
    return !*ret_has || str_to_int(text, ret);
}

HallStream *log_stream_open(Kubelet *k, Arena *a, const Route *route, Answer *ret_refusal)
{
    const Query *q = &route->query;
    KubeletLogQuery query = {
        .pod = {route->namespace, route->name},
        .container = query_find(q, "container"),
        .follow = query_flag(q, "follow"),
        .previous = query_flag(q, "previous"),
        .timestamps = query_flag(q, "timestamps"),
    };

    if (!read_number(q, "tailLines", &query.has_tail, &query.tail_lines)
        || !read_number(q, "sinceSeconds", &query.has_since, &query.since_seconds)
        || !read_number(q, "limitBytes", &query.has_limit, &query.limit_bytes)) {
        *ret_refusal = (Answer){.status = 400,
            .body = refusal_status(a, 400, "BadRequest", "strconv.ParseInt: invalid syntax", NULL)};
        return NULL;
    }
    KubeletLog *log = kubelet_open_log(k, a, &query, ret_refusal);
    if (!log)
        return NULL;
    LogStream *l = arena_new(a, LogStream);
    *l = (LogStream){
        .port = {.next = next, .close = close_log}, .log = log, .arena = arena_open(LINES_MAX)};
    return &l->port;
}
