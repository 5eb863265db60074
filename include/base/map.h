/* Map: text to pointer, for tables that live as long as the process.
 *
 * Keys are borrowed: they live in the value they lead to. Finding is O(1); the map never holds more
 * than its ceiling. Order of iteration is that of the slots and says nothing. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Map Map;

/* An empty map of at most `max` entries. Close with map_close. */
Map *map_open(size_t max);

/* Gives the map back; what its values point to is the caller's. Accepts NULL. */
void map_close(Map *m);

/* The value of a key, or NULL. */
void *map_find(const Map *m, const char *key);

/* Sets the value (never NULL) of a key, replacing key and value of an entry of the same text. False
 * when the map is full. */
bool map_put(Map *m, const char *key, void *value) MUST_CHECK;

/* Takes an entry out and gives its value, or NULL when there was none. */
void *map_remove(Map *m, const char *key);

/* Entries now. */
size_t map_count(const Map *m);

/* Walks the entries: start with *cursor = 0; NULL at the end. Removing the entry just given is
 * allowed, putting is not. */
void *map_next(const Map *m, size_t *cursor);

#endif
