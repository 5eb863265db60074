/* Launch: names and numbers that follow from others, and one list of all faults. */
#include "operator/launch.h"

#include "base/str.h"
#include "sei/api/names.h"

#include <string.h>

/* Everything that was found wrong so far, or NULL. */
typedef struct Faults {
    Arena *arena;
    const char *text;
} Faults;

static void add_fault(Faults *f, const char *text)
{
    f->text = f->text ? str_format(f->arena, "%s; %s", f->text, text) : text;
}

static void add_err(Faults *f, const Err *err)
{
    if (err)
        add_fault(f, err_text(f->arena, err));
}

/* --- the log */

static bool parse_level(const char *text, LogLevel *ret)
{
    static const struct {
        const char *text;
        LogLevel level;
    } words[] = {
        {"debug", LOG_DEBUG},
        {"info", LOG_INFO},
        {"warn", LOG_WARN},
        {"error", LOG_ERROR},
        {"dpanic", LOG_ERROR},
        {"panic", LOG_ERROR},
        {"fatal", LOG_ERROR},
    };
    int64_t number;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (str_eq(words[i].text, text)) {
            *ret = words[i].level;
            return true;
        }
    if (!str_to_int(text, &number) || number < 0)
        return false;
    *ret = number > 0 ? LOG_DEBUG : LOG_INFO;
    return true;
}

static void read_log(Faults *f, const LaunchSource *source, Launch *ret)
{
    const Flags *flags = &ret->flags;
    bool is_default = str_eq(flags->log_level, "info") && str_empty(flags->log_encoder);

    if (!parse_level(flags->log_level, &ret->log_level))
        add_fault(
            f, str_format(f->arena, "--zap-log-level: there is no level %s", flags->log_level));
    if (str_empty(flags->log_encoder))
        ret->log_human = source->is_terminal || flags->log_development;
    else if (str_eq(flags->log_encoder, "console"))
        ret->log_human = true;
    else if (!str_eq(flags->log_encoder, "json"))
        add_fault(f,
            str_format(
                f->arena, "--zap-encoder: expected json or console, found %s", flags->log_encoder));
    if (flags->log_development && is_default)
        ret->log_level = LOG_DEBUG;
}

/* --- namespaces and names */

static bool is_listed(const Launch *launch, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(launch->namespaces[i], name))
            return true;
    return false;
}

static void read_namespaces(Faults *f, Launch *ret)
{
    const char *rest = ret->flags.namespaces;
    size_t count = 0;

    while (*(rest += strspn(rest, ", "))) {
        const char *name = str_slice(f->arena, rest, strcspn(rest, ", "));
        rest += strlen(name);
        if (is_listed(ret, count, name))
            continue;
        if (count == APP_NAMESPACES_MAX) {
            add_fault(f,
                str_format(f->arena,
                    "--watch-namespaces: at most %d; leave it out to watch all",
                    (int)APP_NAMESPACES_MAX));
            return;
        }
        ret->namespaces[count++] = name;
    }
}

static const char *environment(const LaunchSource *source, const char *name)
{
    const char *value = source->environment(source->self, name);
    return str_empty(value) ? NULL : value;
}

static void read_identity(Faults *f, const LaunchSource *source, Launch *ret)
{
    const char *pod = environment(source, "POD_NAME"), *uid = environment(source, "POD_UID");

    if (!str_empty(ret->flags.identity))
        ret->identity = ret->flags.identity;
    else if (pod)
        ret->identity = uid ? str_format(f->arena, "%s_%s", pod, uid) : pod;
    else if (!str_empty(source->host))
        ret->identity = source->host;
    else
        add_fault(f, "this machine has no name: use --identity");
}

static void read_lease_namespace(const LaunchSource *source, Launch *ret)
{
    const char *pod = environment(source, "POD_NAMESPACE");

    ret->lease_namespace = !str_empty(ret->flags.lease_namespace) ? ret->flags.lease_namespace
        : pod                                                     ? pod
                                                                  : ret->config.namespace;
}

static void read_sidecar_account(Faults *f, Launch *ret)
{
    const char *text = ret->flags.sidecar_account;
    Key key = key_parse(f->arena, str_empty(text) ? SIDECAR_ACCOUNT : text);

    if (str_empty(key.namespace))
        key.namespace = ret->lease_namespace;
    if (str_empty(key.name) || str_has_prefix(text, "/") || strchr(key.name, '/'))
        add_fault(f,
            str_format(
                f->arena, "--sidecar-service-account: expected namespace/name, found %s", text));
    ret->settings.sidecar_account = key;
}

/* --- all of it */

Err *launch_read(
    Arena *a, const Flags *flags, const LaunchSource *source, const Err *before, Launch *ret)
{
    Faults faults = {.arena = a};
    ConfigSource config = *source->config;

    *ret = (Launch){.flags = *flags};
    add_err(&faults, before);
    read_log(&faults, source, ret);
    read_namespaces(&faults, ret);
    read_identity(&faults, source, ret);
    add_err(&faults, settings_read(a, source->environment, source->self, &ret->settings));
    if (!str_empty(flags->kubeconfig))
        config.path = flags->kubeconfig;
    add_err(&faults, config_load(a, &config, &ret->config));
    read_lease_namespace(source, ret);
    read_sidecar_account(&faults, ret);
    ret->settings.platform_max_unavailable = flags->platform_max_unavailable;
    ret->settings.chain_facts = flags->chain_facts;
    return faults.text ? err_terminal(a, "%s", faults.text) : OK;
}

const char *const *launch_namespaces(const Launch *launch)
{
    return launch->namespaces[0] ? launch->namespaces : NULL;
}
