/* Pulse: two questions at most, each within what is left of a second. Sei answers without the
 * envelope that other chains have; both are understood. Numbers come as strings. */
#include "cli/pulse.h"

#include "base/str.h"
#include "kube/timestamp.h"
#include "sei/api/names.h"
#include "sei/api/ports.h"

#include <string.h>

enum { REASON_MAX = 160, BAD_REQUEST = 400, FORBIDDEN = 403, NOT_FOUND = 404, UNAVAILABLE = 503 };

/* --- asking */

static int64_t left_ms(const PulsePort *port)
{
    int64_t left =
        port->deadline_ms == INT64_MAX ? INT64_MAX : port->deadline_ms - clock_mono_ms(port->clock);

    return left < PULSE_PATIENCE_MS ? left : PULSE_PATIENCE_MS;
}

static Err *ask(const PulsePort *port, Key node, const char *page, const Json **ret)
{
    Arena *a = port->arena;
    int64_t left = left_ms(port);
    const Json *answer = NULL;

    if (left <= 0)
        return err_retry(a, "not asked: no time was left");
    Request request = {
        .verb = VERB_RAW_GET,
        .raw_path = str_format(a,
            "/api/v1/namespaces/%s/pods/%s:%d/proxy%s",
            request_escape(a, node.namespace),
            request_escape(a, name_pod(a, node.name)),
            RPC_PORT,
            page),
        .deadline_ms = left,
    };
    TRY(api_call(port->api, a, &request, &answer));
    const Json *inside = json_find(answer, ".result");
    *ret = inside ? inside : answer;
    return OK;
}

/* --- why there is no answer */

/* What the API server says of the way to the pod: "connection refused". */
static const char *way_text(Arena *a, const Err *err)
{
    const char *message = err_text(a, err), *last = strstr(message, "dial tcp ");

    if (!last)
        return "the API server cannot reach it";
    const char *colon = strrchr(last, ':');
    const char *why = colon ? colon + 1 + strspn(colon + 1, " ") : last;
    const char *code = strstr(why, " (");
    return code ? str_slice(a, why, (size_t)(code - why)) : why;
}

static const char *why_text(const PulsePort *port, Key node, const Err *err)
{
    Arena *a = port->arena;

    switch (err->status) {
    case FORBIDDEN:
        return str_format(
            a, "asking seid needs the right to get pods/proxy in namespace %s", node.namespace);
    case NOT_FOUND:
        return "there is no pod";
    case BAD_REQUEST:
        return "the pod has no address yet";
    case UNAVAILABLE:
        return str_format(a, "seid does not answer: %s", way_text(a, err));
    case 0:
        return clock_mono_ms(port->clock) < port->deadline_ms ? "seid does not answer in time"
                                                              : "no time was left to ask seid";
    default:
        return str_cut(a, err_text(a, err), REASON_MAX);
    }
}

/* --- what it answers */

/* A number or the text of one; false for anything else, and below 0. */
static bool read_count(const Json *from, const char *path, int64_t *ret)
{
    const char *text = json_str(from, path);

    *ret = json_int(from, path, -1);
    return text ? str_to_int(text, ret) && *ret >= 0 : *ret >= 0;
}

static bool read_status(const Json *answer, Pulse *ret)
{
    const Json *sync = json_find(answer, ".sync_info");
    const char *time = json_str(sync, ".latest_block_time");
    int64_t ns;

    if (!read_count(sync, ".latest_block_height", &ret->height))
        return false;
    if (!read_count(sync, ".max_peer_block_height", &ret->peers_height))
        ret->peers_height = 0;
    ret->block_time = timestamp_parse(time ? time : "", &ns) ? time : NULL;
    ret->catches_up = json_bool(sync, ".catching_up", false);
    return true;
}

void pulse_take(const PulsePort *port, Key node, bool with_peers, Pulse *ret)
{
    const Json *answer = NULL;
    Err *err = ask(port, node, "/status", &answer);

    *ret = (Pulse){.node = node.name, .peers = -1};
    if (err) {
        ret->is_forbidden = err->status == FORBIDDEN;
        ret->why = why_text(port, node, err);
        return;
    }
    if (!read_status(answer, ret)) {
        *ret = (Pulse){.node = node.name, .why = "what answers at its RPC port is no seid"};
        return;
    }
    if (with_peers && !ask(port, node, "/net_info", &answer)
        && !read_count(answer, ".n_peers", &ret->peers))
        ret->peers = -1;
}

Draft *pulse_draft(Arena *a, const Pulse *pulse)
{
    if (pulse->why)
        return draft(a, str("node", pulse->node), str("why", pulse->why));
    Draft *d = draft(a,
        str("node", pulse->node),
        num("height", pulse->height),
        str("blockTime", pulse->block_time),
        flag("catchesUp", pulse->catches_up));

    if (pulse->peers_height > 0)
        draft_set(d, num("peersHeight", pulse->peers_height));
    if (pulse->peers >= 0)
        draft_set(d, num("peers", pulse->peers));
    return d;
}
