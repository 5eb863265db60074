/* A mover waits for no longer than it must, and what has no socket moves by libcurl's own time. The
 * sockets are those of test_client_streams and test_client_http. */
#include "kube/client/mover.h"

#include "base/str.h"
#include "tests/kube/client/hostile.h"
#include "tests/test.h"

enum { FOR_EVER_MS = INT32_MAX, LONG_ENOUGH_MS = 2000 };

static size_t count_bytes(char *bytes, size_t size, size_t len, void *sum)
{
    (void)bytes;
    *(size_t *)sum += size * len;
    return size * len;
}

static bool has_ended(const Mover *m)
{
    int left;

    return curl_multi_info_read(m->multi, &left) != NULL;
}

TEST(a_poll_that_was_notified_in_advance_returns_at_once)
{
    Mover m;

    mover_open(&m);
    mover_wake(&m);
    mover_wake(&m);
    mover_move(&m, FOR_EVER_MS);
    mover_move(&m, 0);
    mover_wake(&m);
    mover_move(&m, FOR_EVER_MS);
    mover_close(&m);
}

TEST(a_transfer_starts_with_the_next_poll_and_runs_until_it_ends)
{
    CURL *easy = curl_easy_init();
    size_t sum = 0;
    Mover m;

    mover_open(&m);
    then_int(curl_easy_setopt(easy, CURLOPT_URL, "file:///proc/self/stat"), CURLE_OK);
    then_int(curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_bytes), CURLE_OK);
    then_int(curl_easy_setopt(easy, CURLOPT_WRITEDATA, &sum), CURLE_OK);
    then_int(curl_multi_add_handle(m.multi, easy), CURLM_OK);
    then_int(sum, 0);
    while (!has_ended(&m))
        mover_move(&m, FOR_EVER_MS);
    then_true(sum > 0);
    then_int(curl_multi_remove_handle(m.multi, easy), CURLM_OK);
    curl_easy_cleanup(easy);
    mover_close(&m);
}

static void move_to_the_end(Mover *m, const char *url)
{
    CURL *easy = curl_easy_init();

    then_int(curl_easy_setopt(easy, CURLOPT_URL, url), CURLE_OK);
    then_int(curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, LONG_ENOUGH_MS), CURLE_OK);
    then_int(curl_multi_add_handle(m->multi, easy), CURLM_OK);
    while (!has_ended(m))
        mover_move(m, FOR_EVER_MS);
}

/* Its transfer would stand still, and nobody would know why. */
TEST(a_socket_that_cannot_be_polled_is_a_bug)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Hostile *server =
        hostile_start(a, (Step[]){{STEP_ACCEPT}, {STEP_STALL}, {0}}, &(HostileOptions){0});
    Mover m;

    mover_open(&m);
    int sockets = m.sockets;
    m.sockets = m.bell; /* no epoll */
    then_bug("a socket cannot be waited for",
        move_to_the_end(&m, str_format(a, "http://%s/", hostile_address(server))));
    m.sockets = sockets;
    mover_close(&m);
}
