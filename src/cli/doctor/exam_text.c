/* ExamText: an exam on a terminal. Sentences are broken at the width of it; fix lines never are,
 * for they are to be copied. Of many findings with one code the first few are shown. */
#include "base/str.h"
#include "cli/doctor/exam_view.h"
#include "cli/glyph.h"
#include "cli/page.h"

#include <string.h>

enum { SHOWN_MAX = 5, INDENT = 6, COLUMNS_MIN = 40 };

static Mark mark_of(const char *severity)
{
    if (str_eq(severity, "error"))
        return MARK_BAD;
    return str_eq(severity, "warning") ? MARK_WARN : MARK_IDLE;
}

/* A mark, then a text that is broken at words, its further lines below its first. */
static void say_marked(Cli *cli, Mark mark, const char *text)
{
    const char *rest = glyph_clean(cli->arena, cli->out->is_utf8, text);
    int columns = cli->out->columns > COLUMNS_MIN ? cli->out->columns : COLUMNS_MIN;
    size_t column = INDENT - 2;

    output_say(
        cli, "  %s", output_paint(cli, page_mark_color(mark), glyph_mark(mark, cli->out->is_utf8)));
    while (*(rest += strspn(rest, " "))) {
        size_t len = strcspn(rest, " ");
        const char *word = str_slice(cli->arena, rest, len);
        size_t width = glyph_width(word);
        bool breaks = column + 1 + width > (size_t)columns && column > INDENT;
        output_say(cli, "%s%s", breaks ? "\n      " : " ", word);
        column = breaks ? INDENT + width : column + 1 + width;
        rest += len;
    }
    output_say(cli, "\n");
}

static const char *object_text(Arena *a, const Json *finding)
{
    const char *namespace = json_str(finding, ".object.namespace");

    return str_format(a,
        "%s %s%s%s",
        json_str(finding, ".object.kind"),
        namespace ? namespace : "",
        namespace ? "/" : "",
        json_str(finding, ".object.name"));
}

static void say_finding(Cli *cli, const Json *finding)
{
    say_marked(cli,
        mark_of(json_str(finding, ".severity")),
        str_format(cli->arena,
            "[%s] %s: %s",
            json_str(finding, ".code"),
            object_text(cli->arena, finding),
            json_str(finding, ".message")));
    output_say(cli,
        "      fix: %s\n",
        glyph_clean(cli->arena, cli->out->is_utf8, json_str(finding, ".fix")));
}

/* The findings of one check, of which some are left out when there are many. */
static void say_findings(Cli *cli, const Json *view, const Json *check)
{
    const char *code = json_str(check, ".code");
    int64_t shown = 0, found = json_int(check, ".found", 0);
    const Json *finding;

    json_each(finding, json_find(view, ".findings"))
        if (str_eq(json_str(finding, ".code"), code) && shown++ < SHOWN_MAX)
            say_finding(cli, finding);
    if (found > SHOWN_MAX)
        say_marked(cli,
            mark_of(json_str(check, ".severity")),
            str_format(cli->arena,
                "[%s] and %lld more: -o json has them",
                code,
                (long long)(found - SHOWN_MAX)));
}

/* Of one that found nothing what is true; its title says what is wrong. */
static void say_check(Cli *cli, const Json *check)
{
    const char *code = json_str(check, ".code");

    if (str_eq(json_str(check, ".result"), "passed"))
        say_marked(cli,
            MARK_GOOD,
            str_format(cli->arena, "%s passed: %s", code, json_str(check, ".fine")));
    else
        say_marked(cli,
            MARK_NONE,
            str_format(cli->arena,
                "%s not asked whether %s: %s",
                code,
                json_str(check, ".title"),
                json_str(check, ".why")));
}

static void say_area(Cli *cli, const Json *view, const Json *area)
{
    const char *name = json_str(area, ".name"), *summary = json_str(area, ".summary");
    const Json *check, *checks = json_find(view, ".checks");
    int64_t passed = json_int(area, ".passed", 0), asked = json_int(area, ".checks", 0);
    int64_t skipped = json_int(area, ".skipped", 0);
    bool is_wide = cli->flags.format == OUTPUT_WIDE;

    output_say(cli, "%s\n", output_paint(cli, COLOR_BOLD, name));
    say_marked(cli,
        passed > 0 ? MARK_GOOD : MARK_IDLE,
        str_format(cli->arena,
            "%lld of %lld checks passed%s%s%s",
            (long long)passed,
            (long long)asked,
            skipped ? str_format(cli->arena, ", %lld not asked", (long long)skipped) : "",
            summary ? ": " : "",
            summary ? summary : ""));
    json_each(check, checks) {
        if (!str_eq(json_str(check, ".area"), name))
            continue;
        if (is_wide && !str_eq(json_str(check, ".result"), "found"))
            say_check(cli, check);
        if (json_int(check, ".found", 0) > 0)
            say_findings(cli, view, check);
    }
}

/* What could not be read. */
static void say_missing(Cli *cli, const Json *view)
{
    const Json *part;

    json_each(part, json_find(view, ".missing")) {
        const char *what = json_str(part, ".what"), *why = json_str(part, ".why");
        const char *line = json_bool(part, ".forbidden", false)
            ? str_format(cli->arena, "may not list %s", what)
            : str_format(cli->arena, "%s: %s", what, why);
        output_say(cli, "not checked: %s\n", glyph_clean(cli->arena, cli->out->is_utf8, line));
    }
}

static const char *counted(Arena *a, int64_t count, const char *noun)
{
    return str_format(a, "%lld %s%s", (long long)count, noun, count == 1 ? "" : "s");
}

static const char *first_code(const Json *view)
{
    static const char *const severities[] = {"error", "warning", "note"};
    const Json *finding;

    for (size_t i = 0; i < sizeof severities / sizeof severities[0]; i++)
        json_each(finding, json_find(view, ".findings"))
            if (str_eq(json_str(finding, ".severity"), severities[i]))
                return json_str(finding, ".code");
    return NULL;
}

void exam_text(Cli *cli, const Json *view)
{
    const Json *area, *counts = json_find(view, ".counts");
    const char *code = first_code(view);
    int64_t notes = json_int(counts, ".notes", 0), skipped = json_int(counts, ".skipped", 0);
    Arena *a = cli->arena;

    json_each(area, json_find(view, ".areas"))
        say_area(cli, view, area);
    say_missing(cli, view);
    output_say(cli,
        "%s, %s%s%s in %s%s%s%s%s\n",
        counted(a, json_int(counts, ".errors", 0), "error"),
        counted(a, json_int(counts, ".warnings", 0), "warning"),
        notes ? ", " : "",
        notes ? counted(a, notes, "note") : "",
        counted(a, json_int(counts, ".checks", 0), "check"),
        skipped ? str_format(a, ", %lld not asked", (long long)skipped) : "",
        code ? "   (" : "",
        code ? str_format(a, "%s explain %s", cli->program, code) : "",
        code ? ")" : "");
}
