/* Order: a table of deeds and the words that each needs. */
#include "world/order.h"

#include "base/str.h"

#include <string.h>

/* What a word is for. */
typedef enum Word {
    WORD_END,
    WORD_POD,
    WORD_TEXT,
    WORD_MS,
    WORD_COUNT,
    WORD_TEMPER,
    WORD_REST, /* all that follows, which may be nothing */
} Word;

enum { WORDS_MAX = 5 };

static const struct {
    const char *name;
    KubeletDeed deed;
    Word words[WORDS_MAX];
    const char *form;
} deeds[] = {
    {"freeze", DEED_FREEZE, {WORD_POD}, "freeze POD"},
    {"thaw", DEED_THAW, {WORD_POD}, "thaw POD"},
    {"never-ready", DEED_NEVER_READY, {WORD_POD}, "never-ready POD"},
    {"ready-again", DEED_READY_AGAIN, {WORD_POD}, "ready-again POD"},
    {"slow-start", DEED_SLOW_START, {WORD_POD, WORD_MS}, "slow-start POD MS"},
    {"slow-stop", DEED_SLOW_STOP, {WORD_POD, WORD_MS}, "slow-stop POD MS"},
    {"crash", DEED_CRASH, {WORD_POD, WORD_COUNT}, "crash POD COUNT"},
    {"kill-sidecar", DEED_KILL_SIDECAR, {WORD_POD}, "kill-sidecar POD"},
    {"evict", DEED_EVICT, {WORD_POD}, "evict POD"},
    {"temper",
        DEED_TEMPER,
        {WORD_POD, WORD_TEMPER, WORD_MS},
        "temper POD none|forgetful|slow|lying|hanging|failing|huge|malformed|wedged MS"},
    {"fail-task",
        DEED_FAIL_TASK,
        {WORD_POD, WORD_TEXT, WORD_COUNT, WORD_REST},
        "fail-task POD TYPE COUNT ERROR"},
    {"task-takes", DEED_TASK_TAKES, {WORD_POD, WORD_TEXT, WORD_MS}, "task-takes POD TYPE MS"},
    {"fill-disk", DEED_FILL_DISK, {WORD_POD, WORD_COUNT}, "fill-disk POD 1 (full) or 0"},
    {"empty-disk", DEED_EMPTY_DISK, {WORD_POD}, "empty-disk POD (all files but sidecar.db)"},
    {"spoil-config", DEED_SPOIL_CONFIG, {WORD_POD}, "spoil-config POD"},
    {"bad-image", DEED_BAD_IMAGE, {WORD_TEXT}, "bad-image TEXT"},
    {"good-image", DEED_GOOD_IMAGE, {WORD_TEXT}, "good-image TEXT"},
    {"lose-node", DEED_LOSE_NODE, {WORD_TEXT}, "lose-node NODE"},
    {"restore-node", DEED_RESTORE_NODE, {WORD_TEXT}, "restore-node NODE"},
};

static const char *const tempers[] = {
    [TEMPER_NONE] = "none",
    [TEMPER_FORGETFUL] = "forgetful",
    [TEMPER_SLOW] = "slow",
    [TEMPER_LYING] = "lying",
    [TEMPER_HANGING] = "hanging",
    [TEMPER_FAILING] = "failing",
    [TEMPER_HUGE] = "huge",
    [TEMPER_MALFORMED] = "malformed",
    [TEMPER_WEDGED] = "wedged",
};

/* The next word of a line, or NULL at its end. */
static const char *next_word(Arena *a, const char **line)
{
    *line += strspn(*line, " \t");
    size_t len = strcspn(*line, " \t\r\n");
    const char *word = len ? str_slice(a, *line, len) : NULL;

    *line += len;
    return word;
}

static bool read_temper(const char *word, SidecarTemper *ret)
{
    for (size_t i = 0; i < sizeof tempers / sizeof tempers[0]; i++)
        if (str_eq(tempers[i], word)) {
            *ret = (SidecarTemper)i;
            return true;
        }
    return false;
}

static bool read_rest(Arena *a, const char **line, const char **ret)
{
    *line += strspn(*line, " \t");
    size_t len = strcspn(*line, "\r\n");

    *ret = len ? str_slice(a, *line, len) : NULL;
    *line += len;
    return true;
}

static bool read_word(Arena *a, Word kind, const char **line, KubeletOrder *ret)
{
    const char *word = kind == WORD_REST ? NULL : next_word(a, line);

    switch (kind) {
    case WORD_POD:
        ret->pod = word ? key_parse(a, word) : (Key){0};
        return !str_empty(ret->pod.name) && !str_empty(ret->pod.namespace);
    case WORD_TEXT:
        ret->text = word;
        return word != NULL;
    case WORD_MS:
        return str_to_int(word, &ret->ms) && ret->ms >= 0;
    case WORD_COUNT:
        return str_to_int(word, &ret->count) && ret->count >= 0;
    case WORD_TEMPER:
        return read_temper(word, &ret->temper);
    case WORD_REST:
        return read_rest(a, line, &ret->error);
    case WORD_END:
        break;
    }
    return false;
}

Err *order_parse(Arena *a, const char *line, KubeletOrder *ret)
{
    const char *name = next_word(a, &line);

    *ret = (KubeletOrder){0};
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
        if (!str_eq(deeds[i].name, name))
            continue;
        bool is_fine = true;
        ret->deed = deeds[i].deed;
        for (size_t w = 0; deeds[i].words[w] != WORD_END && is_fine; w++)
            is_fine = read_word(a, deeds[i].words[w], &line, ret);
        if (is_fine && !next_word(a, &line))
            return OK;
        return err_terminal(a, "the order is written: %s", deeds[i].form);
    }
    return err_terminal(a, "there is no order '%s'", name ? name : "");
}

const char *order_form(size_t n)
{
    return n < sizeof deeds / sizeof deeds[0] ? deeds[n].form : NULL;
}
