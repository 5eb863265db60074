/* Records: a header, and behind it in one piece of memory the key, the glance and the text. The
 * last two may be packed together: the glance, which is asked for more often, is in front, so that
 * it can be read alone, and costs little, because everything in it stands in the text, too. */
#include "world/record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS_MAX = 20 }; /* of a version */

struct Record {
    uint32_t holders;
    uint32_t key_size; /* with its NUL */
    uint32_t glance_size;
    uint32_t text_size;
    uint32_t kept_size; /* of glance and text, as they are kept */
    uint32_t digits_at; /* where the digits of the version stand in the text */
    uint32_t digits;
    bool is_new;
    uint64_t version;
    Model *model; /* of what is packed; or NULL */
    char bytes[];
};

size_t record_size(const Record *r)
{
    return sizeof *r + r->key_size + r->kept_size;
}

/* Inside a string of JSON a quote is escaped, so the first match of the bare text is the member. */
static uint32_t find_digits(Bytes text)
{
    static const char member[] = "\"resourceVersion\":\"";
    const char *at = memmem(text.data, text.len, member, sizeof member - 1);

    if (!at)
        BUG("a record without a resourceVersion");
    return (uint32_t)(at - text.data + (ptrdiff_t)sizeof member - 1);
}

/* The glance, and the text behind it; given back by the caller. */
static char *joined(Slab *slab, const RecordText *text)
{
    char *all = slab_alloc(slab, text->glance.len + text->text.len);

    if (text->glance.len > 0)
        memcpy(all, text->glance.data, text->glance.len);
    memcpy(all + text->glance.len, text->text.data, text->text.len);
    return all;
}

Record *record_new(Slab *slab, const RecordText *text)
{
    size_t size = text->glance.len + text->text.len;
    char *all = joined(slab, text);
    Packed packed = packer_pack(text->packer, (Bytes){all, size});
    Record header = {
        .holders = 1,
        .key_size = (uint32_t)strlen(text->key) + 1,
        .glance_size = (uint32_t)text->glance.len,
        .text_size = (uint32_t)text->text.len,
        .kept_size = (uint32_t)packed.bytes.len,
        .digits_at = find_digits(text->text),
        .is_new = text->is_new,
        .version = text->version,
        .model = packed.model,
    };
    Record *r = slab_alloc(slab, record_size(&header));

    header.digits = (uint32_t)strspn(text->text.data + header.digits_at, "0123456789");
    memcpy(r, &header, sizeof header);
    memcpy(r->bytes, text->key, header.key_size);
    memcpy(r->bytes + header.key_size, packed.bytes.data, header.kept_size);
    slab_free(slab, all, size);
    return r;
}

Record *record_hold(Record *r)
{
    if (r)
        r->holders++;
    return r;
}

void record_drop(Slab *slab, Record *r)
{
    if (!r)
        return;
    assert(r->holders > 0);
    if (--r->holders > 0)
        return;
    model_drop(slab, r->model);
    slab_free(slab, r, record_size(r));
}

const char *record_key(const Record *r)
{
    return r->bytes;
}

uint64_t record_version(const Record *r)
{
    return r->version;
}

bool record_is_new(const Record *r)
{
    return r->is_new;
}

static Packed kept(const Record *r)
{
    return (Packed){
        .model = r->model,
        .bytes = {.data = r->bytes + r->key_size, .len = r->kept_size},
        .len = r->glance_size + r->text_size,
    };
}

Bytes record_text(Arena *a, const Record *r)
{
    Packed packed = kept(r);

    return (Bytes){packed_text(&packed, a, packed.len).data + r->glance_size, r->text_size};
}

/* What is stored was written by us: it can only fail to be read when the arena is full, and then
 * its owner has to know. */
static const Json *parsed(Arena *a, Bytes text)
{
    const Json *value;

    if (json_parse(a, text, &value))
        BUG("a stored object could not be read: the arena is too small for it");
    return value;
}

const Json *record_glance(Arena *a, const Record *r)
{
    Packed packed = kept(r);

    return parsed(a, packed_text(&packed, a, r->glance_size));
}

const Json *record_object(Arena *a, const Record *r)
{
    return parsed(a, record_text(a, r));
}

static size_t digits_of(uint64_t version, char ret[DIGITS_MAX + 1])
{
    return (size_t)snprintf(ret, DIGITS_MAX + 1, "%" PRIu64, version);
}

size_t record_size_at(const Record *r, uint64_t version)
{
    char digits[DIGITS_MAX + 1];

    return r->text_size - r->digits + digits_of(version, digits);
}

void record_write_at(const Record *r, Arena *a, uint64_t version, char *to)
{
    Bytes text = record_text(a, r);
    char digits[DIGITS_MAX + 1];
    size_t count = digits_of(version, digits), behind = r->digits_at + r->digits;

    memcpy(to, text.data, r->digits_at);
    memcpy(to + r->digits_at, digits, count);
    memcpy(to + r->digits_at + count, text.data + behind, text.len - behind);
}
