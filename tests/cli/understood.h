/* Understood: a line that a page or a finding says to type, read as the program would read it. What
 * a shell does with the answer, behind `|` or `>`, is none of its business. */
#ifndef TESTS_CLI_UNDERSTOOD_H
#define TESTS_CLI_UNDERSTOOD_H

#include "cli/command.h"
#include "tests/test.h"

/* The words behind "kubectl sei", as a shell divides them; single quotes hold one together. */
static inline Words understood_words(Arena *a, const char *line)
{
    static const char space[] = " \n";
    Words words = {.items = arena_array(a, const char *, strlen(line) + 1)};

    for (line += strspn(line, space); *line && !strchr("|>", *line); line += strspn(line, space)) {
        bool is_quoted = *line == '\'';
        size_t len = strcspn(line + is_quoted, is_quoted ? "'" : space);
        words.items[words.count++] = str_slice(a, line + is_quoted, len);
        line += is_quoted + len + is_quoted;
    }
    return words;
}

/* There is such a command, with such flags; gives how many words are beside them. */
static inline const Command *then_known(Arena *a, const char *line, size_t *ret_count)
{
    Words given = understood_words(a, line), plain;
    Flags flags;
    size_t used = 0;
    const Command *command = command_find(given.items, given.count, &used);

    if (!command)
        test_fail(__FILE__, __LINE__, "there is no such command: %s", line);
    then_ok(flags_parse(a, &given, command->flag_groups, &flags, &plain));
    *ret_count = plain.count - used;
    return command;
}

/* It can be typed as it stands. */
static inline void then_understood(Arena *a, const char *line)
{
    size_t count;
    const Command *command = then_known(a, line, &count);

    if (count < command->args_min || count > command->args_max)
        test_fail(__FILE__, __LINE__, "too few words, or too many: %s", line);
}

#endif
