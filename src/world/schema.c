/* Schemas of built-in kinds, found. A kind that nobody described is plain all over. */
#include "world/schema.h"

#include "base/str.h"
#include "world/schema_rows.h"

const Schema *schema_of_kind(const Kind *kind)
{
    static const Schema unknown = {.root = &shape_plain};

    for (const SchemaRow *row = schema_table; row->kind; row++)
        if (str_eq(row->group, kind->group) && str_eq(row->kind, kind->name))
            return &row->schema;
    return &unknown;
}
