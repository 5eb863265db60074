/* The manifests of deploy/rbac name what the program asks for. Whether the verbs are enough, and
 * none too many, is shown by the audit log of a real API server. */
#include "sei/api/names.h"
#include "sei/api/node.h"
#include "tests/test.h"

enum { MANIFEST_MAX = 1 << 16 };

static const char *manifest(Arena *a, const char *name)
{
    const char *root = getenv("SEI_SOURCE_ROOT");
    const char *path = str_format(a, "%s/deploy/rbac/%s", root ? root : ".", name);
    char *text = arena_alloc(a, MANIFEST_MAX);
    FILE *file = fopen(path, "re");

    then_true(file != NULL);
    then_true(fread(text, 1, MANIFEST_MAX - 1, file) > 0);
    fclose(file);
    return text;
}

static const struct {
    const char *name, *file, *phrase;
} cases[] = {
    {"what is written and watched is read after a write of unknown outcome",
        "operator.yaml",
        "resources: [pods]\n  verbs: [get, list, watch, patch, delete]"},
    {"what a failing probe got",
        "operator.yaml",
        "apiGroups: [\"\"]\n  resources: [events]\n  verbs: [list]\n"},
    {"the Lease", "operator.yaml", "resourceNames: [" LEASE_NAME "]\n  verbs: [get, update]"},
    {"the definitions of the kinds",
        "operator.yaml",
        "resourceNames: [seinodes.sei.io, seinodedeployments.sei.io]\n  verbs: [get]"},
    {"the account of sidecars' tokens",
        "sidecar-client.yaml",
        "kind: ServiceAccount\nmetadata:\n  name: " SIDECAR_ACCOUNT "\n"},
    {"tokens of that account alone",
        "sidecar-client.yaml",
        "resources: [serviceaccounts/token]\n  resourceNames: [" SIDECAR_ACCOUNT
        "]\n  verbs: [create]"},
    {"what sidecars' proxies ask about",
        "sidecar-client.yaml",
        "resources: [seinodetasks]\n  verbs: [create, get]"},
    {"the role that reads the metrics",
        "operator.yaml",
        "resources: [tokenreviews]\n  verbs: [create]"},
    {"and may they", "operator.yaml", "resources: [subjectaccessreviews]\n  verbs: [create]"},
    {"the permission to read the metrics",
        "operator.yaml",
        "nonResourceURLs: [/metrics]\n  verbs: [get]"},
    {"what proxies ask the API server", "nodes.yaml", "resources: [tokenreviews]\n"},
};

TEST(the_rbac_manifests_name_the_kinds_that_the_program_uses)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        then_true(strstr(manifest(a, cases[i].file), cases[i].phrase) != NULL);
    }
    then_str(kind_seinode->plural, "seinodes");
    then_str(kind_seinode->group, "sei.io");
}

TEST(no_rbac_role_has_a_wildcard)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        then_true(!strchr(manifest(a, cases[i].file), '*'));
    }
}

/* A list or a watch of Secrets shows all of them, and not by name alone. */
TEST(the_operator_may_only_get_secrets_and_not_list_them)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *text = manifest(a, "operator.yaml");
    const char *rule = strstr(text, "secrets");

    then_true(rule != NULL);
    then_true(str_has_prefix(rule, "secrets]\n  verbs: [get]\n"));
    then_true(!strstr(rule + 1, "secrets"));
    then_true(!strstr(manifest(a, "sidecar-client.yaml"), "secrets"));
    then_true(!strstr(manifest(a, "nodes.yaml"), "secrets"));
}
