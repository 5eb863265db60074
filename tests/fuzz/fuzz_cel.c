/* Fuzzes rules in CEL, with a rule and, behind a line break, the object it is asked of: whatever is
 * understood can be asked, within its costs, of anything of the schema's kind; and says the same
 * twice. */
#include "base/str.h"
#include "tests/world/cel_cases.h"
#include "world/cel.h"
#include "world/schema.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool law)
{
    if (!law)
        abort();
}

static const Shape *shape_of_spec(Arena *a)
{
    const Schema *schema = NULL;

    must(!schema_of_crd(a,
        json_fixture(a,
            str_format(a,
                "{spec: {group: 'w.io', names: {kind: 'Widget'}, versions: [{served: true,"
                " schema: {openAPIV3Schema: {type: 'object', properties: {spec: {type: 'object',"
                " properties: {%s}}}}}}]}}",
                cel_fields)),
        &schema));
    return shape_find(schema->root, "spec")->shape;
}

static CelAnswer asked(Arena *a, const Cel *cel, const CelSubject *subject)
{
    int64_t budget = CEL_BUDGET;
    CelAnswer answer = cel_ask(a, cel, subject, &budget);

    must(budget < CEL_BUDGET && budget > 0);
    return answer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED_ARENA a = arena_open(512 << 20);
    const char *text = str_slice(a, (const char *)data, size);
    const char *line = strchr(text, '\n');
    const Cel *cel = NULL;
    const Json *object = NULL;
    CelSubject subject = {.shape = shape_of_spec(a)};
    CelScope scope = {.self = subject.shape, .gives_text = size % 7 == 0};

    if (!line || cel_compile(a, str_slice(a, text, (size_t)(line - text)), &scope, &cel)
        || json_parse(a, (Bytes){line, strlen(line)}, &object))
        return 0;
    subject.self = subject.old = object;
    CelAnswer once = asked(a, cel, &subject), twice = asked(a, cel, &subject);
    must(once.holds == twice.holds && str_eq(once.text, twice.text));
    must(str_eq(once.error, twice.error));
    return 0;
}
