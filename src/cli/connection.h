/* Connection: the cluster that a command talks to, opened when it first asks for something, and
 * with one deadline over all that it asks. */
#ifndef CLI_CONNECTION_H
#define CLI_CONNECTION_H

#include "cli/command.h"
#include "kube/kube.h"
#include "kube/request.h"

/* Finds the cluster by flags and environment (unless cli->transport is there already), opens
 * cli->api and starts the clock of --request-timeout. Nothing is sent, but a credential plugin may
 * be run, within that time; where it may ask a person, and nobody gave a time, the clock starts
 * when they have answered. Who waits for it for long is told on stderr. ERR_TERMINAL says what is
 * wrong with the kubeconfig; ERR_RETRY with status 0 that the plugin took all the time. */
Err *connection_open(Cli *cli) MUST_CHECK;

/* Accepts a Cli that was never connected. */
void connection_close(Cli *cli);

/* One request within what is left of the deadline. ERR_RETRY with status 0 when there is no time
 * left: connection_is_late tells. */
Err *connection_call(Cli *cli, Request request, const Json **ret) MUST_CHECK;

/* The object, or NULL when there is none. */
Err *connection_find(Cli *cli, const Kind *kind, Key key, const Json **ret) MUST_CHECK;

/* All objects of a kind: in `namespace` (NULL: everywhere), of a label selector (NULL or "": all),
 * page by page. ERR_TERMINAL past 100,000. */
Err *connection_list(
    Cli *cli, const Kind *kind, const char *namespace, const char *labels, Objects *ret) MUST_CHECK;

/* The same by a request that says more, such as a field selector. */
Err *connection_list_by(Cli *cli, Request list, Objects *ret) MUST_CHECK;

/* A command that goes on for long gives each look at the cluster the whole of --request-timeout. */
void connection_restart_clock(Cli *cli);

/* No time is left. */
bool connection_is_late(const Cli *cli);

/* What is left for all that the command asks, in milliseconds; INT64_MAX without a limit. */
int64_t connection_left_ms(const Cli *cli);

#endif
