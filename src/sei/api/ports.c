/* The ports of seid, on every mode. */
#include "sei/api/ports.h"

#include "sei/api/names.h"

#include <stddef.h>

const NodePort node_ports[] = {
    {"evm-rpc", 8545, NULL},
    {"evm-ws", 8546, NULL},
    {"grpc", 9090, "kubernetes.io/h2c"},
    {"rest", 1317, NULL},
    {"p2p", P2P_PORT, NULL},
    {"rpc", 26657, NULL},
    {"metrics", 26660, NULL},
    {NULL, 0, NULL},
};
