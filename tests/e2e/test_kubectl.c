/* The real kubectl on the sandbox, unchanged: what people type, in the order in which they might.
 * Each row is a command and a phrase of what it says; a later one stands on those before it. */
#include "tests/e2e/controlplane.h"
#include "tests/sandbox/running.h"
#include "tests/test.h"

enum { WORDS_MAX = 12, COMMAND_MAX_MS = 90000 };

#define WEB(image)                                                                                 \
    "{apiVersion: v1, kind: List, items: ["                                                        \
    " {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {clusterIP: None,"              \
    "  selector: {app: web}, ports: [{port: 80}]}},"                                               \
    " {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web}, spec: {"                     \
    "  serviceName: web, replicas: 2, selector: {matchLabels: {app: web}},"                        \
    "  template: {metadata: {labels: {app: web}},"                                                 \
    "   spec: {terminationGracePeriodSeconds: 1, containers: ["                                    \
    "    {name: a, image: 'i:1'}, {name: b, image: '" image "'}]}},"                               \
    "  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce],"       \
    "   resources: {requests: {storage: 1Gi}}}}]}}]}"
#define NODE(image)                                                                                \
    "{apiVersion: sei.io/v1alpha1, kind: SeiNode, metadata: {name: rpc}, spec: {"                  \
    "chainId: pacific-1, image: '" image "', fullNode: {}}}"

static const struct {
    const char *name;
    const char *words[WORDS_MAX];
    const char *input;  /* of "-f -" */
    const char *editor; /* of edit */
    const char *want;   /* a phrase of what it prints; with `fails` of its complaint */
    bool fails;
} commands[] = {
    {"installs definitions", {"apply", "-f", "deploy/crds"}, .want = "seinodes.sei.io created"},
    {"sees them at once", {"api-resources", "--api-group=sei.io"}, .want = "snode"},
    {"sees all names", {"api-resources", "-o", "name"}, .want = "statefulsets.apps\n"},
    {"sees versions", {"api-versions"}, .want = "sei.io/v1alpha1"},
    {"lists what there is none of", {"get", "seinodes"}, .want = ""},

    {"explains a field of ours",
        {"explain", "seinode.spec.validator.signingKey"},
        .want = "One key must never sign in two"},
    {"explains by a short name", {"explain", "snd.spec"}, .want = "updateStrategy"},
    {"explains a built-in kind", {"explain", "statefulset"}, .want = "KIND:       StatefulSet"},
    {"explains deep down",
        {"explain", "sts.spec.template.spec.containers.resources", "--recursive"},
        .want = "map[string]Quantity"},
    {"explains nothing that is not there",
        {"explain", "seinode.spec.nonsense"},
        .want = "field \"nonsense\" does not exist",
        .fails = true},

    {"applies a list", {"apply", "-f", "-"}, WEB("j:1"), .want = "statefulset.apps/web created"},
    {"applies it again",
        {"apply", "-f", "-"},
        WEB("j:1"),
        .want = "statefulset.apps/web configured"},
    {"waits for pods",
        {"wait", "--for=jsonpath={.status.readyReplicas}=2", "sts/web", "--timeout=60s"},
        .want = "condition met"},
    {"waits for a condition",
        {"wait", "--for=condition=Ready", "pod/web-0", "--timeout=60s"},
        .want = "condition met"},
    {"shows pods", {"get", "pods"}, .want = "web-0   2/2     Running   0"},
    {"shows pods widely", {"get", "po", "-o", "wide"}, .want = "NOMINATED NODE"},
    {"shows many kinds", {"get", "sts,pvc,pv,svc,no"}, .want = "statefulset.apps/web   2/2"},
    {"shows a category", {"get", "all"}, .want = "service/web"},
    {"shows names", {"get", "pods", "-o", "name"}, .want = "pod/web-1\n"},
    {"shows by label", {"get", "pods", "-l", "app=web", "-o", "name"}, .want = "pod/web-0"},
    {"shows by field",
        {"get", "pods", "--field-selector=metadata.name=web-1", "-o", "name"},
        .want = "pod/web-1"},
    {"shows columns of its own",
        {"get", "sts", "-o", "custom-columns=R:.spec.replicas"},
        .want = "R\n2\n"},
    {"shows all namespaces", {"get", "pods", "-A"}, .want = "NAMESPACE"},
    {"shows what is not there",
        {"get", "pod", "nobody"},
        .want = "pods \"nobody\" not found",
        .fails = true},
    {"shows a kind that is none",
        {"get", "gadgets"},
        .want = "the server doesn't have a resource type \"gadgets\"",
        .fails = true},
    {"describes", {"describe", "sts", "web"}, .want = "Pods Status:"},
    {"describes a pod", {"describe", "pod", "web-0"}, .want = "Controlled By:"},
    {"describes a custom object's kind",
        {"describe", "crd", "seinodes.sei.io"},
        .want = "Established"},

    {"patches one container of two",
        {"patch",
            "sts",
            "web",
            "-p",
            ("{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"b\",\"image\":\"j:2\"}"
             "]"
             "}}}}")},
        .want = "statefulset.apps/web patched"},
    {"has left the other alone", {"get", "sts", "-o", "wide"}, .want = "i:1,j:2"},
    {"sets an image", {"set", "image", "sts/web", "a=i:2"}, .want = "image updated"},
    {"edits a built-in kind",
        {"edit", "sts", "web"},
        .editor = "sed -i s/j:2/j:3/",
        .want = "statefulset.apps/web edited"},
    {"applies what it applied before",
        {"apply", "-f", "-"},
        WEB("j:4"),
        .want = "statefulset.apps/web configured"},
    {"restarts", {"rollout", "restart", "sts/web"}, .want = "statefulset.apps/web restarted"},
    {"watches a rollout", {"rollout", "status", "sts/web", "--timeout=80s"}, .want = "complete"},
    {"shows the history of rollouts", {"rollout", "history", "sts/web"}, .want = "REVISION"},
    {"undoes", {"rollout", "undo", "sts/web"}, .want = "rolled back"},
    {"cordons", {"cordon", "node-1"}, .want = "node/node-1 cordoned"},
    {"shows it", {"get", "node", "node-1"}, .want = "Ready,SchedulingDisabled"},
    {"shows machines widely", {"get", "nodes", "-o", "wide"}, .want = "v1.34.0"},
    {"drains", {"drain", "node-1", "--timeout=80s"}, .want = "node/node-1 drained"},
    {"uncordons", {"uncordon", "node-1"}, .want = "node/node-1 uncordoned"},
    {"reads logs", {"logs", "web-0", "-c", "a", "--tail=5"}, .want = ""},
    {"reads logs of a container that is none",
        {"logs", "web-0", "-c", "zzz"},
        .want = "container zzz is not valid for pod web-0",
        .fails = true},
    {"reads events", {"events"}, .want = "Pod/web-0"},
    {"reads events as objects", {"get", "events"}, .want = "LAST SEEN"},
    {"scales", {"scale", "sts", "web", "--replicas=3"}, .want = "statefulset.apps/web scaled"},
    {"waits for what was scaled",
        {"wait", "--for=jsonpath={.status.readyReplicas}=3", "sts/web", "--timeout=60s"},
        .want = "condition met"},
    {"labels", {"label", "sts", "web", "tier=front"}, .want = "statefulset.apps/web labeled"},
    {"annotates", {"annotate", "sts", "web", "a.io/b=c"}, .want = "annotated"},

    {"applies a node by itself",
        {"apply", "--server-side", "-f", "-"},
        NODE("seid:v1"),
        .want = "seinode.sei.io/rpc serverside-applied"},
    {"applies another image", {"apply", "-f", "-"}, NODE("seid:v2"), .want = "configured"},
    {"edits",
        {"edit", "seinode", "rpc"},
        .editor = "sed -i s/seid:v2/seid:v3/",
        .want = "seinode.sei.io/rpc edited"},
    {"patches",
        {"patch", "seinode", "rpc", "--type=merge", "-p", "{\"spec\":{\"paused\":true}}"},
        .want = "seinode.sei.io/rpc patched"},
    {"patches by operations",
        {"patch",
            "seinode",
            "rpc",
            "--type=json",
            "-p",
            "[{\"op\":\"test\",\"path\":\"/spec/image\",\"value\":\"seid:v3\"}]"},
        .want = "seinode.sei.io/rpc patched (no change)"},
    {"shows its columns", {"get", "snode", "-o", "wide"}, .want = "STATEFULSET"},
    {"shows it as YAML", {"get", "seinode", "rpc", "-o", "yaml"}, .want = "image: seid:v3"},
    {"tells a rule that was broken",
        {"patch", "seinode", "rpc", "--type=merge", "-p", "{\"spec\":{\"image\":\"\"}}"},
        .want = "spec.image",
        .fails = true},
    {"is told before anything is done",
        {"apply", "--dry-run=server", "-f", "-"},
        NODE("seid:v9"),
        .want = "configured (server dry run)"},
    {"makes things from words",
        {"create", "configmap", "c", "--from-literal=a=1"},
        .want = "configmap/c created"},
    {"replaces",
        {"replace", "-f", "-"},
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: '2'}}",
        .want = "configmap/c replaced"},
    {"makes a workload from words",
        {"create", "deployment", "d", "--image=i:1", "--port=80"},
        .want = "deployment.apps/d created"},
    {"makes a Job from words",
        {"create", "job", "j", "--image=i:1", "--", "true"},
        .want = "job.batch/j created"},
    {"makes a budget from words",
        {"create", "pdb", "b", "--selector=a=b", "--min-available=50%"},
        .want = "poddisruptionbudget.policy/b created"},
    {"makes a namespace", {"create", "namespace", "n"}, .want = "namespace/n created"},
    {"asks what it may", {"auth", "can-i", "create", "pods"}, .want = "yes"},
    {"asks what another may",
        {"auth", "can-i", "create", "pods", "--as=nobody"},
        .want = "exit 1",
        .fails = true},
    {"asks who it is", {"auth", "whoami"}, .want = "Username"},
    {"asks for a token", {"create", "token", "default"}, .want = "."},
    {"reads a document", {"get", "--raw", "/version"}, .want = "\"minor\""},
    {"says versions", {"version"}, .want = "Server Version: v1.34"},

    {"deletes", {"delete", "sts", "web"}, .want = "statefulset.apps \"web\" deleted"},
    {"waits until they are gone",
        {"wait", "--for=delete", "pod/web-0", "pod/web-1", "--timeout=60s"},
        .want = ""},
    {"deletes by label", {"delete", "svc,pvc", "--all"}, .want = "deleted"},
    {"deletes a namespace", {"delete", "namespace", "n"}, .want = "namespace \"n\" deleted"},
    {"takes definitions away",
        {"delete", "-f", "deploy/crds"},
        .want = "\"seinodes.sei.io\" deleted"},
    {"and their kinds with them",
        {"get", "seinodes"},
        .want = "the server could not find the requested resource",
        .fails = true},
};

/* Runs one and gives what it printed or, in *ret_failure, what it complained of. */
static const char *run(const Running *r, const char *kubectl, size_t row, const char **ret_failure)
{
    const char *output = "";
    const char *editor = commands[row].editor ? commands[row].editor : "false";
    Err *err = process_run(r->arena,
        &(ProcessOptions){.program = kubectl,
            .args = commands[row].words,
            .env = PROCESS_ARGS(str_format(r->arena, "KUBECONFIG=%s", r->kubeconfig),
                str_format(r->arena, "HOME=%s", folder_path(r->folder)),
                str_format(r->arena, "KUBE_EDITOR=%s", editor),
                "PATH=/usr/bin:/bin"),
            .folder = getenv("SEI_SOURCE_ROOT"), /* NOLINT(concurrency-mt-unsafe) */
            .input = commands[row].input,
            .timeout_ms = COMMAND_MAX_MS},
        &output);

    *ret_failure = err ? err_text(r->arena, err) : NULL;
    return output;
}

/* Whether it said what it should; tells when not, and goes on: later rows may still hold. */
static bool command_holds(const Running *r, const char *kubectl, size_t row)
{
    const char *failure;
    const char *output = run(r, kubectl, row, &failure);
    const char *said = failure ? failure : output;

    if ((failure != NULL) == commands[row].fails && strstr(said, commands[row].want))
        return true;
    print_message("%s\ngot:  %s\nwant: ...%s...\n", commands[row].name, said, commands[row].want);
    return false;
}

TEST(kubectl_works_with_the_sandbox)
{
    Running r;
    const char *folder, *kubectl;
    size_t failures = 0;

    running_open(&r, SANDBOX_PROGRAM, PROCESS_ARGS("--speed=20"));
    then_ok(controlplane_find_binaries(r.arena, &folder));
    kubectl = str_format(r.arena, "%s/kubectl", folder);
    each_case(i, commands)
        failures += !command_holds(&r, kubectl, i);
    running_close(&r);
    then_int(failures, 0);
}
