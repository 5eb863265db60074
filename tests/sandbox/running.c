/* Running: started, found through its kubeconfig, ended. */
#include "tests/sandbox/running.h"

#include "kube/client/file.h"
#include "kube/client/yaml.h"
#include "kube/meta.h"
#include "sei/api/node.h"
#include "tests/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

enum { FILE_MAX = 1 << 20, NETWORKS = 60 };

static const char *read_text(Arena *a, const char *path)
{
    Buf text = {.ceiling = FILE_MAX};
    const Err *err = file_read(a, path, &text, NULL);
    const char *copy = err || !text.data ? "" : str_copy(a, text.data);

    buf_close(&text);
    return copy;
}

static void connect_client(Running *r)
{
    Config config;
    Transport *transport;

    then_ok(config_load(r->arena, &(ConfigSource){.path = r->kubeconfig}, &config));
    then_ok(
        client_open(r->arena, &config, &(ClientOptions){.user_agent = "running/1"}, &r->client));
    transport = client_transport(r->client);
    r->api = transport->open_api(transport);
    then_true(str_to_int(strrchr(transport->host, ':') + 1, &r->port));
}

static void disconnect_client(Running *r)
{
    if (!r->client)
        return;
    client_transport(r->client)->close_api(client_transport(r->client), r->api);
    client_close(r->client);
    r->client = NULL;
}

bool running_has_said(Running *r, const char *words)
{
    SCOPED_ARENA a = arena_open(FILE_MAX * 2);

    return strstr(read_text(a, r->log), words) != NULL;
}

void running_start(Running *r)
{
    Deadline d = deadline_in_ms(RUNNING_WAIT_MS);

    unlink(r->log);
    then_ok(process_start(r->arena,
        &(ProcessOptions){.program = r->program,
            .args = r->args,
            .folder = folder_path(r->folder),
            .log = r->log},
        &r->pid));
    while (!running_has_said(r, " is ready") && deadline_wait(&d))
        if (process_has_ended(r->pid, NULL))
            fail_msg("the sandbox did not start: %s", read_text(r->arena, r->log));
    then_true(deadline_left_ms(&d) > 0);
    connect_client(r);
}

void running_open(Running *r, const char *program, const char *const *args)
{
    size_t count = 0;

    *r = (Running){.arena = arena_open(256 << 20), .program = program};
    then_ok(folder_open(r->arena, "/tmp", &r->folder));
    r->kubeconfig = str_format(r->arena, "%s/kubeconfig", folder_path(r->folder));
    r->log = str_format(r->arena, "%s/log", folder_path(r->folder));
    r->args[count++] = "up";
    r->args[count++] = "--port=0";
    r->args[count++] = str_format(r->arena, "--kubeconfig=%s", r->kubeconfig);
    r->args[count++] = str_format(r->arena, "--network=%d", 2 + getpid() % NETWORKS);
    for (; *args; args++)
        r->args[count++] = *args;
    running_start(r);
}

int running_stop(Running *r, int number)
{
    int status = 0;

    disconnect_client(r);
    kill(r->pid, number);
    then_ok(process_wait(r->arena, r->pid, RUNNING_WAIT_MS, &status));
    r->pid = 0;
    return status;
}

void running_close(Running *r)
{
    disconnect_client(r);
    if (r->pid)
        process_kill(r->pid);
    folder_close(r->folder, false);
    arena_close(r->arena);
}

static const Kind *kind_of(const Json *object)
{
    const char *version = json_str(object, ".apiVersion"), *name = json_str(object, ".kind");

    if (str_eq(name, kind_seinode->name))
        return kind_seinode;
    if (str_eq(name, kind_seinodedeployment->name))
        return kind_seinodedeployment;
    return kind_find(version, name);
}

void running_create(Running *r, const char *file)
{
    const char *root = getenv("SEI_SOURCE_ROOT"); /* NOLINT(concurrency-mt-unsafe) */
    const char *text = read_text(r->arena, str_format(r->arena, "%s/%s", root ? root : ".", file));

    while (*text) {
        const char *end = strstr(text, "\n---\n");
        const Json *object;
        then_ok(yaml_parse(
            r->arena, end ? str_slice(r->arena, text, (size_t)(end - text)) : text, &object));
        const Kind *kind = kind_of(object);
        if (!kind)
            fail_msg("%s holds a kind that is not known", file);
        const char *namespace = meta_namespace(object) ? meta_namespace(object) : "default";
        then_ok(api_call(r->api,
            r->arena,
            &(Request){.verb = VERB_CREATE,
                .kind = kind,
                .key = {kind->namespaced ? namespace : NULL, meta_name(object)},
                .body = object},
            NULL));
        text = end ? end + strlen("\n---\n") : "";
    }
}

int running_dial(const Running *r)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_addr = {htonl(INADDR_LOOPBACK)},
        .sin_port = htons((uint16_t)r->port),
    };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}
