/* Listing: every page is checked as a whole before its first object reaches the feed. */
#include "kube/runtime/listing.h"

#include <string.h>

enum {
    PAGES_MAX = 1 << 20,
    TOKEN_MAX = 64 << 10,
    TRIES_MAX = 5,
};

void listing_open(Listing *l, const Kind *kind, Feed *feed, int64_t limit)
{
    *l = (Listing){
        .kind = kind,
        .feed = feed,
        .limit = limit,
        .limit_max = limit,
        .body = {.ceiling = JSON_BYTES_MAX},
        .continue_key = {.ceiling = TOKEN_MAX},
    };
}

void listing_close(Listing *l)
{
    listing_abandon(l);
}

bool listing_append(Listing *l, Bytes chunk)
{
    return buf_append(&l->body, chunk.data, chunk.len);
}

/* A list must end: each page leads to another one, and there is a last. */
static Err *go_on(Listing *l, Arena *a, const char *continue_key)
{
    if (bytes_equal(bytes_of(continue_key), buf_bytes(&l->continue_key)))
        return err_terminal(a, "a page continues with itself");
    buf_clear(&l->continue_key, TOKEN_MAX);
    if (!buf_append(&l->continue_key, continue_key, strlen(continue_key)))
        return err_terminal(a, "a continue token of more than %d bytes", TOKEN_MAX);
    if (++l->pages >= PAGES_MAX)
        return err_terminal(a, "a list of more than %d pages", PAGES_MAX);
    buf_clear(&l->body, JSON_BYTES_MAX);
    l->tries = 0;
    return OK;
}

static void end(Listing *l)
{
    l->feed->list_end(l->feed, l->version);
    l->is_open = false;
    listing_abandon(l);
    /* What was too large once need not be so for ever. */
    l->limit = l->limit * 2 < l->limit_max ? l->limit * 2 : l->limit_max;
}

Err *listing_take_page(Listing *l, Arena *a, bool *ret_is_last)
{
    NewsPage page;
    const Json *item;
    TRY(news_page(a, l->kind, buf_bytes(&l->body), &page));

    if (!l->is_open) {
        l->feed->list_begin(l->feed);
        l->is_open = true;
        /* Should later pages be of another version, the watch makes up for what lies between. */
        memcpy(l->version, page.version, strlen(page.version) + 1);
    }
    json_each(item, page.items)
        l->feed->list_put(l->feed, item);
    if (page.continue_key)
        TRY(go_on(l, a, page.continue_key));
    else
        end(l);
    *ret_is_last = !page.continue_key;
    return OK;
}

bool listing_is_large(const Listing *l)
{
    return l->body.len >= 2 * (size_t)JSON_VALUES_MAX;
}

bool listing_shrink(Listing *l)
{
    if (l->limit <= 1)
        return false;
    l->limit /= 2;
    return true;
}

bool listing_retry(Listing *l)
{
    buf_clear(&l->body, JSON_BYTES_MAX);
    return ++l->tries < TRIES_MAX;
}

void listing_abandon(Listing *l)
{
    if (l->is_open)
        l->feed->list_abort(l->feed);
    l->is_open = false;
    l->pages = 0;
    l->tries = 0;
    buf_close(&l->continue_key);
    buf_close(&l->body);
}
