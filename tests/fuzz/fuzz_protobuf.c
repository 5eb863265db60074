/* Fuzzes protobuf bodies: what is read is an object of the kind that it says, and JSON that can be
 * written and read again; all else is refused. The corpus is what kubectl sends. */
#include "sandbox/protobuf.h"

#include "base/str.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool law)
{
    if (!law)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED_ARENA a = arena_open(256 << 20);
    const Json *object = NULL, *again = NULL;
    Err *err = protobuf_read(a, (Bytes){(const char *)data, size}, &object);

    must((object != NULL) == (err == OK));
    must(!err || err_is(err, ERR_TERMINAL));
    if (err)
        return 0;
    must(json_type(object) == JSON_OBJECT && json_str(object, ".kind"));
    must(json_parse(a, json_write(a, object), &again) == OK);
    must(str_eq(json_str(again, ".kind"), json_str(object, ".kind")));
    return 0;
}
