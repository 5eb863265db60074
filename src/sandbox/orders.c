/* Orders: those about chains and the tempo are here, in a table; all others are the kubelet's. */
#include "sandbox/orders.h"

#include "base/str.h"
#include "world/order.h"

#include <string.h>

const Kind kind_order[1] = {{"sandbox.sei.io", "v1", "orders", "Order", .namespaced = false}};

const Kind kind_client_certificate[1] = {
    {"sandbox.sei.io", "v1", "certificates", "Certificate", .namespaced = false}};

enum { HALT_AFTER_BLOCKS = 2 };

/* One of them: what stands behind its name is given to `obey`, which is false when it does not fit
 * the form. */
typedef struct OwnOrder {
    const char *name, *form;
    bool (*obey)(Arena *a, const OrdersScope *scope, const char *rest, Err **ret);
} OwnOrder;

/* From the next blocks on every seid of another image stands still. */
static bool halt(Arena *a, const OrdersScope *scope, const char *rest, Err **ret)
{
    const Cast *cast = scope->cast;
    size_t len = strcspn(rest, " ");
    const char *id = str_slice(a, rest, len);
    const char *image = rest + len + strspn(rest + len, " ");

    if (str_empty(id) || str_empty(image) || strchr(image, ' ') || len >= CHAIN_ID_SIZE)
        return false;
    Chain *chain = outside_chain(kubelet_outside(cast->kubelet), id);
    int64_t height = chain_head(chain, world_now_ms(cast->world)) + HALT_AFTER_BLOCKS;
    if (!chain_schedule_upgrade(chain, height, image))
        *ret = err_terminal(a,
            "chain %s has had %d upgrades, which is the most it can have: restart the sandbox",
            id,
            CHAIN_UPGRADES_MAX);
    return true;
}

static bool slow(Arena *a, const OrdersScope *scope, const char *rest, Err **ret)
{
    int64_t ms;
    (void)a, (void)ret;

    if (!str_to_int(rest, &ms) || ms < 0 || ms > TEMPO_SLOW_MAX_MS)
        return false;
    scope->tempo->slow_ms = ms;
    return true;
}

static bool speed(Arena *a, const OrdersScope *scope, const char *rest, Err **ret)
{
    int64_t factor;
    (void)a, (void)ret;

    if (!str_to_int(rest, &factor) || factor < 1 || factor > TEMPO_SPEED_MAX)
        return false;
    scope->tempo->speed = factor;
    return true;
}

static const OwnOrder own[] = {
    {"halt", "halt CHAIN IMAGE (only a seid whose image has this in its name goes on)", halt},
    {"slow",
        "slow MS (every answer and every start takes so much longer, at most 30000; 0: no more)",
        slow},
    {"speed",
        "speed X (so many times faster than ours the time of pods and controllers runs, 1 to 1000)",
        speed},
};

enum { OWN_COUNT = sizeof own / sizeof *own };

static const OwnOrder *find_own(const char *line, const char **ret_rest)
{
    size_t len = strcspn(line, " ");

    *ret_rest = line + len + strspn(line + len, " ");
    for (size_t i = 0; i < OWN_COUNT; i++)
        if (strlen(own[i].name) == len && strncmp(own[i].name, line, len) == 0)
            return &own[i];
    return NULL;
}

static Err *obey_kubelet(Arena *a, const Cast *cast, const char *line)
{
    KubeletOrder order;

    TRY(order_parse(a, line, &order));
    if (!kubelet_order(cast->kubelet, &order, world_now_ms(cast->world)))
        return err_terminal(a, "'%s': there is no such pod or machine", line);
    return OK;
}

Err *orders_obey(Arena *a, const OrdersScope *scope, const char *line)
{
    const char *rest;
    const OwnOrder *order = find_own(line, &rest);
    Err *err = OK;

    if (!order)
        err = obey_kubelet(a, scope->cast, line);
    else if (!order->obey(a, scope, rest, &err))
        err = err_terminal(a, "the order is written: %s", order->form);
    if (!err)
        world_wake(scope->cast->world, kubelet_actor(scope->cast->kubelet));
    return err;
}

const char *orders_form(size_t n)
{
    return n < OWN_COUNT ? own[n].form : order_form(n - OWN_COUNT);
}
