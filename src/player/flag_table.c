/* FlagTable: rows are looked for one by one; a table has a dozen. */
#include "player/flag_table.h"

#include "base/str.h"

#include <string.h>

void flag_table_reset(const FlagRow *rows, void *ret)
{
    for (const FlagRow *row = rows; row->name; row++) {
        void *value = (char *)ret + row->offset;
        if (row->type == FLAG_NUMBER)
            *(int64_t *)value = row->fallback;
        else if (row->type == FLAG_TEXT)
            *(const char **)value = row->fallback_text;
        else
            *(bool *)value = false;
    }
}

static const FlagRow *find_row(const FlagRow *rows, const char *word, size_t len)
{
    if (len == strlen("-h") && strncmp(word, "-h", len) == 0) {
        word = "--help";
        len = strlen(word);
    }
    for (const FlagRow *row = rows; row->name; row++)
        if (strlen(row->name) == len && strncmp(row->name, word, len) == 0)
            return row;
    return NULL;
}

static Err *set(Arena *a, const FlagRow *row, const char *text, void *ret)
{
    void *value = (char *)ret + row->offset;
    int64_t number;

    if (!text)
        return err_terminal(a, "%s has no value: it wants %s", row->name, row->value);
    if (row->type == FLAG_TEXT) {
        *(const char **)value = text;
        return OK;
    }
    if (!str_to_int(text, &number) || number < row->min || number > row->max)
        return err_terminal(a,
            "%s: expected a number from %lld to %lld, found %s",
            row->name,
            (long long)row->min,
            (long long)row->max,
            text);
    *(int64_t *)value = number;
    return OK;
}

Err *flag_table_read(Arena *a, const FlagRow *rows, FlagWords *words, void *ret)
{
    while (words->at < words->count && words->words[words->at][0] == '-') {
        const char *word = words->words[words->at++];
        size_t len = strcspn(word, "=");
        const FlagRow *row = find_row(rows, word, len);
        if (!row)
            return err_terminal(a, "there is no flag %s: see --help", str_slice(a, word, len));
        if (row->type == FLAG_SWITCH)
            *(bool *)((char *)ret + row->offset) = true;
        else if (word[len] == '=')
            TRY(set(a, row, word + len + 1, ret));
        else
            TRY(set(a, row, words->at < words->count ? words->words[words->at++] : NULL, ret));
    }
    return OK;
}

static void must(bool fits)
{
    if (!fits)
        BUG("the help is too long");
}

static void say_row(const FlagRow *row, Buf *ret)
{
    must(buf_format(ret,
        "  %s%s%s\n        %s",
        row->name,
        row->value ? " " : "",
        row->value ? row->value : "",
        row->about));
    if (row->type == FLAG_NUMBER)
        must(buf_format(ret, " (default %lld)\n", (long long)row->fallback));
    else if (row->fallback_text)
        must(buf_format(ret, " (default %s)\n", row->fallback_text));
    else
        must(buf_format(ret, "\n"));
}

void flag_table_help(const FlagRow *rows, Buf *ret)
{
    for (const FlagRow *row = rows; row->name; row++)
        say_row(row, ret);
}
