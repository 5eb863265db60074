/* Bodies in protobuf. What kubectl really sends is read in tests/e2e/test_kubectl.c. */
#include "base/bytes.h"
#include "sandbox/protobuf.h"
#include "sandbox/protobuf_messages.h"
#include "tests/test.h"

/* --- writing --- */

typedef struct Message {
    char bytes[4096];
    size_t len;
} Message;

static void put_varint(Message *m, uint64_t value)
{
    do {
        then_true(m->len < sizeof m->bytes);
        m->bytes[m->len++] = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value > 0);
}

static Message *put_int(Message *m, unsigned number, int64_t value)
{
    put_varint(m, number << 3);
    put_varint(m, (uint64_t)value);
    return m;
}

static Message *put_bytes(Message *m, unsigned number, const void *bytes, size_t len)
{
    put_varint(m, number << 3 | 2);
    put_varint(m, len);
    then_true(m->len + len <= sizeof m->bytes);
    memcpy(m->bytes + m->len, bytes, len);
    m->len += len;
    return m;
}

static Message *put_text(Message *m, unsigned number, const char *text)
{
    return put_bytes(m, number, text, strlen(text));
}

static Message *put_message(Message *m, unsigned number, const Message *inner)
{
    return put_bytes(m, number, inner->bytes, inner->len);
}

/* The object in its envelope. */
static Message wrapped(const char *api_version, const char *kind, const Message *object)
{
    Message body = {.bytes = "k8s", .len = 4}, type = {0};

    put_text(put_text(&type, 1, api_version), 2, kind);
    put_message(put_message(&body, 1, &type), 2, object);
    put_text(put_text(&body, 3, ""), 4, "");
    return body;
}

static Err *decode(Arena *a, const Message *body, const Json **ret)
{
    return protobuf_read(a, (Bytes){body->bytes, body->len}, ret);
}

static void then_decoded(
    const char *api_version, const char *kind, const Message *object, const char *want)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Message body = wrapped(api_version, kind, object);
    const Json *got = NULL;

    then_ok(decode(a, &body, &got));
    then_json(got, want);
}

/* metadata as a client writes it: with all that is empty. */
static Message metadata(const char *name)
{
    Message m = {0}, zero_time = {0};

    put_text(put_text(put_text(&m, 1, name), 2, ""), 3, "");
    put_text(put_text(put_int(&m, 7, 0), 5, ""), 6, "");
    put_message(&m, 8, &zero_time);
    return m;
}

static Message entry(const char *key, const void *value, size_t len)
{
    Message m = {0};

    put_bytes(put_text(&m, 1, key), 2, value, len);
    return m;
}

/* --- reading --- */

TEST(empty_protobuf_fields_are_omitted_as_in_json)
{
    Message object = {0}, meta = metadata("c"), a = entry("a", "1", 1), b = entry("b", "", 0);

    put_message(&object, 1, &meta);
    put_message(put_message(&object, 2, &a), 2, &b);
    then_decoded("v1",
        "ConfigMap",
        &object,
        "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'c'}, data: {a: '1', b: ''}}");
}

TEST(protobuf_bytes_are_decoded_to_base64)
{
    Message object = {0}, meta = metadata("s"), a = entry("a", "\0\1", 2);

    put_message(put_message(&object, 1, &meta), 2, &a);
    put_int(put_text(&object, 3, "Opaque"), 5, 0);
    then_decoded("v1",
        "Secret",
        &object,
        "{apiVersion: 'v1', kind: 'Secret', metadata: {name: 's'}, data: {a: 'AAE='}, type: "
        "'Opaque', immutable: false}");
}

TEST(protobuf_times_are_decoded_to_texts)
{
    Message object = {0}, meta = metadata("l"), spec = {0}, time = {0};

    put_int(put_int(&time, 1, 1767225600), 2, 1500000);
    put_message(put_int(put_text(&spec, 1, ""), 2, 15), 4, &time);
    put_message(put_message(&object, 1, &meta), 2, &spec);
    then_decoded("coordination.k8s.io/v1",
        "Lease",
        &object,
        "{apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: {name: 'l'}, spec: "
        "{holderIdentity: '', leaseDurationSeconds: 15, renewTime: "
        "'2026-01-01T00:00:00.001500Z'}}");
}

TEST(a_protobuf_int_or_string_is_decoded_to_its_type)
{
    Message object = {0}, meta = metadata("p"), spec = {0}, number = {0}, text = {0};

    put_int(put_int(&number, 1, 0), 2, 0);
    put_text(put_int(put_int(&text, 1, 1), 2, 0), 3, "50%");
    put_message(put_message(&spec, 1, &number), 3, &text);
    put_message(put_message(&object, 1, &meta), 2, &spec);
    then_decoded("policy/v1",
        "PodDisruptionBudget",
        &object,
        "{apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: {name: 'p'}, spec: "
        "{minAvailable: 0, maxUnavailable: '50%'}}");
}

TEST(an_embedded_protobuf_message_is_decoded_inline)
{
    Message object = {0}, meta = metadata("p"), spec = {0}, volume = {0}, source = {0};
    Message empty_dir = {0}, size = {0};

    put_text(&size, 1, "1Gi");
    put_message(put_text(&empty_dir, 1, ""), 2, &size);
    put_message(&source, 2, &empty_dir);
    put_message(put_text(&volume, 1, "v"), 2, &source);
    put_int(put_message(&spec, 1, &volume), 4, -1);
    put_message(put_message(&object, 1, &meta), 2, &spec);
    then_decoded("v1",
        "Pod",
        &object,
        "{apiVersion: 'v1', kind: 'Pod', metadata: {name: 'p'}, spec: {"
        "terminationGracePeriodSeconds: -1, volumes: [{name: 'v', emptyDir: {sizeLimit: "
        "'1Gi'}}]}}");
}

TEST(embedded_json_and_lists_in_protobuf_are_decoded)
{
    Message object = {0}, meta = metadata("r"), raw = {0}, items = {0}, extra, spec = {0};

    put_text(&raw, 1, "{\"a\":[1]}");
    put_int(put_message(put_message(&object, 1, &meta), 2, &raw), 3, 7);
    then_decoded("apps/v1",
        "ControllerRevision",
        &object,
        "{apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: {name: 'r'}, data: {a: "
        "[1]}, revision: 7}");
    object = (Message){0};
    put_text(put_text(&items, 1, "x"), 1, "y");
    extra = entry("k", items.bytes, items.len);
    put_message(put_text(put_text(&spec, 3, "u"), 4, "g"), 5, &extra);
    put_message(put_message(&object, 1, &meta), 2, &spec);
    then_decoded("authorization.k8s.io/v1",
        "SubjectAccessReview",
        &object,
        "{apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {name: "
        "'r'}, spec: {user: 'u', groups: ['g'], extra: {k: ['x', 'y']}}}");
}

TEST(protobuf_events_of_both_groups_are_distinguished)
{
    Message old = {0}, new = {0}, meta = metadata("e");

    put_text(put_message(&old, 1, &meta), 3, "R");
    put_text(put_message(&new, 1, &meta), 4, "c");
    then_decoded("v1",
        "Event",
        &old,
        "{apiVersion: 'v1', kind: 'Event', metadata: {name: 'e'}, reason: 'R'}");
    then_decoded("events.k8s.io/v1",
        "Event",
        &new,
        "{apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: {name: 'e'}, "
        "reportingController: 'c'}");
}

TEST(protobuf_delete_options_are_decoded)
{
    Message object = {0}, seen = {0};

    put_text(&seen, 1, "u");
    put_text(put_message(put_int(&object, 1, 0), 2, &seen), 4, "Orphan");
    then_decoded("v1",
        "DeleteOptions",
        &object,
        "{apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: {uid: "
        "'u'}, propagationPolicy: 'Orphan'}");
}

/* --- refusing --- */

static void then_refused(
    const char *api_version, const char *kind, const Message *object, Want want)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Message body = wrapped(api_version, kind, object);
    const Json *got;

    then_err(decode(a, &body, &got), want);
}

TEST(an_unknown_protobuf_field_or_kind_is_refused)
{
    Message meta = metadata("c"), object = {0}, none = {0};

    then_refused("v1", "Gadget", &none, TERMINAL("Gadget of v1 is not known"));
    then_refused("v1", "ObjectReference", &none, TERMINAL("ObjectReference of v1 is not known"));
    put_text(put_message(&object, 1, &meta), 99, "x");
    then_refused("v1", "ConfigMap", &object, TERMINAL("field 99 of ConfigMap is not known"));
}

#define RAW(text) .bytes = (text), .len = sizeof(text) - 1

static const struct {
    const char *name, *kind; /* of v1 */
    const char *bytes;
    size_t len;
    Want want;
} broken[] = {
    {"a field of no table", "Namespace", RAW("\x22\x00"), TERMINAL("field 4 of Namespace")},
    {"a field twice", "ConfigMap", RAW("\x20\x01\x20\x01"), TERMINAL("immutable is there twice")},
    {"cut off in a length", "ConfigMap", RAW("\x0a"), TERMINAL("ends or breaks")},
    {"longer than there is",
        "ConfigMap",
        RAW("\x0a\x05"
            "ab"),
        TERMINAL("ends or breaks")},
    {"a number without an end",
        "ConfigMap",
        RAW("\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
        TERMINAL("ends or breaks")},
    {"a text where a flag is meant", "ConfigMap", RAW("\x22\x00"), TERMINAL("of another type")},
    {"a number where a text is meant", "Secret", RAW("\x18\x01"), TERMINAL("of another type")},
    {"a number where a message is meant", "Pod", RAW("\x08\x03"), TERMINAL("of another type")},
    {"a text with a NUL",
        "Secret",
        RAW("\x1a\x03"
            "a\0b"),
        TERMINAL("NUL character")},
    {"a wire of groups", "ConfigMap", RAW("\x0b\x0c"), TERMINAL("ends or breaks")},
    {"JSON that is none", "ControllerRevision", RAW("\x12\x03\x0a\x01{"), TERMINAL("")},
};

TEST(malformed_protobuf_is_refused)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *got;

    each_case(i, broken) {
        Message object = {.len = broken[i].len};
        memcpy(object.bytes, broken[i].bytes, broken[i].len);
        then_refused("v1", broken[i].kind, &object, broken[i].want);
    }
    then_err(protobuf_read(a, bytes_of("{}"), &got), TERMINAL("does not begin"));
    then_err(protobuf_read(a, (Bytes){0}, &got), TERMINAL("does not begin"));
}

TEST(truncated_protobuf_is_refused_or_decoded_to_fewer_fields)
{
    Message object = {0}, meta = metadata("c"), data = entry("a", "1", 1), body;

    put_message(put_message(&object, 1, &meta), 2, &data);
    body = wrapped("v1", "ConfigMap", &object);
    for (size_t len = 0; len < body.len; len++) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *got = NULL;
        Err *err = protobuf_read(a, (Bytes){body.bytes, len}, &got);
        then_true(err || str_eq(json_str(got, ".kind"), "ConfigMap"));
    }
}

TEST(a_protobuf_body_with_too_many_fields_is_refused)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    size_t count = 60000;
    Message type = {0}, head = {.bytes = "k8s", .len = 4};
    char *body = arena_array(a, char, 2 * count + sizeof head.bytes);
    const Json *got;

    put_message(&head, 1, put_text(put_text(&type, 1, "v1"), 2, "ConfigMap"));
    put_varint(&head, 2 << 3 | 2);
    put_varint(&head, 2 * count);
    memcpy(body, head.bytes, head.len);
    /* Empty entries of data. */
    for (size_t i = 0; i < count; i++)
        memcpy(body + head.len + 2 * i, "\x12\0", 2);
    then_err(protobuf_read(a, (Bytes){body, head.len + 2 * count}, &got),
        TERMINAL("more than 50000 fields"));
}

/* --- the table --- */

static const ProtobufMessage *row_of(const char *name)
{
    for (size_t i = 0; i < protobuf_message_count; i++)
        if (str_eq(protobuf_messages[i].name, name))
            return &protobuf_messages[i];
    return NULL;
}

/* How deep a message nests; the types that it names are all there. */
static int depth_of(Arena *a, const char *name, int above)
{
    const ProtobufMessage *message = row_of(name);
    int deepest = 0;

    if (above > 20)
        fail_msg("%s contains itself", name);
    if (!message)
        fail_msg("there is no message %s", name);
    for (const char *at = message ? strchr(message->fields, ':') : NULL; at; at = strchr(at, ':')) {
        size_t len = strcspn(++at, "[{! ");
        if (*at >= 'A' && *at <= 'Z') {
            int depth = depth_of(a, str_slice(a, at, len), above + 1);
            deepest = depth > deepest ? depth : deepest;
        }
    }
    return deepest + 1;
}

TEST(the_protobuf_table_is_complete_and_sorted_and_has_no_cycles)
{
    SCOPED_ARENA a = arena_open(16 << 20);

    for (size_t i = 0; i < protobuf_message_count; i++) {
        size_t fields = 0;
        for (const char *at = protobuf_messages[i].fields; (at = strchr(at, '=')); at++)
            fields++;
        then_true(fields > 0 && fields <= 64);
        then_true(i == 0 || strcmp(protobuf_messages[i - 1].name, protobuf_messages[i].name) < 0);
        then_true(depth_of(a, protobuf_messages[i].name, 0) < 16);
    }
    then_str(protobuf_type, "application/vnd.kubernetes.protobuf");
}
