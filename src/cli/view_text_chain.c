/* ViewTextChain: how far a node or a fleet is, in one line. */
#include "base/str.h"
#include "cli/view_text_parts.h"

enum { WITNESS_MAX = 24 };

static void put_block_age(Writing *w)
{
    const char *age = text_since(w, json_str(w->view, ".chain.blockTime"), NULL);

    if (age)
        page_putf(w->page, COLOR_PLAIN, "  block %s old", age);
}

static void put_lag(Writing *w)
{
    Page *p = w->page;
    int64_t lag = json_int(w->view, ".chain.lag", -1);
    const char *to = json_str(w->view, ".chain.lagTo");

    if (lag < 0) {
        page_put(p, COLOR_PLAIN, "  lag unknown (nobody to compare with)");
        return;
    }
    page_putf(p, lag ? COLOR_BUSY : COLOR_PLAIN, "  lag %s to ", text_count(p->arena, lag));
    page_put_cut(p, COLOR_PLAIN, str_eq(to, "peers") ? "its peers" : to, WITNESS_MAX);
}

void text_chain_of_node(Writing *w)
{
    Page *p = w->page;
    const Json *chain = json_find(w->view, ".chain");
    const char *unknown = json_str(chain, ".unknown");
    int64_t peers = json_int(chain, ".peers", -1);

    if (!chain)
        return;
    page_label(p, "Height");
    if (unknown) {
        page_putf(p, COLOR_DIM, "unknown: %s", unknown);
        page_end(p);
        return;
    }
    page_put(p, COLOR_PLAIN, text_count(p->arena, json_int(chain, ".height", 0)));
    put_lag(w);
    put_block_age(w);
    if (peers >= 0)
        page_putf(p,
            peers ? COLOR_PLAIN : COLOR_BAD,
            "  %lld peer%s",
            (long long)peers,
            peers == 1 ? "" : "s");
    if (json_bool(chain, ".catchesUp", false))
        page_put(p, COLOR_BUSY, "  catches up");
    page_end(p);
}

void text_chain_of_fleet(Writing *w)
{
    Page *p = w->page;
    const Json *chain = json_find(w->view, ".chain"), *best = json_find(chain, ".best");
    const char *of = json_str(chain, ".bestOf"), *unknown = json_str(chain, ".unknown");
    long long silent = (long long)json_int(chain, ".silent", 0);

    if (!chain || (!best && !silent))
        return;
    page_label(p, "Height");
    if (best) {
        page_putf(
            p, COLOR_PLAIN, "%s at best (", text_count(p->arena, json_int(chain, ".best", 0)));
        page_put_cut(p, COLOR_PLAIN, str_eq(of, "peers") ? "of peers" : of, WITNESS_MAX);
        page_put(p, COLOR_PLAIN, ")");
        put_block_age(w);
    }
    if (silent)
        page_putf(p,
            COLOR_DIM,
            "%sunknown of %lld%s%s",
            best ? "  " : "",
            silent,
            unknown ? ": " : "",
            unknown ? unknown : "");
    page_end(p);
}
