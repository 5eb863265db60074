/* Fuzzes what kubectl-sei makes of objects: YAML that is read back is the same object, and a
 * jsonpath, whatever it is, is refused or gives a text. The input is JSON, which is also taken for
 * a template. */
#include "base/str.h"
#include "cli/json_query.h"
#include "cli/yaml_text.h"
#include "kube/client/yaml.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_MAX = 1000 }; /* bytes that a key of YAML may have, about */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool law)
{
    if (!law)
        abort();
}

/* Our reader of YAML is that of kubeconfigs: it knows small whole numbers alone, is not as deep as
 * JSON, and has its own mind about signs that do not show. */
static bool is_readable(Bytes text)
{
    int depth = 0, depth_max = 0, digits = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        depth_max = depth > depth_max ? depth : depth_max;
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
        if (digits > 15)
            return false;
    }
    return depth_max < YAML_DEPTH_MAX / 2 && text.len < YAML_BYTES_MAX / 64
        && !strpbrk(text.data, ".eE\\\x7f\xc2\xe2\xef");
}

static void check_yaml(Arena *a, const Json *value)
{
    const char *text = NULL;
    const Json *back = NULL;
    Bytes plain = json_write(a, value);

    must(yaml_text(a, value, &text) == OK);
    must(*text && text[strlen(text) - 1] == '\n');
    if (!is_readable(plain))
        return;
    Err *err = yaml_parse(a, text, &back);
    must(!err || plain.len > KEY_MAX);
    must(err || json_equal(value, back) || json_type(value) == JSON_NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED_ARENA a = arena_open(512 << 20);
    const char *text = str_slice(a, (const char *)data, size), *shown = NULL;
    const Json *value = NULL;
    const Json *object = json_fixture(a, "{a: [{b: 1, c: 'x'}, {b: [2, 3]}], 'd.e': {f: null}}");
    Err *err = json_query(a, object, text, &shown);

    must((shown != NULL) == (err == OK));
    must(!err || err_is(err, ERR_TERMINAL));
    if (!json_parse(a, (Bytes){(const char *)data, size}, &value))
        check_yaml(a, value);
    return 0;
}
