/* The built-in kinds: their shapes, and what they are completed by. */
#ifndef SRC_WORLD_SCHEMA_TABLE_H
#define SRC_WORLD_SCHEMA_TABLE_H

#include "world/schema.h"
#include "world/schema_shape.h"

typedef struct SchemaRow {
    const char *group, *kind; /* kind NULL ends the table */
    struct Schema schema;
} SchemaRow;

extern const SchemaRow schema_table[];

/* Of an object's metadata, whatever its kind. */
extern const Shape shape_metadata;

#endif
