/* Ports that a node serves, in the order in which they are rendered: containers and Service. */
#ifndef SEI_API_PORTS_H
#define SEI_API_PORTS_H

typedef struct NodePort {
    const char *name; /* NULL ends the table */
    int number;
    const char *app_protocol; /* of the Service, or NULL */
} NodePort;

extern const NodePort node_ports[];

#endif
