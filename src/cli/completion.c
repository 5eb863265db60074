/* completion and __complete. Shells ask through __complete, in the manner of cobra, which kubectl
 * expects of its plugins: a line for each offer, its description behind a tab, and at the end a
 * colon and a number: 4 for "no files", 0 for "files, if you like". */
#include "cli/completion.h"

#include "base/str.h"
#include "cli/connection.h"
#include "cli/explain.h"
#include "cli/target.h"
#include "kube/meta.h"
#include "sei/api/node.h"

#include <string.h>

enum { COMPLETE_NO_FILES = 4, COMPLETE_TIMEOUT_MS = 2000 };

typedef struct Typed {
    Cli *cli;
    const char *last; /* the word to be completed: its beginning */
    Offers *offers;
    bool is_unreachable;
} Typed;

static void offer(Typed *t, const char *word, const char *about)
{
    Offers *o = t->offers;

    if (!str_has_prefix(word, t->last))
        return;
    for (size_t i = 0; i < o->count; i++)
        if (str_eq(o->items[i].word, word))
            return;
    if (o->count < OFFERS_MAX)
        o->items[o->count++] = (Offer){word, about};
}

/* --- what the cluster has */

static void offer_names(Typed *t, const Kind *kind)
{
    Cli *cli = t->cli;
    Objects found = {0};

    t->is_unreachable = t->is_unreachable || connection_open(cli);
    if (t->is_unreachable)
        return;
    const char *namespace = kind->namespaced ? cli->namespace : NULL;
    if (connection_list(cli, kind, namespace, NULL, &found))
        return;
    for (size_t i = 0; i < found.count; i++)
        offer(
            t, meta_name(found.items[i]), kind_eq(kind, kind_namespace) ? NULL : target_noun(kind));
}

/* --- values of flags */

static void offer_choices(Typed *t, const char *choices, const char *prefix)
{
    while (*choices) {
        size_t len = strcspn(choices, "|");
        offer(t, str_format(t->cli->arena, "%s%.*s", prefix, (int)len, choices), NULL);
        choices += len + (choices[len] == '|');
    }
}

static void offer_values(Typed *t, const FlagRow *row, const char *prefix)
{
    if (row->choices)
        offer_choices(t, row->choices, prefix);
    else if (str_eq(row->name, "namespace") && !*prefix)
        offer_names(t, kind_namespace);
    else if (str_eq(row->name, "kubeconfig") || str_eq(row->name, "to"))
        t->offers->wants_files = true;
}

/* The flag whose value the next word is, or NULL. */
static const FlagRow *flag_before(const char *word)
{
    const FlagRow *row = NULL;

    if (!word || *word != '-' || strchr(word, '='))
        return NULL;
    if (word[1] == '-')
        row = flag_find(word + 2, strlen(word + 2), ~0U);
    else if (word[1])
        row = flag_find_letter(word[strlen(word) - 1], ~0U);
    return row && row->value && !row->bare ? row : NULL;
}

static void offer_flags(Typed *t, unsigned groups)
{
    size_t len = strcspn(t->last, "=");

    if (t->last[len] == '=') {
        const FlagRow *row = len > 2 ? flag_find(t->last + 2, len - 2, ~0U) : NULL;
        if (row)
            offer_values(t, row, str_slice(t->cli->arena, t->last, len + 1));
        return;
    }
    for (const FlagRow *row = flag_rows; row->name; row++)
        if (row->group & (groups | FLAGS_ALWAYS))
            offer(t, str_format(t->cli->arena, "--%s", row->name), row->about);
}

/* --- commands and their arguments */

/* The next word of each command that begins with these. */
static void offer_commands(Typed *t, const Words *plain)
{
    for (const Command *c = commands; c->name; c++) {
        const char *space = strchr(c->name, ' ');
        size_t len = space ? (size_t)(space - c->name) : strlen(c->name);
        const char *first = str_slice(t->cli->arena, c->name, len);
        if (!c->topic)
            continue;
        if (plain->count == 0)
            offer(t, first, space ? NULL : c->about);
        else if (plain->count == 1 && space && str_eq(plain->items[0], first))
            offer(t, space + 1, c->about);
    }
}

static void offer_args(Typed *t, const Command *c, size_t count)
{
    size_t n = count < COMMAND_ARGS_MAX ? count : COMMAND_ARGS_MAX - 1;
    Words words;

    if (count >= c->args_max)
        return;
    while (n > 0 && c->arg_kinds[n] == ARG_NONE)
        n--;
    switch (c->arg_kinds[n]) {
    case ARG_KIND:
        offer(t, "nodes", "SeiNodes");
        offer(t, "fleets", "SeiNodeDeployments");
        break;
    case ARG_TARGET:
        offer_names(t, kind_seinodedeployment);
        offer_names(t, kind_seinode);
        break;
    case ARG_FLEET:
        offer_names(t, kind_seinodedeployment);
        break;
    case ARG_NODE:
        offer_names(t, kind_seinode);
        break;
    case ARG_REASON:
        words = explain_words(t->cli->arena);
        for (size_t i = 0; i < words.count; i++)
            offer(t, words.items[i], NULL);
        break;
    case ARG_SHELL:
        offer_choices(t, "bash|zsh|fish", "");
        break;
    case ARG_NONE:
    case ARG_IMAGE:
    case ARG_PLAN:
    case ARG_WORD:
        break;
    }
}

void completion_find(Cli *cli, const Words *words, Offers *ret)
{
    Words before = {.items = words->items, .count = words->count ? words->count - 1 : 0}, plain;
    Typed t = {.cli = cli, .last = words->count ? words->items[before.count] : "", .offers = ret};
    const FlagRow *row = flag_before(before.count ? before.items[before.count - 1] : NULL);
    size_t used = 0;

    /* What is wrong so far, such as a flag that waits for its value, is no fault yet. */
    const Err *ignored = flags_parse(cli->arena, &before, ~0U, &cli->flags, &plain);
    (void)ignored;
    cli->flags.request_timeout_ms = COMPLETE_TIMEOUT_MS;
    cli->asks_nobody = true;
    const Command *c = command_find(plain.items, plain.count, &used);
    if (row)
        offer_values(&t, row, "");
    else if (*t.last == '-')
        offer_flags(&t, c ? c->flag_groups : FLAGS_CONNECTION | FLAGS_NAMESPACE);
    else if (c)
        offer_args(&t, c, plain.count - used);
    else
        offer_commands(&t, &plain);
}

int complete_command(Cli *cli)
{
    Words words = {.items = (const char **)cli->args, .count = cli->arg_count};
    Offers *offers = arena_new(cli->arena, Offers);

    completion_find(cli, &words, offers);
    for (size_t i = 0; i < offers->count; i++)
        output_say(cli,
            "%s%s%s\n",
            offers->items[i].word,
            offers->items[i].about ? "\t" : "",
            offers->items[i].about ? offers->items[i].about : "");
    output_say(cli, ":%d\n", offers->wants_files ? 0 : COMPLETE_NO_FILES);
    return EXIT_FINE;
}

/* --- scripts */

static const struct {
    const char *shell, *script;
} scripts[] = {
    {"bash",
        "_kubectl_sei() {\n"
        "    local line\n"
        "    COMPREPLY=()\n"
        "    while IFS= read -r line; do\n"
        "        [[ $line == :* ]] || COMPREPLY+=(\"${line%%$'\\t'*}\")\n"
        "    done < <(kubectl-sei __complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
        "}\n"
        "complete -o default -F _kubectl_sei kubectl-sei\n"},
    {"zsh",
        "#compdef kubectl-sei\n"
        "_kubectl_sei() {\n"
        "    local line\n"
        "    local -a offers\n"
        "    for line in \"${(@f)$(kubectl-sei __complete \"${(@)words[2,CURRENT]}\" "
        "2>/dev/null)}\"; do\n"
        "        [[ $line == :* ]] || offers+=(\"${${line//:/\\\\:}/$'\\t'/:}\")\n"
        "    done\n"
        "    _describe kubectl-sei offers\n"
        "}\n"
        "compdef _kubectl_sei kubectl-sei\n"},
    {"fish",
        "complete -c kubectl-sei -f -a '(kubectl-sei __complete (commandline -opc)[2..-1] "
        "(commandline -ct) 2>/dev/null | string match -v -r \"^:\")'\n"},
};

int completion_command(Cli *cli)
{
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
        if (str_eq(scripts[i].shell, cli->args[0])) {
            output_say(cli, "%s", scripts[i].script);
            return EXIT_FINE;
        }
    output_talk(cli,
        "error: there is no completion for %s: there is one for bash, zsh and fish\n",
        cli->args[0]);
    return EXIT_MISUSED;
}
