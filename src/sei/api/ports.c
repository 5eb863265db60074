/* The ports of seid, on every mode. */
#include "sei/api/ports.h"

#include "sei/api/names.h"

#include <stddef.h>

const NodePort node_ports[] = {
    {"evm-rpc", EVM_RPC_PORT, NULL},
    {"evm-ws", EVM_WS_PORT, NULL},
    {"grpc", GRPC_PORT, "kubernetes.io/h2c"},
    {"rest", REST_PORT, NULL},
    {"p2p", P2P_PORT, NULL},
    {"rpc", RPC_PORT, NULL},
    {"metrics", METRICS_PORT, NULL},
    {NULL, 0, NULL},
};
