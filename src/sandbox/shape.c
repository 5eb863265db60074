/* Shape: which function of table.h a form is. */
#include "sandbox/shape.h"

#include "base/str.h"
#include "sandbox/table.h"

Shape shape_of(Arena *a, const char *accept, const char *include, const Kind *kind)
{
    Negotiated negotiated = negotiate(a, accept, ENDPOINT_RESOURCE);

    return (Shape){
        .negotiated = {negotiated.form, str_copy(a, negotiated.version)},
        .include = str_copy(a, include),
        .kind =
            {
                .group = str_copy(a, kind->group),
                .version = str_copy(a, kind->version),
                .plural = str_copy(a, kind->plural),
                .name = str_copy(a, kind->name),
                .namespaced = kind->namespaced,
            },
    };
}

Err *shape_body(Arena *a, const Shape *shape, const Server *s, int64_t now_ns, const Json **body)
{
    const char *version = shape->negotiated.version;
    Served served;

    switch (shape->negotiated.form) {
    case FORM_TABLE:
        TRY(table_check_include(a, shape->include));
        if (server_find_served(s, &shape->kind, &served))
            *body = table_of(a,
                &served,
                *body,
                &(TableWish){.version = version,
                    .include = shape->include,
                    .no_headers = shape->no_headers,
                    .now_ns = now_ns});
        return OK;
    case FORM_METADATA:
        return table_metadata(a, version, *body, body);
    case FORM_METADATA_LIST:
        return table_metadata_list(a, version, *body, body);
    case FORM_PLAIN:
    case FORM_DISCOVERY:
    case FORM_NOT_ACCEPTABLE:
        break;
    }
    return OK;
}
