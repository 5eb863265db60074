/* The status of a node is written, and another writer of it is told of. */
#include "sei/reconcile/parts.h"

#include "sei/reconcile/status_write.h"

Err *flush_status(NodePass *p, bool *ret_written)
{
    StatusWrite write = {
        .kind = kind_seinode,
        .object = p->node.object,
        .status = node_status_encode(p->c->arena, &p->status),
    };
    Err *err = status_write(p->c, &write);

    if (write.contested)
        telling_conflict(p->c, &p->app->figures, &p->node);
    *ret_written = write.written != NULL;
    if (write.written)
        p->stored = write.written;
    return err;
}
