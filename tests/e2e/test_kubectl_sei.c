/* kubectl-sei as people have it: the program itself, called by the real kubectl, against a real
 * server with the operator at work. What it says is tested without a server (tests/cli); here its
 * verbs do what they say, and it ends as scripts expect. */
#include "tests/e2e/fleets.h"

#include <sys/stat.h>

#define NAME  "rpc"
#define IMAGE "ghcr.io/example/seid:"

static const char v2[] = IMAGE "v2", v3[] = IMAGE "v3", first_node[] = NAME "-0";

/* A person with the plugin in the PATH. */
typedef struct Person {
    const Nodes *n;
    Arena *arena;
    const char *kubeconfig; /* NULL: the admin's */
} Person;

/* "kubectl sei ..." in the namespace: what it printed. */
static Err *try_sei(const Person *p, const char *const *args, const char **ret)
{
    const Nodes *n = p->n;
    size_t count = 0;
    const char **words = arena_array(p->arena, const char *, 32);

    words[count++] = "sei";
    while (*args && count < 28)
        words[count++] = *args++;
    words[count++] = "-n";
    words[count++] = n->namespace;
    const char *const env[] = {
        str_format(p->arena, "PATH=%s:/usr/bin:/bin", PLUGIN_FOLDER),
        str_format(
            p->arena, "KUBECONFIG=%s", p->kubeconfig ? p->kubeconfig : controlplane_admin(n->cp)),
        str_format(p->arena, "HOME=%s", controlplane_folder(n->cp)),
        NULL,
    };
    return process_run(p->arena,
        &(ProcessOptions){
            .program = str_format(p->arena, "%s/kubectl", controlplane_binaries(n->cp)),
            .args = words,
            .env = env,
            .timeout_ms = 180000,
        },
        ret);
}

static const char *run_sei(const Person *p, const char *const *args)
{
    const char *output = NULL;

    then_ok(try_sei(p, args, &output));
    return output;
}

#define sei(p, ...)       run_sei((p), PROCESS_ARGS(__VA_ARGS__))
#define sei_fails(p, ...) fail_sei((p), PROCESS_ARGS(__VA_ARGS__))

/* How it ended badly, with what it said. */
static const char *fail_sei(const Person *p, const char *const *args)
{
    const char *output = NULL;
    Err *err = try_sei(p, args, &output);

    then_true(err != OK);
    return err_text(p->arena, err);
}

static void then_has(const char *text, const char *phrase)
{
    if (!strstr(text, phrase))
        test_fail(__FILE__, __LINE__, "nothing of \"%s\" in:\n%s", phrase, text);
}

static const char *image_of(const Person *p)
{
    return sei(p, "get", "fleet", NAME, "-o", "jsonpath={.spec.template.spec.image}");
}

TEST(kubectl_sei_rolls_out_an_image_and_reverts_it)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "verbs", "{}");
    Person p = {.n = &n, .arena = a};
    int64_t mark = scene_mark(n.cp);

    then_has(sei(&p, "get"), "fleet/" NAME);
    then_has(sei(&p, "set", "image", NAME, v2), "fleet/" NAME " image " IMAGE "v1 -> ");
    then_has(sei(&p, "rollout", "status", NAME, "--timeout", "120s"), "is rolled out");
    then_int(fleets_on(&n, NAME, FLEETS_GIVEN, "v2"), FLEETS_GIVEN);
    fleets_then_rolled(&n, NAME, mark);

    then_has(sei(&p, "rollout", "undo", NAME), "goes back to the template of " NAME "-");
    then_has(sei(&p, "rollout", "status", NAME, "--timeout", "120s"), "is rolled out");
    then_int(fleets_on(&n, NAME, FLEETS_GIVEN, "v1"), FLEETS_GIVEN);
    then_has(sei(&p, "rollout", "undo", NAME), IMAGE "v2");
    then_has(sei(&p, "rollout", "status", NAME, "--timeout", "120s"), "is rolled out");

    then_has(sei(&p, "rollout", "hold", NAME), "is held");
    then_has(sei(&p, "set", "image", NAME, v3), "v3");
    eventually(fleets_condition(&n, NAME, "Ready", "False", "Held"));
    then_has(sei_fails(&p, "rollout", "status", NAME), ": exit 1: ");
    then_has(sei(&p, "rollout", "abort", NAME, "--dry-run=server"), "\"image\": \"" IMAGE "v2\"");
    then_str(image_of(&p), IMAGE "v3");
    then_has(sei(&p, "rollout", "abort", NAME), IMAGE "v2");
    then_str(image_of(&p), IMAGE "v2");
    then_has(sei(&p, "rollout", "resume", NAME), "goes on");
    then_has(sei(&p, "rollout", "status", NAME, "--timeout", "120s"), "is rolled out");
    then_int(fleets_on(&n, NAME, FLEETS_GIVEN, "v2"), FLEETS_GIVEN);

    mark = scene_mark(n.cp);
    then_has(sei(&p, "rollout", "restart", NAME), "restarts");
    then_has(sei(&p, "rollout", "status", NAME, "--timeout", "120s"), "is rolled out");
    fleets_then_rolled(&n, NAME, mark);
    nodes_close(&n);
}

TEST(kubectl_sei_promotes_a_canary_and_pauses_a_node)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "canary", "{\"updateStrategy\": {\"partition\": 2}}");
    Person p = {.n = &n, .arena = a};

    sei(&p, "set", "image", NAME, v2);
    eventually(fleets_on(&n, NAME, FLEETS_GIVEN, "v2") == 1);
    then_has(sei(&p, "rollout", "status", NAME, "--timeout", "120s"),
        "partitioned rollout complete: 1 of 3 nodes updated, 2 nodes below partition 2 keep their "
        "revision");
    then_has(sei(&p, "rollout", "promote", NAME), "ordinals below 2");
    then_has(sei(&p, "rollout", "status", NAME, "--timeout", "120s"), "is rolled out");
    then_int(fleets_on(&n, NAME, FLEETS_GIVEN, "v2"), FLEETS_GIVEN);

    then_has(sei_fails(&p, "set", "image", first_node, v3), "belongs to fleet/" NAME);
    then_has(sei_fails(&p, "pause", "fleet/" NAME), "confirm with --yes");
    then_has(sei(&p, "pause", first_node), "node/" NAME "-0 is to pause");
    eventually(!nodes_have(&n, "pods", NAME "-0-0"));
    then_has(sei(&p, "unpause", first_node), "is asked to run again");
    eventually(fleets_settled(&n, NAME));
    then_has(sei(&p, "rollout", "retry", NAME), "has nothing that failed");
    nodes_close(&n);
}

TEST(kubectl_sei_maintain_runs_a_command_on_the_volume_of_a_node)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "maintain", "{}");
    Person p = {.n = &n, .arena = a};

    then_has(sei(&p, "maintain", first_node, "--image", v2, "--timeout", "120s", "du", "/.sei"),
        "the command succeeded; the node is unpaused");
    eventually(fleets_settled(&n, NAME));
    then_has(kubectl(n.cp, a, "get", "jobs", "-n", n.namespace, "-o", "yaml"),
        "ttlSecondsAfterFinished: 86400");

    then_has(
        sei_fails(&p, "maintain", first_node, "--image", v2, "--timeout", "1ms"), ": exit 5: ");
    then_has(sei_fails(&p, "maintain", first_node, "--image", v2), "is in maintenance by ");
    then_has(sei_fails(&p, "unpause", first_node), "is in maintenance by ");
    then_has(sei(&p, "maintain", first_node, "--resume", "--timeout", "120s"),
        "the command succeeded; the node is unpaused");
    eventually(fleets_settled(&n, NAME));

    sei_fails(&p, "maintain", first_node, "--image", v2, "--timeout", "1ms");
    then_has(sei(&p, "maintain", first_node, "--abort", "--timeout", "120s"), "is given up");
    eventually(fleets_settled(&n, NAME));
    const char *report = str_format(a, "%s/report.tar", controlplane_folder(n.cp));
    then_has(sei(&p, "report", first_node, "--to", report), "report.tar");
    then_has(sei_fails(&p, "report", first_node, "--to", report), "File exists");
    nodes_close(&n);
}

/* --- how it ends */

static const char *kubeconfig_of(
    const Person *p, const char *name, const char *server, const char *user)
{
    const char *path = str_format(p->arena, "%s/%s", controlplane_folder(p->n->cp), name);

    then_ok(controlplane_write(p->arena,
        path,
        str_format(p->arena,
            "{current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}], "
            "clusters: [{name: k, cluster: {server: '%s', insecure-skip-tls-verify: true}}], "
            "users: [{name: u, user: %s}]}",
            server,
            user)));
    return path;
}

/* The played pods have addresses of this machine, to which a real server lets nobody through: so
 * the way is proven, and what is said at its end. */
static void then_seid_is_asked_with_the_rights_of_who_asks(const Person *p)
{
    Arena *a = p->arena;
    const Nodes *n = p->n;
    const char *const as_viewer[] = {"status", first_node, "--as", "viewer", NULL};

    then_has(sei(p, "status", first_node), "Height    unknown: the pod has no address yet");
    kubectl(n->cp,
        a,
        "create",
        "clusterrolebinding",
        str_format(a, "%s-viewer", n->namespace),
        "--clusterrole=view",
        "--user=viewer");
    kubectl(n->cp,
        a,
        "create",
        "clusterrole",
        str_format(a, "%s-viewer", n->namespace),
        "--verb=get,list",
        "--resource=seinodes,seinodedeployments,persistentvolumes");
    kubectl(n->cp,
        a,
        "create",
        "clusterrolebinding",
        str_format(a, "%s-viewer-of-ours", n->namespace),
        str_format(a, "--clusterrole=%s-viewer", n->namespace),
        "--user=viewer");
    const char *seen = NULL;
    eventually(try_sei(p, as_viewer, &seen) == OK && strstr(seen, "Height"));
    then_has(seen, "unknown: asking seid needs the right to get pods/proxy in namespace ");
}

TEST(kubectl_sei_exits_with_the_codes_that_scripts_expect)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "ends", "{}");
    Person p = {.n = &n, .arena = a};

    then_seid_is_asked_with_the_rights_of_who_asks(&p);
    then_has(sei_fails(&p, "fly"), ": exit 2: ");
    then_has(sei_fails(&p, "get", "nope"), ": exit 3: ");
    then_has(sei_fails(&p, "get", "--as", "nobody"), ": exit 4: ");
    then_has(sei_fails(&p, "get", "--as", "nobody"), "User \"nobody\" cannot list");
    controlplane_pause(n.cp, COMPONENT_APISERVER);
    const char *late = sei_fails(&p, "get", "--request-timeout", "1s");
    controlplane_resume(n.cp, COMPONENT_APISERVER);
    then_has(late, ": exit 5: ");
    Person lost = {.n = &n, .arena = a};
    lost.kubeconfig = kubeconfig_of(&lost, "lost", "https://127.0.0.1:1", "{token: t}");
    then_has(sei_fails(&lost, "get"), ": exit 6: ");
    then_has(sei(&p, "version"), "server    v1.");
    nodes_close(&n);
}

/* --- logging in */

static const char *script_of(const Person *p, const char *token)
{
    const char *path = str_format(p->arena, "%s/login", controlplane_folder(p->n->cp));

    then_ok(controlplane_write(p->arena,
        path,
        str_format(p->arena,
            "#!/bin/sh\necho '{\"apiVersion\": \"client.authentication.k8s.io/v1\", \"kind\": "
            "\"ExecCredential\", \"status\": {\"token\": \"%s\"}}'\n",
            token)));
    then_int(chmod(path, 0700), 0);
    return path;
}

TEST(kubectl_sei_logs_in_with_a_credential_plugin)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "login", "{}");
    Person p = {.n = &n, .arena = a};
    const char *token = NULL;

    kubectl(n.cp, a, "create", "serviceaccount", "person", "-n", n.namespace);
    kubectl(n.cp,
        a,
        "create",
        "rolebinding",
        "person",
        "-n",
        n.namespace,
        "--clusterrole=cluster-admin",
        str_format(a, "--serviceaccount=%s:person", n.namespace));
    then_ok(controlplane_token(
        n.cp, a, &(TokenWish){.namespace = n.namespace, .account = "person"}, &token));
    Person plugged = {.n = &n, .arena = a};
    plugged.kubeconfig = kubeconfig_of(&p,
        "plugged",
        controlplane_server(n.cp),
        str_format(a,
            "{exec: {apiVersion: client.authentication.k8s.io/v1, command: '%s', "
            "interactiveMode: Never}}",
            script_of(&p, token)));
    eventually(try_sei(&plugged, PROCESS_ARGS("get"), &token) == OK);
    then_has(sei(&plugged, "get", "fleets", "--no-headers"), NAME);
    then_has(sei(&plugged, "version"), "server    v1.");
    nodes_close(&n);
}
