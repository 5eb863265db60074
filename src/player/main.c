/* player: plays the nodes of a cluster that has none: schedules, runs and ends pods, makes volumes,
 * and answers for the sidecars and seids, in front of a real API server.
 *
 *     player [flags]   see --help
 *
 * With --speed the time of the pods runs so many times faster than ours: probes, delays and stops.
 * Orders (world/order.h) are lines appended to a file. What the pods have on their volumes lives in
 * this process: a player that is started again begins with empty disks. */
#include "base/arena.h"
#include "base/bytes.h"
#include "base/log.h"
#include "base/str.h"
#include "kube/client.h"
#include "player/crew.h"
#include "player/doors.h"
#include "player/flags.h"
#include "player/provisioner.h"
#include "player/reviewer.h"
#include "world/order.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define NAME "player"

enum { NAP_MS = 5, ORDERS_MAX = 1 << 20, ORDERS_READ = 16 << 10, HELP_MAX = 1 << 16 };

typedef struct Player {
    Flags flags;
    Log log;
    SeededRng rng;
    Client *client;
    Transport *transport;
    Api *review_api;
    Reviewer *reviewer;
    Kubelet *kubelet;
    Crew *crew;
    Doors *doors;
    int orders; /* the file, or -1 */
    Buf begun;  /* of an order whose line is not finished */
    int signals;
    int64_t began_ms;
} Player;

/* --- opening and closing */

static Err *open_client(Player *p, Arena *a)
{
    ConfigSource source = {0};
    Config config = {0};

    config_source_from_environment(&source);
    source.path = p->flags.kubeconfig;
    TRY(config_load(a, &source, &config));
    TRY(client_open(a, &config, &(ClientOptions){.user_agent = NAME "/1"}, &p->client));
    p->transport = client_transport(p->client);
    return OK;
}

static Err *open_orders(Player *p, Arena *a)
{
    if (!p->flags.orders)
        return OK;
    p->orders = open(p->flags.orders, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
    if (p->orders < 0)
        return err_terminal(a, "cannot read orders from %s: %s", p->flags.orders, strerror(errno));
    return OK;
}

static void open_world(Player *p)
{
    KubeletOptions options = {.clock = clock_system(),
        .rng = &p->rng.port,
        .nodes = (size_t)p->flags.nodes,
        .network = (int)p->flags.network,
        .tells_events = true,
        .reviewer = p->flags.any_token ? NULL : reviewer_ask};

    rng_seed(&p->rng, (uint64_t)p->flags.seed);
    p->review_api = p->transport->open_api(p->transport);
    p->reviewer = reviewer_open(p->review_api, clock_system());
    options.reviewer_self = p->reviewer;
    p->kubelet = kubelet_open(&options);
    p->crew =
        crew_open(&(CrewOptions){.transport = p->transport, .rng = rng_system(), .log = &p->log});
    crew_add(p->crew, kubelet_actor(p->kubelet));
    crew_add(p->crew, provisioner_open());
    p->doors = doors_open(p->kubelet, 0, &p->log);
}

static void open_signals(Player *p)
{
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    p->signals = signalfd(-1, &ends, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void close_player(Player *p)
{
    doors_close(p->doors);
    crew_close(p->crew);
    reviewer_close(p->reviewer);
    if (p->transport)
        p->transport->close_api(p->transport, p->review_api);
    client_close(p->client);
    buf_close(&p->begun);
    if (p->orders >= 0)
        close(p->orders);
}

/* --- orders */

static void obey(Player *p, const char *line, int64_t now_ms)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    KubeletOrder order;
    const Err *err = order_parse(a, line, &order);

    if (err)
        log_warn(&p->log, "refused", log_str("order", line), log_str("error", err_text(a, err)));
    else if (!kubelet_order(p->kubelet, &order, now_ms))
        log_warn(&p->log, "refused", log_str("order", line), log_str("error", "about nothing"));
    else
        log_info(&p->log, "obeyed", log_str("order", line));
    crew_wake(p->crew, kubelet_actor(p->kubelet));
}

static void read_orders(Player *p, int64_t now_ms)
{
    char bytes[ORDERS_READ];
    ssize_t got = p->orders < 0 ? 0 : read(p->orders, bytes, sizeof bytes);
    const char *end;

    if (got <= 0)
        return;
    if (!buf_append(&p->begun, bytes, (size_t)got))
        buf_clear(&p->begun, 0);
    while (p->begun.len && (end = memchr(p->begun.data, '\n', p->begun.len))) {
        size_t len = (size_t)(end - p->begun.data);
        p->begun.data[len] = '\0';
        obey(p, p->begun.data, now_ms);
        buf_consume(&p->begun, len + 1);
    }
}

/* --- running */

static bool is_told_to_end(const Player *p)
{
    struct signalfd_siginfo info;
    return read(p->signals, &info, sizeof info) == (ssize_t)sizeof info;
}

static void run(Player *p)
{
    bool was_watching = false;

    while (!is_told_to_end(p)) {
        int64_t now_ms = (clock_mono_ms(clock_system()) - p->began_ms) * p->flags.speed;
        int64_t due_ms = crew_step(p->crew, now_ms);
        doors_follow(p->doors);
        if (doors_poll(p->doors, now_ms)) {
            crew_wake(p->crew, kubelet_actor(p->kubelet));
            due_ms = now_ms;
        }
        read_orders(p, now_ms);
        int64_t nap_ms = (due_ms - now_ms) / p->flags.speed;
        crew_poll(p->crew, nap_ms < 0 ? 0 : nap_ms < NAP_MS ? nap_ms : NAP_MS);
        if (!was_watching && crew_is_watching(p->crew)) {
            log_info(&p->log, "playing", log_str("server", p->transport->host));
            was_watching = true;
        }
    }
}

static int say_help(void)
{
    Buf page = {.ceiling = HELP_MAX};

    flags_help(&page);
    bool is_said = fputs(page.data, stdout) >= 0 && fflush(stdout) == 0;
    buf_close(&page);
    return is_said ? 0 : 1;
}

int main(int count, char **args)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Player p = {.orders = -1, .begun = {.ceiling = ORDERS_MAX}};
    Err *err = flags_parse(a, count, args, &p.flags);

    if (p.flags.help)
        return say_help();
    p.log = (Log){log_stderr(), clock_system(), LOG_INFO, .human = log_stderr_is_terminal()};
    p.began_ms = clock_mono_ms(clock_system());
    if (!err)
        err = open_orders(&p, a);
    if (!err)
        err = open_client(&p, a);
    if (err) {
        fprintf(stderr, NAME ": %s\n", err_text(a, err));
        close_player(&p);
        return 2;
    }
    open_signals(&p);
    open_world(&p);
    run(&p);
    close_player(&p);
    return 0;
}
