/* Rights: who may do what, by the roles and bindings that a server stores: its RBAC authorizer.
 *
 * Nobody is asked by server_call itself: what actors do is their own business. Whoever lets
 * strangers in (the sandbox) asks here first, and again, for watches, with the verb watch. Only
 * what shows itself on the way, that a write is a create, the server asks of a caller that is
 * called a stranger. An answer costs microseconds: the bindings are kept by who they are for, and
 * read anew only after a role or binding has changed. */
#ifndef WORLD_RIGHTS_H
#define WORLD_RIGHTS_H

#include "world/server.h"

#include <stdbool.h>

enum { RIGHTS_GRANTS_MAX = 100000 }; /* a binding to one subject each; those beyond give nothing */

/* What somebody wants to do. NULL is as good as "". */
typedef struct RightsQuestion {
    const char *user;
    const char *const *groups; /* ended by NULL; or NULL */
    const char *verb;          /* "list", "deletecollection", "impersonate", ... */
    const char *group;         /* of the API: "" for core */
    const char *resource;      /* "pods" */
    const char *subresource;   /* "log" */
    const char *namespace;     /* "": the whole cluster */
    const char *name;          /* "": the collection */
    const char *path;          /* of what is no resource: "/metrics"; then the five above are not */
} RightsQuestion;

/* Whether they may. The reason is the real server's, as in the status of a SubjectAccessReview
 * ("RBAC: allowed by ClusterRoleBinding ..."), "" where it gives none. */
bool rights_allow(Server *s, Arena *a, const RightsQuestion *question, const char **ret_reason);

/* The question that a request comes down to. */
RightsQuestion rights_question(Arena *a, const Caller *caller, const Request *request);

/* True when the caller may; else the answer is the 403 of the real server. */
bool rights_admit(
    Server *s, Arena *a, const Caller *caller, const Request *request, Answer *ret_refusal);

/* The 403 itself, for questions that are no Request; the reason may be "" or NULL. */
const Json *rights_refusal(Arena *a, const RightsQuestion *question, const char *reason);

/* Every rule that is somebody's in a namespace, as the JSON of a PolicyRule: borrowed by the
 * visitor for as long as it is called. (That system:masters may everything is no rule.) */
typedef void RightsVisitor(void *self, const Json *rule);
void rights_each(
    Server *s, const Caller *caller, const char *namespace, RightsVisitor *visit, void *self);

/* Makes the roles and bindings that every cluster begins with and that people refer to:
 * cluster-admin, admin, edit, view, system:discovery and others of their kind. What is there
 * already stays as it is. admin, edit and view are empty until somebody sums them up
 * (role_aggregation_open in controllers.h). */
void rights_bootstrap(Server *s);

/* For the server alone. */
typedef struct Rights Rights;
void rights_close(Rights *r);

#endif
