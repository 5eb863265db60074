/* Shapes, asked. */
#include "world/schema_shape.h"

#include <string.h>

const Shape shape_plain = {.merge = SHAPE_FIELDS};
const Shape shape_any = {.merge = SHAPE_FIELDS, .rest = &shape_any, .free_keys = true};

const Shape *shape_of_field(const Shape *shape, const char *name, bool *ret_declared)
{
    *ret_declared = true;
    for (const ShapeField *field = shape->fields; field && field->name; field++) {
        int order = strcmp(field->name, name);
        if (order == 0)
            return field->shape;
        if (order > 0)
            break;
    }
    *ret_declared = !shape->free_keys;
    return shape_of_element(shape);
}

const Shape *shape_of_element(const Shape *shape)
{
    return shape->rest ? shape->rest : &shape_plain;
}
