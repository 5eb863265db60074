/* Fuzzes what is read while an answer is given its form: Accept headers, and the paths of columns.
 * A header leads to a form that its endpoint has; a path leads into the object or nowhere. */
#include "sandbox/negotiation.h"
#include "sandbox/printer.h"

#include "base/str.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char object_text[] =
    "{metadata: {name: 'x', annotations: {'a.b/c': 'd'}},"
    " status: {phase: 'p', count: 3, conditions: [{type: 'Ready', status: 'True'}, 7, null]}}";

static void must(bool law)
{
    if (!law)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    const char *text = str_slice(a, (const char *)data, size);
    Form resource = negotiate(a, text, ENDPOINT_RESOURCE).form;
    Form discovery = negotiate(a, text, ENDPOINT_DISCOVERY).form;
    Form document = negotiate(a, text, ENDPOINT_DOCUMENT).form;
    const Json *found = printer_find(a, json_fixture(a, object_text), text);

    must(resource != FORM_DISCOVERY);
    must(document == FORM_PLAIN || document == FORM_NOT_ACCEPTABLE);
    must(discovery == FORM_DISCOVERY || discovery == document);
    must(!found || json_type(found) != JSON_ABSENT);
    return 0;
}
