/* The flags of kubectl-sei, and how they are read. The rules are those of pflag, which kubectl
 * uses: flags may stand between other words, letters may be joined, and the last one counts. */
#include "cli/flags.h"

#include "base/str.h"
#include "sei/api/duration.h"

#include <string.h>

#define FORMATS "table|wide|json|yaml|name|jsonpath"

const FlagRow flag_rows[] = {
    {"namespace",
        'n',
        "NAME",
        NULL,
        "",
        "the namespace to look in; else that of the context",
        NULL,
        FLAG_TEXT,
        offsetof(Flags, namespace),
        FLAGS_NAMESPACE},
    {"all-namespaces",
        'A',
        NULL,
        NULL,
        "false",
        "look in all namespaces",
        NULL,
        FLAG_SWITCH,
        offsetof(Flags, all_namespaces),
        FLAGS_SELECT | FLAGS_EXAM},
    {"selector",
        'l',
        "LABELS",
        NULL,
        "",
        "only objects with these labels: a=b,c!=d,e in (x,y),!f",
        NULL,
        FLAG_TEXT,
        offsetof(Flags, selector),
        FLAGS_SELECT},
    {"output",
        'o',
        "FORMAT",
        NULL,
        "",
        "table, wide, json, yaml, name, or jsonpath={.path}; of jsonpath there are members, [n], "
        "['key'], [*], {range}...{end} and text, but neither filters ?() nor ..",
        FORMATS,
        FLAG_TEXT,
        offsetof(Flags, output),
        FLAGS_OUTPUT},
    {"no-headers",
        '\0',
        NULL,
        NULL,
        "false",
        "leave the line of column names out",
        NULL,
        FLAG_SWITCH,
        offsetof(Flags, no_headers),
        FLAGS_TABLE},
    {"watch",
        'w',
        NULL,
        NULL,
        "false",
        "then go on and show every change, until Ctrl-C; a lost connection is taken up again",
        NULL,
        FLAG_SWITCH,
        offsetof(Flags, watch),
        FLAGS_WATCH},
    {"dry-run",
        '\0',
        "HOW",
        "client",
        "none",
        "client shows the patch and sends nothing, server lets the API server check it and keep "
        "nothing, none does it",
        "none|client|server",
        FLAG_TEXT,
        offsetof(Flags, dry_run_text),
        FLAGS_WRITE},
    {"timeout",
        '\0',
        "TIME",
        NULL,
        "0",
        "how long to wait for the end, such as 90s or 30m; 0 waits on",
        NULL,
        FLAG_DURATION,
        offsetof(Flags, timeout_ms),
        FLAGS_WAIT},
    {"client",
        '\0',
        NULL,
        NULL,
        "false",
        "say the version of this program alone, and ask no server",
        NULL,
        FLAG_SWITCH,
        offsetof(Flags, client_only),
        FLAGS_CLIENT},
    {"pre",
        '\0',
        NULL,
        NULL,
        "false",
        "ask only what matters before the operator is installed",
        NULL,
        FLAG_SWITCH,
        offsetof(Flags, pre),
        FLAGS_EXAM},
    {"wait",
        '\0',
        NULL,
        NULL,
        "false",
        "look again until there is no error, or --timeout is over",
        NULL,
        FLAG_SWITCH,
        offsetof(Flags, wait),
        FLAGS_EXAM},
    {"image",
        '\0',
        "IMAGE",
        NULL,
        "",
        "the image of the container that has the volume",
        NULL,
        FLAG_TEXT,
        offsetof(Flags, image),
        FLAGS_MAINTAIN},
    {"resume",
        '\0',
        NULL,
        NULL,
        "false",
        "go on with the run that the node is marked with, whoever began it and wherever it was "
        "left",
        NULL,
        FLAG_SWITCH,
        offsetof(Flags, resume),
        FLAGS_MAINTAIN},
    {"abort",
        '\0',
        NULL,
        NULL,
        "false",
        "give the run up: delete its Job, and let the node run again",
        NULL,
        FLAG_SWITCH,
        offsetof(Flags, abort),
        FLAGS_MAINTAIN},
    {"unpause-always",
        '\0',
        NULL,
        NULL,
        "false",
        "let the node run again also when the command fails",
        NULL,
        FLAG_SWITCH,
        offsetof(Flags, unpause_always),
        FLAGS_MAINTAIN},
    {"force",
        '\0',
        NULL,
        NULL,
        "false",
        "stop the node also when others of its fleet are down, as many as may be",
        NULL,
        FLAG_SWITCH,
        offsetof(Flags, force),
        FLAGS_MAINTAIN},
    {"yes",
        'y',
        NULL,
        NULL,
        "false",
        "do it without asking; needed where there is no terminal to ask at",
        NULL,
        FLAG_SWITCH,
        offsetof(Flags, yes),
        FLAGS_CONFIRM},
    {"note",
        '\0',
        "TEXT",
        NULL,
        "",
        "lines to show above the screen; it says what ends with the screen, where that is more",
        NULL,
        FLAG_TEXT,
        offsetof(Flags, note),
        FLAGS_SCREEN},
    {"to",
        '\0',
        "FILE",
        NULL,
        "",
        "the file to write, which must not be there; else sei-report-NAME-TIME.tar in this folder",
        NULL,
        FLAG_TEXT,
        offsetof(Flags, to),
        FLAGS_REPORT},
    {"kubeconfig",
        '\0',
        "FILE",
        NULL,
        "",
        "how to reach the cluster; else $KUBECONFIG, else the account of the pod it runs in, else "
        "~/.kube/config",
        NULL,
        FLAG_TEXT,
        offsetof(Flags, kubeconfig),
        FLAGS_CONNECTION},
    {"context",
        '\0',
        "NAME",
        NULL,
        "",
        "the context of the kubeconfig; else its current one",
        NULL,
        FLAG_TEXT,
        offsetof(Flags, context),
        FLAGS_CONNECTION},
    {"cluster",
        '\0',
        "NAME",
        NULL,
        "",
        "the cluster of the kubeconfig; else that of the context",
        NULL,
        FLAG_TEXT,
        offsetof(Flags, cluster),
        FLAGS_CONNECTION},
    {"user",
        '\0',
        "NAME",
        NULL,
        "",
        "the user of the kubeconfig; else that of the context",
        NULL,
        FLAG_TEXT,
        offsetof(Flags, user),
        FLAGS_CONNECTION},
    {"as",
        '\0',
        "USER",
        NULL,
        "",
        "act as this user, which one needs the right to impersonate for",
        NULL,
        FLAG_TEXT,
        offsetof(Flags, as),
        FLAGS_CONNECTION},
    {"as-group",
        '\0',
        "GROUP",
        NULL,
        "",
        "and as a member of this group; may be given more than once",
        NULL,
        FLAG_TEXTS,
        offsetof(Flags, as_group),
        FLAGS_CONNECTION},
    {"request-timeout",
        '\0',
        "TIME",
        NULL,
        "5s",
        "when to give up, for all that one command asks; what has come by then is shown; 0 sets no "
        "end, but for each single request; given by hand it also bounds a credential plugin that "
        "may "
        "ask a person",
        NULL,
        FLAG_DURATION,
        offsetof(Flags, request_timeout_ms),
        FLAGS_CONNECTION},
    {"color",
        '\0',
        "WHEN",
        NULL,
        "auto",
        "always, never, or auto: on a terminal, unless $NO_COLOR is set",
        "auto|always|never",
        FLAG_TEXT,
        offsetof(Flags, color),
        FLAGS_ALWAYS},
    {"help",
        'h',
        NULL,
        NULL,
        "false",
        "say what the command does, and end",
        NULL,
        FLAG_SWITCH,
        offsetof(Flags, help),
        FLAGS_ALWAYS},
    {NULL, '\0', NULL, NULL, NULL, NULL, NULL, FLAG_TEXT, 0, FLAGS_ALWAYS},
};

const FlagRow *flag_find(const char *name, size_t len, unsigned groups)
{
    for (const FlagRow *row = flag_rows; row->name; row++)
        if (row->group & groups && strlen(row->name) == len && strncmp(row->name, name, len) == 0)
            return row;
    return NULL;
}

const FlagRow *flag_find_letter(char letter, unsigned groups)
{
    for (const FlagRow *row = flag_rows; row->name; row++)
        if (row->group & groups && row->letter && row->letter == letter)
            return row;
    return NULL;
}

/* --- one value */

static bool is_choice(const char *choices, const char *text)
{
    size_t len = strlen(text);

    for (const char *c = choices; *c; c += strcspn(c, "|"), c += *c == '|')
        if (strcspn(c, "|") == len && strncmp(c, text, len) == 0)
            return true;
    return false;
}

static bool read_switch(const char *text, bool *ret)
{
    *ret = str_eq(text, "true") || str_eq(text, "1");
    return *ret || str_eq(text, "false") || str_eq(text, "0");
}

/* A number alone is of seconds, as in kubectl. */
static bool read_duration(Arena *a, const char *text, int64_t *ret_ms)
{
    int64_t seconds;
    bool is_number = str_to_int(text, &seconds);

    return duration_parse(is_number ? str_format(a, "%ss", text) : text, ret_ms) && *ret_ms >= 0;
}

/* What is wrong with a value, or NULL. */
static const char *set(Arena *a, const FlagRow *row, const char *text, Flags *ret)
{
    void *value = (char *)ret + row->offset;
    const char **texts = value;
    bool good = true;

    switch (row->type) {
    case FLAG_TEXT:
        *texts = text;
        break;
    case FLAG_TEXTS:
        *texts = str_empty(*texts) ? text : str_format(a, "%s,%s", *texts, text);
        break;
    case FLAG_SWITCH:
        good = read_switch(text, value);
        break;
    case FLAG_DURATION:
        good = read_duration(a, text, value);
        break;
    }
    return good ? NULL
                : str_format(a,
                      "--%s: expected %s, found \"%s\"",
                      row->name,
                      row->type == FLAG_SWITCH ? "true or false" : "a time such as 5s or 1m30s",
                      text);
}

void flags_init(Flags *ret)
{
    SCOPED_ARENA scratch = arena_open(64 << 10);

    *ret = (Flags){0};
    for (const FlagRow *row = flag_rows; row->name; row++)
        if (set(scratch, row, row->fallback, ret))
            BUG("the default of a flag makes no sense");
}

/* --- what follows from the values */

static bool read_output(Flags *f)
{
    static const char jsonpath[] = "jsonpath=";
    static const struct {
        const char *word;
        OutputFormat format;
    } formats[] = {
        {"", OUTPUT_TABLE},
        {"table", OUTPUT_TABLE},
        {"wide", OUTPUT_WIDE},
        {"json", OUTPUT_JSON},
        {"yaml", OUTPUT_YAML},
        {"name", OUTPUT_NAME},
    };

    if (str_has_prefix(f->output, jsonpath)) {
        f->format = OUTPUT_JSONPATH;
        f->jsonpath = f->output + strlen(jsonpath);
        return true;
    }
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (str_eq(f->output, formats[i].word)) {
            f->format = formats[i].format;
            return true;
        }
    return false;
}

static DryRun read_dry_run(const char *text)
{
    return str_eq(text, "client") ? DRY_RUN_CLIENT
        : str_eq(text, "server")  ? DRY_RUN_SERVER
                                  : DRY_RUN_NONE;
}

/* What is wrong with the values together, or NULL. */
static const char *conclude(Arena *a, Flags *f)
{
    f->dry_run = read_dry_run(f->dry_run_text);
    if (!read_output(f))
        return str_format(a,
            "--output: there is no format \"%s\": there are table, wide, json, yaml, name and "
            "jsonpath={...}",
            f->output);
    return NULL;
}

/* --- the line */

typedef struct Line {
    Arena *arena;
    const Words *given;
    size_t at;
    unsigned groups;
    const char *faults; /* NULL: none */
} Line;

static void blame(Line *line, const char *fault)
{
    if (fault)
        line->faults =
            line->faults ? str_format(line->arena, "%s; %s", line->faults, fault) : fault;
}

/* A value that stands behind "=" or right behind a letter, or NULL: it is the next word, or there
 * is none. */
static void take(Line *line, const FlagRow *row, const char *attached, Flags *ret)
{
    const char *value = attached;

    if (!value && !row->value)
        value = "true";
    if (!value)
        value = row->bare;
    if (!value && line->at < line->given->count)
        value = line->given->items[line->at++];
    if (!value) {
        blame(line, str_format(line->arena, "--%s has no value", row->name));
        return;
    }
    bool is_open = str_eq(row->name, "output");
    if (row->choices && !is_open && !is_choice(row->choices, value))
        blame(line,
            str_format(line->arena,
                "--%s: there is no \"%s\": there are %s",
                row->name,
                value,
                row->choices));
    else
        blame(line, set(line->arena, row, value, ret));
    if (row->offset == offsetof(Flags, request_timeout_ms))
        ret->has_request_timeout = true;
    if (row->offset == offsetof(Flags, image))
        ret->has_image = true;
}

static void blame_flag(Line *line, const char *flag)
{
    const char *name = flag + (flag[0] == '-') + (flag[1] == '-');
    bool exists = flag[1] == '-' ? flag_find(name, strlen(name), ~0U) != NULL
                                 : flag_find_letter(*name, ~0U) != NULL;

    blame(line,
        str_format(line->arena,
            exists ? "%s has no meaning here: see --help" : "there is no flag %s: see --help",
            flag));
}

static void read_long(Line *line, const char *word, Flags *ret)
{
    size_t len = strcspn(word, "=");
    const FlagRow *row = flag_find(word + 2, len - 2, line->groups);

    if (row)
        take(line, row, word[len] == '=' ? word + len + 1 : NULL, ret);
    else
        blame_flag(line, str_slice(line->arena, word, len));
}

/* "-Aw", "-nsei", "-n=sei", "-n sei" */
static void read_letters(Line *line, const char *word, Flags *ret)
{
    for (const char *c = word + 1; *c; c++) {
        const FlagRow *row = flag_find_letter(*c, line->groups);
        if (!row) {
            blame_flag(line, str_format(line->arena, "-%c", *c));
            return;
        }
        if (!row->value) {
            take(line, row, NULL, ret);
            continue;
        }
        const char *rest = c + 1 + (c[1] == '=');
        take(line, row, c[1] ? rest : NULL, ret);
        return;
    }
}

Err *flags_parse(Arena *a, const Words *given, unsigned groups, Flags *ret, Words *ret_words)
{
    Line line = {.arena = a, .given = given, .groups = groups | FLAGS_ALWAYS};
    bool is_plain = false;

    flags_init(ret);
    *ret_words = (Words){.items = arena_array(a, const char *, given->count + 1)};
    while (line.at < given->count) {
        const char *word = given->items[line.at++];
        if (!is_plain && str_eq(word, "--"))
            is_plain = true;
        else if (!is_plain && str_has_prefix(word, "--"))
            read_long(&line, word, ret);
        else if (!is_plain && word[0] == '-' && word[1])
            read_letters(&line, word, ret);
        else
            ret_words->items[ret_words->count++] = word;
    }
    blame(&line, conclude(a, ret));
    return line.faults ? err_terminal(a, "%s", line.faults) : OK;
}
