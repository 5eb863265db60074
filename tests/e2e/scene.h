/* Scene: the words in which scenarios are told. A control plane, operators on it, and what one sees
 * of both. Whatever fails here fails the test and shows what the operators wrote.
 *
 *     Controlplane *cp = scene_begin(controlplane_shared());
 *     Operator op = operator_start(cp, a, &(OperatorOptions){.kubeconfig = config});
 *     kubectl(cp, a, "delete", "configmap", "x", "-n", "red");
 *     eventually(scene_has(cp, "/api/v1/namespaces/red/configmaps/x"));
 *     then_int(operator_end(&op), 0);
 *
 * What is seen comes by plain HTTP as the admin, never through the client under test. */
#ifndef TESTS_E2E_SCENE_H
#define TESTS_E2E_SCENE_H

#include "tests/e2e/audit.h"
#include "tests/e2e/controlplane.h"
#include "tests/e2e/deadline.h"
#include "tests/test.h"

enum {
    SCENE_ARENA_MAX = 512 << 20,
    SCENE_SOON_MS = 60000, /* what another process must do has this long, on a busy machine */
    SCENE_OPERATORS_MAX = 64,
};

/* Waits until the condition holds; the test fails when it never does, and as soon as an operator
 * ends that nobody asked to. */
#define eventually(condition) eventually_in(SCENE_SOON_MS, condition)

/* The same for what takes so long that it needs more time. */
#define eventually_in(limit_ms, condition)                                                         \
    do {                                                                                           \
        Deadline soon = deadline_in_ms(limit_ms);                                                  \
        bool holds = (condition);                                                                  \
        while (!holds && scene_goes_on() && deadline_wait(&soon))                                  \
            holds = (condition);                                                                   \
        scene_check(holds, "never came true: " #condition, __FILE__, __LINE__);                    \
    } while (0)

/* For the macro above: every operator still runs; fails the test after showing the operators' logs.
 */
bool scene_goes_on(void);
void scene_check(bool holds, const char *what, const char *file, int line);

/* Begins a scenario: ends operators that a failed one left behind. Gives back the control plane. */
Controlplane *scene_begin(Controlplane *cp);

/* --- acting as the admin */

/* kubectl(cp, a, "get", "pods"): what it printed. */
#define kubectl(cp, a, ...) scene_kubectl((cp), (a), NULL, PROCESS_ARGS(__VA_ARGS__))
const char *scene_kubectl(Controlplane *cp, Arena *a, const char *input, const char *const *args);

/* kubectl apply of these objects, in JSON or YAML. */
void scene_apply(Controlplane *cp, Arena *a, const char *objects);

/* Makes namespaces; the list ends with NULL. */
#define scene_namespaces(cp, a, ...) scene_make_namespaces((cp), (a), PROCESS_ARGS(__VA_ARGS__))
void scene_make_namespaces(Controlplane *cp, Arena *a, const char *const *names);

/* Lets a user do with ConfigMaps exactly these verbs ("get,list"), with Events and Leases what a
 * manager needs; returns when the server knows. */
void scene_allow(Controlplane *cp, Arena *a, const char *user, const char *verbs);

/* All that the copier needs. */
#define SCENE_VERBS "get,list,watch,create,patch,delete"

/* A kubeconfig of a user by certificate, with those rights; `server` as in Identity. */
const char *scene_user(Controlplane *cp, Arena *a, const char *user, const char *server);

/* --- seeing as the admin */

/* The object at a path, or NULL when there is none or no answer. */
const Json *scene_get(Controlplane *cp, Arena *a, const char *path);
bool scene_has(Controlplane *cp, const char *path);

/* The lines of the audit log from a mark on. */
AuditLog scene_audit(Controlplane *cp, Arena *a, int64_t mark);
int64_t scene_mark(Controlplane *cp);

/* How often a user changed something, or tried to, since a mark. */
size_t scene_writes(const AuditLog *log, const char *user);

/* --- operators */

typedef struct OperatorOptions {
    const char *program;    /* NULL: the copier with knobs, copier_main.c */
    const char *kubeconfig; /* whom it is there as */
    const char *const *args;
    const char *const *env; /* more of it, "NAME=value" each, ended by NULL; or NULL */
} OperatorOptions;

typedef struct Operator {
    pid_t pid;
    const char *log;       /* what it writes */
    const char *port_file; /* of the copier: where it says on which port it serves */
} Operator;

Operator operator_start(Controlplane *cp, Arena *a, const OperatorOptions *options);

/* Asks it to end (SIGTERM) and gives its exit code; 128 + the signal that ended it. */
int operator_end(Operator *op);

/* Waits until it has ended by itself, and gives the same. */
int operator_wait(Operator *op);

/* Ends it at once (SIGKILL). */
void operator_kill(Operator *op);

/* What it wrote so far; and whether that has this text. */
const char *operator_log(const Operator *op, Arena *a);
bool operator_said(const Operator *op, const char *text);

/* What it answers at a path of its own, or NULL. */
const char *operator_page(const Operator *op, Arena *a, const char *path);

/* The sum of all rows of a metric; -1 without an answer, 0 without a row. */
double operator_metric(const Operator *op, const char *name);

/* readyz says yes. */
bool operator_is_ready(const Operator *op);

#endif
