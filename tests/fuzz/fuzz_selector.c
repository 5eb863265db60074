/* Fuzzes selectors, of labels and of fields: what parses is written as text that parses to the
 * same, and both match the same objects. */
#include "kube/selector.h"

#include "base/str.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const objects[] = {
    "{}",
    "{metadata: {name: 'x', labels: {a: 'b', 'sei.io/node': 'x', e: ''}}, status: {phase: 'y'}}",
    "{metadata: {labels: {a: 1, in: 'in'}}, spec: {flag: true}}",
};

static void must(bool law)
{
    if (!law)
        abort();
}

typedef Err *Parse(Arena *a, const char *text, const Selector **ret);
typedef bool Match(const Selector *selector, const Json *object);

static void check(Arena *a, const char *text, Parse *parse, Match *match)
{
    const Selector *selector = NULL, *again = NULL;
    Err *err = parse(a, text, &selector);

    must((selector != NULL) == (err == OK));
    must(!err || err_is(err, ERR_TERMINAL));
    if (err)
        return;
    must(parse(a, selector_text(a, selector), &again) == OK);
    must(str_eq(selector_text(a, selector), selector_text(a, again)));
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        const Json *object = json_fixture(a, objects[i]);
        must(match(selector, object) == match(again, object));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    const char *text = str_slice(a, (const char *)data, size);

    check(a, text, selector_parse, selector_matches);
    check(a, text, selector_parse_fields, selector_matches_fields);
    return 0;
}
