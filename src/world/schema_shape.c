/* Shapes, asked. What they answer for a field that no table mentions is what makes tables short:
 * such a field is declared, unless its name is data. */
#include "world/schema_shape.h"

#include <string.h>

const Shape shape_plain = {.merge = SHAPE_FIELDS};
const Shape shape_any = {.merge = SHAPE_FIELDS,
    .rest = &shape_any,
    .free_keys = true,
    .untouched = true,
    .nullable = true};

const ShapeField *shape_find(const Shape *shape, const char *name)
{
    size_t low = 0, high = shape->field_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(shape->fields[middle].name, name);
        if (order == 0)
            return &shape->fields[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const Shape *shape_of_field(const Shape *shape, const char *name, bool *ret_declared)
{
    const ShapeField *field = shape_find(shape, name);

    *ret_declared = field || !shape->free_keys;
    if (!field)
        return shape_of_element(shape);
    return field->shape ? field->shape : &shape_plain;
}

const Shape *shape_of_element(const Shape *shape)
{
    return shape->rest ? shape->rest : &shape_plain;
}
