/* Reading protobuf. Messages nest only as deep as the table does, which has no circles, so the
 * bytes cannot make this recurse any further. */
#include "sandbox/protobuf.h"

#include "base/base64.h"
#include "base/draft.h"
#include "base/str.h"
#include "kube/timestamp.h"
#include "sandbox/protobuf_messages.h"
#include "sandbox/protobuf_wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char protobuf_type[] = "application/vnd.kubernetes.protobuf";

enum { FIELDS_MAX = 64, NS_PER_SECOND = 1000000000 };

/* --- the table --- */

typedef struct Field {
    size_t place; /* among those of its message */
    const char *name;
    const char *type; /* "" is text */
    bool repeated, mapped, kept;
} Field;

static int by_name(const void *left, const void *right)
{
    return strcmp(((const ProtobufMessage *)left)->name, ((const ProtobufMessage *)right)->name);
}

static const ProtobufMessage *find_message(const char *name)
{
    return bsearch(&(ProtobufMessage){.name = name},
        protobuf_messages,
        protobuf_message_count,
        sizeof *protobuf_messages,
        by_name);
}

/* Reads "7=env:EnvVar[]" without its number. */
static void read_field(Arena *a, const char *text, size_t len, Field *ret)
{
    size_t name = strcspn(text, ":[{! "), end = strcspn(text, "[{! ");

    ret->name = str_slice(a, text, name);
    ret->type = name < end ? str_slice(a, text + name + 1, end - name - 1) : "";
    ret->repeated = memchr(text, '[', len) != NULL;
    ret->mapped = memchr(text, '{', len) != NULL;
    ret->kept = memchr(text, '!', len) != NULL;
}

static bool find_field(Arena *a, const ProtobufMessage *message, uint64_t number, Field *ret)
{
    const char *at = message->fields;

    for (size_t place = 0; *at; place++) {
        char *name;
        unsigned long own = strtoul(at, &name, 10);
        size_t len = strcspn(name, " ");
        if (own == number) {
            *ret = (Field){.place = place};
            read_field(a, name + 1, len - 1, ret);
            return true;
        }
        at = name + len + (name[len] == ' ');
    }
    return false;
}

/* --- values --- */

/* What has been read of a message: its fields, and those that there may be many of. */
typedef struct Reading {
    ProtobufDecoder *decoder;
    Arena *arena;
    const ProtobufMessage *message;
    Draft *object;
    Draft *many[FIELDS_MAX]; /* lists and maps, by place; NULL until the first */
    bool seen[FIELDS_MAX];
} Reading;

static Err *read_message(
    ProtobufDecoder *d, const ProtobufMessage *message, Bytes body, Draft *object) MUST_CHECK;

static const Json *sealed(Arena *a, DraftField field)
{
    Draft *holder = draft_object(a);

    draft_set(holder, field);
    return json_first(json_seal(a, holder));
}

static Err *text_of(Arena *a, const Field *field, Bytes bytes, const char **ret)
{
    if (bytes.len > 0 && memchr(bytes.data, '\0', bytes.len))
        return err_terminal(a, "%s has a NUL character in it", field->name);
    *ret = str_slice(a, bytes.data, bytes.len);
    return OK;
}

/* The value of a field of a small message: a varint or a text. */
typedef struct Small {
    uint64_t numbers[4];
    Bytes texts[4];
} Small;

static Err *read_small(ProtobufDecoder *d, const Field *field, Bytes bytes, Small *ret)
{
    ProtobufPiece piece;

    *ret = (Small){0};
    while (bytes.len > 0) {
        TRY(protobuf_next(d, &bytes, field->name, &piece));
        if (piece.number < 4) {
            ret->numbers[piece.number] = piece.value;
            ret->texts[piece.number] = piece.bytes;
        }
    }
    return OK;
}

/* NULL of the time zero, which is none. */
static const Json *time_value(Arena *a, const Small *small, bool micro)
{
    int64_t seconds = (int64_t)small->numbers[1], nanos = (int64_t)small->numbers[2];
    int64_t ns;
    char text[TIMESTAMP_SIZE];

    if (seconds == 0 && nanos == 0)
        return NULL;
    if (__builtin_mul_overflow(seconds, (int64_t)NS_PER_SECOND, &ns)
        || __builtin_add_overflow(ns, nanos, &ns))
        return NULL;
    return sealed(a,
        str("t",
            str_copy(a, micro ? timestamp_format_micro(ns, text) : timestamp_format(ns, text))));
}

static Err *items_value(ProtobufDecoder *d, const Field *field, Bytes bytes, const Json **ret)
{
    Draft *items = draft_array(d->arena);
    const char *text;
    ProtobufPiece piece;

    while (bytes.len > 0) {
        TRY(protobuf_next(d, &bytes, field->name, &piece));
        TRY(text_of(d->arena, field, piece.bytes, &text));
        draft_push_str(items, text);
    }
    *ret = json_seal(d->arena, items);
    return OK;
}

static Err *small_value(ProtobufDecoder *d, const Field *field, Bytes bytes, const Json **ret)
{
    Small small;
    const char *text;

    TRY(read_small(d, field, bytes, &small));
    if (str_eq(field->type, "time") || str_eq(field->type, "micro")) {
        *ret = time_value(d->arena, &small, str_eq(field->type, "micro"));
        return OK;
    }
    if (str_eq(field->type, "raw"))
        return small.texts[1].len > 0 ? json_parse(d->arena, small.texts[1], ret) : OK;
    if (str_eq(field->type, "either") && small.numbers[1] == 0) {
        if (small.numbers[2] != 0 || field->kept)
            *ret = sealed(d->arena, num("n", (int32_t)small.numbers[2]));
        return OK;
    }
    TRY(text_of(d->arena, field, small.texts[str_eq(field->type, "either") ? 3 : 1], &text));
    *ret = sealed(d->arena, str("t", text));
    return OK;
}

static Err *message_value(ProtobufDecoder *d, const Field *field, Bytes bytes, const Json **ret)
{
    const ProtobufMessage *message = find_message(field->type);
    Draft *object = draft_object(d->arena);

    if (!message)
        BUG("the table of messages names one that it has not");
    TRY(read_message(d, message, bytes, object));
    *ret = json_seal(d->arena, object);
    return OK;
}

static bool is_message(const Field *field)
{
    return *field->type >= 'A' && *field->type <= 'Z';
}

/* A value that stands in bytes; NULL when it is as good as absent. */
static Err *bytes_value(ProtobufDecoder *d, const Field *field, Bytes bytes, const Json **ret)
{
    const char *text;

    if (is_message(field))
        return message_value(d, field, bytes, ret);
    if (str_eq(field->type, "items"))
        return items_value(d, field, bytes, ret);
    if (str_eq(field->type, "bytes")) {
        *ret = sealed(d->arena, str("b", base64_encode(d->arena, bytes)));
        return OK;
    }
    if (*field->type)
        return small_value(d, field, bytes, ret);
    TRY(text_of(d->arena, field, bytes, &text));
    if (*text || field->kept || field->repeated || field->mapped)
        *ret = sealed(d->arena, str("t", text));
    return OK;
}

static const Json *varint_value(Arena *a, const Field *field, uint64_t value)
{
    bool is_flag = str_eq(field->type, "flag");

    if (value == 0 && !field->kept && !field->repeated)
        return NULL;
    return sealed(a, is_flag ? flag("f", value != 0) : num("n", (int64_t)value));
}

static Err *value_of(
    ProtobufDecoder *d, const Field *field, const ProtobufPiece *piece, const Json **ret)
{
    bool is_number = str_eq(field->type, "int") || str_eq(field->type, "flag");

    *ret = NULL;
    if (piece->wire != (is_number ? PROTOBUF_VARINT : PROTOBUF_BYTES))
        return err_terminal(d->arena, "%s is of another type than it should be", field->name);
    if (!is_number)
        return bytes_value(d, field, piece->bytes, ret);
    *ret = varint_value(d->arena, field, piece->value);
    return OK;
}

/* --- fields --- */

static Err *add_to_list(Reading *r, const Field *field, const ProtobufPiece *piece)
{
    const Json *value;

    if (!r->many[field->place])
        r->many[field->place] = draft_array(r->arena);
    TRY(value_of(r->decoder, field, piece, &value));
    if (value)
        draft_push_json(r->many[field->place], value);
    return OK;
}

/* An entry is a message of a key and a value. */
static Err *add_to_map(Reading *r, const Field *field, const ProtobufPiece *piece)
{
    Bytes rest = piece->bytes;
    ProtobufPiece part, key = {0}, value = {.wire = PROTOBUF_BYTES};
    const Json *json;
    const char *name;

    while (rest.len > 0) {
        TRY(protobuf_next(r->decoder, &rest, field->name, &part));
        if (part.number == 1)
            key = part;
        if (part.number == 2)
            value = part;
    }
    if (!r->many[field->place])
        r->many[field->place] = draft_object(r->arena);
    TRY(text_of(r->arena, field, key.bytes, &name));
    TRY(value_of(r->decoder, field, &value, &json));
    if (json)
        draft_add(r->many[field->place], draft_json(name, json));
    return OK;
}

static Err *add_one(Reading *r, const Field *field, const ProtobufPiece *piece)
{
    const Json *value;

    if (r->seen[field->place])
        return err_terminal(r->arena, "%s is there twice", field->name);
    r->seen[field->place] = true;
    if (*field->name == '\0')
        return read_message(r->decoder, find_message(field->type), piece->bytes, r->object);
    TRY(value_of(r->decoder, field, piece, &value));
    if (value)
        draft_set(r->object, draft_json(field->name, value));
    return OK;
}

static Err *add_piece(Reading *r, const ProtobufPiece *piece)
{
    Field field;

    if (!find_field(r->arena, r->message, piece->number, &field))
        return err_terminal(r->arena,
            "field %" PRIu64 " of %s is not known to this server: send JSON",
            piece->number,
            r->message->name);
    if (field.place >= FIELDS_MAX)
        BUG("a message has more fields than are read");
    if (field.mapped)
        return add_to_map(r, &field, piece);
    return field.repeated ? add_to_list(r, &field, piece) : add_one(r, &field, piece);
}

/* Puts lists and maps into the object, now that they are whole. */
static void add_many(Reading *r)
{
    const char *at = r->message->fields;

    for (size_t place = 0; *at && place < FIELDS_MAX; place++) {
        const char *name = strchr(at, '=') + 1;
        size_t len = strcspn(name, ":[{! ");
        if (r->many[place])
            draft_set(r->object, sub(str_slice(r->arena, name, len), r->many[place]));
        at = name + strcspn(name, " ");
        at += *at == ' ';
    }
}

static Err *read_message(
    ProtobufDecoder *d, const ProtobufMessage *message, Bytes body, Draft *object)
{
    Reading r = {.decoder = d, .arena = d->arena, .message = message, .object = object};
    ProtobufPiece piece;

    while (body.len > 0) {
        TRY(protobuf_next(d, &body, message->name, &piece));
        TRY(add_piece(&r, &piece));
    }
    add_many(&r);
    return OK;
}

/* --- the envelope --- */

static const char magic[4] = {'k', '8', 's', '\0'};

typedef struct Envelope {
    const char *api_version, *kind;
    Bytes raw;
} Envelope;

static Err *open_envelope(ProtobufDecoder *d, Bytes rest, Envelope *ret)
{
    static const Field self = {.name = "the envelope"};
    Small type = {0};
    ProtobufPiece piece;

    while (rest.len > 0) {
        TRY(protobuf_next(d, &rest, self.name, &piece));
        if (piece.number == 1)
            TRY(read_small(d, &self, piece.bytes, &type));
        if (piece.number == 2)
            ret->raw = piece.bytes;
    }
    TRY(text_of(d->arena, &self, type.texts[1], &ret->api_version));
    return text_of(d->arena, &self, type.texts[2], &ret->kind);
}

/* Of a kind, not of a part of one. Two groups have Events, which are not alike. */
static const ProtobufMessage *find_root(Arena *a, const Envelope *e)
{
    bool is_other = str_has_prefix(e->api_version, "events.k8s.io/");
    const ProtobufMessage *message =
        find_message(is_other ? str_format(a, "Events%s", e->kind) : e->kind);

    if (!message || str_eq(message->name, "DeleteOptions"))
        return message;
    return str_has_prefix(message->fields, "1=metadata:ObjectMeta ") ? message : NULL;
}

Err *protobuf_read(Arena *a, Bytes body, const Json **ret)
{
    ProtobufDecoder d = {.arena = a};
    Envelope e = {0};
    const ProtobufMessage *message;
    Draft *object;

    if (body.len < sizeof magic || memcmp(body.data, magic, sizeof magic) != 0)
        return err_terminal(a, "the body does not begin as a Kubernetes object in protobuf does");
    TRY(open_envelope(&d, (Bytes){body.data + sizeof magic, body.len - sizeof magic}, &e));
    message = find_root(a, &e);
    if (!message)
        return err_terminal(a,
            "%s of %s is not known to this server in protobuf: send JSON",
            e.kind,
            e.api_version);
    object = draft(a, str("apiVersion", e.api_version), str("kind", e.kind));
    TRY(read_message(&d, message, e.raw, object));
    *ret = json_seal(a, object);
    return OK;
}
