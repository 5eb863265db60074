/* The usual beginning of a program, from the environment. */
#include "kube/api.h"
#include "kube/client.h"
#include "kube/kind.h"
#include "tests/test.h"

static const char kubeconfig[] = "{apiVersion: v1, kind: Config, current-context: c,"
                                 " contexts: [{name: c, context: {cluster: k, user: u}}],"
                                 " clusters: [{name: k, cluster: {server: 'http://127.0.0.1:7'}}],"
                                 " users: [{name: u, user: {token: t}}]}";

TEST(a_client_is_opened_from_the_kubeconfig_of_the_environment)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    char path[] = "/tmp/kubeconfig-XXXXXX";
    int fd = mkstemp(path);
    Client *client = NULL;

    then_int(write(fd, kubeconfig, sizeof kubeconfig - 1), sizeof kubeconfig - 1);
    close(fd);
    setenv("KUBECONFIG", path, 1);
    then_ok(client_open_default(a, "test/1", &client));
    then_str(client_transport(client)->host, "127.0.0.1:7");
    client_close(client);
    unlink(path);
}

TEST(without_a_usable_kubeconfig_the_missing_file_is_named)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Client *client = NULL;

    setenv("KUBECONFIG", "/nonexistent/kubeconfig", 1);
    setenv("HOME", "/nonexistent", 1);
    unsetenv("KUBERNETES_SERVICE_HOST");
    then_err(client_open_default(a, "test/1", &client), TERMINAL("/nonexistent"));
    then_true(!client);
}

/* Longer than a label of a name may be, so that no resolver needs to be asked. */
#define NO_NAME "a234567890123456789012345678901234567890123456789012345678901234567890"

TEST(a_host_name_that_does_not_resolve_can_be_tried_again)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Config config = {.server = "https://" NO_NAME ":6443", .insecure = true, .token = "t"};
    Request get = {.verb = VERB_GET, .kind = kind_configmap, .key = {"ns", "x"}};
    Client *client = NULL;
    const Json *answer = NULL;

    then_ok(client_open(a, &config, &(ClientOptions){.user_agent = "test/1"}, &client));
    Transport *transport = client_transport(client);
    Api *api = transport->open_api(transport);
    for (int i = 0; i < 2; i++)
        then_err(api_call(api, a, &get, &answer), RETRY("resolve"));
    transport->close_api(transport, api);
    client_close(client);
}
