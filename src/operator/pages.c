/* Pages, out of the tables of flags, settings and exit codes: so they cannot say what is not so. */
#include "operator/pages.h"

#include "base/str.h"
#include "sei/api/names.h"

#include <string.h>

#define PAGE_INDENT "        "

enum { PAGE_COLUMNS = 96 };

const OperatorExitRow operator_exit_rows[] = {
    {OPERATOR_FINE,
        "it was told to end (SIGTERM, SIGINT), or has said what it was asked for (--help, "
        "--version, config)"},
    {OPERATOR_FAULT,
        "it lost the Lease, or something else without which it cannot go on: the log says what, "
        "and the pod is to start again; or what it was asked to say could not be written"},
    {OPERATOR_CANNOT_START,
        "it cannot start as asked: a flag, a setting, the credentials or an address to listen on "
        "cannot work; a line on standard error says which"},
    {OPERATOR_FINE, NULL},
};

static void must(bool fits)
{
    if (!fits)
        BUG("a page about the program is too long");
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* Appends words in lines of a screen's width, indented below a name. */
static void say_wrapped(const char *text, Buf *ret)
{
    size_t column = 0;

    while (*(text += strspn(text, " "))) {
        size_t len = strcspn(text, " ");
        bool breaks = column && column + 1 + len > PAGE_COLUMNS;
        if (breaks)
            must(buf_format(ret, "\n"));
        must(buf_format(ret, "%s%.*s", !column || breaks ? PAGE_INDENT : " ", (int)len, text));
        column = !column || breaks ? strlen(PAGE_INDENT) + len : column + 1 + len;
        text += len;
    }
    must(buf_format(ret, "\n"));
}

static void say_flag(Arena *a, const FlagRow *row, Buf *ret)
{
    must(buf_format(ret, "  --%s%s%s\n", row->name, row->value ? " " : "", or_empty(row->value)));
    say_wrapped(
        *row->fallback ? str_format(a, "%s (default %s)", row->about, row->fallback) : row->about,
        ret);
}

static void say_setting(Arena *a, const SettingRow *row, Buf *ret)
{
    const char *need = !row->fallback ? "required" : *row->fallback ? "default " : "optional";

    must(buf_format(ret, "  %s\n", row->name));
    say_wrapped(str_format(a, "%s (%s%s)", row->about, need, or_empty(row->fallback)), ret);
}

void page_help(Buf *ret)
{
    SCOPED_ARENA a = arena_open(PAGE_MAX);

    must(buf_format(ret,
        "sei-operator: runs the Sei nodes that SeiNode objects ask for.\n\n"
        "Usage:\n"
        "  sei-operator [flags]          run until told to end\n"
        "  sei-operator config [flags]   say what it would run with, and end\n\n"
        "Flags:\n"));
    for (const FlagRow *row = flag_rows; row->name; row++)
        say_flag(a, row, ret);
    must(buf_format(ret, "\nEnvironment, about the platform:\n"));
    for (const SettingRow *row = setting_rows; row->name; row++)
        say_setting(a, row, ret);
    must(buf_format(ret,
        "\nEnvironment, about the process:\n"
        "  POD_NAME, POD_UID\n        its name on the Lease, from the downward API (optional)\n"
        "  POD_NAMESPACE\n        namespace of the Lease, from the downward API (optional)\n"
        "  KUBECONFIG\n        how to reach the API server (optional)\n"
        "\nExamples:\n"
        "  sei-operator config\n"
        "  sei-operator --kubeconfig admin.conf --leader-elect=false --watch-namespaces sei\n"
        "  sei-operator --metrics-secure --metrics-cert-path /etc/metrics-certs\n"
        "\nExit status:\n"));
    for (const OperatorExitRow *row = operator_exit_rows; row->when; row++) {
        must(buf_format(ret, "  %d\n", row->code));
        say_wrapped(row->when, ret);
    }
}

void page_config(Arena *a, const Launch *launch, Buf *ret)
{
    const Key *account = &launch->settings.sidecar_account;

    must(buf_format(ret, "# flags\n"));
    for (const FlagRow *row = flag_rows; row->name; row++) {
        const char *value = flags_value(a, &launch->flags, row);
        if (value && !str_eq(row->name, "help") && !str_eq(row->name, "version"))
            must(buf_format(ret, "--%s=%s\n", row->name, value));
    }
    must(buf_format(ret, "\n# platform\n"));
    for (const SettingRow *row = setting_rows; row->name; row++)
        must(buf_format(
            ret, "%s=%s\n", row->name, or_empty(settings_value(a, &launch->settings, row))));
    must(buf_format(ret,
        "\n# what follows\n"
        "API server: %s (%s)\n"
        "lease: %s/%s, held as %s\n"
        "tokens for sidecars: of %s\n"
        "metrics: %s%s\n"
        "health: %s\n",
        launch->config.server,
        launch->config.origin,
        launch->lease_namespace,
        LEASE_NAME,
        launch->identity,
        key_text(a, *account),
        launch->flags.metrics_address,
        launch->flags.metrics_secure ? ", over HTTPS, to accounts that may get /metrics" : "",
        launch->flags.health_address));
}
