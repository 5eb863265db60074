/* version: of this program, of the server, and of the operator where it can be seen. A server that
 * does not answer is no fault of ours: what is known is said, and the exit code tells the rest. */
#include "cli/version.h"
#include "base/draft.h"
#include "base/str.h"
#include "cli/connection.h"
#include "cli/operator_args.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
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

/* How well an operator fits a namespace. */
typedef enum Fit {
    FIT_NOT,     /* it looks after others */
    FIT_UNKNOWN, /* its pod cannot be seen */
    FIT_ALL,     /* it looks after all namespaces */
    FIT_NAMED,   /* it was told of this one */
} Fit;

typedef struct Candidate {
    const char *holder;
    const Json *pod;
    Fit fit;
    int64_t renewed_ns;
} Candidate;

static Fit fit_of(Arena *a, const Json *pod, const char *namespace)
{
    if (!pod)
        return FIT_UNKNOWN;
    Watched watched = operator_args_watched(a, operator_args_of_pod(pod));
    if (!namespace || watched.count == 0)
        return FIT_ALL;
    return watched_names(&watched, namespace) ? FIT_NAMED : FIT_NOT;
}

static Candidate candidate_of(Cli *cli, const Json *lease, const char *namespace)
{
    const char *renewed = json_str(lease, ".spec.renewTime");
    Candidate ret = {.holder = json_str(lease, ".spec.holderIdentity")};
    Key key = {meta_namespace(lease), pod_of_holder(cli->arena, ret.holder)};

    if (!key.name || !str_eq(meta_name(lease), LEASE_NAME))
        return (Candidate){.fit = FIT_NOT};
    if (connection_find(cli, kind_pod, key, &ret.pod))
        ret.pod = NULL;
    ret.fit = fit_of(cli->arena, ret.pod, namespace);
    if (!renewed || !timestamp_parse(renewed, &ret.renewed_ns))
        ret.renewed_ns = 0;
    return ret;
}

/* A Lease that was left behind names a pod that is gone. */
static bool is_better(const Candidate *one, const Candidate *than)
{
    return one->fit == than->fit ? one->renewed_ns > than->renewed_ns : one->fit > than->fit;
}

const Json *version_operator_pod(Cli *cli, const char *namespace, const char **ret_holder)
{
    Objects leases = {0};
    Candidate best = {.fit = FIT_NOT};

    *ret_holder = NULL;
    if (connection_list_by(
            cli, (Request){.kind = kind_lease, .fields = "metadata.name=" LEASE_NAME}, &leases))
        return NULL;
    for (size_t i = 0; i < leases.count; i++) {
        Candidate one = candidate_of(cli, leases.items[i], namespace);
        if (one.fit != FIT_NOT && is_better(&one, &best))
            best = one;
    }
    *ret_holder = best.holder;
    return best.pod;
}

/* The image of that pod, or at least who holds the Lease; NULL where neither can be seen. */
static const char *find_operator(Cli *cli)
{
    const char *holder = NULL;
    const Json *pod = version_operator_pod(cli, NULL, &holder);

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
