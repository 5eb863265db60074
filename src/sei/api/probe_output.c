/* What a failing probe got. The kubelet posts a v1 Event per probe and output, and counts it when
 * it is repeated:
 *
 *     Readiness probe failed: HTTP probe failed with statuscode: 503
 *     Readiness probe failed: dial tcp 10.0.0.7:26657: connect: connection refused
 *     Readiness probe errored and resulted in unknown state: rpc error: ...
 *     (combined from similar events): Readiness probe failed: ...
 *
 */
#include "sei/api/probe_output.h"

#include "base/str.h"
#include "kube/cond.h"
#include "kube/timestamp.h"

/* A pod stops being Ready at the last of several failed probes; the Event of the first is older. */
enum { FAILING_MS = 120000 };

#define COMBINED "(combined from similar events): "
#define KUBELET  "kubelet"

static int64_t at_ms(const Json *object, const char *path)
{
    const char *text = json_str(object, path);
    int64_t at_ns;

    return text && timestamp_parse(text, &at_ns) ? at_ns / 1000000 : 0;
}

/* --- which Events count --- */

static const Json *find_status(const Json *statuses, const char *container)
{
    const Json *status;

    json_each(status, statuses)
        if (str_eq(json_str(status, ".name"), container))
            return status;
    return NULL;
}

int64_t probe_failing_since_ms(const Json *pod, const char *container)
{
    const Json *status = find_status(json_find(pod, ".status.containerStatuses"), container);
    int64_t turned_ms = at_ms(cond_in(pod, "Ready"), ".lastTransitionTime") - FAILING_MS;

    if (!status)
        status = find_status(json_find(pod, ".status.initContainerStatuses"), container);
    int64_t began_ms = at_ms(status, ".state.running.startedAt");
    return turned_ms > began_ms ? turned_ms : began_ms;
}

static bool is_by_kubelet(const Json *event)
{
    return str_eq(json_str(event, ".reportingComponent"), KUBELET)
        || str_eq(json_str(event, ".source.component"), KUBELET);
}

static bool is_about(Arena *a, const Json *event, const char *container)
{
    const char *part = json_str(event, ".involvedObject.fieldPath");

    return str_eq(part, str_format(a, "spec.containers{%s}", container))
        || str_eq(part, str_format(a, "spec.initContainers{%s}", container));
}

/* When it was last repeated. Kubelets count in the old way; the new one has a series. */
static int64_t seen_ms(const Json *event)
{
    static const char *const paths[] = {".series.lastObservedTime",
        ".lastTimestamp",
        ".eventTime",
        ".firstTimestamp",
        ".metadata.creationTimestamp"};
    int64_t newest_ms = 0;

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        int64_t time_ms = at_ms(event, paths[i]);
        newest_ms = time_ms > newest_ms ? time_ms : newest_ms;
    }
    return newest_ms;
}

/* --- what they say --- */

/* What follows the kubelet's own words, or NULL when it is not about such a probe. */
static const char *output_of(const char *message)
{
    static const char *const probes[] = {"Readiness probe ", "Startup probe "};
    const char *end;

    if (str_has_prefix(message, COMBINED))
        message += strlen(COMBINED);
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        if (!str_has_prefix(message, probes[i]))
            continue;
        message += strlen(probes[i]);
        end = str_has_prefix(message, "failed:") || str_has_prefix(message, "errored")
            ? strchr(message, ':')
            : NULL;
        return end ? end + 1 : NULL;
    }
    return NULL;
}

/* Each character that is not printable ASCII becomes a space or a question mark. No more is read
 * than is shown. */
static const char *one_line(Arena *a, const char *text)
{
    char line[2 * PROBE_OUTPUT_MAX];
    size_t length = 0;

    for (; *text && length < sizeof line - 1; text++) {
        unsigned char c = (unsigned char)*text;
        bool is_space = c <= ' ' || c == 0x7f;
        if ((c & 0xc0) == 0x80 || (is_space && (!length || line[length - 1] == ' ')))
            continue;
        line[length++] = (char)(is_space ? ' ' : c < 0x80 ? c : '?');
    }
    if (length && line[length - 1] == ' ')
        length--;
    return length ? str_cut(a, str_slice(a, line, length), PROBE_OUTPUT_MAX) : "no output";
}

const char *probe_output_find(Arena *a, const Json *pod, const char *container, const Json *events)
{
    int64_t newest_ms = probe_failing_since_ms(pod, container);
    const char *newest = NULL;
    const Json *event;

    json_each(event, events) {
        const char *output = output_of(json_str(event, ".message"));
        int64_t time_ms = seen_ms(event);
        if (!output || time_ms < newest_ms || !is_by_kubelet(event)
            || !is_about(a, event, container))
            continue;
        newest_ms = time_ms;
        newest = output;
    }
    return newest ? one_line(a, newest) : NULL;
}
