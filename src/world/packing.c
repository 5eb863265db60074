/* Packing: what LZ77 does, with the model before the text. A packed text is a row of steps: how
 * many new bytes, those bytes, how many bytes to copy, and from where. Where is told by how far it
 * is from where the copy before would have gone on, which is nearly always nothing: so a text with
 * other values in the same places costs its values.
 *
 * Places count from the start of the model on; the text stands behind it. A copy never reaches from
 * one into the other, nor into what it writes. */
#include "world/packing.h"

#include "base/arena.h"
#include "base/err.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum {
    MATCH_MIN = 8,     /* shorter ones cost as much as they save */
    MATCH_ENOUGH = 32, /* nothing better is looked for */
    MODEL_STRIDE = 4,
    TABLE_BITS = 13,
    VARINT_MAX = 5,
    STEP_MAX = 3 * VARINT_MAX, /* bytes of a step beside its new ones */
    HURRY_SHIFT = 6,           /* the longer nothing matches, the fewer places are tried */
    GOOD_SHARE = 16,           /* what a model that fits leaves of a text */
};

struct Model {
    uint32_t holders, len;
    char text[];
};

struct Packer {
    Slab *slab;
    Arena *work;
    Model *model; /* NULL at first */
    size_t owed;  /* what packing by it has cost beyond what a good one leaves */
};

/* --- models --- */

static size_t model_size(size_t len)
{
    return sizeof(Model) + len;
}

static Model *model_new(Slab *slab, Bytes text)
{
    Model *m = slab_alloc(slab, model_size(text.len));

    *m = (Model){.holders = 1, .len = (uint32_t)text.len};
    memcpy(m->text, text.data, text.len);
    return m;
}

static Model *model_hold(Model *m)
{
    if (m)
        m->holders++;
    return m;
}

void model_drop(Slab *slab, Model *m)
{
    if (!m)
        return;
    assert(m->holders > 0);
    if (--m->holders == 0)
        slab_free(slab, m, model_size(m->len));
}

Packer *packer_open(Slab *slab, Arena *work)
{
    Packer *p = slab_alloc(slab, sizeof *p);

    *p = (Packer){.slab = slab, .work = work};
    return p;
}

void packer_close(Packer *p)
{
    if (!p)
        return;
    model_drop(p->slab, p->model);
    slab_free(p->slab, p, sizeof *p);
}

/* --- finding --- */

/* The model, and behind it the text up to where it has been packed. */
typedef struct Window {
    Bytes model, text;
    size_t at;                        /* in the text */
    uint32_t places[1 << TABLE_BITS]; /* where bytes of that hash stood last, counted from 1 */
} Window;

typedef struct Match {
    size_t place, len;
} Match;

static uint32_t *slot(Window *w, const char *bytes)
{
    uint64_t head;

    memcpy(&head, bytes, sizeof head);
    return &w->places[(head * 0x9E3779B97F4A7C15ULL) >> (64 - TABLE_BITS)];
}

static const char *byte_at(const Window *w, size_t place)
{
    return place < w->model.len ? w->model.data + place : w->text.data + (place - w->model.len);
}

/* How much of what comes next stands at a place, too. */
static Match match_at(const Window *w, size_t place)
{
    size_t end = place < w->model.len ? w->model.len : w->model.len + w->at;
    size_t left = w->text.len - w->at, len = 0;

    if (place >= end)
        return (Match){0};
    const char *there = byte_at(w, place), *here = w->text.data + w->at;
    size_t most = end - place < left ? end - place : left;
    while (len + MATCH_MIN <= most && memcmp(there + len, here + len, MATCH_MIN) == 0)
        len += MATCH_MIN;
    while (len < most && there[len] == here[len])
        len++;
    return (Match){place, len};
}

static Match best_match(Window *w, size_t expected)
{
    uint32_t *known = slot(w, w->text.data + w->at);
    Match goes_on = match_at(w, expected), jumps = {0};

    if (*known && goes_on.len < MATCH_ENOUGH)
        jumps = match_at(w, *known - 1);
    *known = (uint32_t)(w->model.len + w->at + 1);
    return goes_on.len >= jumps.len ? goes_on : jumps;
}

/* A match may have begun earlier than it was found; then one in the text itself may not reach as
 * far. */
static void widen(Window *w, Match *m, size_t unpacked)
{
    size_t first = m->place < w->model.len ? 0 : w->model.len;

    while (w->at > unpacked && m->place > first
        && *byte_at(w, m->place - 1) == w->text.data[w->at - 1]) {
        m->place--;
        m->len++;
        w->at--;
    }
    if (m->place >= w->model.len && m->len > w->model.len + w->at - m->place)
        m->len = w->model.len + w->at - m->place;
}

/* --- writing --- */

/* Where packed bytes go; there is room for as many as the text has. */
typedef struct Out {
    char *data;
    size_t len, max;
} Out;

static void put_number(Out *out, uint64_t number)
{
    for (; number > 0x7f; number >>= 7)
        out->data[out->len++] = (char)(0x80 | (number & 0x7f));
    out->data[out->len++] = (char)number;
}

/* False when the packed text would be no shorter. */
static bool put_new(Out *out, const char *bytes, size_t len)
{
    if (len + STEP_MAX > out->max - out->len)
        return false;
    put_number(out, len);
    memcpy(out->data + out->len, bytes, len);
    out->len += len;
    return true;
}

/* Distances of either direction, small ones first. */
static uint64_t zigzag(int64_t number)
{
    return ((uint64_t)number << 1) ^ (uint64_t)(number >> 63);
}

static bool pack_all(Window *w, Out *out)
{
    size_t unpacked = 0,
           goes_on = 0; /* the first byte that is not written; the place behind the last copy */

    while (w->at + MATCH_MIN <= w->text.len) {
        Match m = best_match(w, goes_on + (w->at - unpacked));
        if (m.len < MATCH_MIN) {
            w->at += 1 + ((w->at - unpacked) >> HURRY_SHIFT);
            continue;
        }
        widen(w, &m, unpacked);
        if (!put_new(out, w->text.data + unpacked, w->at - unpacked))
            return false;
        put_number(out, m.len);
        put_number(out, zigzag((int64_t)m.place - (int64_t)(goes_on + (w->at - unpacked))));
        w->at += m.len;
        unpacked = w->at;
        goes_on = m.place + m.len;
    }
    return put_new(out, w->text.data + unpacked, w->text.len - unpacked);
}

static void learn_model(Window *w)
{
    for (size_t i = 0; i + MATCH_MIN <= w->model.len; i += MODEL_STRIDE)
        *slot(w, w->model.data + i) = (uint32_t)(i + 1);
}

static Packed pack_by(Packer *p, Bytes text)
{
    Window w = {.text = text};
    Out out = {.max = text.len};

    if (p->model)
        w.model = (Bytes){p->model->text, p->model->len};
    arena_reset(p->work);
    out.data = arena_alloc(p->work, text.len + STEP_MAX);
    learn_model(&w);
    if (!pack_all(&w, &out))
        return (Packed){.bytes = text, .len = text.len};
    return (Packed){model_hold(p->model), {out.data, out.len}, text.len};
}

Packed packer_pack(Packer *p, Bytes text)
{
    Packed packed;

    if (!p)
        return (Packed){.bytes = text, .len = text.len};
    assert(text.len < INT32_MAX);
    packed = pack_by(p, text);
    size_t good = text.len / GOOD_SHARE;
    p->owed += packed.bytes.len > good ? packed.bytes.len - good : 0;
    if (p->owed < text.len)
        return packed;
    model_drop(p->slab, packed.model);
    model_drop(p->slab, p->model);
    p->model = model_new(p->slab, text);
    p->owed = 0;
    return pack_by(p, text);
}

/* --- reading --- */

static uint64_t take_number(Bytes *from)
{
    uint64_t number = 0;
    unsigned char byte;
    unsigned shift = 0;

    do {
        assert(from->len > 0 && shift < 64);
        byte = (unsigned char)*from->data++;
        from->len--;
        number |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return number;
}

/* The place that a distance leads to. */
static size_t place_from(size_t goes_on, uint64_t distance)
{
    return goes_on + (size_t)((distance >> 1) ^ -(distance & 1));
}

static size_t least(size_t left, size_t right)
{
    return left < right ? left : right;
}

/* Writes the first bytes of the text. */
static void unpack(const Packed *packed, char *to, size_t len)
{
    Bytes from = packed->bytes;
    size_t model_len = packed->model ? packed->model->len : 0;
    size_t written = 0, goes_on = 0;

    for (;;) {
        size_t fresh = take_number(&from);
        assert(fresh <= from.len);
        memcpy(to + written, from.data, least(fresh, len - written));
        from.data += fresh;
        from.len -= fresh;
        written += least(fresh, len - written);
        if (written == len)
            return;
        size_t count = take_number(&from);
        size_t place = place_from(goes_on + fresh, take_number(&from));
        assert(place + count <= model_len + written);
        goes_on = place + count;
        count = least(count, len - written);
        memcpy(to + written,
            place < model_len ? packed->model->text + place : to + (place - model_len),
            count);
        written += count;
    }
}

Bytes packed_text(const Packed *packed, Arena *a, size_t len)
{
    char *text;

    assert(len <= packed->len);
    if (packed->bytes.len == packed->len)
        return (Bytes){packed->bytes.data, len};
    text = arena_alloc(a, len);
    unpack(packed, text, len);
    return (Bytes){text, len};
}
