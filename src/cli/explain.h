/* Explain: the words that `explain` knows. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/command.h"

/* Every condition, reason, event, task, code of the doctor and alert, each once. */
Words explain_words(Arena *a);

#endif
