/* Ports: where the programs of a node's pod listen. */
#ifndef WORLD_PORTS_H
#define WORLD_PORTS_H

enum {
    POD_PORT_PROXY = 8443, /* the proxy in front of the sidecar */
    POD_PORT_RPC = 26657,
    POD_PORT_P2P = 26656,
    POD_PORT_EXPORTER = 9300,
};

#endif
