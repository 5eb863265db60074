/* Installed: the words of tests that install, upgrade and remove the operator on a real control
 * plane, and look at what is left. The operator itself runs beside the cluster, as the account that
 * the package makes; the pods of its Deployment are the player's. */
#ifndef TESTS_E2E_INSTALLED_H
#define TESTS_E2E_INSTALLED_H

#include "tests/e2e/nodes.h"

#define INSTALLED_CLAIM "data-rpc" /* of the node rpc */

/* A control plane that knows Deployments and disruption budgets, too. */
Controlplane *installed_controlplane(void);

/* The path of a file of the source. */
const char *installed_source(Arena *a, const char *path);

/* The Deployment has come up as it is written. */
void installed_wait(const Nodes *n, Arena *a);

/* Its image. */
const char *installed_image(const Nodes *n, Arena *a);

/* What a file installs, as the next version of it might: another image, another port of the API
 * server, metrics that are read more often. */
#define INSTALLED_NEXT_IMAGE "example/sei-operator:next"
const char *installed_next(Arena *a, const char *path);

/* SeiNodes are a kind of the cluster. */
bool installed_serves(const Nodes *n);

/* The volume behind the node's claim is there, bound, and nobody wants it gone. */
bool installed_volume_is_whole(const Nodes *n, const char *claim_uid);

/* The SeiNode rpc, made and settled; the uid of its claim. */
const char *installed_node(const Nodes *n);

#endif
