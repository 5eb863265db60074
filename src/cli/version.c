/* version: of this program, of the server, and of the operator where it can be seen. A server that
 * does not answer is no fault of ours: what is known is said, and the exit code tells the rest. */
#include "cli/version.h"
#include "base/draft.h"
#include "base/str.h"
#include "cli/connection.h"
#include "kube/meta.h"
#include "sei/api/names.h"

#include <string.h>

static Err *find_server(Cli *cli, const char **ret)
{
    Request request = {.verb = VERB_RAW_GET, .raw_path = "/version"};
    const Json *answer = NULL;

    TRY(connection_call(cli, request, &answer));
    *ret = json_str(answer, ".gitVersion");
    return OK;
}

/* The Lease's holder is "<pod>_<uid>_..." where the operator runs in a pod. */
static const char *pod_of_holder(Arena *a, const char *holder)
{
    return str_empty(holder) ? NULL : str_slice(a, holder, strcspn(holder, "_"));
}

const Json *version_operator_pod(Cli *cli, const char **ret_holder)
{
    Objects leases = {0};
    const Json *pod = NULL;

    *ret_holder = NULL;
    if (connection_list(cli, kind_lease, NULL, NULL, &leases))
        return NULL;
    for (size_t i = 0; i < leases.count; i++) {
        const Json *lease = leases.items[i];
        const char *holder = json_str(lease, ".spec.holderIdentity");
        const char *name = pod_of_holder(cli->arena, holder);
        Key key = {.namespace = meta_namespace(lease), .name = name};
        if (!name || !str_eq(meta_name(lease), LEASE_NAME))
            continue;
        *ret_holder = holder;
        return connection_find(cli, kind_pod, key, &pod) ? NULL : pod;
    }
    return NULL;
}

/* The image of that pod, or at least who holds the Lease; NULL where neither can be seen. */
static const char *find_operator(Cli *cli)
{
    const char *holder = NULL;
    const Json *pod = version_operator_pod(cli, &holder);

    if (pod)
        return json_str(pod, ".spec.containers[0].image");
    return holder ? str_format(cli->arena, "held by %s", holder) : NULL;
}

static int say(Cli *cli, const char *server, const char *operator)
{
    if (output_is_value(cli)) {
        Draft *d = draft(cli->arena,
            str("client", CLI_VERSION),
            str("server", server),
            str("operator", operator));
        Err *err = output_value(cli, json_seal(cli->arena, d));
        return err ? output_error(cli, err) : EXIT_FINE;
    }
    output_say(cli, "client    %s\n", CLI_VERSION);
    if (server)
        output_say(cli, "server    %s\n", server);
    if (server)
        output_say(cli, "operator  %s\n", operator? operator: "not seen");
    return EXIT_FINE;
}

int version_command(Cli *cli)
{
    const char *server = NULL, *operator= NULL;
    Err *err = OK;

    if (!cli->flags.client_only) {
        err = connection_open(cli);
        if (!err)
            err = find_server(cli, &server);
        if (!err)
            operator= find_operator(cli);
    }
    int code = say(cli, server, operator);
    return err ? output_error(cli, err) : code;
}
