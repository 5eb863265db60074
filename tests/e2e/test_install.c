/* deploy/install.yaml on a real control plane: applied, upgraded, and taken away again, in order
 * and all at once. Whatever is removed, no volume is. */
#include "tests/e2e/installed.h"

static void apply_install(const Nodes *n, Arena *a)
{
    kubectl(n->cp, a, "apply", "--server-side", "-f", installed_source(a, "deploy/install.yaml"));
}

static void apply_next(const Nodes *n, Arena *a)
{
    const char *next = installed_next(a, installed_source(a, "deploy/install.yaml"));

    scene_kubectl(n->cp, a, next, PROCESS_ARGS("apply", "--server-side", "-f", "-"));
}

static bool budget_allows_one(const Nodes *n)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *budget = scene_get(
        n->cp, a, "/apis/policy/v1/namespaces/sei-system/poddisruptionbudgets/sei-operator");

    return json_int(budget, ".status.disruptionsAllowed", 0) == 1;
}

/* What `kubectl sei doctor` finds: codes and names, a blank before each. It may end with 1. */
static const char *doctor_finds(const Nodes *n, Arena *a)
{
    const char *said = NULL;

    then_ok(process_run(a,
        &(ProcessOptions){
            .program = "/bin/sh",
            .args = PROCESS_ARGS("-c",
                "\"$0\" \"$@\" || test $? -eq 1",
                PLUGIN_PROGRAM,
                "doctor",
                "--kubeconfig",
                controlplane_admin(n->cp),
                "--request-timeout=60s",
                "-o",
                "jsonpath={range .findings[*]} {.code} {.object.name}{end}"),
        },
        &said));
    return said;
}

/* What is installed is what the doctor knows: its definitions, rights, accounts and settings. What
 * is left for a person to do, it tells of: the storage classes of the settings, and the account of
 * pods in a namespace of theirs. Whether both replicas are on one machine (SEI1114) is chance. */
static void then_the_doctor_knows_it(const Nodes *n, Arena *a)
{
    static const char *const all_of[] = {" SEI2001 gp3-archive", " SEI1302 seid-node"};
    static const char *const none_of[] = {
        " SEI10",
        " SEI110",
        " SEI1110",
        " SEI1111",
        " SEI1112",
        " SEI1113",
        " SEI1115",
        " SEI1116",
        " SEI1117",
        " SEI12",
        " SEI1301",
        " SEI1305",
    };
    const char *found = doctor_finds(n, a);

    for (size_t i = 0; i < array_count(all_of); i++)
        if (!strstr(found, all_of[i]))
            test_fail(__FILE__, __LINE__, "%s is not found:%s", all_of[i], found);
    for (size_t i = 0; i < array_count(none_of); i++)
        if (strstr(found, none_of[i]))
            test_fail(__FILE__, __LINE__, "%s is found:%s", none_of[i], found);
}

/* A node that runs in a cluster where the whole file is applied; the uid of its claim. */
static const char *given_installed(Nodes *n, Arena *a)
{
    apply_install(n, a);
    return installed_node(n);
}

TEST(the_install_manifest_starts_two_replicas_and_an_upgrade_restarts_no_node)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, installed_controlplane(), "upgrade");

    given_installed(&n, a);
    installed_wait(&n, a);
    eventually(budget_allows_one(&n));
    then_the_doctor_knows_it(&n, a);
    const char *pod = nodes_uid(&n, "pods", "rpc-0");

    apply_next(&n, a);
    installed_wait(&n, a);
    then_str(installed_image(&n, a), INSTALLED_NEXT_IMAGE);
    apply_install(&n, a);
    installed_wait(&n, a);
    then_str(nodes_uid(&n, "pods", "rpc-0"), pod);
    nodes_delete(&n, "seinodes", "rpc", "background");
    eventually(!nodes_have(&n, "seinodes", "rpc"));
    nodes_close(&n);
}

TEST(deleting_the_crds_first_keeps_every_volume)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, installed_controlplane(), "in-order");
    const char *claim = given_installed(&n, a);

    kubectl(n.cp, a, "delete", "crd", "seinodes.sei.io", "seinodedeployments.sei.io");
    then_true(!installed_serves(&n));
    then_true(installed_volume_is_whole(&n, claim));
    nodes_kill_operator(&n);
    kubectl(
        n.cp, a, "delete", "--ignore-not-found", "-f", installed_source(a, "deploy/install.yaml"));
    then_true(installed_volume_is_whole(&n, claim));
    nodes_install_again(&n);
}

/* Without an operator that takes leave of it, a node stays, and so do its kind and its volume,
 * until one is there again. */
TEST(deleting_everything_at_once_keeps_every_volume)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, installed_controlplane(), "at-once");
    const char *claim = given_installed(&n, a);

    nodes_kill_operator(&n);
    kubectl(n.cp, a, "delete", "--wait=false", "-f", installed_source(a, "deploy/install.yaml"));
    eventually(!scene_has(n.cp, "/api/v1/namespaces/sei-system"));
    then_true(installed_serves(&n));
    then_true(installed_volume_is_whole(&n, claim));

    apply_install(&n, a);
    nodes_install_again(&n);
    nodes_start_operator(&n, NULL);
    eventually(!installed_serves(&n));
    then_true(installed_volume_is_whole(&n, claim));
    nodes_install_again(&n);
    nodes_close(&n);
}
