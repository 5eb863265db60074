/* The ports of seid, on every mode. */
#include "sei/api/ports.h"

#include <stddef.h>

const NodePort node_ports[] = {
    {"evm-rpc", 8545, NULL},
    {"evm-ws", 8546, NULL},
    {"grpc", 9090, "kubernetes.io/h2c"},
    {"rest", 1317, NULL},
    {"p2p", 26656, NULL},
    {"rpc", 26657, NULL},
    {"metrics", 26660, NULL},
    {NULL, 0, NULL},
};
