/* The scripted server. It knows when the client has read what was sent without asking the client:
 * both ends are on this machine, so the kernel's table of connections shows the client's queue. */
#include "tests/kube/client/hostile.h"

#include "base/str.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REQUEST_MAX = 8 << 20, NOTE_MAX = 16 << 10 };

struct Hostile {
    pid_t pid;
    int notes;
    char address[32];
};

typedef struct Wire {
    int fd;
    SSL *ssl;
} Wire;

typedef struct Server {
    int listener;
    int notes;
    SSL_CTX *tls;
    Wire wires[HOSTILE_WIRES];
} Server;

/* --- notes: length and bytes --- */

static void note(const Server *s, const char *text, size_t len)
{
    uint32_t size = (uint32_t)(len < NOTE_MAX ? len : NOTE_MAX);

    if (write(s->notes, &size, sizeof size) < 0 || write(s->notes, text, size) < 0)
        _exit(1);
}

static bool read_whole(int fd, void *ret, size_t len)
{
    size_t done = 0;

    while (done < len) {
        ssize_t got = read(fd, (char *)ret + done, len - done);
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

const char *hostile_next(Arena *a, Hostile *h)
{
    uint32_t size;

    if (!read_whole(h->notes, &size, sizeof size))
        return NULL;
    char *text = arena_alloc(a, size + 1);
    return read_whole(h->notes, text, size) ? text : NULL;
}

/* --- bytes on a wire --- */

static ssize_t wire_read(const Wire *w, char *ret, size_t len)
{
    return w->ssl ? SSL_read(w->ssl, ret, (int)len) : read(w->fd, ret, len);
}

static bool wire_write(const Wire *w, const char *bytes, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t sent = w->ssl ? SSL_write(w->ssl, bytes + done, (int)(len - done))
                              : send(w->fd, bytes + done, len - done, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        done += (size_t)sent;
    }
    return true;
}

static void end_address(int fd, bool peer, char ret[16])
{
    struct sockaddr_in in = {0};
    socklen_t len = sizeof in;

    if (peer)
        getpeername(fd, (struct sockaddr *)&in, &len);
    else
        getsockname(fd, (struct sockaddr *)&in, &len);
    snprintf(ret, 16, "%08X:%04X", in.sin_addr.s_addr, ntohs(in.sin_port));
}

/* Bytes that the client has not read yet; 0 also when it has gone. */
static unsigned long client_queue(const Wire *w)
{
    char ends[40], ours[16], theirs[16], line[256];
    FILE *table = fopen("/proc/self/net/tcp", "r");
    const char *row = NULL;

    end_address(w->fd, false, ours);
    end_address(w->fd, true, theirs);
    snprintf(ends, sizeof ends, "%s %s ", theirs, ours);
    while (table && !row && fgets(line, sizeof line, table))
        row = strstr(line, ends);
    if (table)
        fclose(table);
    /* Behind the ends: the state, and both queues in hex. */
    const char *queue = row ? strchr(row + strlen(ends), ':') : NULL;
    return queue ? strtoul(queue + 1, NULL, 16) : 0;
}

/* Not "until it is acknowledged": the client's kernel takes its time with that. */
static void await_taken(const Wire *w)
{
    while (client_queue(w) > 0)
        sched_yield();
}

/* --- the steps --- */

typedef void (*TakeStep)(Server *s, Wire *w, const Step *step);

static size_t text_len(const Step *step)
{
    return step->len ? step->len : strlen(step->text);
}

static void take_accept(Server *s, Wire *w, const Step *step)
{
    int on = 1;
    (void)step;

    w->fd = accept(s->listener, NULL, NULL);
    setsockopt(w->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (!s->tls)
        return;
    w->ssl = SSL_new(s->tls);
    SSL_set_fd(w->ssl, w->fd);
    if (SSL_accept(w->ssl) != 1) {
        note(s, "no TLS", strlen("no TLS"));
        return;
    }
    X509 *client = SSL_get0_peer_certificate(w->ssl);
    if (client) {
        char name[256];
        X509_NAME_oneline(X509_get_subject_name(client), name, sizeof name);
        note(s, name, strlen(name));
    }
}

/* Bytes that the request will have in all, once its head is whole; else 0. */
static size_t request_size(const char *text)
{
    const char *end = strstr(text, "\r\n\r\n");
    const char *length = strcasestr(text, "\r\nContent-Length:");

    if (!end)
        return 0;
    size_t body = length && length < end ? strtoul(length + 17, NULL, 10) : 0;
    return (size_t)(end - text) + 4 + body;
}

static void take_request(Server *s, Wire *w, const Step *step)
{
    Buf text = {.ceiling = REQUEST_MAX};
    size_t size = 0;
    char piece[4096];
    (void)step;

    while (size == 0 || text.len < size) {
        size_t left = size - text.len;
        ssize_t got = wire_read(w,
            piece,
            size == 0                 ? 1
                : left < sizeof piece ? left
                                      : sizeof piece);
        if (got <= 0 || !buf_append(&text, piece, (size_t)got))
            break;
        size = size ? size : request_size(text.data);
    }
    if (text.len > 0)
        note(s, text.data, text.len);
    buf_close(&text);
}

static void take_bytes(Server *s, Wire *w, const Step *step)
{
    struct pollfd arrives = {.fd = w->fd, .events = POLLIN};
    (void)s, (void)step;
    poll(&arrives, 1, -1);
}

static void take_send(Server *s, Wire *w, const Step *step)
{
    (void)s;
    wire_write(w, step->text, text_len(step));
}

static void take_split(Server *s, Wire *w, const Step *step)
{
    (void)s;
    if (wire_write(w, step->text, step->at))
        await_taken(w);
    wire_write(w, step->text + step->at, text_len(step) - step->at);
}

static void take_drip(Server *s, Wire *w, const Step *step)
{
    (void)s;
    for (size_t i = 0; i < text_len(step) && wire_write(w, step->text + i, 1); i++)
        await_taken(w);
}

static void take_flood(Server *s, Wire *w, const Step *step)
{
    (void)s;
    for (size_t i = 0; i < step->count && wire_write(w, step->text, text_len(step)); i++)
        ;
}

static void take_taken(Server *s, Wire *w, const Step *step)
{
    (void)s, (void)step;
    await_taken(w);
}

static void take_drop(Server *s, Wire *w, const Step *step)
{
    (void)s, (void)step;
    SSL_free(w->ssl);
    close(w->fd);
    *w = (Wire){.fd = -1};
}

static void take_close(Server *s, Wire *w, const Step *step)
{
    if (w->ssl)
        SSL_shutdown(w->ssl);
    take_drop(s, w, step);
}

static void take_reset(Server *s, Wire *w, const Step *step)
{
    struct linger now = {.l_onoff = 1};

    setsockopt(w->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    take_drop(s, w, step);
}

static void take_stall(Server *s, Wire *w, const Step *step)
{
    char byte;
    (void)s, (void)step;
    while (read(w->fd, &byte, 1) > 0)
        ;
}

static void take_hold(Server *s, Wire *w, const Step *step)
{
    (void)s, (void)w, (void)step;
    for (;;)
        pause();
}

/* A filter that drops every packet that comes in: so does a machine that lost its power. */
static void take_deaf(Server *s, Wire *w, const Step *step)
{
    struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
    struct sock_fprog program = {.len = 1, .filter = &drop};
    (void)s, (void)step;

    if (setsockopt(w->fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program))
        _exit(1);
}

static void take_refuse(Server *s, Wire *w, const Step *step)
{
    (void)w, (void)step;
    close(s->listener);
}

static void take_note(Server *s, Wire *w, const Step *step)
{
    (void)w;
    note(s, step->text, text_len(step));
}

static const TakeStep takes[] = {
    [STEP_ACCEPT] = take_accept,
    [STEP_REQUEST] = take_request,
    [STEP_BYTES] = take_bytes,
    [STEP_SEND] = take_send,
    [STEP_SPLIT] = take_split,
    [STEP_DRIP] = take_drip,
    [STEP_FLOOD] = take_flood,
    [STEP_TAKEN] = take_taken,
    [STEP_CLOSE] = take_close,
    [STEP_DROP] = take_drop,
    [STEP_RESET] = take_reset,
    [STEP_STALL] = take_stall,
    [STEP_HOLD] = take_hold,
    [STEP_DEAF] = take_deaf,
    [STEP_REFUSE] = take_refuse,
    [STEP_NOTE] = take_note,
};

/* --- start and stop --- */

static X509 *certificate_of(const char *pem)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    X509 *cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    return cert;
}

static SSL_CTX *tls_of(const HostileOptions *options)
{
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    BIO *bio = BIO_new_mem_buf(options->cert->key_pem, -1);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    X509 *cert = certificate_of(options->cert->cert_pem);

    if (SSL_CTX_use_certificate(tls, cert) != 1 || SSL_CTX_use_PrivateKey(tls, key) != 1)
        _exit(1);
    if (options->tls_version) {
        SSL_CTX_set_security_level(tls, 0); /* or OpenSSL would not speak the old ones at all */
        SSL_CTX_set_min_proto_version(tls, options->tls_version);
        SSL_CTX_set_max_proto_version(tls, options->tls_version);
    }
    if (options->client_ca) {
        X509_STORE_add_cert(SSL_CTX_get_cert_store(tls), certificate_of(options->client_ca));
        SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, NULL);
    }
    return tls;
}

static void run(Server *s, const Step *script, const HostileOptions *options)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    s->tls = options && options->cert ? tls_of(options) : NULL;
    for (const Step *step = script; step->type != STEP_END; step++)
        takes[step->type](s, &s->wires[step->wire], step);
    _exit(0);
}

static int listen_somewhere(char ret_address[32])
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof any;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&any, len) || listen(fd, 16)
        || getsockname(fd, (struct sockaddr *)&any, &len))
        abort();
    snprintf(ret_address, 32, "127.0.0.1:%d", ntohs(any.sin_port));
    return fd;
}

static void release(void *hostile)
{
    Hostile *h = hostile;
    hostile_stop(h);
    close(h->notes);
}

Hostile *hostile_start(Arena *a, const Step *script, const HostileOptions *options)
{
    Hostile *h = arena_new(a, Hostile);
    Server server = {.listener = listen_somewhere(h->address)};
    int ends[2];

    if (pipe(ends))
        abort();
    server.notes = ends[1];
    h->notes = ends[0];
    h->pid = fork();
    if (h->pid < 0)
        abort();
    if (h->pid == 0) {
        close(ends[0]);
        run(&server, script, options);
    }
    close(ends[1]);
    close(server.listener);
    arena_pin(a, release, h);
    return h;
}

const char *hostile_address(const Hostile *h)
{
    return h->address;
}

void hostile_stop(Hostile *h)
{
    if (h->pid == 0)
        return;
    kill(h->pid, SIGKILL);
    waitpid(h->pid, NULL, 0);
    h->pid = 0;
}
