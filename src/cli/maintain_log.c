/* MaintainLog: looked at again and again, instead of held open: a connection that is lost then
 * costs nothing. The container runtime writes a time before each line; by these it is known which
 * lines were shown. Usually a few of the last ones suffice; where there is a gap behind what was
 * shown, many are asked for. */
#include "cli/maintain_log.h"

#include "base/str.h"
#include "cli/glyph.h"
#include "cli/maintain_job.h"
#include "cli/pod_log.h"
#include "kube/timestamp.h"

#include <string.h>

enum { LINES_FEW = 200, LINES_MANY = 20000, BYTES_MAX = 8 << 20 };

static Err *read_log(Cli *cli, Key pod, int lines, const char **ret)
{
    PodLogAsk ask = {
        .pod = pod,
        .container = MAINTAIN_CONTAINER,
        .lines = lines,
        .bytes = BYTES_MAX,
        .timestamps = true,
    };

    return pod_log_read(cli, &ask, ret);
}

/* Of the line that begins here, without its newline. */
static size_t line_len(const char *line, const char *end)
{
    const char *newline = memchr(line, '\n', (size_t)(end - line));

    return (size_t)((newline ? newline : end) - line);
}

/* The time at the beginning of a line, and what stands behind it. A line without one is as old as
 * the line before. */
static const char *split(Arena *a, const char *line, size_t len, int64_t *at_ns)
{
    const char *space = memchr(line, ' ', len);
    size_t stamp_len = space ? (size_t)(space - line) : len;
    int64_t ns;

    if (!timestamp_parse(str_slice(a, line, stamp_len), &ns))
        return str_slice(a, line, len);
    *at_ns = ns;
    return space ? str_slice(a, space + 1, len - stamp_len - 1) : "";
}

static int64_t first_ns(const Cli *cli, const char *text)
{
    int64_t ns = 0;

    split(cli->arena, text, strcspn(text, "\n"), &ns);
    return ns;
}

/* So many were asked for, and the first is newer than what was shown: there may be others between.
 */
static bool has_gap(const Cli *cli, const MaintainLog *log, const char *text, size_t asked)
{
    size_t lines = 0;

    for (const char *c = text, *end = text + strlen(text); c < end; c += line_len(c, end) + 1)
        lines++;
    return lines >= asked && (!log->has_shown || first_ns(cli, text) > log->last_ns);
}

static void show(Cli *cli, MaintainLog *log, const char *text)
{
    int64_t at_ns = 0, shown_ns = log->last_ns;
    bool had_shown = log->has_shown;
    const char *end = text + strlen(text);

    for (size_t len; text < end; text += len + 1) {
        len = line_len(text, end);
        const char *line = split(cli->arena, text, len, &at_ns);
        if (had_shown && at_ns <= shown_ns)
            continue;
        if (cli->out->is_terminal)
            line = glyph_clean(cli->arena, cli->out->is_utf8, line);
        output_say(cli, "%s\n", line);
        log->has_shown = true;
        log->last_ns = at_ns;
    }
}

static void warn_of_gap(Cli *cli, MaintainLog *log, Key pod)
{
    if (!log->leaves_out)
        output_talk(cli,
            "warning: lines of the log are left out: kubectl logs -n %s %s has them all\n",
            pod.namespace,
            pod.name);
    log->leaves_out = true;
}

/* What is asked for by lines is cut off behind so many bytes: the newest are then missing. */
static void show_many(Cli *cli, MaintainLog *log, Key pod, const char *few)
{
    const char *many = "";
    Err *err = read_log(cli, pod, LINES_MANY, &many);
    const char *end = strrchr(many, '\n');

    if (err || has_gap(cli, log, many, LINES_MANY))
        warn_of_gap(cli, log, pod);
    if (!err && end)
        show(cli, log, str_slice(cli->arena, many, (size_t)(end + 1 - many)));
    if (!err && has_gap(cli, log, few, LINES_FEW))
        warn_of_gap(cli, log, pod);
    show(cli, log, few);
}

void maintain_log_show(Cli *cli, MaintainLog *log, Key pod)
{
    const char *text = "";
    Err *err = read_log(cli, pod, LINES_FEW, &text);

    if (!err && has_gap(cli, log, text, LINES_FEW))
        show_many(cli, log, pod, text);
    else if (!err)
        show(cli, log, text);
    else if (!log->has_refused && err->status != 400) /* 400: the container has not started */
        output_talk(cli,
            "warning: the log of pod %s cannot be read: %s\n",
            pod.name,
            err_text(cli->arena, err));
    log->has_refused |= err && err->status != 400;
}
