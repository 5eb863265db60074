/* Launch: from the command line and the environment to what is run. Everything that is wrong with
 * them is told at once, before anything is opened. */
#ifndef OPERATOR_LAUNCH_H
#define OPERATOR_LAUNCH_H

#include "base/err.h"
#include "base/log.h"
#include "kube/config.h"
#include "operator/flags.h"
#include "sei/api/settings.h"
#include "sei/reconcile/app.h"

#include <stdbool.h>

/* Where it comes from; main fills it, and tests. */
typedef struct LaunchSource {
    SettingsSource *environment; /* SEI_..., POD_... */
    void *self;
    const ConfigSource *config; /* its path is the flag's */
    const char *host;           /* this machine's name, or NULL */
    bool is_terminal;           /* somebody reads the log as it comes */
} LaunchSource;

typedef struct Launch {
    Flags flags;
    Settings settings;
    Config config;
    const char *lease_namespace, *identity;
    const char *namespaces[APP_NAMESPACES_MAX + 1]; /* ended by NULL */
    LogLevel log_level;
    bool log_human;
} Launch;

/* Reads everything that the flags leave open. ERR_TERMINAL lists all that is missing or wrong,
 * `before` included, in one message. */
Err *launch_read(Arena *a, const Flags *flags, const LaunchSource *source, const Err *before,
    Launch *ret) MUST_CHECK;

/* What --namespaces lists, or NULL for all. */
const char *const *launch_namespaces(const Launch *launch);

#endif
