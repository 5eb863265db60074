/* Order: what scripts tell a kubelet, as a line of words:
 *
 *     freeze sei/rpc-0-0              thaw sei/rpc-0-0
 *     never-ready sei/rpc-0-0         ready-again sei/rpc-0-0
 *     slow-start sei/rpc-0-0 60000    slow-stop sei/rpc-0-0 60000
 *     crash sei/rpc-0-0 3             evict sei/rpc-0-0
 *     kill-sidecar sei/rpc-0-0        temper sei/rpc-0-0 slow 5000
 *     fail-task sei/rpc-0-0 config-apply 2 disk is on fire
 *     task-takes sei/rpc-0-0 snapshot-restore 1000
 *     fill-disk sei/rpc-0-0 1         spoil-config sei/rpc-0-0
 *     empty-disk sei/rpc-0-0
 *     bad-image seid:v9               good-image seid:v9
 *     lose-node node-1                restore-node node-1 */
#ifndef WORLD_ORDER_H
#define WORLD_ORDER_H

#include "base/err.h"
#include "world/kubelet.h"

#include <stddef.h>

/* Reads one line; strings are in the arena. ERR_TERMINAL says what is wrong with it, and how it is
 * written. */
Err *order_parse(Arena *a, const char *line, KubeletOrder *ret) MUST_CHECK;

/* How the n-th order is written, counted from 0; NULL past the last. */
const char *order_form(size_t n);

#endif
