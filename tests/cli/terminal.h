/* A person at a terminal: types command lines and sees what is said and how it ends. The cluster is
 * a world of the simulator with our kinds in it, in this process; no socket is needed.
 *
 *     SCOPED_TERMINAL t = terminal_open();
 *     given(t, kind_seinode, "{metadata: {name: 'a'}, ...}");
 *     then_int(type(t, "get nodes"), EXIT_FINE);
 *     then_said(t, "a"); */
#ifndef TESTS_CLI_TERMINAL_H
#define TESTS_CLI_TERMINAL_H

#include "base/bytes.h"
#include "base/link.h"
#include "cli/run.h"
#include "kube/meta.h"
#include "sei/api/node.h"
#include "tests/crds/crds.h"
#include "tests/test.h"
#include "world/world.h"

enum { TERMINAL_WORDS_MAX = 24, TERMINAL_TEXT_MAX = 8 << 20 };

typedef struct Terminal Terminal;

struct Terminal {
    Arena *arena;
    World *world;
    Api *api; /* the tester's, and what commands use */
    Transport transport;
    Output out;
    Buf said, talked; /* of the last command */
    Err *fault;       /* what every call of a command gets instead of an answer; OK: none */
    Api faulty;
    int calls, writes; /* that the last command sent */
    struct Screen *screen;
    int naps;
    Buf saved; /* the last file that a command kept */
    const char *saved_as;
    const char *answer;   /* what the person types when asked; NULL: there is no terminal */
    const char *question; /* that the last command asked; NULL: none */
    void (*during)(Terminal *t, int naps); /* NULL: nothing */
    const char *refused;                   /* for a test to say no to rights on this resource */
};

static inline void terminal_write(Output *self, bool is_talk, Bytes text)
{
    Terminal *t = link_owner(Terminal, out, self);

    then_true(buf_append(is_talk ? &t->talked : &t->said, text.data, text.len));
}

static inline Err *terminal_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);

    t->calls++;
    t->writes += request_is_write(request);
    if (t->fault)
        return err_copy(a, t->fault);
    return t->api->call(t->api, a, request, ret);
}

static inline Api *terminal_open_api(Transport *self)
{
    return &link_owner(Terminal, transport, self)->faulty;
}

static inline void terminal_close_api(Transport *self, Api *api)
{
    (void)self, (void)api;
}

/* Sends a request that must succeed. */
static inline const Json *terminal_ask(Terminal *t, Request request)
{
    const Json *answer = NULL;

    then_ok(api_call(t->api, t->arena, &request, &answer));
    return answer;
}

static inline Terminal *terminal_open(void)
{
    Arena *a = arena_open(64 << 20);
    Terminal *t = arena_new(a, Terminal);

    t->arena = a;
    t->world = world_open(&(WorldOptions){.seed = 1});
    t->api = world_api(t->world, "person");
    t->faulty.call = terminal_call;
    t->transport = (Transport){
        .host = "world", .open_api = terminal_open_api, .close_api = terminal_close_api};
    t->out = (Output){.write = terminal_write, .columns = 80, .lines = 24};
    t->said.ceiling = t->talked.ceiling = TERMINAL_TEXT_MAX;
    t->saved.ceiling = 4 * TERMINAL_TEXT_MAX;
    const Kind *kinds[] = {kind_seinode, kind_seinodedeployment};
    for (size_t i = 0; i < array_count(kinds); i++)
        terminal_ask(
            t, (Request){.verb = VERB_CREATE, .kind = kind_crd, .body = crd_load(a, kinds[i])});
    world_run_until(t->world, world_now_ms(t->world) + 2000);
    return t;
}

static inline void terminal_close(Terminal **t)
{
    buf_close(&(*t)->said);
    buf_close(&(*t)->talked);
    buf_close(&(*t)->saved);
    world_close((*t)->world);
    arena_close((*t)->arena);
}

#define SCOPED_TERMINAL __attribute__((cleanup(terminal_close))) Terminal *

/* Puts an object into the cluster, its status with it; apiVersion, kind and the namespace "default"
 * may be left out. */
static inline const Json *given(Terminal *t, const Kind *kind, const char *json5)
{
    char version[KIND_API_VERSION_SIZE];
    const Json *object = json_fixture(t->arena, json5);
    const char *defaults = str_format(t->arena,
        "{apiVersion: '%s', kind: '%s', metadata: {namespace: 'default'}}",
        kind_api_version(kind, version),
        kind->name);
    const Json *body = json_merge(t->arena, json_fixture(t->arena, defaults), object);
    const Json *status = json_find(body, ".status");
    const Json *made = terminal_ask(
        t, (Request){.verb = VERB_CREATE, .kind = kind, .key = meta_key(body), .body = body});

    if (!status)
        return made;
    const char *patch = str_format(t->arena, "{\"status\":%s}", json_write(t->arena, status).data);
    return terminal_ask(t,
        (Request){.verb = VERB_MERGE_PATCH,
            .kind = kind,
            .key = meta_key(body),
            .subresource = "status",
            .body = json_fixture(t->arena, patch)});
}

/* The object as it is in the cluster. */
static inline const Json *seen(Terminal *t, const Kind *kind, const char *name)
{
    return terminal_ask(t, (Request){.verb = VERB_GET, .kind = kind, .key = {"default", name}});
}

/* A second of the command is one of the world; `during` may do something meanwhile. */
static inline void terminal_nap(Cli *cli, int64_t ms)
{
    Terminal *t = link_owner(Terminal, out, cli->out);

    t->naps++;
    world_run_until(t->world, world_now_ms(t->world) + ms);
    if (t->during)
        t->during(t, t->naps);
}

static inline Err *terminal_save(Cli *cli, const char *path, Bytes content)
{
    Terminal *t = link_owner(Terminal, out, cli->out);

    buf_clear(&t->saved, 0);
    then_true(buf_append(&t->saved, content.data, content.len));
    t->saved_as = str_copy(t->arena, path);
    return OK;
}

static inline const char *terminal_ask_person(Cli *cli, const char *question)
{
    Terminal *t = link_owner(Terminal, out, cli->out);

    if (t->answer)
        t->question = str_copy(t->arena, question);
    return t->answer;
}

/* Types a command line behind "kubectl sei"; words are split at spaces, and what stands in single
 * quotes is one. Gives the exit code. */
static inline int type(Terminal *t, const char *line)
{
    char *words[TERMINAL_WORDS_MAX] = {(char *)"/usr/bin/kubectl-sei"};
    int count = 1;
    SCOPED_ARENA a = arena_open(64 << 20);
    Cli cli = {.arena = a,
        .clock = world_clock(t->world),
        .nap = terminal_nap,
        .ask = terminal_ask_person,
        .save = terminal_save,
        .out = &t->out,
        .transport = &t->transport,
        .namespace = "default",
        .screen = t->screen};

    while (*(line += strspn(line, " "))) {
        bool quoted = *line == '\'';
        size_t len = strcspn(line += quoted, quoted ? "'" : " ");
        then_true(count < TERMINAL_WORDS_MAX);
        words[count++] = (char *)str_slice(a, line, len);
        line += len + quoted;
    }
    buf_clear(&t->said, 0);
    buf_clear(&t->talked, 0);
    t->calls = t->writes = t->naps = 0;
    t->out.color = false;
    t->question = NULL;
    return run_words(&cli, count, words);
}

/* What it said on stdout and stderr; "" for nothing. */
static inline const char *said(const Terminal *t)
{
    return t->said.len ? t->said.data : "";
}

static inline const char *talked(const Terminal *t)
{
    return t->talked.len ? t->talked.data : "";
}

/* One of the two has the phrase. */
#define then_said(t, phrase)   terminal_has(said(t), (phrase), __FILE__, __LINE__)
#define then_talked(t, phrase) terminal_has(talked(t), (phrase), __FILE__, __LINE__)

static inline void terminal_has(const char *text, const char *phrase, const char *file, int line)
{
    if (!strstr(text, phrase))
        test_fail(file, line, "nothing of \"%s\" in:\n%s", phrase, text);
}

#endif
