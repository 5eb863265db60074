/* Which source a Config comes from, and the files that it names. */
#include "kube/config.h"
#include "tests/kube/client/scratch.h"
#include "tests/test.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *kubeconfig(Arena *a, const char *server, const char *cluster, const char *user)
{
    return str_format(a,
        "current-context: c\n"
        "contexts: [{name: c, context: {cluster: k, user: u}}, {name: d, context: {cluster: k}}]\n"
        "clusters: [{name: k, cluster: {server: 'https://%s:6443'%s}}]\n"
        "users: [{name: u, user: {%s}}]\n",
        server,
        cluster,
        user);
}

TEST(an_explicit_kubeconfig_path_takes_precedence_over_everything)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *folder = scratch_folder(a);
    ConfigSource source = {
        .path = scratch_write(a, folder, "one", kubeconfig(a, "explicit", "", "token: t")),
        .kubeconfig_list = scratch_write(a, folder, "two", kubeconfig(a, "listed", "", "token: t")),
        .context = "d",
    };
    Config config = {0};

    then_ok(config_load(a, &source, &config));
    then_str(config.server, "https://explicit:6443");
    then_str(config.origin, str_format(a, "kubeconfig %s/one, context d", folder));
}

TEST(an_explicit_kubeconfig_path_must_exist)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ConfigSource source = {.path = "/nowhere/config"};
    Config config;

    then_err(config_load(a, &source, &config),
        TERMINAL("kubeconfig: cannot read /nowhere/config: No such file or directory"));
}

TEST(missing_files_of_the_kubeconfig_list_are_skipped)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *path =
        scratch_write(a, scratch_folder(a), "two", kubeconfig(a, "listed", "", "token: t"));
    ConfigSource source = {.kubeconfig_list = str_format(a, ":/nowhere/one::%s:", path)};
    Config config = {0};

    then_ok(config_load(a, &source, &config));
    then_str(config.server, "https://listed:6443");
}

TEST(a_kubeconfig_list_without_any_existing_file_is_an_error)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *folder = scratch_folder(a);
    ConfigSource source = {
        .kubeconfig_list = "/nowhere/one:/nowhere/two",
        .service_host = "10.0.0.1",
        .service_port = "443",
        .account_dir = folder,
    };
    Config config;

    scratch_write(a, folder, "token", "t");
    then_err(config_load(a, &source, &config),
        TERMINAL("KUBECONFIG: none of its files exists: /nowhere/one:/nowhere/two"));
}

TEST(a_malformed_file_of_the_kubeconfig_list_is_an_error)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *folder = scratch_folder(a);
    const char *good = scratch_write(a, folder, "good", kubeconfig(a, "h", "", "token: t"));
    const char *bad = scratch_write(a, folder, "bad", "a: [");
    ConfigSource source = {.kubeconfig_list = str_format(a, "%s:%s", good, bad)};
    Config config;

    then_err(config_load(a, &source, &config), TERMINAL("/bad: line"));
}

TEST(the_kubeconfig_list_is_limited_in_length)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *path = scratch_write(a, scratch_folder(a), "c", "{}"), *listed = path;
    for (int i = 0; i < 32; i++)
        listed = str_format(a, "%s:%s", listed, path);
    ConfigSource source = {.kubeconfig_list = listed};
    Config config;

    then_err(config_load(a, &source, &config), TERMINAL("KUBECONFIG names more than 32 files"));
}

TEST(a_kubeconfig_that_is_too_large_or_not_text_is_refused)
{
    SCOPED_ARENA a = arena_open(8 << 20);
    char *large = arena_alloc(a, (1 << 20) + 2);
    memset(large, '#', (1 << 20) + 1);
    ConfigSource source = {.path = scratch_write(a, scratch_folder(a), "c", large)};
    Config config;

    then_err(config_load(a, &source, &config), TERMINAL("/c is larger than 1048576 bytes"));
    source.path = "/proc/self/cmdline";
    then_err(config_load(a, &source, &config), TERMINAL("holds a NUL byte"));
}

static const struct {
    const char *name, *cluster, *user;
    Want want;
} absent_files[] = {
    {"the authority",
        ", certificate-authority: nope",
        "token: t",
        .want = TERMINAL("context c: certificate-authority: cannot read")},
    {"the client certificate",
        "",
        "client-certificate: nope, client-key: c",
        .want = TERMINAL("context c: client-certificate: cannot read")},
    {"the client key",
        "",
        "client-certificate: c, client-key: nope",
        .want = TERMINAL("context c: client-key: cannot read")},
    {"the token", "", "tokenFile: nope", .want = TERMINAL("context c: tokenFile: cannot read")},
};

TEST(files_that_a_kubeconfig_names_must_exist)
{
    each_case(i, absent_files) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *text = kubeconfig(a, "h", absent_files[i].cluster, absent_files[i].user);
        ConfigSource source = {.path = scratch_write(a, scratch_folder(a), "c", text)};
        Config config;

        then_err(config_load(a, &source, &config), absent_files[i].want);
        then_err(config_load(a, &source, &config), TERMINAL("No such file or directory"));
    }
}

TEST(a_token_file_may_be_missing_if_the_kubeconfig_also_has_a_token)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *text = kubeconfig(a, "h", "", "token: t, tokenFile: nope");
    ConfigSource source = {.path = scratch_write(a, scratch_folder(a), "c", text)};
    Config config = {0};

    then_ok(config_load(a, &source, &config));
    then_str(config.token, "t");
}

TEST(the_kubeconfig_in_the_home_directory_is_the_last_choice)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ConfigSource source = {.home = scratch_folder(a), .kubeconfig_list = ""};
    const char *folder = str_format(a, "%s/.kube", source.home);
    Config config = {0};

    then_err(config_load(a, &source, &config), TERMINAL("not in a pod, and no /tmp/"));
    mkdir(folder, 0700);
    scratch_write(a, folder, "config", kubeconfig(a, "home", "", "token: t"));
    then_ok(config_load(a, &source, &config));
    then_str(config.server, "https://home:6443");
    source.home = NULL;
    then_err(config_load(a, &source, &config), TERMINAL("no cluster to talk to"));
}

/* --- in a pod --- */

typedef struct Pod {
    const char *folder;
    ConfigSource source;
} Pod;

static Pod pod(Arena *a)
{
    Pod p = {.folder = scratch_folder(a)};
    p.source = (ConfigSource){
        .service_host = "10.0.0.1",
        .service_port = "443",
        .account_dir = p.folder,
    };
    scratch_write(a, p.folder, "token", "abc");
    scratch_write(a, p.folder, "ca.crt", "pem");
    scratch_write(a, p.folder, "namespace", "team\n");
    return p;
}

TEST(a_pod_uses_its_service_account)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Pod p = pod(a);
    Config config = {0};

    then_ok(config_load(a, &p.source, &config));
    then_str(config.server, "https://10.0.0.1:443");
    then_str(config.token_file, str_format(a, "%s/token", p.folder));
    then_str(config.ca_file, str_format(a, "%s/ca.crt", p.folder));
    then_str(config.token, NULL);
    then_str(config.namespace, "team");
    then_str(config.origin, "in-cluster");
}

TEST(a_pod_may_have_an_ipv6_service_address)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Pod p = pod(a);
    Config config = {0};

    p.source.service_host = "fd00::1";
    then_ok(config_load(a, &p.source, &config));
    then_str(config.server, "https://[fd00::1]:443");
}

TEST(a_pod_without_a_namespace_file_uses_namespace_default)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Pod p = pod(a);
    Config config = {0};

    unlink(str_format(a, "%s/namespace", p.folder));
    then_ok(config_load(a, &p.source, &config));
    then_str(config.namespace, "default");
    scratch_write(a, p.folder, "namespace", " \n");
    then_ok(config_load(a, &p.source, &config));
    then_str(config.namespace, "default");
}

TEST(a_pod_with_a_wrong_service_account_mount_is_reported)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Pod p = pod(a);
    Config config;

    p.source.service_port = "http";
    then_err(config_load(a, &p.source, &config), TERMINAL("in-cluster: KUBERNETES_SERVICE_HOST"));
    p.source.service_port = "443";
    unlink(str_format(a, "%s/ca.crt", p.folder));
    then_err(config_load(a, &p.source, &config), TERMINAL("ca.crt is missing"));
    unlink(str_format(a, "%s/token", p.folder));
    then_err(config_load(a, &p.source, &config), TERMINAL("automountServiceAccountToken"));
}

TEST(the_configuration_source_is_read_from_the_environment)
{
    ConfigSource source;

    setenv("KUBECONFIG", "/a:/b", 1);
    setenv("HOME", "/home/u", 1);
    setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
    setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    config_source_from_environment(&source);
    then_str(source.kubeconfig_list, "/a:/b");
    then_str(source.home, "/home/u");
    then_str(source.service_host, "10.0.0.1");
    then_str(source.service_port, "443");
    then_str(source.path, NULL);
    then_str(source.context, NULL);
    then_str(source.account_dir, NULL);
}
