/* Printer: the columns that a CustomResourceDefinition asks for, and what stands in them.
 *
 * A column's jsonPath is one of the simple ones: names, places and conditions picked by a member
 * (.status.conditions[?(@.type=="Ready")].reason). One that is not leaves its cells empty. */
#ifndef SANDBOX_PRINTER_H
#define SANDBOX_PRINTER_H

#include "base/draft.h"
#include "base/json.h"
#include "sandbox/table_cells.h"

/* The additionalPrinterColumns of a version of a definition; those of one that has none. */
const Json *printer_columns(Arena *a, const Json *definition, const char *version);

/* How a column is announced. */
Draft *printer_header(Arena *a, const Json *column);

/* Pushes the cell of a column. */
void printer_push_cell(TableRow *row, const Json *column);

/* The first value at a jsonPath, or NULL; also of a path of more than 1,024 bytes. */
const Json *printer_find(Arena *a, const Json *object, const char *json_path);

#endif
