/* Protobuf as kubectl sends it, byte by byte, and as nobody should. */
#include "sandbox/protobuf.h"

#include "tests/test.h"

typedef struct Raw {
    const char *name, *kind; /* of v1 */
    const char *bytes;
    size_t len;
    const char *want; /* JSON5 */
    Want err;
} Raw;

#define RAW(text) .bytes = (text), .len = sizeof(text) - 1

/* An envelope around the raw message. */
static Bytes envelope(Arena *a, const char *kind, const char *raw, size_t len)
{
    size_t kind_len = strlen(kind);
    char *out = arena_alloc(a, len + kind_len + 64), *at = out;

    memcpy(at, "k8s\0", 4);
    at += 4;
    *at++ = 0x0a;
    *at++ = (char)(4 + 2 + kind_len);
    memcpy(at, "\x0a\x02v1\x12", 5);
    at += 5;
    *at++ = (char)kind_len;
    memcpy(at, kind, kind_len);
    at += kind_len;
    *at++ = 0x12;
    *at++ = (char)len;
    memcpy(at, raw, len);
    at += len;
    return (Bytes){out, (size_t)(at - out)};
}

static const Raw raws[] = {
    {"a namespace as kubectl makes one",
        "Namespace",
        RAW("\x0a\x0f\x0a\x03"
            "foo"
            "\x12\x00\x1a\x00\x22\x00\x2a\x00\x38\x00"
            "\x12\x00\x1a\x00"),
        "{kind: 'Namespace', apiVersion: 'v1', metadata: {name: 'foo'}}"},
    {"maps of texts and of bytes",
        "ConfigMap",
        RAW("\x12\x06\x0a\x01"
            "a"
            "\x12\x01"
            "b"
            "\x12\x06\x0a\x01"
            "c"
            "\x12\x01"
            "d"
            "\x1a\x06\x0a\x01"
            "e"
            "\x12\x01"
            "f"),
        "{kind: 'ConfigMap', apiVersion: 'v1', data: {a: 'b', c: 'd'}, binaryData: {e: 'Zg=='}}"},
    {"a flag",
        "ConfigMap",
        RAW("\x20\x01"),
        "{kind: 'ConfigMap', apiVersion: 'v1', immutable: true}"},
    {"a list and a number",
        "TokenRequest",
        RAW("\x12\x08\x0a\x01"
            "a"
            "\x0a\x00\x20\x90\x1c"),
        "{kind: 'TokenRequest', apiVersion: 'v1', spec: {audiences: ['a', ''], "
        "expirationSeconds: 3600}}"},
    {"a number below zero",
        "DeleteOptions",
        RAW("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        "{kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: -1}"},
    {"messages in a list",
        "Role",
        RAW("\x12\x05\x0a\x03"
            "get"
            "\x12\x06\x1a\x04"
            "pods"),
        "{kind: 'Role', apiVersion: 'v1', rules: [{verbs: ['get']}, {resources: ['pods']}]}"},
    {"a kind of no table", "Pod", RAW(""), .err = TERMINAL("reads no Pod in protobuf")},
    {"a field of no table", "Namespace", RAW("\x22\x00"), .err = TERMINAL("knows no field 4")},
    {"a field twice", "ConfigMap", RAW("\x20\x01\x20\x01"), .err = TERMINAL("malformed")},
    {"cut off in a length", "ConfigMap", RAW("\x0a"), .err = TERMINAL("malformed")},
    {"longer than there is",
        "ConfigMap",
        RAW("\x0a\x05"
            "ab"),
        .err = TERMINAL("malformed")},
    {"a number without an end",
        "ConfigMap",
        RAW("\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
        .err = TERMINAL("malformed")},
    {"a text where a number is meant", "ConfigMap", RAW("\x22\x00"), .err = TERMINAL("malformed")},
    {"a number where a text is meant", "Secret", RAW("\x18\x01"), .err = TERMINAL("malformed")},
    {"a text with a NUL",
        "Secret",
        RAW("\x1a\x03"
            "a\0b"),
        .err = TERMINAL("malformed")},
    {"a wire of groups", "ConfigMap", RAW("\x0b\x0c"), .err = TERMINAL("malformed")},
};

TEST(messages_are_read_by_their_tables)
{
    each_case(i, raws) {
        SCOPED_ARENA a = arena_open(1 << 16);
        const Json *object = NULL;
        Bytes bytes = envelope(a, raws[i].kind, raws[i].bytes, raws[i].len);
        then_err(protobuf_read(a, bytes, &object), raws[i].err);
        if (!raws[i].err)
            then_json(object, raws[i].want);
    }
}

TEST(what_is_no_envelope_is_refused)
{
    static const struct {
        const char *name, *bytes;
    } cases[] = {{"nothing", ""}, {"JSON", "{\"kind\":\"Pod\"}"}, {"half", "k8"}};

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 16);
        const Json *object;
        then_err(protobuf_read(a, bytes_of(cases[i].bytes), &object), TERMINAL("malformed"));
    }
}
