/* Protobuf: a stack of messages that are being read, as deep as the tables are, and for each field
 * a row that says what it becomes. The numbers are those of Kubernetes' generated.proto files. */
#include "sandbox/protobuf.h"

#include "base/base64.h"
#include "base/draft.h"
#include "base/str.h"

#include <string.h>

const char protobuf_type[] = "application/vnd.kubernetes.protobuf";

typedef enum FieldType {
    FIELD_TEXT,
    FIELD_NUMBER,
    FIELD_FLAG,
    FIELD_MESSAGE,
    FIELD_TEXTS,    /* a list */
    FIELD_MESSAGES, /* a list */
    FIELD_TEXT_MAP,
    FIELD_BYTES_MAP,
    FIELD_IGNORED, /* what the server fills in */
} FieldType;

typedef struct Field {
    unsigned number; /* 0 ends a table */
    FieldType type;
    const char *name;
    const struct Field *message;
} Field;

enum { FIELDS_MAX = 16, DEPTH_MAX = 6, WIRE_VARINT = 0, WIRE_BYTES = 2, SHIFT_MAX = 63 };

/* --- the tables */

static const Field meta[] = {
    {1, FIELD_TEXT, "name", NULL},
    {2, FIELD_TEXT, "generateName", NULL},
    {3, FIELD_TEXT, "namespace", NULL},
    {4, FIELD_IGNORED, "selfLink", NULL},
    {5, FIELD_TEXT, "uid", NULL},
    {6, FIELD_TEXT, "resourceVersion", NULL},
    {7, FIELD_IGNORED, "generation", NULL},
    {8, FIELD_IGNORED, "creationTimestamp", NULL},
    {11, FIELD_TEXT_MAP, "labels", NULL},
    {12, FIELD_TEXT_MAP, "annotations", NULL},
    {14, FIELD_TEXTS, "finalizers", NULL},
    {0},
};
#define METADATA {1, FIELD_MESSAGE, "metadata", meta}

/* Of what has nothing else that a client could mean. */
static const Field plain[] = {
    METADATA, {2, FIELD_IGNORED, "", NULL}, {3, FIELD_IGNORED, "", NULL}, {0}};
static const Field configmap[] = {
    METADATA,
    {2, FIELD_TEXT_MAP, "data", NULL},
    {3, FIELD_BYTES_MAP, "binaryData", NULL},
    {4, FIELD_FLAG, "immutable", NULL},
    {0},
};
static const Field secret[] = {
    METADATA,
    {2, FIELD_BYTES_MAP, "data", NULL},
    {3, FIELD_TEXT, "type", NULL},
    {4, FIELD_TEXT_MAP, "stringData", NULL},
    {5, FIELD_FLAG, "immutable", NULL},
    {0},
};
static const Field account[] = {
    METADATA, {4, FIELD_FLAG, "automountServiceAccountToken", NULL}, {0}};
static const Field bound_object[] = {
    {1, FIELD_TEXT, "kind", NULL},
    {2, FIELD_TEXT, "apiVersion", NULL},
    {3, FIELD_TEXT, "name", NULL},
    {4, FIELD_TEXT, "uid", NULL},
    {0},
};
static const Field token_spec[] = {
    {1, FIELD_TEXTS, "audiences", NULL},
    {3, FIELD_MESSAGE, "boundObjectRef", bound_object},
    {4, FIELD_NUMBER, "expirationSeconds", NULL},
    {0},
};
static const Field token_request[] = {
    METADATA, {2, FIELD_MESSAGE, "spec", token_spec}, {3, FIELD_IGNORED, "status", NULL}, {0}};
static const Field resource_attributes[] = {
    {1, FIELD_TEXT, "namespace", NULL},
    {2, FIELD_TEXT, "verb", NULL},
    {3, FIELD_TEXT, "group", NULL},
    {4, FIELD_TEXT, "version", NULL},
    {5, FIELD_TEXT, "resource", NULL},
    {6, FIELD_TEXT, "subresource", NULL},
    {7, FIELD_TEXT, "name", NULL},
    {0},
};
static const Field path_attributes[] = {
    {1, FIELD_TEXT, "path", NULL}, {2, FIELD_TEXT, "verb", NULL}, {0}};
static const Field access_spec[] = {
    {1, FIELD_MESSAGE, "resourceAttributes", resource_attributes},
    {2, FIELD_MESSAGE, "nonResourceAttributes", path_attributes},
    {0},
};
static const Field access_review[] = {
    METADATA, {2, FIELD_MESSAGE, "spec", access_spec}, {3, FIELD_IGNORED, "status", NULL}, {0}};
static const Field rules_spec[] = {{1, FIELD_TEXT, "namespace", NULL}, {0}};
static const Field rules_review[] = {
    METADATA, {2, FIELD_MESSAGE, "spec", rules_spec}, {3, FIELD_IGNORED, "status", NULL}, {0}};
static const Field preconditions[] = {
    {1, FIELD_TEXT, "uid", NULL}, {2, FIELD_TEXT, "resourceVersion", NULL}, {0}};
static const Field delete_options[] = {
    {1, FIELD_NUMBER, "gracePeriodSeconds", NULL},
    {2, FIELD_MESSAGE, "preconditions", preconditions},
    {3, FIELD_FLAG, "orphanDependents", NULL},
    {4, FIELD_TEXT, "propagationPolicy", NULL},
    {5, FIELD_TEXTS, "dryRun", NULL},
    {0},
};
static const Field eviction[] = {
    METADATA, {2, FIELD_MESSAGE, "deleteOptions", delete_options}, {0}};
static const Field policy_rule[] = {
    {1, FIELD_TEXTS, "verbs", NULL},
    {2, FIELD_TEXTS, "apiGroups", NULL},
    {3, FIELD_TEXTS, "resources", NULL},
    {4, FIELD_TEXTS, "resourceNames", NULL},
    {5, FIELD_TEXTS, "nonResourceURLs", NULL},
    {0},
};
static const Field role[] = {METADATA, {2, FIELD_MESSAGES, "rules", policy_rule}, {0}};
static const Field subject[] = {
    {1, FIELD_TEXT, "kind", NULL},
    {2, FIELD_TEXT, "apiGroup", NULL},
    {3, FIELD_TEXT, "name", NULL},
    {4, FIELD_TEXT, "namespace", NULL},
    {0},
};
static const Field role_ref[] = {
    {1, FIELD_TEXT, "apiGroup", NULL},
    {2, FIELD_TEXT, "kind", NULL},
    {3, FIELD_TEXT, "name", NULL},
    {0},
};
static const Field role_binding[] = {
    METADATA,
    {2, FIELD_MESSAGES, "subjects", subject},
    {3, FIELD_MESSAGE, "roleRef", role_ref},
    {0},
};

static const struct {
    const char *kind;
    const Field *message;
} kinds[] = {
    {"Namespace", plain},
    {"ConfigMap", configmap},
    {"Secret", secret},
    {"ServiceAccount", account},
    {"TokenRequest", token_request},
    {"SelfSubjectAccessReview", access_review},
    {"SelfSubjectRulesReview", rules_review},
    {"SelfSubjectReview", plain},
    {"DeleteOptions", delete_options},
    {"Eviction", eviction},
    {"Role", role},
    {"ClusterRole", role},
    {"RoleBinding", role_binding},
    {"ClusterRoleBinding", role_binding},
};

/* --- bytes */

typedef struct Cursor {
    const char *at, *end;
} Cursor;

static bool read_varint(Cursor *c, uint64_t *ret)
{
    uint64_t value = 0;

    for (unsigned shift = 0; c->at < c->end && shift <= SHIFT_MAX; shift += 7) {
        unsigned char byte = (unsigned char)*c->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *ret = value;
            return true;
        }
    }
    return false;
}

/* One field: its number, and its value as a number or as bytes. */
typedef struct Token {
    unsigned number;
    unsigned wire;
    uint64_t value;
    Cursor bytes;
} Token;

static bool read_token(Cursor *c, Token *ret)
{
    uint64_t tag, len;

    if (!read_varint(c, &tag))
        return false;
    *ret = (Token){.number = (unsigned)(tag >> 3), .wire = (unsigned)(tag & 7)};
    if (ret->wire == WIRE_VARINT)
        return read_varint(c, &ret->value);
    if (ret->wire != WIRE_BYTES || !read_varint(c, &len) || len > (uint64_t)(c->end - c->at))
        return false;
    ret->bytes = (Cursor){c->at, c->at + len};
    c->at += len;
    return true;
}

/* NULL when the text has a NUL in it. */
static const char *text_of(Arena *a, Cursor bytes)
{
    size_t len = (size_t)(bytes.end - bytes.at);

    return memchr(bytes.at, '\0', len) ? NULL : str_slice(a, bytes.at, len);
}

/* --- messages */

/* A message that is being read. */
typedef struct Frame {
    const Field *fields;
    Cursor rest;
    Draft *object;
    Draft *parts[FIELDS_MAX]; /* of each row: its list or map */
    bool seen[FIELDS_MAX];
} Frame;

typedef struct Reader {
    Arena *arena;
    Frame frames[DEPTH_MAX];
    size_t depth;
} Reader;

static Err *malformed(Arena *a)
{
    return err_terminal(a, "the protobuf is malformed");
}

static Err *push(Reader *r, const Field *fields, Cursor bytes, Draft *object)
{
    if (r->depth == DEPTH_MAX)
        BUG("a table of messages is deeper than was thought");
    r->frames[r->depth++] = (Frame){.fields = fields, .rest = bytes, .object = object};
    return OK;
}

/* The list or map of a row, made at its first element. */
static Draft *part(Reader *r, Frame *f, size_t row, bool is_list)
{
    if (!f->parts[row]) {
        f->parts[row] = is_list ? draft_array(r->arena) : draft_object(r->arena);
        draft_add(f->object, sub(f->fields[row].name, f->parts[row]));
    }
    return f->parts[row];
}

static Err *read_pair(Reader *r, Frame *f, size_t row, Cursor bytes)
{
    const char *key = "";
    Cursor value = {"", ""};
    Token token;
    bool is_bytes = f->fields[row].type == FIELD_BYTES_MAP;

    while (bytes.at < bytes.end) {
        if (!read_token(&bytes, &token) || token.wire != WIRE_BYTES || token.number > 2)
            return malformed(r->arena);
        if (token.number == 1)
            key = text_of(r->arena, token.bytes);
        else
            value = token.bytes;
    }
    const char *text = is_bytes
        ? base64_encode(r->arena, (Bytes){value.at, (size_t)(value.end - value.at)})
        : text_of(r->arena, value);
    if (!key || !text)
        return malformed(r->arena);
    draft_add(part(r, f, row, false), str(key, text));
    return OK;
}

static Err *read_bytes(Reader *r, Frame *f, size_t row, Cursor bytes)
{
    const Field *field = &f->fields[row];
    const char *text;
    Draft *inner;

    switch (field->type) {
    case FIELD_TEXT:
    case FIELD_TEXTS:
        text = text_of(r->arena, bytes);
        if (!text)
            return malformed(r->arena);
        if (field->type == FIELD_TEXTS)
            draft_push_str(part(r, f, row, true), text);
        else if (*text) /* an empty one is left out of JSON, too */
            draft_add(f->object, str(field->name, text));
        return OK;
    case FIELD_MESSAGE:
    case FIELD_MESSAGES:
        inner = draft_object(r->arena);
        if (field->type == FIELD_MESSAGES)
            draft_push(part(r, f, row, true), inner);
        else
            draft_add(f->object, sub(field->name, inner));
        return push(r, field->message, bytes, inner);
    case FIELD_TEXT_MAP:
    case FIELD_BYTES_MAP:
        return read_pair(r, f, row, bytes);
    case FIELD_IGNORED:
        return OK;
    case FIELD_NUMBER:
    case FIELD_FLAG:
        break;
    }
    return malformed(r->arena);
}

static Err *read_number(Reader *r, Frame *f, size_t row, uint64_t value)
{
    const Field *field = &f->fields[row];

    if (field->type == FIELD_NUMBER)
        draft_add(f->object, num(field->name, (int64_t)value));
    else if (field->type == FIELD_FLAG)
        draft_add(f->object, flag(field->name, value != 0));
    else if (field->type != FIELD_IGNORED)
        return malformed(r->arena);
    return OK;
}

static bool is_repeated(FieldType type)
{
    return type == FIELD_TEXTS || type == FIELD_MESSAGES || type == FIELD_TEXT_MAP
        || type == FIELD_BYTES_MAP || type == FIELD_IGNORED;
}

static Err *read_field(Reader *r, Frame *f)
{
    Token token;
    size_t row = 0;

    if (!read_token(&f->rest, &token))
        return malformed(r->arena);
    while (f->fields[row].number && f->fields[row].number != token.number)
        row++;
    if (!f->fields[row].number)
        return err_terminal(r->arena,
            "the sandbox knows no field %u of this object in protobuf: send it as JSON",
            token.number);
    if (f->seen[row] && !is_repeated(f->fields[row].type))
        return malformed(r->arena);
    f->seen[row] = true;
    return token.wire == WIRE_VARINT ? read_number(r, f, row, token.value)
                                     : read_bytes(r, f, row, token.bytes);
}

static Err *read_message(Arena *a, const Field *fields, Cursor bytes, Draft *object)
{
    Reader r = {.arena = a};

    TRY(push(&r, fields, bytes, object));
    while (r.depth > 0) {
        Frame *f = &r.frames[r.depth - 1];
        if (f->rest.at < f->rest.end)
            TRY(read_field(&r, f));
        else
            r.depth--;
    }
    return OK;
}

/* --- the envelope */

static const Field *find_message(const char *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_eq(kinds[i].kind, kind))
            return kinds[i].message;
    return NULL;
}

/* The parts of a message by number: of 1 and 2, which are bytes. */
static bool read_two(Cursor bytes, Cursor *ret_first, Cursor *ret_second)
{
    Token token;

    while (bytes.at < bytes.end) {
        if (!read_token(&bytes, &token))
            return false;
        if (token.number == 1 && token.wire == WIRE_BYTES)
            *ret_first = token.bytes;
        if (token.number == 2 && token.wire == WIRE_BYTES)
            *ret_second = token.bytes;
    }
    return true;
}

Err *protobuf_read(Arena *a, Bytes bytes, const Json **ret)
{
    static const char magic[] = {'k', '8', 's', '\0'};
    Cursor type = {"", ""}, raw = {"", ""}, version = {"", ""}, kind = {"", ""};

    if (bytes.len < sizeof magic || memcmp(bytes.data, magic, sizeof magic) != 0)
        return malformed(a);
    Cursor rest = {bytes.data + sizeof magic, bytes.data + bytes.len};
    if (!read_two(rest, &type, &raw) || !read_two(type, &version, &kind))
        return malformed(a);
    const char *version_text = text_of(a, version), *kind_text = text_of(a, kind);
    if (!version_text || !kind_text)
        return malformed(a);
    const Field *fields = find_message(kind_text);
    if (!fields)
        return err_terminal(
            a, "the sandbox reads no %s in protobuf: send it as JSON", str_cut(a, kind_text, 64));
    Draft *object = draft(a, str("kind", kind_text), str("apiVersion", version_text));
    TRY(read_message(a, fields, raw, object));
    *ret = json_seal(a, object);
    return OK;
}
