/* Ports that a node serves, in the order in which they are rendered: containers and Service. */
#ifndef SEI_API_PORTS_H
#define SEI_API_PORTS_H

enum {
    EVM_RPC_PORT = 8545,
    EVM_WS_PORT = 8546,
    GRPC_PORT = 9090,
    REST_PORT = 1317,
    RPC_PORT = 26657,
    METRICS_PORT = 26660,
};

typedef struct NodePort {
    const char *name; /* NULL ends the table */
    int number;
    const char *app_protocol; /* of the Service, or NULL */
} NodePort;

extern const NodePort node_ports[];

#endif
