/* The command line. The reference's flags are all understood, so that its manifests start this
 * program; what cannot be done is refused and not silently left out. */
#include "operator/flags.h"

#include "base/str.h"

#include <string.h>

enum { WORKERS_MAX = 64, UNAVAILABLE_MAX = 1000 };

const FlagRow flag_rows[] = {
    {"metrics-bind-address",
        "ADDRESS",
        ":8080",
        "where /metrics is served; 0 for nowhere",
        FLAG_TEXT,
        offsetof(Flags, metrics_address),
        .min = 0},
    {"health-probe-bind-address",
        "ADDRESS",
        ":8081",
        "where /healthz and /readyz are served; 0 for nowhere",
        FLAG_TEXT,
        offsetof(Flags, health_address),
        .min = 0},
    {"leader-elect",
        NULL,
        "true",
        "work only while holding the Lease, so that replicas may stand by",
        FLAG_SWITCH,
        offsetof(Flags, leader_elect),
        .min = 0},
    {"lease-namespace",
        "NAMESPACE",
        "",
        "of the Lease; else $POD_NAMESPACE, else that of the kubeconfig",
        FLAG_TEXT,
        offsetof(Flags, lease_namespace),
        .min = 0},
    {"identity",
        "NAME",
        "",
        "the stable part of this process's name on the Lease; else $POD_NAME and $POD_UID, else "
        "the host's name",
        FLAG_TEXT,
        offsetof(Flags, identity),
        .min = 0},
    {"kubeconfig",
        "FILE",
        "",
        "how to reach the API server; else $KUBECONFIG, else the pod's account, else "
        "~/.kube/config",
        FLAG_TEXT,
        offsetof(Flags, kubeconfig),
        .min = 0},
    {"workers",
        "N",
        "4",
        "nodes that are looked at side by side",
        FLAG_NUMBER,
        offsetof(Flags, workers),
        .min = 1,
        .max = WORKERS_MAX},
    {"watch-namespaces",
        "A,B",
        "",
        "the only namespaces to look at; all when empty",
        FLAG_TEXT,
        offsetof(Flags, namespaces),
        .min = 0},
    {"platform-max-unavailable",
        "N",
        "1",
        "nodes of no fleet, of one chain in one namespace, that may be down at once while the "
        "operator rolls them because it or its settings changed; 0 rolls none; a fleet has its own "
        "maxUnavailable",
        FLAG_NUMBER,
        offsetof(Flags, platform_max_unavailable),
        .min = 0,
        .max = UNAVAILABLE_MAX},
    {"chain-facts",
        NULL,
        "true",
        "before a new node counts as Ready, ask its seid (port 26657 of the pod) which chain it "
        "runs; false: no seid is asked, and a new node counts as Ready without that proof",
        FLAG_SWITCH,
        offsetof(Flags, chain_facts),
        .min = 0},
    {"sidecar-service-account",
        "NAMESPACE/NAME",
        "",
        "whose tokens sidecars get; else sei-sidecar-client in the Lease's namespace",
        FLAG_TEXT,
        offsetof(Flags, sidecar_account),
        .min = 0},
    {"zap-log-level",
        "LEVEL",
        "info",
        "debug, info, warn, error, or a number: 1 and more is debug",
        FLAG_TEXT,
        offsetof(Flags, log_level),
        .min = 0},
    {"zap-encoder",
        "FORM",
        "",
        "of log lines: json, or console for people; else console on a terminal only",
        FLAG_TEXT,
        offsetof(Flags, log_encoder),
        .min = 0},
    {"zap-devel",
        NULL,
        "false",
        "log for people, from debug on, unless said otherwise",
        FLAG_SWITCH,
        offsetof(Flags, log_development),
        .min = 0},
    {"zap-stacktrace-level", "LEVEL", "", "no effect", FLAG_IGNORED, 0, .min = 0},
    {"zap-time-encoding", "FORM", "", "no effect", FLAG_IGNORED, 0, .min = 0},
    {"metrics-secure",
        NULL,
        "false",
        "serve metrics over HTTPS, to accounts that may get /metrics: a TokenReview and a "
        "SubjectAccessReview say who does",
        FLAG_SWITCH,
        offsetof(Flags, metrics_secure),
        .min = 0},
    {"metrics-cert-path",
        "FOLDER",
        "",
        "with the certificate for that, read again when it changes; else one is made at the start",
        FLAG_TEXT,
        offsetof(Flags, certificate_folder),
        .min = 0},
    {"metrics-cert-name",
        "FILE",
        "tls.crt",
        "of the certificate in that folder",
        FLAG_TEXT,
        offsetof(Flags, certificate_name),
        .min = 0},
    {"metrics-cert-key",
        "FILE",
        "tls.key",
        "of its key",
        FLAG_TEXT,
        offsetof(Flags, certificate_key),
        .min = 0},
    {"enable-http2",
        NULL,
        "false",
        "not supported: metrics are served over HTTP/1.1",
        FLAG_REFUSED,
        0,
        .min = 0},
    {"version",
        NULL,
        "false",
        "say the version and end",
        FLAG_SWITCH,
        offsetof(Flags, version),
        .min = 0},
    {"help", NULL, "false", "say this and end", FLAG_SWITCH, offsetof(Flags, help), .min = 0},
    {NULL, NULL, NULL, NULL, FLAG_TEXT, 0, .min = 0},
};

/* --- one flag */

static bool read_switch(const char *text, bool *ret)
{
    *ret = str_eq(text, "true") || str_eq(text, "1");
    return *ret || str_eq(text, "false") || str_eq(text, "0");
}

/* What is wrong with a value, or NULL. */
static const char *set(Arena *a, const FlagRow *row, const char *text, Flags *ret)
{
    void *value = (char *)ret + row->offset;
    int64_t number;

    switch (row->type) {
    case FLAG_TEXT:
        *(const char **)value = text;
        return NULL;
    case FLAG_SWITCH:
        return read_switch(text, value)
            ? NULL
            : str_format(a, "--%s: expected true or false, found %s", row->name, text);
    case FLAG_NUMBER:
        if (str_to_int(text, &number) && number >= row->min && number <= row->max) {
            *(int64_t *)value = number;
            return NULL;
        }
        return str_format(a,
            "--%s: expected a number from %lld to %lld, found %s",
            row->name,
            (long long)row->min,
            (long long)row->max,
            text);
    case FLAG_REFUSED:
        return str_eq(text, row->fallback)
            ? NULL
            : str_format(a, "--%s=%s is %s", row->name, text, row->about);
    case FLAG_IGNORED:
        return NULL;
    }
    BUG("a flag of an unknown type");
}

const char *flags_value(Arena *a, const Flags *flags, const FlagRow *row)
{
    const void *value = (const char *)flags + row->offset;

    switch (row->type) {
    case FLAG_TEXT:
        return *(const char *const *)value;
    case FLAG_SWITCH:
        return *(const bool *)value ? "true" : "false";
    case FLAG_NUMBER:
        return str_format(a, "%lld", (long long)*(const int64_t *)value);
    case FLAG_REFUSED:
    case FLAG_IGNORED:
        return NULL;
    }
    BUG("a flag of an unknown type");
}

/* --- the line */

typedef struct Line {
    char *const *words;
    int count, at;
} Line;

static const FlagRow *find_row(const char *name, size_t len)
{
    for (const FlagRow *row = flag_rows; row->name; row++)
        if (strlen(row->name) == len && strncmp(row->name, name, len) == 0)
            return row;
    if (len == 1 && *name == 'h')
        return find_row("help", strlen("help"));
    return NULL;
}

/* What is wrong with the next word and the value that belongs to it, or NULL. */
static const char *read_word(Arena *a, Line *line, Flags *ret)
{
    const char *word = line->words[line->at++];

    if (str_eq(word, "config")) {
        ret->config = true;
        return NULL;
    }
    if (*word != '-')
        return str_format(a, "there is no command %s", word);
    const char *name = word + (str_has_prefix(word, "--") ? 2 : 1);
    size_t len = strcspn(name, "=");
    const FlagRow *row = find_row(name, len);
    if (!row)
        return str_format(
            a, "there is no flag %s: see --help", str_slice(a, word, strcspn(word, "=")));
    if (name[len] == '=')
        return set(a, row, name + len + 1, ret);
    if (!row->value)
        return set(a, row, "true", ret);
    if (line->at == line->count)
        return str_format(a, "--%s has no value", row->name);
    return set(a, row, line->words[line->at++], ret);
}

Err *flags_parse(Arena *a, int count, char *const *words, Flags *ret)
{
    Line line = {.words = words, .count = count, .at = 1};
    const char *faults = NULL;

    *ret = (Flags){0};
    for (const FlagRow *row = flag_rows; row->name; row++)
        if (set(a, row, row->fallback, ret))
            BUG("the default of a flag makes no sense");
    while (line.at < line.count) {
        const char *fault = read_word(a, &line, ret);
        if (fault)
            faults = faults ? str_format(a, "%s; %s", faults, fault) : fault;
    }
    return faults ? err_terminal(a, "%s", faults) : OK;
}
