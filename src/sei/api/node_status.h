/* NodeStatus between JSON and C: the half of node.h that is stored by the operator. */
#ifndef SEI_API_NODE_STATUS_H
#define SEI_API_NODE_STATUS_H

#include "sei/api/node.h"

/* Reads .status of an object, member by member: one that cannot be read is kept as it is and does
 * not hide the others. ERR_TERMINAL is about the first of those, with its path. */
Err *node_status_decode(Arena *a, const Json *object, NodeStatus *ret) MUST_CHECK;

/* `err` with a path put in front of the path with which its message begins. OK stays OK. */
Err *node_err_below(Arena *a, const char *path, const Err *err);

/* The members that it has, by their place; NULL past the last. */
const char *node_status_member(size_t place);

#endif
