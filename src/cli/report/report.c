/* report: a tar of everything that a bug report needs, without secrets.
 *
 * What other commands say is in it as they say it: they are run on a terminal that only remembers.
 * Everything goes through report_add_text or report_add_object, and so through the redactor. */
#include "cli/report/report.h"

#include "base/link.h"
#include "base/str.h"
#include "cli/change.h"
#include "cli/connection.h"
#include "cli/report/tar.h"
#include "cli/version.h"
#include "cli/yaml_text.h"
#include "kube/meta.h"
#include "kube/timestamp.h"

#include <string.h>

enum {
    REPORT_MAX = 32 << 20,
    MANIFEST_MAX = 1 << 20,
    SAID_MAX = 4 << 20,
    REASON_MAX = 300,
    COLUMNS = 120,
    LINES = 1000,
};

/* --- entries */

void report_leave_out(Report *r, const char *what, const char *why)
{
    /* Half a secret does not look like one. */
    const char *clean = str_cut(r->cli->arena, redact_text(&r->redactor, why), REASON_MAX);

    r->left_out++;
    if (!buf_format(&r->missing, "  %s: %s\n", what, clean))
        return; /* the number above still counts it */
}

static void add(Report *r, const char *name, const char *text)
{
    if (!tar_add(&r->tar, name, bytes_of(text), r->now_s)) {
        report_leave_out(r, name, "the report would be larger than 32 MiB");
        return;
    }
    r->files++;
    if (!buf_format(&r->listed, "  %s (%zu bytes)\n", name, strlen(text)))
        report_leave_out(r, "manifest.txt", "more files than it can list");
}

/* A path of names that the API server allows, and that fits. */
static const char *fitting(Report *r, const char *name)
{
    return strlen(name) <= TAR_NAME_MAX
        ? name
        : str_format(r->cli->arena, "%s.cut", str_slice(r->cli->arena, name, TAR_NAME_MAX - 4));
}

void report_add_text(Report *r, const char *name, const char *text)
{
    add(r, fitting(r, name), redact_text(&r->redactor, text));
}

void report_add_object(Report *r, const Kind *kind, const Json *object)
{
    const char *text = NULL;
    const char *name =
        str_format(r->cli->arena, "objects/%s/%s.yaml", kind->plural, meta_name(object));
    Err *err = yaml_text(r->cli->arena, redact_object(&r->redactor, object), &text);

    if (err)
        report_leave_out(r, name, err_text(r->cli->arena, err));
    else
        add(r, fitting(r, name), text);
}

/* --- what other commands say */

typedef struct Listener {
    Output port;
    Buf heard;
} Listener;

static void hear(Output *self, bool is_talk, Bytes text)
{
    Listener *l = link_owner(Listener, port, self);

    (void)is_talk;
    if (!buf_append(&l->heard, text.data, text.len))
        return; /* enough is enough */
}

static void add_saying(Report *r, const char *name, int (*run)(Cli *cli), const char *word)
{
    Listener l = {
        .port = {.write = hear, .columns = COLUMNS, .lines = LINES},
        .heard.ceiling = SAID_MAX,
    };
    Cli other = *r->cli;

    other.out = &l.port;
    other.spares_secrets = true;
    other.args = &word;
    other.arg_count = word ? 1 : 0;
    connection_restart_clock(&other);
    int code = run(&other);
    report_add_text(r,
        name,
        str_format(r->cli->arena, "%s\nends with %d\n", l.heard.len ? l.heard.data : "", code));
    buf_close(&l.heard);
}

static void add_sayings(Report *r)
{
    const char *word = target_text(r->cli->arena, &r->target);

    add_saying(r, "status.txt", status_command, word);
    add_saying(r, "drift.txt", drift_command, word);
    if (!target_is_fleet(&r->target)) {
        add_saying(r, "plan.txt", plan_show_command, word);
        add_saying(r, "plan-history.txt", plan_history_command, word);
    }
    add_saying(r, "version.txt", version_command, NULL);
    add_saying(r, "doctor.txt", doctor_command, NULL);
}

/* --- the whole */

static const char *manifest(Report *r)
{
    return str_format(r->cli->arena,
        "A report on %s in namespace %s, made by kubectl-sei %s at %s.\n\n"
        "Secrets were not read. %zu things that looked like secrets, or were called like some, "
        "were\nreplaced by " REDACTED " in what follows; look through it before you pass it "
        "on.\n\nIn it:\n%s\nLeft out:\n%s",
        target_text(r->cli->arena, &r->target),
        r->target.key.namespace,
        CLI_VERSION,
        change_now(r->cli),
        r->redactor.count,
        r->listed.len ? r->listed.data : "  nothing\n",
        r->missing.len ? r->missing.data : "  nothing\n");
}

static const char *path_of(Report *r)
{
    char time[TIMESTAMP_SIZE];
    size_t len = 0;

    if (!str_empty(r->cli->flags.to))
        return r->cli->flags.to;
    for (const char *c = change_now(r->cli); *c && len + 1 < sizeof time; c++)
        if (*c != ':' && *c != '-')
            time[len++] = *c;
    return str_format(r->cli->arena, "sei-report-%s-%.*s.tar", r->target.key.name, (int)len, time);
}

static Err *finish(Report *r)
{
    const char *path = path_of(r);

    if (!tar_add(&r->tar, "manifest.txt", bytes_of(manifest(r)), r->now_s) || !tar_end(&r->tar))
        return err_terminal(r->cli->arena, "the manifest does not fit into the report");
    TRY(r->cli->save(r->cli, path, buf_bytes(&r->tar)));
    output_say(r->cli, "%s\n", path);
    output_talk(r->cli,
        "%zu files; %zu things are redacted, and %zu left out: see manifest.txt in it\n"
        "next: look through it before you pass it on: tar -xf %s\n",
        r->files + 1,
        r->redactor.count,
        r->left_out,
        path);
    return OK;
}

static Err *make(Cli *cli, Report *r)
{
    TRY(connection_open(cli));
    TRY(target_get(cli, cli->args[0], &r->target));
    report_gather(r);
    add_sayings(r);
    return finish(r);
}

int report_command(Cli *cli)
{
    Report r = {
        .cli = cli,
        .redactor.arena = cli->arena,
        .tar.ceiling = REPORT_MAX,
        .listed.ceiling = MANIFEST_MAX,
        .missing.ceiling = MANIFEST_MAX,
        .now_s = clock_wall_ms(cli->clock) / 1000,
    };
    Err *err = make(cli, &r);

    buf_close(&r.tar);
    buf_close(&r.listed);
    buf_close(&r.missing);
    return err ? output_error(cli, err) : EXIT_FINE;
}
