/* Record: one version of one object, as the bytes that clients get, or packed. Immutable and
 * counted: the store, the history and whoever has not sent it yet hold the same one.
 *
 * Nearly everything that is asked of a record needs no parsing: its key, whether a selector picks
 * it (by the glance, the few fields that selectors may name), and its text under another version,
 * which is how the last state of a deleted object is sent. */
#ifndef WORLD_RECORD_H
#define WORLD_RECORD_H

#include "base/bytes.h"
#include "base/json.h"
#include "base/slab.h"
#include "world/packing.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Record Record;

/* What a record is made of; everything is copied. */
typedef struct RecordText {
    const char *key; /* "namespace/name", or "name" without a namespace */
    uint64_t version;
    Bytes text;   /* minified, metadata before everything that could hold another resourceVersion */
    Bytes glance; /* what selectors may look at: minified */
    bool is_new;  /* the first version of its object */
    Packer *packer; /* NULL: everything is kept as it is */
} RecordText;

/* A record that is held once. */
Record *record_new(Slab *slab, const RecordText *text);

/* One holder more, one less; the last one's leave gives the memory back. Accept NULL. */
Record *record_hold(Record *r);
void record_drop(Slab *slab, Record *r);

/* What it takes of memory. */
size_t record_size(const Record *r);

const char *record_key(const Record *r);
uint64_t record_version(const Record *r);
bool record_is_new(const Record *r);

/* The text as it was stored, in the arena or the record itself. */
Bytes record_text(Arena *a, const Record *r);

/* The glance, parsed into the arena. */
const Json *record_glance(Arena *a, const Record *r);

/* The object, parsed into the arena. */
const Json *record_object(Arena *a, const Record *r);

/* The bytes that the text has under another version, and those bytes
 * written to `to`; the arena is scratch. */
size_t record_size_at(const Record *r, uint64_t version);
void record_write_at(const Record *r, Arena *a, uint64_t version, char *to);

#endif
