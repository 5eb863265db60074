/* What the words of scene.h do. Operators are kept in a table, because a failed test leaves by
 * longjmp and could not end its own. */
#include "tests/e2e/scene.h"

#include "tests/e2e/controlplane_parts.h"
#include "tests/e2e/fetch.h"

#include <fcntl.h>
#include <signal.h>

enum { LOG_SHOWN = 4000, LOG_READ_MAX = 32 << 20, ENV_MAX = 64 };

static struct {
    pid_t pids[SCENE_OPERATORS_MAX];
    char logs[SCENE_OPERATORS_MAX][512];
    int started;
} table;

/* --- failing */

static const char *read_file(Arena *a, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char part[65536];
    Buf text = {.ceiling = LOG_READ_MAX};
    ssize_t got;

    while (fd >= 0 && (got = read(fd, part, sizeof part)) > 0)
        if (!buf_append(&text, part, (size_t)got))
            break;
    if (fd >= 0)
        close(fd);
    const char *copy = str_slice(a, text.data ? text.data : "", text.len);
    buf_close(&text);
    return copy;
}

static void show_logs(void)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    for (int i = 0; i < SCENE_OPERATORS_MAX; i++) {
        if (!table.pids[i])
            continue;
        const char *text = read_file(a, table.logs[i]);
        size_t len = strlen(text);
        print_error("operator %d ended its log with:\n%s\n",
            (int)table.pids[i],
            text + (len > LOG_SHOWN ? len - LOG_SHOWN : 0));
    }
}

void scene_check(bool holds, const char *what, const char *file, int line)
{
    if (holds)
        return;
    show_logs();
    test_fail(file, line, "%s", what);
}

bool scene_goes_on(void)
{
    for (int i = 0; i < SCENE_OPERATORS_MAX; i++) {
        siginfo_t ended = {0};
        if (table.pids[i]
            && waitid(P_PID, (id_t)table.pids[i], &ended, WEXITED | WNOHANG | WNOWAIT) == 0
            && ended.si_pid)
            return false;
    }
    return true;
}

Controlplane *scene_begin(Controlplane *cp)
{
    for (int i = 0; i < SCENE_OPERATORS_MAX; i++)
        if (table.pids[i])
            process_kill(table.pids[i]);
    memset(table.pids, 0, sizeof table.pids);
    return cp;
}

/* --- acting */

const char *scene_kubectl(Controlplane *cp, Arena *a, const char *input, const char *const *args)
{
    Kubectl run = {.args = args, .input = input};
    const char *output = NULL;

    then_ok(controlplane_kubectl(cp, a, &run, &output));
    return output;
}

void scene_apply(Controlplane *cp, Arena *a, const char *objects)
{
    scene_kubectl(cp,
        a,
        objects,
        PROCESS_ARGS(
            "apply", "--server-side", "--force-conflicts", "--field-manager=admin", "-f", "-"));
}

void scene_make_namespaces(Controlplane *cp, Arena *a, const char *const *names)
{
    const char *objects = "";

    for (; *names; names++)
        objects = str_format(
            a, "%s---\n{apiVersion: v1, kind: Namespace, metadata: {name: %s}}\n", objects, *names);
    scene_apply(cp, a, objects);
}

static bool is_allowed(Controlplane *cp, const char *user, const char *verb)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Fetch request = controlplane_fetch(cp, a);
    const char *body = NULL;
    const Json *review = NULL;

    request.url = str_format(
        a, "%s/apis/authorization.k8s.io/v1/subjectaccessreviews", controlplane_server(cp));
    request.body = str_format(a,
        "{\"apiVersion\": \"authorization.k8s.io/v1\", \"kind\": \"SubjectAccessReview\","
        " \"spec\": {\"user\": \"%s\", \"resourceAttributes\":"
        " {\"verb\": \"%s\", \"resource\": \"configmaps\"}}}",
        user,
        verb);
    if (fetch(a, &request, &body) != OK || json_parse(a, bytes_of(body), &review) != OK)
        return false;
    return json_bool(review, ".status.allowed", false);
}

static bool is_allowed_exactly(Controlplane *cp, const char *user, const char *verbs)
{
    static const char *const all[] = {"get", "list", "watch", "create", "patch", "delete"};

    for (size_t i = 0; i < array_count(all); i++)
        if (is_allowed(cp, user, all[i]) != (strstr(verbs, all[i]) != NULL))
            return false;
    return true;
}

void scene_allow(Controlplane *cp, Arena *a, const char *user, const char *verbs)
{
    const char *name = str_format(a, "e2e:%s", user);

    scene_apply(cp,
        a,
        str_format(a,
            "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: '%s'},"
            " rules: [\n"
            "  {apiGroups: [''], resources: [configmaps], verbs: [%s]},\n"
            "  {apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch]},\n"
            "  {apiGroups: [coordination.k8s.io], resources: [leases],"
            " verbs: [get, create, update, patch]}]}\n"
            "---\n"
            "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding,"
            " metadata: {name: '%s'},\n"
            " roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: '%s'},\n"
            " subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: '%s'}]}\n",
            name,
            verbs,
            name,
            name,
            user));
    eventually(is_allowed_exactly(cp, user, verbs));
}

const char *scene_user(Controlplane *cp, Arena *a, const char *user, const char *server)
{
    const char *path = NULL;

    then_ok(controlplane_kubeconfig(cp, a, &(Identity){.user = user, .server = server}, &path));
    scene_allow(cp, a, user, SCENE_VERBS);
    return path;
}

/* --- seeing */

const Json *scene_get(Controlplane *cp, Arena *a, const char *path)
{
    Fetch request = controlplane_fetch(cp, a);
    const char *body = NULL;
    const Json *object = NULL;

    request.url = str_format(a, "%s%s", controlplane_server(cp), path);
    if (fetch(a, &request, &body) != OK)
        return NULL;
    then_ok(json_parse(a, bytes_of(body), &object));
    return object;
}

bool scene_has(Controlplane *cp, const char *path)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    return scene_get(cp, a, path) != NULL;
}

AuditLog scene_audit(Controlplane *cp, Arena *a, int64_t mark)
{
    AuditLog log = {0};

    then_ok(audit_read(a, controlplane_audit_log(cp), mark, &log));
    return log;
}

int64_t scene_mark(Controlplane *cp)
{
    return audit_mark(controlplane_audit_log(cp));
}

size_t scene_writes(const AuditLog *log, const char *user)
{
    static const char *const verbs[] = {"create", "update", "patch", "delete", "deletecollection"};
    size_t count = 0;

    for (size_t i = 0; i < array_count(verbs); i++)
        count += audit_count(log, &(AuditLine){.user = user, .verb = verbs[i]});
    return count;
}

/* --- operators */

static void forget(const Operator *op)
{
    for (int i = 0; i < SCENE_OPERATORS_MAX; i++)
        if (table.pids[i] == op->pid)
            table.pids[i] = 0;
}

/* What every program gets, and what this one gets beside it. */
static const char *const *environment(Arena *a, const Operator *op, const OperatorOptions *options)
{
    const char **env = arena_array(a, const char *, ENV_MAX);
    int count = 0;

    env[count++] = str_format(a, "KUBECONFIG=%s", options->kubeconfig);
    env[count++] = str_format(a, "COPIER_PORT_FILE=%s", op->port_file);
    env[count++] = "PATH=/usr/bin:/bin";
    for (const char *const *more = options->env; more && *more; more++) {
        then_true(count < ENV_MAX - 1);
        env[count++] = *more;
    }
    return env;
}

Operator operator_start(Controlplane *cp, Arena *a, const OperatorOptions *options)
{
    const char *stem = str_format(a, "%s/operator-%d", controlplane_folder(cp), ++table.started);
    Operator op = {
        .log = str_format(a, "%s.log", stem),
        .port_file = str_format(a, "%s.port", stem),
    };
    ProcessOptions process = {
        .program = options->program ? options->program : COPIER_PROGRAM,
        .args = options->args,
        .env = environment(a, &op, options),
        .log = op.log,
    };
    int place = 0;

    while (place < SCENE_OPERATORS_MAX && table.pids[place])
        place++;
    if (place == SCENE_OPERATORS_MAX)
        fail_msg("too many operators");
    then_ok(process_start(a, &process, &op.pid));
    table.pids[place] = op.pid;
    snprintf(table.logs[place], sizeof table.logs[place], "%s", op.log);
    return op;
}

/* How ThreadSanitizer ends a process that it caught; what it has to say is in the operator's log.
 */
enum { SANITIZER_EXIT = 66 };

int operator_wait(Operator *op)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    int status = 0;
    Err *err = process_wait(a, op->pid, SCENE_SOON_MS, &status);

    bool caught = !err && WIFEXITED(status) && WEXITSTATUS(status) == SANITIZER_EXIT;
    scene_check(!err, "the operator did not end", __FILE__, __LINE__);
    scene_check(!caught, "a sanitizer ended the operator", __FILE__, __LINE__);
    forget(op);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int operator_end(Operator *op)
{
    kill(op->pid, SIGTERM);
    return operator_wait(op);
}

void operator_kill(Operator *op)
{
    process_kill(op->pid);
    forget(op);
}

const char *operator_log(const Operator *op, Arena *a)
{
    return read_file(a, op->log);
}

bool operator_said(const Operator *op, const char *text)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    return strstr(read_file(a, op->log), text) != NULL;
}

const char *operator_page(const Operator *op, Arena *a, const char *path)
{
    const char *port = read_file(a, op->port_file), *body = NULL;
    Fetch request = {.url = str_format(a, "http://127.0.0.1:%s%s", port, path)};

    if (str_empty(port) || fetch(a, &request, &body) != OK)
        return NULL;
    return body;
}

double operator_metric(const Operator *op, const char *name)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *line = operator_page(op, a, "/metrics");
    size_t len = strlen(name);
    double sum = 0;

    if (!line)
        return -1;
    for (; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, name, len) != 0 || (line[len] != ' ' && line[len] != '{'))
            continue;
        const char *end = strchr(line, '\n');
        const char *row = str_slice(a, line, end ? (size_t)(end - line) : strlen(line));
        sum += strtod(strrchr(row, ' ') + 1, NULL);
    }
    return sum;
}

bool operator_is_ready(const Operator *op)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    return operator_page(op, a, "/readyz") != NULL;
}
