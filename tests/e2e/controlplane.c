/* The life of a control plane: an address, a folder, three processes, and the end of all of it. */
#include "tests/e2e/controlplane.h"

#include "base/str.h"
#include "tests/e2e/controlplane_parts.h"
#include "tests/e2e/deadline.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CONTROLPLANE_ARENA_MAX = 1 << 20,
    CONTROLPLANE_CALL_ARENA_MAX = 16 << 20,
    CONTROLPLANE_BUILD_MS = 30 * 60 * 1000, /* a cold one on a slow machine */
    CONTROLPLANE_READY_MS = 60 * 1000,      /* on a machine that is busy with other things */
    CONTROLPLANE_STOP_MS = 75 * 1000, /* an API server waits a minute for requests under way */
    CONTROLPLANE_PROBE_MS = 2000,
    CONTROLPLANE_LOG_TAIL = 4096,
    CONTROLPLANE_ADDRESS_TRIES = 100,
};

/* The controller manager says that it is well before it does anything: it is ready when it lists
 * the controllers that it has started. */
static const struct {
    const char *name;
    int port;
    const char *ready_path, *ready_phrase;
} components[COMPONENT_COUNT] = {
    [COMPONENT_ETCD] = {"etcd", CONTROLPLANE_ETCD_PORT, "/health", "true"},
    [COMPONENT_APISERVER] = {"kube-apiserver", CONTROLPLANE_PORT, "/readyz", "ok"},
    [COMPONENT_CONTROLLER_MANAGER] = {"kube-controller-manager",
        CONTROLPLANE_MANAGER_PORT,
        "/healthz?verbose",
        "[+]statefulset-controller ok"},
};

const char *component_name(Component component)
{
    return components[component].name;
}

const char *controlplane_folder(const Controlplane *cp)
{
    return cp->folder;
}

const char *controlplane_binaries(const Controlplane *cp)
{
    return cp->binaries;
}

const char *controlplane_address(const Controlplane *cp)
{
    return cp->address;
}

const char *controlplane_server(const Controlplane *cp)
{
    return cp->server;
}

const char *controlplane_audit_log(const Controlplane *cp)
{
    return cp->audit_log;
}

const char *controlplane_admin(const Controlplane *cp)
{
    return cp->admin;
}

pid_t controlplane_pid(const Controlplane *cp, Component component)
{
    return cp->pids[component];
}

/* Shows people the end of a component's log. */
static void print_log(Controlplane *cp, Arena *a, Component component)
{
    const char *path = str_format(a, "%s/%s.log", cp->folder, component_name(component));
    char tail[CONTROLPLANE_LOG_TAIL + 1] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (lseek(fd, -CONTROLPLANE_LOG_TAIL, SEEK_END) < 0)
        lseek(fd, 0, SEEK_SET);
    if (read(fd, tail, CONTROLPLANE_LOG_TAIL) >= 0)
        fprintf(stderr, "--- the end of %s:\n%s\n---\n", path, tail);
    close(fd);
}

/* One look: OK, or why it is not ready. */
static Err *probe(Controlplane *cp, Arena *a, Component component)
{
    Fetch request = controlplane_fetch(cp, a);
    const char *answer;

    request.url =
        controlplane_url(cp, a, components[component].port, components[component].ready_path);
    request.timeout_ms = CONTROLPLANE_PROBE_MS;
    TRY(fetch(a, &request, &answer));
    if (!strstr(answer, components[component].ready_phrase))
        return err_wait(a, "%s: %s", request.url, answer);
    return OK;
}

Err *controlplane_wait_ready(Controlplane *cp, Arena *a, Component component, int64_t timeout_ms)
{
    SCOPED_ARENA scratch = arena_open(CONTROLPLANE_CALL_ARENA_MAX);
    Deadline deadline = deadline_in_ms(timeout_ms);
    int status;
    Err *err;

    do {
        arena_reset(scratch);
        err = probe(cp, scratch, component);
        if (!err)
            return OK;
        if (cp->pids[component] && process_has_ended(cp->pids[component], &status)) {
            cp->pids[component] = 0;
            return err_failed(a, "%s ended instead of becoming ready", component_name(component));
        }
    } while (deadline_wait(&deadline));
    return err_wait(a,
        "%s is not ready after %lld ms: %s",
        component_name(component),
        (long long)timeout_ms,
        err_text(a, err));
}

static Err *start_one(Controlplane *cp, Arena *a, Component component)
{
    const char *name = component_name(component);
    ProcessOptions options = {
        .program = str_format(a, "%s/%s", cp->binaries, name),
        .args = controlplane_flags(cp, a, component),
        .env = PROCESS_ARGS(str_format(a, "HOME=%s", cp->folder),
            "PATH=/usr/bin:/bin",
            CONTROLPLANE_FEW_COLLECTIONS),
        .folder = cp->folder,
        .log = str_format(a, "%s/%s.log", cp->folder, name),
    };
    Err *err;

    TRY(process_start(a, &options, &cp->pids[component]));
    err = controlplane_wait_ready(cp, a, component, CONTROLPLANE_READY_MS);
    if (err)
        print_log(cp, a, component);
    return err ? err_failed(a, "%s", err_text(a, err)) : OK;
}

Err *controlplane_start(Controlplane *cp, Arena *a, Component component)
{
    int status;

    if (cp->pids[component])
        return err_terminal(a, "%s is running already", component_name(component));
    TRY(start_one(cp, a, component));
    for (Component other = 0; other < COMPONENT_COUNT; other++)
        if (cp->pids[other] && process_has_ended(cp->pids[other], &status))
            TRY(start_one(cp, a, other));
    return OK;
}

Err *controlplane_stop(Controlplane *cp, Arena *a, Component component)
{
    pid_t pid = cp->pids[component];
    int status;

    if (!pid)
        return OK;
    kill(pid, SIGTERM);
    kill(pid, SIGCONT); /* or one that is paused would never hear it */
    TRY(process_wait(a, pid, CONTROLPLANE_STOP_MS, &status));
    cp->pids[component] = 0;
    return OK;
}

void controlplane_kill(Controlplane *cp, Component component)
{
    if (cp->pids[component])
        process_kill(cp->pids[component]);
    cp->pids[component] = 0;
}

void controlplane_pause(Controlplane *cp, Component component)
{
    if (cp->pids[component])
        kill(cp->pids[component], SIGSTOP);
}

void controlplane_resume(Controlplane *cp, Component component)
{
    if (cp->pids[component])
        kill(cp->pids[component], SIGCONT);
}

/* A socket that is bound to a port, or -1 when another has it. */
static int bind_port(uint32_t address, int port)
{
    struct sockaddr_in name = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(address),
        .sin_port = htons((uint16_t)port),
    };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && bind(fd, (struct sockaddr *)&name, sizeof(name)) == 0)
        return fd;
    close(fd);
    return -1;
}

static bool can_listen(uint32_t address, int port)
{
    int fd = bind_port(address, port);

    close(fd);
    return fd >= 0;
}

/* Claims a network 127.N.0.0/16 for this control plane: the player gives its addresses to pods. A
 * bound port is the claim, so that it ends with this process. -1 when another one has the network.
 */
static int claim_network(uint32_t address)
{
    return bind_port((address & UINT32_C(0xffff0000)) | UINT32_C(0xfffe), CONTROLPLANE_CLAIM_PORT);
}

/* A random address of 127.64/10, away from 127.0.0.1 and from the low ones that people pick. */
static uint32_t random_address(const ControlplaneOptions *options)
{
    uint32_t chance = 0;

    if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
        return 0;
    if (options->network)
        chance = (chance & UINT32_C(0xffff)) | (uint32_t)(options->network & 0x3f) << 16;
    return UINT32_C(0x7f400000) | (chance & UINT32_C(0x003fffff));
}

/* Takes an address in a network that no other control plane of this machine has. */
static bool claim_address(Controlplane *cp, uint32_t address)
{
    bool usable = (address & 0xff) != 0 && (address & 0xff) != 0xff;

    for (int c = 0; c < COMPONENT_COUNT; c++)
        usable = usable && can_listen(address, components[c].port);
    cp->claim = usable ? claim_network(address) : -1;
    return cp->claim >= 0;
}

static Err *choose_address(Controlplane *cp, Arena *a)
{
    for (int i = 0; i < CONTROLPLANE_ADDRESS_TRIES; i++) {
        uint32_t address = random_address(&cp->options);

        if (!claim_address(cp, address))
            continue;
        cp->address = str_format(
            cp->arena, "127.%u.%u.%u", address >> 16 & 0xff, address >> 8 & 0xff, address & 0xff);
        return OK;
    }
    return err_failed(a, "found no free network in 127.64.0.0/10");
}

/* The folder of the binaries, building them when this machine has none yet. */
Err *controlplane_find_binaries(Arena *a, const char **ret)
{
    ProcessOptions build = {
        .program = CONTROLPLANE_BUILD,
        .timeout_ms = CONTROLPLANE_BUILD_MS,
    };
    const char *output;

    TRY(process_run(a, &build, &output));
    *ret = str_slice(a, output, strcspn(output, "\n"));
    return OK;
}

static Err *prepare(Controlplane *cp, Arena *a)
{
    const char *parent = cp->options.parent;

    if (!parent)
        parent = getenv("TMPDIR");
    TRY(controlplane_find_binaries(cp->arena, &cp->binaries));
    TRY(choose_address(cp, a));
    TRY(folder_open(cp->arena, parent ? parent : "/tmp", &cp->home));
    cp->folder = folder_path(cp->home);
    cp->server = controlplane_url(cp, cp->arena, CONTROLPLANE_PORT, "");
    cp->audit_log = controlplane_file(cp, cp->arena, "audit.log");
    return controlplane_furnish(cp, a);
}

static Err *start_all(Controlplane *cp, Arena *a)
{
    for (Component c = 0; c < COMPONENT_COUNT; c++)
        TRY(controlplane_start(cp, a, c));
    return OK;
}

Err *controlplane_open(Arena *a, const ControlplaneOptions *options, Controlplane **ret)
{
    Arena *arena = arena_open(CONTROLPLANE_ARENA_MAX);
    Controlplane *cp = arena_new(arena, Controlplane);
    Err *err;

    cp->arena = arena;
    cp->owner = getpid();
    cp->options = *options;
    cp->claim = -1;
    err = prepare(cp, a);
    if (!err)
        err = start_all(cp, a);
    if (err) {
        err = err_copy(a, err);
        controlplane_close(cp);
        return err_wrap(a, err, "starting the control plane");
    }
    *ret = cp;
    return OK;
}

void controlplane_close(Controlplane *cp)
{
    Arena *arena = cp ? cp->arena : NULL;

    if (!cp)
        return;
    for (int c = COMPONENT_COUNT - 1; c >= 0; c--)
        controlplane_kill(cp, (Component)c);
    folder_close(cp->home, cp->options.keep);
    close(cp->claim);
    arena_close(arena);
}

static Controlplane *shared;

/* A child that the test forked exits, too; the control plane is not its own. */
static void close_shared(void)
{
    if (shared->owner == getpid())
        controlplane_close(shared);
}

Controlplane *controlplane_shared_with(const ControlplaneOptions *options)
{
    SCOPED_ARENA a = arena_open(CONTROLPLANE_CALL_ARENA_MAX);
    Err *err;

    if (shared)
        return shared;
    err = controlplane_open(a, options, &shared);
    if (err) {
        fprintf(stderr, "%s\n", err_text(a, err));
        exit(1);
    }
    atexit(close_shared);
    return shared;
}

Controlplane *controlplane_shared(void)
{
    return controlplane_shared_with(&(ControlplaneOptions){0});
}
