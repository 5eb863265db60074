/* The world of the reflector's tests. */
#include "tests/kube/runtime/reflector_world.h"

void step(World *w)
{
    w->next = reflector_step(w->reflector, w->now);
}

void given(World *w, ReflectorOptions options)
{
    *w = (World){.arena = arena_open(256 << 20), .now = 1000};
    fake_streams_init(&w->server, w->arena);
    fake_feed_init(&w->feed);
    rng_seed(&w->rng, 6);
    options.kind = kind_pod;
    options.streams = &w->server.port;
    options.feed = &w->feed.port;
    options.rng = &w->rng.port;
    w->reflector = reflector_open(&options);
    step(w);
}

void close_world(World *w)
{
    reflector_close(w->reflector);
    then_true(!w->feed.is_listing);
    then_int(w->server.running, 0);
    fake_feed_close(&w->feed);
    arena_close(w->arena);
}

const char *said(World *w)
{
    return fake_feed_take(&w->feed, w->arena);
}

ReflectorHealth health(const World *w)
{
    return reflector_health(w->reflector);
}

void answer_head(World *w, int status)
{
    fake_head(&w->server, status, 0);
}

void answer(World *w, const char *text)
{
    fake_bytes(&w->server, text, strlen(text));
}

void answer_whole(World *w, int status, const char *text)
{
    answer_head(w, status);
    answer(w, text);
    fake_end(&w->server, OK);
    step(w);
}

void lose_connection(World *w)
{
    fake_end(&w->server, err_retry(w->arena, "connection reset"));
    step(w);
}

void given_watch(World *w, ReflectorOptions options)
{
    given(w, options);
    answer_whole(w, 200, empty_page);
    answer_head(w, 200);
    step(w);
    then_str(said(w), "begin end@10 ");
    then_int(w->server.request.verb, VERB_WATCH);
}

int64_t wait_for_next(World *w)
{
    int64_t wait = w->next - w->now;
    then_int(w->server.running, 0);
    then_true(wait > 0 && wait <= 60000);
    w->now = w->next - 1;
    step(w);
    then_int(w->server.running, 0);
    w->now++;
    step(w);
    then_true(w->server.running != 0);
    return wait;
}

void then_lists_from_the_start(World *w)
{
    then_int(w->server.request.verb, VERB_LIST);
    then_str(w->server.request.continue_key, NULL);
    then_str(w->server.request.resource_version, NULL);
}

void then_watches_from(World *w, const char *version)
{
    then_int(w->server.request.verb, VERB_WATCH);
    then_str(w->server.request.resource_version, version);
}
