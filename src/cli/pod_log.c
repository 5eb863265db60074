/* PodLog: a subresource that answers with plain text, so it is asked for by its path. */
#include "cli/pod_log.h"

#include "base/str.h"
#include "cli/connection.h"

Err *pod_log_read(Cli *cli, const PodLogAsk *ask, const char **ret)
{
    Arena *a = cli->arena;
    const Json *answer = NULL;
    Request request = {
        .verb = VERB_RAW_GET,
        .raw_path = str_format(a,
            "/api/v1/namespaces/%s/pods/%s/log?container=%s&tailLines=%d&limitBytes=%d%s%s",
            request_escape(a, ask->pod.namespace),
            request_escape(a, ask->pod.name),
            request_escape(a, ask->container),
            ask->lines,
            ask->bytes,
            ask->timestamps ? "&timestamps=true" : "",
            ask->previous ? "&previous=true" : ""),
    };

    TRY(connection_call(cli, request, &answer));
    const char *text = json_text(answer);
    *ret = text ? text : "";
    return OK;
}
