/* Live walk: every object of a LIST in the memory of one page.
 *
 * How large objects are is known only when they arrive. So the page shrinks until it fits, and
 * stays small for the rest of the walk. */
#include "base/str.h"
#include "kube/kube.h"
#include "kube/meta.h"
#include "kube/status.h"

#include <assert.h>
#include <string.h>

enum {
    WALK_PAGE_SIZE = 250,
    WALK_PAGE_MAX = 64 << 20,  /* memory for one page: its text and its values */
    WALK_TOKEN_MAX = 64 << 10, /* a continue token */
    WALK_PAGES_MAX = 1 << 20,
    WALK_RESTARTS_MAX = 3,
};

typedef struct LiveWalk {
    Ctx *c;
    Ctx in_page; /* the same, with the memory of the page */
    Request request;
    Walker *walker;
    Buf token; /* of the page that was read last */
    int pages, restarts;
} LiveWalk;

/* A list must end: no page leads to itself. */
static Err *keep_token(LiveWalk *w, const char *token)
{
    Arena *a = w->c->arena;
    size_t len = token ? strlen(token) : 0;

    if (len && bytes_equal(bytes_of(token), buf_bytes(&w->token)))
        return err_retry(a, "a page continues with itself");
    if (++w->pages > WALK_PAGES_MAX)
        return err_terminal(a, "a list of more than %d pages", WALK_PAGES_MAX);
    buf_clear(&w->token, WALK_TOKEN_MAX);
    if (!buf_append(&w->token, token, len))
        return err_terminal(a, "a continue token of more than %d bytes", WALK_TOKEN_MAX);
    w->request.continue_key = len ? w->token.data : NULL;
    return OK;
}

static Err *show_page(LiveWalk *w, const Json *page)
{
    const Json *items = json_find(page, ".items"), *item;

    /* An empty answer must never read as "there are none". */
    if (json_type(items) != JSON_ARRAY)
        return err_retry(w->c->arena, "the answer is no list");
    json_each(item, items) {
        w->walker->see(w->walker, item);
        if (w->walker->is_done)
            return OK;
    }
    return keep_token(w, json_str(page, ".metadata.continue"));
}

static bool may_shrink(LiveWalk *w, const Err *err)
{
    if (!err->too_large || w->request.limit <= 1)
        return false;
    w->request.limit /= 2;
    return true;
}

static bool may_restart(LiveWalk *w, const Err *err)
{
    if (!status_is_gone(err) || w->restarts++ == WALK_RESTARTS_MAX)
        return false;
    buf_clear(&w->token, WALK_TOKEN_MAX);
    w->request.continue_key = NULL;
    return true;
}

/* One page, or one step towards it: then it is asked for again. */
static Err *read_page(LiveWalk *w, bool *ret_is_last)
{
    const Json *page;

    arena_reset(w->in_page.arena);
    Err *err = kube_call(&w->in_page, &w->request, &page);
    if (!err) {
        TRY(show_page(w, page));
        *ret_is_last = w->walker->is_done || !w->request.continue_key;
        return OK;
    }
    *ret_is_last = false;
    return may_shrink(w, err) || may_restart(w, err) ? OK : err_copy(w->c->arena, err);
}

static Err *read_pages(LiveWalk *w)
{
    bool is_last = false;

    while (!is_last)
        TRY(read_page(w, &is_last));
    return OK;
}

Err *kube_walk_live(Ctx *c, const Request *list, Walker *walker)
{
    SCOPED_ARENA page = arena_open(WALK_PAGE_MAX);
    LiveWalk w = {
        .c = c,
        .in_page = *c,
        .request = *list,
        .walker = walker,
        .token = {.ceiling = WALK_TOKEN_MAX},
    };

    assert(list->verb == VERB_LIST);
    w.in_page.arena = page;
    w.request.continue_key = NULL;
    if (w.request.limit <= 0)
        w.request.limit = WALK_PAGE_SIZE;
    Err *err = read_pages(&w);
    buf_close(&w.token);
    return err_wrap(c->arena, err, "listing %s", list->kind->plural);
}
