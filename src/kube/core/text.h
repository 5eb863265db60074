/* Text: text that grows in an arena, for what is put together from many small pieces.
 *
 * Starts as (Text){.arena = a}. What it has outgrown stays in the arena: at most as much again as
 * the text itself is long. */
#ifndef SRC_KUBE_CORE_TEXT_H
#define SRC_KUBE_CORE_TEXT_H

#include "base/arena.h"

#include <stddef.h>

typedef struct Text {
    Arena *arena;
    char *data;
    size_t len, capacity;
} Text;

/* Appends a piece. */
void text_add(Text *t, const char *piece);
void text_add_bytes(Text *t, const char *bytes, size_t len);
void text_add_byte(Text *t, char byte);

/* What was put together, NUL-terminated; valid until the next piece. */
const char *text_seen(Text *t);

#endif
