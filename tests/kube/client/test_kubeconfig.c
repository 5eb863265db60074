/* One kubeconfig: what a good one means, and every way in which it can be wrong.
 *
 * The world is a kubeconfig with one context; a case changes one of its parts by a merge patch. */
#include "kube/client/kubeconfig.h"
#include "tests/test.h"

#define PATH "/home/u/.kube/config"

/* "-----BEGIN CERTIFICATE-----" in base64, and nothing behind it: certificates are not parsed here.
 */
#define PEM_BASE64 "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t"

typedef struct World {
    const char *root, *cluster, *user, *context;
} World;

static const World world = {
    .root = "{apiVersion: 'v1', kind: 'Config', 'current-context': 'dev', preferences: {}}",
    .cluster = "{server: 'https://h:6443', 'certificate-authority-data': '" PEM_BASE64 "'}",
    .user = "{token: 'abc'}",
    .context = "{cluster: 'k', user: 'u', namespace: 'team'}",
};

static const char *patched(Arena *a, const char *text, const char *patch)
{
    const Json *whole = json_fixture(a, text);
    return json_write(a, patch ? json_merge(a, whole, json_fixture(a, patch)) : whole).data;
}

/* The text of the kubeconfig with a part of each kind changed. */
static const char *text_of(Arena *a, World changes)
{
    const char *lists = str_format(a,
        "{clusters: [{name: 'k', cluster: %s}], users: [{name: 'u', user: %s}],"
        " contexts: [{name: 'dev', context: %s}]}",
        patched(a, world.cluster, changes.cluster),
        patched(a, world.user, changes.user),
        patched(a, world.context, changes.context));
    return patched(a, patched(a, world.root, lists), changes.root);
}

static Err *parse(Arena *a, World changes, const char *context, Config *ret)
{
    return config_parse(a, PATH, text_of(a, changes), context, ret);
}

TEST(a_valid_kubeconfig_gives_server_and_credentials)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Config config = {0};

    then_ok(parse(a, (World){0}, NULL, &config));
    then_str(config.server, "https://h:6443");
    then_str(config.ca_pem, "-----BEGIN CERTIFICATE-----");
    then_str(config.ca_file, NULL);
    then_str(config.token, "abc");
    then_str(config.token_file, NULL);
    then_str(config.namespace, "team");
    then_str(config.origin, "kubeconfig " PATH ", context dev");
    then_str(config.tls_server_name, NULL);
    then_true(!config.insecure);
}

TEST(relative_files_are_resolved_from_the_folder_of_the_kubeconfig)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Config config = {0};
    World files = {
        .cluster = "{'certificate-authority-data': null, 'certificate-authority': 'pki/ca.crt'}",
        .user = "{token: null, tokenFile: '/run/token',"
                " 'client-certificate': 'me.crt', 'client-key': '../me.key'}",
    };

    then_ok(parse(a, files, NULL, &config));
    then_str(config.ca_file, "/home/u/.kube/pki/ca.crt");
    then_str(config.ca_pem, NULL);
    then_str(config.token, NULL);
    then_str(config.token_file, "/run/token");
    then_str(config.cert_file, "/home/u/.kube/me.crt");
    then_str(config.key_file, "/home/u/.kube/../me.key");
}

TEST(certificate_and_key_may_be_embedded_in_the_kubeconfig)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Config config = {0};
    World inside = {
        .user = "{token: null, 'client-certificate-data': '" PEM_BASE64
                "', 'client-key-data': 'LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t'}",
    };

    then_ok(parse(a, inside, NULL, &config));
    then_str(config.cert_pem, "-----BEGIN CERTIFICATE-----");
    then_str(config.key_pem, "-----BEGIN PRIVATE KEY-----");
}

TEST(absent_fields_of_a_kubeconfig_take_their_defaults)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Config config = {0};
    World bare = {
        .root = "{apiVersion: null, kind: null}",
        .cluster = "{'certificate-authority-data': null, 'tls-server-name': ''}",
        .user = "{token: ''}",
        .context = "{namespace: '', user: null}",
    };

    then_ok(parse(a, bare, NULL, &config));
    then_str(config.namespace, "default");
    then_str(config.token, NULL);
    then_str(config.ca_pem, NULL);
    then_str(config.tls_server_name, NULL);
}

TEST(insecure_and_tls_server_name_are_taken_from_the_kubeconfig)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Config config = {0};
    World odd = {
        .cluster = "{'certificate-authority-data': null, 'insecure-skip-tls-verify': true,"
                   " 'tls-server-name': 'kubernetes'}",
    };

    then_ok(parse(a, odd, NULL, &config));
    then_true(config.insecure);
    then_str(config.tls_server_name, "kubernetes");
}

static const struct {
    const char *name, *context;
    World world;
    Want want;
} wrong[] = {
    /* The file as a whole. */
    {"another kind", .world = {.root = "{kind: 'Pod'}"}, .want = TERMINAL("kind: must be Config")},
    {"another version",
        .world = {.root = "{apiVersion: 'v2'}"},
        .want = TERMINAL("apiVersion: must be v1")},
    {"clusters are no list",
        .world = {.root = "{clusters: {}}", .cluster = NULL},
        .want = TERMINAL("clusters: there is no cluster \"k\"")},
    {"clusters are a word",
        .world = {.root = "{clusters: 'k'}"},
        .want = TERMINAL("clusters: must be a list")},
    {"users are a number",
        .world = {.root = "{users: 1}"},
        .want = TERMINAL("users: must be a list")},
    {"contexts are an object",
        .world = {.root = "{contexts: {dev: {}}}"},
        .want = TERMINAL("contexts: must be a list")},

    /* Which context. */
    {"no current context",
        .world = {.root = "{'current-context': null}"},
        .want = TERMINAL("current-context: not set (contexts there: dev)")},
    {"an empty one",
        .world = {.root = "{'current-context': ''}"},
        .want = TERMINAL("choose one with --context")},
    {"one that is no text",
        .world = {.root = "{'current-context': 7}"},
        .want = TERMINAL("current-context: must be a string")},
    {"one that does not exist",
        .world = {.root = "{'current-context': 'prod'}"},
        .want = TERMINAL("contexts: there is no context \"prod\" (there are: dev)")},
    {"an explicit one that does not exist",
        .context = "prod",
        .want = TERMINAL("there is no context \"prod\"")},
    {"two of one name",
        .world = {.root = "{contexts: [{name: 'dev', context: {}}, {name: 'dev'}]}"},
        .want = TERMINAL("contexts: two are named \"dev\"")},
    {"an entry without a name",
        .world = {.root = "{contexts: [{context: {}}]}"},
        .want = TERMINAL("contexts: an entry has no name")},
    {"a context without fields",
        .world = {.root = "{contexts: [{name: 'dev'}]}"},
        .want = TERMINAL("context \"dev\": context: must be an object")},
    {"a context without a cluster",
        .world = {.context = "{cluster: null}"},
        .want = TERMINAL("context \"dev\": .cluster")},
    {"a cluster that is not there",
        .world = {.context = "{cluster: 'x'}"},
        .want = TERMINAL("clusters: there is no cluster \"x\" (there are: k)")},
    {"a user that is not there",
        .world = {.context = "{user: 'x'}"},
        .want = TERMINAL("users: there is no user \"x\" (there are: u)")},
    {"a namespace that is no text",
        .world = {.context = "{namespace: 7}"},
        .want = TERMINAL("context \"dev\": .namespace")},

    /* The cluster. */
    {"no server",
        .world = {.cluster = "{server: null}"},
        .want = TERMINAL("cluster \"k\": .server")},
    {"an empty server",
        .world = {.cluster = "{server: ''}"},
        .want = TERMINAL("cluster \"k\": server: must begin with https://")},
    {"a server without a scheme",
        .world = {.cluster = "{server: 'h:6443'}"},
        .want = TERMINAL("cluster \"k\": server: must begin with https://")},
    {"a proxy",
        .world = {.cluster = "{'proxy-url': 'http://p'}"},
        .want = TERMINAL("cluster \"k\": proxy-url: proxies are not supported")},
    {"insecure as a word",
        .world = {.cluster = "{'insecure-skip-tls-verify': 'yes'}"},
        .want = TERMINAL("cluster \"k\": .insecure-skip-tls-verify")},
    {"insecure beside an authority",
        .world = {.cluster = "{'insecure-skip-tls-verify': true}"},
        .want = TERMINAL("insecure-skip-tls-verify: contradicts certificate-authority")},
    {"the authority twice",
        .world = {.cluster = "{'certificate-authority': 'ca.crt'}"},
        .want = TERMINAL("certificate-authority: given twice")},
    {"an authority that is no base64",
        .world = {.cluster = "{'certificate-authority-data': '!!!'}"},
        .want = TERMINAL("cluster \"k\": certificate-authority-data: not base64 at byte 0")},
    {"an authority that is no PEM",
        .world = {.cluster = "{'certificate-authority-data': 'aGVsbG8='}"},
        .want = TERMINAL("certificate-authority-data: is not PEM")},

    /* The user. */
    {"a token that is a number",
        .world = {.user = "{token: 12}"},
        .want = TERMINAL("user \"u\": .token")},
    {"a token with a line break",
        .world = {.user = "{token: 'a\\nX-Evil: b'}"},
        .want = TERMINAL("user \"u\": token: has a space")},
    {"a certificate without a key",
        .world = {.user = "{'client-certificate': 'me.crt'}"},
        .want = TERMINAL("client-certificate: needs client-key")},
    {"a key without a certificate",
        .world = {.user = "{'client-key': 'me.key'}"},
        .want = TERMINAL("client-key: needs client-certificate")},
    {"the certificate twice",
        .world = {.user = "{'client-certificate': 'c', 'client-certificate-data': 'c'}"},
        .want = TERMINAL("client-certificate: given twice")},
    {"the key twice",
        .world = {.user = "{'client-key': 'c', 'client-key-data': 'c'}"},
        .want = TERMINAL("client-key: given twice")},
    {"a key that is no base64",
        .world = {.user = "{'client-certificate': 'c', 'client-key-data': '!'}"},
        .want = TERMINAL("client-key-data: not base64")},
    {"a plugin",
        .world = {.user = "{exec: {command: 'aws'}}"},
        .want = TERMINAL("user \"u\": exec: credential plugins are not supported: use a token")},
    {"an auth provider",
        .world = {.user = "{'auth-provider': {name: 'gcp'}}"},
        .want = TERMINAL("auth-provider: is not supported")},
    {"a user name",
        .world = {.user = "{username: 'bob'}"},
        .want = TERMINAL("username: passwords are not supported")},
    {"a password",
        .world = {.user = "{password: 's3cret'}"},
        .want = TERMINAL("password: passwords are not supported")},
    {"somebody else's name",
        .world = {.user = "{as: 'root'}"},
        .want = TERMINAL("as: impersonation is not supported")},
    {"somebody else's uid",
        .world = {.user = "{'as-uid': '7'}"},
        .want = TERMINAL("as-uid: impersonation")},
    {"somebody else's groups",
        .world = {.user = "{'as-groups': ['system:masters']}"},
        .want = TERMINAL("as-groups: impersonation")},
    {"somebody else's extras",
        .world = {.user = "{'as-user-extra': {a: ['b']}}"},
        .want = TERMINAL("as-user-extra: impersonation")},
};

TEST(every_kubeconfig_error_names_the_file_and_the_field)
{
    each_case(i, wrong) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Config config = {.server = "untouched"};
        Err *err = parse(a, wrong[i].world, wrong[i].context, &config);

        then_err(err, wrong[i].want);
        then_err(err, TERMINAL("kubeconfig " PATH));
        then_str(config.server, "untouched");
        then_true(!strstr(err_text(a, err), "s3cret"));
    }
}

static const struct {
    const char *name, *text;
    Want want;
} broken[] = {
    {"not YAML", "a: [", .want = TERMINAL("kubeconfig f: line")},
    {"a list", "- a\n", .want = TERMINAL("kubeconfig f: must hold an object")},
    {"an empty file", "", .want = TERMINAL("kubeconfig f: current-context: not set")},
    {"one field twice",
        "kind: Config\nkind: Config\n",
        .want = TERMINAL("kubeconfig f: the field kind stands there twice")},
    {"one field of a user twice",
        "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
        "clusters: [{name: k, cluster: {server: 'https://h'}}]\n"
        "users: [{name: u, user: {token: a, token: b}}]\n",
        .want = TERMINAL("kubeconfig f: user \"u\": the field token stands there twice")},
};

TEST(a_text_that_is_not_a_kubeconfig_is_refused)
{
    each_case(i, broken) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Config config;
        then_err(config_parse(a, "f", broken[i].text, NULL, &config), broken[i].want);
    }
}

/* Two files as KUBECONFIG would list them. */
static const char first[] = "{contexts: [{name: c, context: {cluster: k, user: u}}],"
                            " users: [{name: u, user: {}}]}";
static const char second[] = "{current-context: c,"
                             " contexts: [{name: c, context: {cluster: other, user: other}}],"
                             " clusters: [{name: k, cluster: {server: 'https://second',"
                             "   certificate-authority: ca.crt}}],"
                             " users: [{name: u, user: {token: second}}]}";

TEST(the_first_kubeconfig_with_an_entry_name_provides_the_whole_entry)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Kubeconfigs files = {.count = 2};
    Config config = {0};

    then_ok(kubeconfig_parse(a, "/one/config", first, &files.items[0]));
    then_ok(kubeconfig_parse(a, "/two/config", second, &files.items[1]));
    then_ok(kubeconfig_resolve(a, &files, &(KubeconfigChoice){0}, &config));

    then_str(config.server, "https://second:443");
    then_str(config.ca_file, "/two/ca.crt");
    then_str(config.token, NULL);
    then_str(config.origin, "kubeconfig /one/config, context c");
}

TEST(a_kubeconfig_with_too_many_entries_or_fields_is_refused)
{
    SCOPED_ARENA a = arena_open(8 << 20);
    Buf many = {.ceiling = 1 << 20};
    Kubeconfig file;

    then_true(buf_format(&many, "users: ["));
    for (int i = 0; i < 1025; i++)
        then_true(buf_format(&many, "{name: u%d},", i));
    then_true(buf_format(&many, "]"));
    then_err(kubeconfig_parse(a, "f", many.data, &file), TERMINAL("users: more than 1024 entries"));
    buf_clear(&many, 0);
    for (int i = 0; i < 65; i++)
        then_true(buf_format(&many, "k%d: v\n", i));
    then_err(kubeconfig_parse(a, "f", many.data, &file), TERMINAL("more than 64 fields"));
    buf_close(&many);
}

/* --- credential plugins, where they are run */

static Err *resolve(Arena *a, World changes, const KubeconfigChoice *choice, Config *ret)
{
    Kubeconfigs files = {.count = 1};

    TRY(kubeconfig_parse(a, PATH, text_of(a, changes), &files.items[0]));
    return kubeconfig_resolve(a, &files, choice, ret);
}

#define V1 "client.authentication.k8s.io/v1"

TEST(a_credential_plugin_is_decoded_if_plugins_are_allowed)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Config config = {0};

    then_ok(resolve(a,
        (World){
            .user = "{token: null, exec: {apiVersion: '" V1 "', command: 'aws', args: ['eks', "
                    "'get-token'], env: [{name: 'A', value: 'b'}], installHint: 'get it', "
                    "provideClusterInfo: true, interactiveMode: 'Never'}}",
            .cluster = "{extensions: [{name: 'x', extension: 1}, {name: "
                       "'client.authentication.k8s.io/exec', extension: {audience: 'y'}}]}",
        },
        &(KubeconfigChoice){.runs_plugins = true},
        &config));
    then_str(config.exec->api_version, V1);
    then_str(config.exec->command, "aws");
    then_str(config.exec->args[1], "get-token");
    then_str(config.exec->args[2], NULL);
    then_str(config.exec->env[0], "A=b");
    then_str(config.exec->install_hint, "get it");
    then_true(config.exec->gets_cluster);
    then_json(config.exec->cluster_config, "{audience: 'y'}");
    then_int(config.exec->interactive, CONFIG_INTERACTIVE_NEVER);
}

static const struct {
    const char *name, *user, *command;
    Want want;
} plugins[] = {
    {"a name is looked for in PATH",
        "{token: null, exec: {apiVersion: '" V1 "beta1', command: 'x'}}",
        "x"},
    {"a relative path stands beside the file",
        "{token: null, exec: {apiVersion: '" V1 "', command: './bin/x', env: null}}",
        "/home/u/.kube/./bin/x"},
    {"an absolute one is what it is",
        "{token: null, exec: {apiVersion: '" V1 "', command: '/bin/x'}}",
        "/bin/x"},
    {"a token beside it wins", "{exec: {apiVersion: '" V1 "', command: 'x'}}", NULL},
    {"no program",
        "{token: null, exec: {apiVersion: '" V1 "'}}",
        .want = TERMINAL("exec: command: must name a program")},
    {"no version",
        "{token: null, exec: {command: 'x'}}",
        .want = TERMINAL("exec: apiVersion: must be " V1 " or v1beta1")},
    {"a version of long ago",
        "{token: null, exec: {command: 'x', apiVersion: '" V1 "alpha1'}}",
        .want = TERMINAL("v1alpha1 is out of use")},
    {"a word of its own",
        "{token: null, exec: {command: 'x', apiVersion: '" V1 "', interactiveMode: 'Maybe'}}",
        .want = TERMINAL("interactiveMode: must be Never, IfAvailable or Always")},
    {"an argument that is none",
        "{token: null, exec: {command: 'x', apiVersion: '" V1 "', args: [1]}}",
        .want = TERMINAL("args: must be a list of strings")},
    {"a variable without a name",
        "{token: null, exec: {command: 'x', apiVersion: '" V1 "', env: [{value: 'y'}]}}",
        .want = TERMINAL("env: an entry has no name")},
    {"no object", "{token: null, exec: 'aws'}", .want = TERMINAL("exec: must be an object")},
};

TEST(an_invalid_credential_plugin_is_reported_when_the_kubeconfig_is_read)
{
    each_case(i, plugins) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Config config = {0};
        then_err(resolve(a,
                     (World){.user = plugins[i].user},
                     &(KubeconfigChoice){.runs_plugins = true},
                     &config),
            plugins[i].want);
        then_str(config.exec ? config.exec->command : NULL, plugins[i].command);
    }
}

TEST(a_choice_of_cluster_or_user_overrides_the_context)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Config config = {0};
    World changes = {.root = "{clusters: [{name: 'k', cluster: {server: 'https://h:1'}}, {name: "
                             "'k2', cluster: {server: 'https://h:2'}}], users: [{name: 'u', user: "
                             "{token: 'a'}}, {name: 'u2', user: {token: 'b'}}]}"};

    then_ok(resolve(a, changes, &(KubeconfigChoice){.cluster = "k2", .user = "u2"}, &config));
    then_str(config.server, "https://h:2");
    then_str(config.token, "b");
    then_err(resolve(a, changes, &(KubeconfigChoice){.cluster = "k3"}, &config),
        TERMINAL("there is no cluster \"k3\""));
}
