/* Schemas: what an object of a kind looks like, in the language of OpenAPI. */
#ifndef SRC_SANDBOX_OPENAPI_SCHEMA_H
#define SRC_SANDBOX_OPENAPI_SCHEMA_H

#include "base/draft.h"
#include "world/server.h"

/* The name under which the schema of a kind stands: "io.sei.v1alpha1.SeiNode". */
const char *openapi_schema_name(Arena *a, const Kind *kind);

/* The schema of a kind. */
Draft *openapi_schema(Arena *a, const Served *served);

/* Adds the schemas to which those of kinds refer, of metadata among others. */
extern const char openapi_metadata_name[];
void openapi_add_shared(Arena *a, Draft *schemas);

/* The kind itself, as documents name it. */
Draft *openapi_kind(Arena *a, const char *group, const char *version, const char *kind);

/* What a kind or a field is, in a sentence; NULL when there is nothing to say. */
const char *openapi_kind_about(const char *kind);
const char *openapi_field_about(const char *field);

#endif
