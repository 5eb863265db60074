/* Orders: those about chains are here, all others are the kubelet's. */
#include "sandbox/orders.h"

#include "base/str.h"
#include "world/order.h"

#include <string.h>

const Kind kind_order[1] = {{"sandbox.sei.io", "v1", "orders", "Order", .namespaced = false}};

#define HALT_FORM "halt CHAIN IMAGE (only a seid whose image has this in its name goes on)"

enum { HALT_AFTER_BLOCKS = 2 };

/* From the next blocks on every seid of another image stands still. */
static Err *halt(Arena *a, const Cast *cast, const char *rest)
{
    size_t len = strcspn(rest, " ");
    const char *id = str_slice(a, rest, len);
    const char *image = rest + len + strspn(rest + len, " ");

    if (str_empty(id) || str_empty(image) || strchr(image, ' ') || len >= CHAIN_ID_SIZE)
        return err_terminal(a, "the order is written: " HALT_FORM);
    Chain *chain = outside_chain(kubelet_outside(cast->kubelet), id);
    int64_t height = chain_head(chain, world_now_ms(cast->world)) + HALT_AFTER_BLOCKS;
    if (!chain_schedule_upgrade(chain, height, image))
        return err_terminal(a,
            "chain %s has had %d upgrades, which is the most it can have: restart the sandbox",
            id,
            CHAIN_UPGRADES_MAX);
    return OK;
}

Err *orders_obey(Arena *a, const Cast *cast, const char *line)
{
    static const char halts[] = "halt ";
    KubeletOrder order;

    if (str_has_prefix(line, halts)) {
        TRY(halt(a, cast, line + strlen(halts)));
    } else {
        TRY(order_parse(a, line, &order));
        if (!kubelet_order(cast->kubelet, &order, world_now_ms(cast->world)))
            return err_terminal(a, "'%s': there is no such pod or machine", line);
    }
    world_wake(cast->world, kubelet_actor(cast->kubelet));
    return OK;
}

const char *orders_form(size_t n)
{
    return n == 0 ? HALT_FORM : order_form(n - 1);
}
