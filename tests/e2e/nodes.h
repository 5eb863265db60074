/* Nodes: a namespace of SeiNodes on a real control plane. The player plays their machines, many
 * times faster than ours; the real operator is there as its own ServiceAccount, with the rights of
 * deploy/rbac and no others, and looks at this namespace alone.
 *
 *     Nodes n = nodes_open(a, controlplane_shared(), "birth");
 *     nodes_create(&n, "rpc", "{}");
 *     eventually(nodes_settled(&n, "rpc"));
 *     nodes_close(&n);
 *
 * One player serves all tests of a program: what is on the volumes lives in it. */
#ifndef TESTS_E2E_NODES_H
#define TESTS_E2E_NODES_H

#include "tests/e2e/scene.h"

#define NODES_OPERATOR "system:serviceaccount:sei-system:sei-operator"

typedef struct Nodes {
    Controlplane *cp;
    Arena *arena;
    const char *namespace;
    /* Where its metrics are served securely, and the folder with tls.crt and tls.key; NULL: nowhere
     * and none. They count from the next start of the operator. */
    const char *metrics, *certificate;
    Operator op;
} Nodes;

/* Makes the namespace, and starts the operator; the first call installs what it needs. */
Nodes nodes_open(Arena *a, Controlplane *cp, const char *namespace);

/* Goes back to a namespace that an earlier test has opened and closed: everything is as it was
 * left.
 */
Nodes nodes_return(Arena *a, Controlplane *cp, const char *namespace);

/* Ends the operator, which must end well. The nodes stay. */
void nodes_close(Nodes *n);

/* Starts the operator, after its last one has ended, with a setting that differs from the usual
 * ("SEI_RESOURCE_CPU_DEFAULT=8") or NULL; returns when it works. */
void nodes_start_operator(Nodes *n, const char *setting);

/* Starts another operator beside it, which does not lead and works only when the first has lost the
 * lease; returns when it is there. */
Operator nodes_start_standby(const Nodes *n, const char *identity);

/* The operator of the namespace is this one from now on. */
void nodes_hand_over(Nodes *n, Operator to);

/* Installs the kinds, the rights and the operator's token anew, after somebody took them away. */
void nodes_install_again(const Nodes *n);

/* The operator is dead; no test is wrong because of it. */
void nodes_kill_operator(Nodes *n);

/* From now on a new player plays, at this speed ("1": ours), on empty disks; or nobody does (NULL),
 * and pods stay as their controllers made them. */
void nodes_play(Nodes *n, const char *speed);

/* --- a person */

/* A full node with the image seid:v1 and these annotations ({'a': 'b'}). */
void nodes_create(const Nodes *n, const char *name, const char *annotations);

/* Applies a merge patch, in relaxed JSON. */
void nodes_patch(const Nodes *n, const char *plural, const char *name, const char *change);
void nodes_set_image(const Nodes *n, const char *name, const char *tag);
void nodes_delete(const Nodes *n, const char *plural, const char *name, const char *cascade);

/* Tells the player (world/order.h) about the pod of a node; returns when it has obeyed. */
void nodes_order(const Nodes *n, const char *verb, const char *node, const char *rest);
/* Or about anything. */
void nodes_order_line(const Nodes *n, const char *line);

/* --- what there is */

/* An object in the namespace, or NULL; "pods", "seinodes", ... */
const Json *nodes_find(const Nodes *n, Arena *a, const char *plural, const char *name);
bool nodes_have(const Nodes *n, const char *plural, const char *name);

/* Its uid, or "" without one; and whether there is one now, of another uid. */
const char *nodes_uid(const Nodes *n, const char *plural, const char *name);
bool nodes_is_new(const Nodes *n, const char *plural, const char *name, const char *old_uid);

/* A text in an object is this. */
bool nodes_say(
    const Nodes *n, const char *plural, const char *name, const char *path, const char *want);

/* A condition of an object has this status and reason, NULL for any, and speaks of the newest
 * generation. */
bool nodes_is_so(const Json *object, const char *type, const char *status, const char *reason);

/* The same of a SeiNode by its name. */
bool nodes_condition(
    const Nodes *n, const char *name, const char *type, const char *status, const char *reason);
/* And what it says, "" without it. */
const char *nodes_message(const Nodes *n, const char *name, const char *type);

/* Running, Ready and up to date, as far as the newest generation goes, and no plan is left. */
bool nodes_settled(const Nodes *n, const char *name);

/* How many tasks of a type the sidecar of a node was ever given; all types but that one when it
 * begins with '!'. -1 when it does not answer. */
int nodes_tasks(const Nodes *n, const char *name, const char *type);

/* Gives the sidecar of a node a task, as somebody else than the operator; false when it does not
 * take it. */
bool nodes_give_task(const Nodes *n, const char *name, const char *task);

/* --- what the operator asked for */

/* Requests of the operator since a mark, leases apart; of a verb and a resource, NULL for any. */
size_t nodes_requests(const Nodes *n, int64_t mark, const char *verb, const char *resource);

#endif
