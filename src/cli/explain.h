/* Explain: the words that `explain` knows. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/command.h"

/* Every condition, reason, event and task, each once. */
Words explain_words(Arena *a);

#endif
