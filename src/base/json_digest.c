/* Digest: a value as one number.
 *
 * A stretch of the tape of which nothing is left out is read as it stands, without a look at what
 * is inside of what. Members count in the order in which they stand. */
#include "base/json_routes.h"
#include "base/siphash.h"

/* No value has this for a tag: ends what was opened. */
enum { END = 0 };

static void add(Siphash *h, yyjson_val *first, yyjson_val *end)
{
    for (yyjson_val *at = first; at < end; at++) {
        siphash_word(h, at->tag); /* with the length of a text, and the count of a container */
        if (unsafe_yyjson_is_str(at))
            siphash_text(h, at->uni.str, unsafe_yyjson_get_len(at));
        else if (unsafe_yyjson_is_num(at))
            siphash_word(h, at->uni.u64);
    }
}

static Place enter(Siphash *h, yyjson_val *container, uint64_t routes)
{
    siphash_word(h, unsafe_yyjson_get_type(container));
    return (Place){.children = children_of(container), .routes = routes};
}

uint64_t json_digest(const Json *v, const JsonPaths *left_out, const uint64_t secret[2])
{
    Siphash h = siphash_begin(secret);
    Place places[JSON_DEPTH_MAX];
    size_t depth = 0;

    if (v && left_out && unsafe_yyjson_is_ctn(json_val(v)))
        places[depth++] = enter(&h, json_val(v), UINT64_MAX);
    else if (v)
        add(&h, json_val(v), unsafe_yyjson_get_next(json_val(v)));
    while (depth > 0) {
        Place *place = &places[depth - 1];
        yyjson_val *child = children_next(&place->children);
        if (!child) {
            siphash_word(&h, END);
            depth--;
            continue;
        }
        bool goes, keyed = place->children.keyed;
        uint64_t into = routes_into(left_out, place, depth, child, &goes);
        if (goes)
            continue;
        bool enters = into && unsafe_yyjson_is_ctn(child);
        add(&h, child - keyed, enters ? child : unsafe_yyjson_get_next(child));
        if (enters)
            places[depth++] = enter(&h, child, into);
    }
    return siphash_end(&h);
}
