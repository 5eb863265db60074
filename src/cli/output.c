/* Output: formats, colours, and what an error is to a script. */
#include "cli/output.h"

#include "base/str.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/glyph.h"
#include "cli/json_query.h"
#include "cli/login.h"
#include "cli/yaml_text.h"
#include "kube/status.h"

#include <stdarg.h>
#include <string.h>

enum { PAGE_COLUMNS = 96 };

static void write_text(Cli *cli, bool is_talk, const char *text)
{
    cli->out->write(cli->out, is_talk, bytes_of(text));
}

void output_say(Cli *cli, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_text(cli, false, str_vformat(cli->arena, format, args));
    va_end(args);
}

void output_talk(Cli *cli, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_text(cli, true, str_vformat(cli->arena, format, args));
    va_end(args);
}

void output_wrap(Cli *cli, const char *indent, const char *text)
{
    bool is_narrow = cli->out->is_terminal && cli->out->columns < PAGE_COLUMNS;
    size_t column = 0, most = is_narrow ? (size_t)cli->out->columns : PAGE_COLUMNS;

    while (*(text += strspn(text, " "))) {
        size_t len = strcspn(text, " ");
        bool breaks = column && column + 1 + len > most;
        output_say(
            cli, "%s%s%.*s", breaks ? "\n" : "", !column || breaks ? indent : " ", (int)len, text);
        column = !column || breaks ? strlen(indent) + len : column + 1 + len;
        text += len;
    }
    output_say(cli, "\n");
}

const char *output_paint(Cli *cli, Color color, const char *text)
{
    return color_paint(cli->arena, cli->out->color, color, text);
}

/* --- errors */

static ExitCode exit_code_of(const Cli *cli, const Err *err)
{
    switch (err->status) {
    case 401:
    case 403:
        return EXIT_FORBIDDEN;
    case 404:
        return EXIT_NOT_FOUND;
    case 408:
    case 504:
        return EXIT_TIMED_OUT;
    default:
        break;
    }
    if (err->status == 0 && err->class == ERR_RETRY)
        return connection_is_late(cli) ? EXIT_TIMED_OUT : EXIT_UNREACHABLE;
    if (err->status == 429 || err->status >= 500)
        return EXIT_UNREACHABLE;
    return EXIT_MISUSED;
}

/* Of a 401: what may be done could not be asked either. */
static const char *advice_on_login(const Cli *cli)
{
    LoginTrouble trouble = cli->plugin_failed ? LOGIN_PLUGIN_FAILED : LOGIN_REFUSED;

    return cli->config
        ? glyph_clean(cli->arena, cli->out->is_utf8, login_advice(cli->arena, cli->config, trouble))
        : "log in again, or choose another login with --context or --user";
}

static const char *advice_of(const Cli *cli, ExitCode code)
{
    switch (code) {
    case EXIT_TIMED_OUT:
        return "give it more time with --request-timeout";
    case EXIT_UNREACHABLE:
        return "is it the right cluster? see --context and --kubeconfig";
    case EXIT_FORBIDDEN:
        return "ask `kubectl auth can-i --list` what is allowed";
    case EXIT_NOT_FOUND:
        return str_format(cli->arena, "see `%s get -A` for what there is", cli->program);
    case EXIT_FINE:
    case EXIT_UNHEALTHY:
    case EXIT_MISUSED:
        break;
    }
    return NULL;
}

int output_part(Cli *cli)
{
    output_talk(cli, "hint: not all of it came in time: %s\n", advice_of(cli, EXIT_TIMED_OUT));
    return EXIT_TIMED_OUT;
}

int output_error(Cli *cli, const Err *err)
{
    ExitCode code = exit_code_of(cli, err);
    const char *advice = err->status == 401 ? advice_on_login(cli) : advice_of(cli, code);

    output_talk(cli,
        "%s %s\n%s%s%s",
        output_paint(cli, COLOR_PLAIN, "error:"),
        glyph_clean(cli->arena, cli->out->is_utf8, err_text(cli->arena, err)),
        advice ? "hint: " : "",
        advice ? advice : "",
        advice ? "\n" : "");
    if (err->outcome_unknown)
        output_talk(cli, "hint: it may have been done all the same: look before trying again\n");
    return (int)code;
}

/* --- values */

bool output_is_value(const Cli *cli)
{
    OutputFormat format = cli->flags.format;

    return format == OUTPUT_JSON || format == OUTPUT_YAML || format == OUTPUT_JSONPATH;
}

Err *output_value(Cli *cli, const Json *value)
{
    const char *text = NULL;

    switch (cli->flags.format) {
    case OUTPUT_JSON:
        text = str_format(cli->arena, "%s\n", json_pretty(cli->arena, value).data);
        break;
    case OUTPUT_YAML:
        TRY(yaml_text(cli->arena, value, &text));
        break;
    case OUTPUT_JSONPATH:
        TRY(json_query(cli->arena, value, cli->flags.jsonpath, &text));
        break;
    case OUTPUT_TABLE:
    case OUTPUT_WIDE:
    case OUTPUT_NAME:
        BUG("a format that shows no value");
    }
    write_text(cli, false, text);
    return OK;
}

/* --- width */

/* Bytes of an escape sequence "ESC [ ... letter" that the text begins with, or 0. */
static size_t escape_len(const char *text)
{
    if (text[0] != '\033' || text[1] != '[')
        return 0;
    size_t len = 2 + strspn(text + 2, "0123456789;");
    return text[len] ? len + 1 : len;
}

size_t output_width(const char *text)
{
    size_t width = 0;

    while (*text) {
        size_t skip = escape_len(text);
        if (skip) {
            text += skip;
            continue;
        }
        /* Of a character that has several bytes, only the first does not begin with 10. */
        width += ((unsigned char)*text & 0xC0) != 0x80;
        text++;
    }
    return width;
}
