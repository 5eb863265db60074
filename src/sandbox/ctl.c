/* Ctl: a table of commands; what is in none of its rows is an order. */
#include "sandbox/ctl.h"

#include "base/base64.h"
#include "base/draft.h"
#include "base/str.h"
#include "kube/client.h"
#include "kube/meta.h"
#include "sandbox/ctl_kinds.h"
#include "sandbox/manifest.h"
#include "sandbox/orders.h"
#include "sandbox/secret_file.h"

#include <stdio.h>
#include <string.h>

enum { SAID_MAX = 128 << 20, TOKEN_SECONDS = 86400, MIB = 1 << 20 };

#define MANAGER "sei-sandbox-ctl"

static Err *say_bytes(Ctl *ctl, Arena *a, Bytes text)
{
    if (buf_append(ctl->said, text.data, text.len) && buf_append(ctl->said, "\n", 1))
        return OK;
    return err_terminal(a,
        "what there is to say is longer than %zu MiB: ask for less, as with ?limit=100",
        ctl->said->ceiling / MIB);
}

static Err *say(Ctl *ctl, Arena *a, const char *format, ...)
    __attribute__((format(printf, 3, 4))) MUST_CHECK;

/* Says one line. */
static Err *say(Ctl *ctl, Arena *a, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const char *text = str_vformat(a, format, args);
    va_end(args);
    return say_bytes(ctl, a, bytes_of(text));
}

/* The namespace of a kind that has them. */
static const char *namespace_for(const Ctl *ctl, const Kind *kind, const char *wanted)
{
    if (!kind->namespaced)
        return NULL;
    return str_empty(wanted) ? ctl->config->namespace : wanted;
}

/* --- objects */

static Err *apply_object(void *self, Arena *a, const Json *object)
{
    Ctl *ctl = self;
    const Kind *kind;

    TRY(ctl_kind_of(ctl->api, a, object, &kind));
    Request request = {
        .verb = VERB_APPLY,
        .kind = kind,
        .key = {namespace_for(ctl, kind, meta_namespace(object)), meta_name(object)},
        .body = object,
        .manager = MANAGER,
        .force = true,
    };
    TRY(api_call(ctl->api, a, &request, NULL));
    return say(ctl, a, "%s/%s applied", str_lower(a, kind->name), meta_name(object));
}

static Err *apply(Ctl *ctl, Arena *a, char *const *words)
{
    for (; *words; words++)
        TRY(manifest_each(a, *words, apply_object, ctl));
    return OK;
}

static Err *delete_object(Ctl *ctl, Arena *a, char *const *words)
{
    const Kind *kind;
    Key key = key_parse(a, words[1]);

    TRY(ctl_kind_named(ctl->api, a, words[0], &kind));
    Request request = {.verb = VERB_DELETE,
        .kind = kind,
        .key = {namespace_for(ctl, kind, key.namespace), key.name}};
    TRY(api_call(ctl->api, a, &request, NULL));
    return say(ctl, a, "%s/%s deleted", str_lower(a, kind->name), key.name);
}

static Err *get(Ctl *ctl, Arena *a, char *const *words)
{
    Request request = {.verb = VERB_RAW_GET, .raw_path = words[0]};
    const Json *answer = NULL;

    TRY(api_call(ctl->api, a, &request, &answer));
    if (json_type(answer) == JSON_STRING)
        return say_bytes(ctl, a, bytes_of(json_text(answer)));
    return say_bytes(ctl, a, json_pretty(a, answer));
}

/* --- accounts */

static const char *kubeconfig_of(
    Arena *a, const Config *c, const char *namespace, const char *credentials)
{
    const char *authority = c->ca_pem
        ? str_format(a, "certificate-authority-data: %s", base64_encode(a, bytes_of(c->ca_pem)))
        : str_format(a, "certificate-authority: %s", c->ca_file ? c->ca_file : "");

    return str_format(a,
        "apiVersion: v1\n"
        "kind: Config\n"
        "current-context: sei-sandbox\n"
        "clusters: [{name: sei-sandbox, cluster: {server: '%s', %s}}]\n"
        "users: [{name: account, user: {%s}}]\n"
        "contexts:\n"
        "- {name: sei-sandbox, context: {cluster: sei-sandbox, user: account, namespace: %s}}\n",
        c->server,
        authority,
        credentials,
        namespace);
}

static Err *account(Ctl *ctl, Arena *a, char *const *words)
{
    Key key = key_parse(a, words[0]);
    const Json *answer = NULL;
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_serviceaccount,
        .key = {namespace_for(ctl, kind_serviceaccount, key.namespace), key.name},
        .subresource = "token",
        .body = json_seal(a,
            draft(a,
                str("apiVersion", "authentication.k8s.io/v1"),
                str("kind", "TokenRequest"),
                obj("spec", num("expirationSeconds", TOKEN_SECONDS)))),
    };

    TRY(api_call(ctl->api, a, &request, &answer));
    TRY(secret_file_write(a,
        words[1],
        bytes_of(kubeconfig_of(a,
            ctl->config,
            request.key.namespace,
            str_format(a, "token: %s", json_str(answer, ".status.token"))))));
    return say(ctl, a, "%s is a kubeconfig of %s for a day", words[1], words[0]);
}

/* --- clients by certificate */

static Draft *groups_of(Arena *a, char *const *words)
{
    Draft *groups = draft_array(a);

    for (; *words; words++)
        draft_push_str(groups, *words);
    return groups;
}

static Err *certificate(Ctl *ctl, Arena *a, char *const *words)
{
    const Json *answer = NULL;
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_client_certificate,
        .body = json_seal(a,
            draft(a,
                str("apiVersion", "sandbox.sei.io/v1"),
                str("kind", kind_client_certificate->name),
                obj("spec", str("user", words[0]), sub("groups", groups_of(a, words + 2))))),
    };

    TRY(api_call(ctl->api, a, &request, &answer));
    const char *text = json_str(answer, ".status.certificate"),
               *key = json_str(answer, ".status.key");
    if (!text || !key)
        return err_terminal(a, "the server gave no certificate: is it a sandbox?");
    const char *user = str_format(a,
        "client-certificate-data: %s, client-key-data: %s",
        base64_encode(a, bytes_of(text)),
        base64_encode(a, bytes_of(key)));
    TRY(secret_file_write(
        a, words[1], bytes_of(kubeconfig_of(a, ctl->config, ctl->config->namespace, user))));
    return say(ctl, a, "%s is a kubeconfig of the user %s", words[1], words[0]);
}

/* --- orders */

static Err *order(Ctl *ctl, Arena *a, char *const *words)
{
    const char *line = words[0];

    for (words++; *words; words++)
        line = str_format(a, "%s %s", line, *words);
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_order,
        .body = json_seal(a,
            draft(a,
                str("apiVersion", "sandbox.sei.io/v1"),
                str("kind", kind_order->name),
                obj("spec", str("line", line)))),
    };
    TRY(api_call(ctl->api, a, &request, NULL));
    return say(ctl, a, "obeyed: %s", line);
}

/* --- all of it */

static const struct {
    const char *name, *form;
    int words_min, words_max; /* behind the name */
    Err *(*run)(Ctl *ctl, Arena *a, char *const *words);
} commands[] = {
    {"apply", "apply FILE|FOLDER...", 1, 1000, apply},
    {"delete", "delete KIND [NAMESPACE/]NAME", 2, 2, delete_object},
    {"get", "get PATH (of the API: /api/v1/pods)", 1, 1, get},
    {"account",
        "account [NAMESPACE/]NAME FILE (writes a kubeconfig of that account)",
        2,
        2,
        account},
    {"certificate",
        "certificate USER FILE [GROUP...] (writes a kubeconfig of that user, by certificate)",
        2,
        100,
        certificate},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

Err *ctl_run(Ctl *ctl, Arena *a, char *const *words, int count)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (!str_eq(commands[i].name, words[0]))
            continue;
        if (count - 1 < commands[i].words_min || count - 1 > commands[i].words_max)
            return err_terminal(a, "it is written: sei-sandbox ctl %s", commands[i].form);
        return commands[i].run(ctl, a, words + 1);
    }
    return order(ctl, a, words);
}

static Err *run_and_tell(Client *client, Arena *a, Ctl *ctl, char *const *words, int count)
{
    Transport *transport = client_transport(client);

    ctl->api = transport->open_api(transport);
    Err *err = ctl_run(ctl, a, words, count);
    transport->close_api(transport, ctl->api);
    if (ctl->said->len > 0 && fwrite(ctl->said->data, 1, ctl->said->len, stdout) < ctl->said->len)
        return err_terminal(a, "cannot write to stdout");
    return err;
}

Err *ctl_main(Arena *a, const char *kubeconfig, char *const *words, int count)
{
    Buf said = {.ceiling = SAID_MAX};
    ConfigSource source = {0};
    Config config = {0};
    Client *client = NULL;

    config_source_from_environment(&source);
    source.path = kubeconfig;
    TRY(config_load(a, &source, &config));
    TRY(client_open(a, &config, &(ClientOptions){.user_agent = MANAGER "/1"}, &client));
    Ctl ctl = {.config = &config, .said = &said};
    Err *err = err_copy(a, run_and_tell(client, a, &ctl, words, count));
    buf_close(&said);
    client_close(client);
    return err;
}

void ctl_help(Buf *ret)
{
    const char *form;

    for (size_t i = 0; i < COMMANDS; i++)
        if (!buf_format(ret, "  %s\n", commands[i].form))
            BUG("the help of the sandbox is too long");
    for (size_t i = 0; (form = orders_form(i)); i++)
        if (!buf_format(ret, "  %s\n", form))
            BUG("the help of the sandbox is too long");
}
