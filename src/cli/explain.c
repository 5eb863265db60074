/* explain: what a word in a status, an event, a plan or an alert means, and what to do about it. No
 * cluster is asked: everything stands in the tables that the operator itself is built from, and
 * from which the pages of docs/ are made. */
#include "cli/explain.h"
#include "base/draft.h"
#include "base/str.h"
#include "cli/alerts.h"
#include "cli/doctor/exam.h"
#include "cli/glyph.h"
#include "sei/api/condition_about.h"
#include "sei/api/names.h"
#include "sei/api/node.h"
#include "sei/api/task_about.h"
#include "sei/reconcile/tidings.h"

#include <string.h>
#include <strings.h>

enum { MEANINGS_MAX = 32 };

/* One place where the word stands. */
typedef struct Meaning {
    const char *word;   /* as it is spelt */
    const char *where;  /* "condition Stalled of a SeiNode" */
    const char *means;  /* a sentence */
    const char *advice; /* sentences, or NULL */
} Meaning;

typedef struct Meanings {
    Arena *arena;
    const char *asked;
    Meaning items[MEANINGS_MAX];
    size_t count;
} Meanings;

static bool is_asked(const Meanings *m, const char *word)
{
    return strcasecmp(word, m->asked) == 0 && m->count < MEANINGS_MAX;
}

/* A clause as a sentence. Paths begin with a small letter all the same. */
static const char *sentence(Arena *a, const char *clause)
{
    bool is_path = str_has_prefix(clause, "spec.") || str_has_prefix(clause, "status.");
    char first =
        *clause >= 'a' && *clause <= 'z' && !is_path ? (char)(*clause - 'a' + 'A') : *clause;

    return str_format(a, "%c%s.", first, clause + 1);
}

static const char *kind_of(bool is_fleet)
{
    return is_fleet ? kind_seinodedeployment->name : kind_seinode->name;
}

static const char *advice_of(Arena *a, Reason reason)
{
    const char *advice = reason_advice(reason), *caution = reason_caution(reason);

    return caution ? str_format(a, "%s %s", advice, caution) : advice;
}

static void find_reasons(Meanings *m)
{
    for (int i = 0; i < REASON_ALL_COUNT; i++) {
        if (i == REASON_COUNT || !is_asked(m, reason_text((Reason)i)))
            continue;
        m->items[m->count++] = (Meaning){
            .word = reason_text((Reason)i),
            .where = str_format(m->arena,
                "reason of the condition %s of a %s",
                reason_condition((Reason)i),
                kind_of(reason_is_of_fleet((Reason)i))),
            .means = sentence(m->arena, reason_when((Reason)i)),
            .advice = advice_of(m->arena, (Reason)i),
        };
    }
}

/* A type of condition is explained once for each kind that has it, by its first reason. */
static void find_conditions(Meanings *m)
{
    bool is_found[2] = {false, false};

    for (int i = 0; i < REASON_ALL_COUNT; i++) {
        if (i == REASON_COUNT || !is_asked(m, reason_condition((Reason)i)))
            continue;
        bool is_fleet = reason_is_of_fleet((Reason)i);
        if (is_found[is_fleet])
            continue;
        is_found[is_fleet] = true;
        m->items[m->count++] = (Meaning){
            .word = reason_condition((Reason)i),
            .where = str_format(m->arena, "condition of a %s", kind_of(is_fleet)),
            .means = condition_about((Reason)i),
        };
    }
}

typedef struct EventRow {
    const char *reason, *type, *when;
    bool is_fleet;
} EventRow;

static const EventRow event_rows[] = {
#define X(name, reason, type, when) {reason, type, when, false},
    TELLINGS(X)
#undef X
#define X(name, reason, type, when) {reason, type, when, true},
        FLEET_TELLINGS(X)
#undef X
};

enum { EVENT_ROWS = sizeof event_rows / sizeof event_rows[0] };

static void find_events(Meanings *m)
{
    for (size_t i = 0; i < EVENT_ROWS; i++)
        if (is_asked(m, event_rows[i].reason))
            m->items[m->count++] = (Meaning){
                .word = event_rows[i].reason,
                .where = str_format(m->arena,
                    "event about a %s, of type %s",
                    kind_of(event_rows[i].is_fleet),
                    event_rows[i].type),
                .means = sentence(m->arena, event_rows[i].when),
            };
}

static void find_tasks(Meanings *m)
{
    for (int i = TASK_UNKNOWN + 1; i < TASK_ALL_COUNT; i++) {
        if (i == TASK_TYPE_COUNT || !is_asked(m, task_type_text((TaskType)i)))
            continue;
        const TaskAbout *about = task_about((TaskType)i);
        const char *waits =
            about->waits ? str_format(m->arena, " It waits while %s.", about->waits) : "";
        const char *fails =
            about->fails ? str_format(m->arena, " It fails when %s.", about->fails) : "";
        m->items[m->count++] = (Meaning){
            .word = task_type_text((TaskType)i),
            .where = str_format(
                m->arena, "task in a plan of a %s", kind_of(task_type_is_of_fleet((TaskType)i))),
            .means = str_format(m->arena, "%s%s%s", about->does, waits, fails),
        };
    }
}

static void find_checks(Meanings *m)
{
    const Check *check = check_find(m->asked);

    if (!check || m->count == MEANINGS_MAX)
        return;
    m->items[m->count++] = (Meaning){
        .word = check->code,
        .where = str_format(m->arena,
            "%s of `doctor`, about %s",
            severity_text(check->severity),
            area_text(check->area)),
        .means = str_format(m->arena, "%s %s", sentence(m->arena, check->title), check->about),
        .advice = check_fix_text(m->arena, check),
    };
}

static void find_alerts(Meanings *m)
{
    for (const AlertRow *row = alert_rows; row->name; row++)
        if (is_asked(m, row->name))
            m->items[m->count++] = (Meaning){
                .word = row->name,
                .where = str_format(m->arena,
                    "alert of severity %s, %s%s",
                    row->severity,
                    row->after ? "when it has been so for " : "at once",
                    row->after ? row->after : ""),
                .means = row->says,
                .advice =
                    str_format(m->arena, "%s, then %s%s.md", row->look, alert_runbooks, row->name),
            };
}

/* --- every word, for completion and for whoever spells one wrong */

enum { WORDS_MAX = 1024 };

static void put_word(Words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (str_eq(words->items[i], word))
            return;
    if (words->count == WORDS_MAX)
        BUG("more words than explain has room for");
    words->items[words->count++] = word;
}

Words explain_words(Arena *a)
{
    Words words = {.items = arena_array(a, const char *, WORDS_MAX)};

    for (int i = 0; i < REASON_ALL_COUNT; i++)
        if (i != REASON_COUNT)
            put_word(&words, reason_text((Reason)i));
    for (int i = 0; i < REASON_ALL_COUNT; i++)
        if (i != REASON_COUNT)
            put_word(&words, reason_condition((Reason)i));
    for (size_t i = 0; i < EVENT_ROWS; i++)
        put_word(&words, event_rows[i].reason);
    for (int i = TASK_UNKNOWN + 1; i < TASK_ALL_COUNT; i++)
        if (i != TASK_TYPE_COUNT)
            put_word(&words, task_type_text((TaskType)i));
    for (size_t i = 0; check_at(i); i++)
        put_word(&words, check_at(i)->code);
    for (const AlertRow *row = alert_rows; row->name; row++)
        put_word(&words, row->name);
    return words;
}

/* --- slips */

enum { SPELT_MAX = 64, LETTERS_PER_SLIP = 4, HINT_MAX = 400 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_same(char a, char b)
{
    return strncasecmp(&a, &b, 1) == 0;
}

/* How many slips lie between two words: a letter missing, too many or another, or two that changed
 * places. */
static size_t slips_between(const char *left, const char *right)
{
    size_t slips[SPELT_MAX + 1][SPELT_MAX + 1];
    size_t rows = strlen(left), columns = strlen(right);

    if (rows > SPELT_MAX || columns > SPELT_MAX)
        return SIZE_MAX;
    for (size_t r = 0; r <= rows; r++)
        for (size_t c = 0; c <= columns; c++) {
            if (r == 0 || c == 0) {
                slips[r][c] = r + c;
                continue;
            }
            bool is_hit = is_same(left[r - 1], right[c - 1]);
            slips[r][c] =
                least(slips[r - 1][c - 1] + !is_hit, least(slips[r - 1][c], slips[r][c - 1]) + 1);
            if (r > 1 && c > 1 && is_same(left[r - 1], right[c - 2])
                && is_same(left[r - 2], right[c - 1]))
                slips[r][c] = least(slips[r][c], slips[r - 2][c - 2] + 1);
        }
    return slips[rows][columns];
}

/* The words that are meant most likely: those with the fewest slips, of not too many; or NULL. */
static const char *guess(Arena *a, const Words *all, const char *asked)
{
    size_t fewest = strlen(asked) / LETTERS_PER_SLIP;
    const char *found = NULL;

    for (size_t i = 0; i < all->count; i++) {
        size_t slips = slips_between(all->items[i], asked);
        if (slips > fewest)
            continue;
        found = found && slips == fewest ? str_format(a, "%s, %s", found, all->items[i])
                                         : all->items[i];
        fewest = slips;
    }
    return found;
}

/* --- saying */

static const Json *encode(Arena *a, const Meanings *m)
{
    Draft *meanings = draft_array(a);

    for (size_t i = 0; i < m->count; i++)
        draft_push(meanings,
            draft(a,
                str("where", m->items[i].where),
                str("means", m->items[i].means),
                str("advice", m->items[i].advice)));
    return json_seal(a, draft(a, str("word", m->items[0].word), sub("meanings", meanings)));
}

static void say(Cli *cli, const Meanings *m)
{
    output_say(cli, "%s\n", output_paint(cli, COLOR_BOLD, m->items[0].word));
    for (size_t i = 0; i < m->count; i++) {
        output_say(cli, "\n  %s\n", m->items[i].where);
        output_wrap(cli, "    ", m->items[i].means);
        if (m->items[i].advice)
            output_wrap(cli, "    ", str_format(cli->arena, "To do: %s", m->items[i].advice));
    }
}

/* Words that have the asked one in them, or NULL. */
static const char *find_around(Arena *a, const Words *all, const char *asked)
{
    const char *near = NULL;

    for (size_t i = 0; i < all->count; i++)
        if (strcasestr(all->items[i], asked))
            near = near ? str_format(a, "%s, %s", near, all->items[i]) : all->items[i];
    return near;
}

static int unknown(Cli *cli, const char *asked)
{
    Words all = explain_words(cli->arena);
    const char *around = find_around(cli->arena, &all, asked);
    const char *meant = around ? NULL : guess(cli->arena, &all, asked);

    output_talk(cli,
        "error: no condition, reason, event, task, alert or code is called %s\n",
        glyph_clean(cli->arena, cli->out->is_utf8, asked));
    if (around)
        output_talk(cli, "hint: there are %s\n", str_cut(cli->arena, around, HINT_MAX));
    if (meant)
        output_talk(cli, "hint: did you mean %s?\n", str_cut(cli->arena, meant, HINT_MAX));
    return EXIT_NOT_FOUND;
}

int explain_command(Cli *cli)
{
    Meanings *m = arena_new(cli->arena, Meanings);

    *m = (Meanings){.arena = cli->arena, .asked = cli->args[0]};
    find_reasons(m);
    find_conditions(m);
    find_events(m);
    find_tasks(m);
    find_checks(m);
    find_alerts(m);
    if (m->count == 0)
        return unknown(cli, m->asked);
    if (!output_is_value(cli)) {
        say(cli, m);
        return EXIT_FINE;
    }
    Err *err = output_value(cli, encode(cli->arena, m));
    return err ? output_error(cli, err) : EXIT_FINE;
}
