/* Credentials: token and TLS side by side. A client reads them once and never changes its own; each
 * Api and Streams goes on with a copy, so that no thread waits for another.
 *
 * What a credential plugin says becomes a config of its own, as if it had stood in the file: so
 * token and TLS need not know that there are plugins. */
#include "kube/client/credentials.h"

#include "base/str.h"
#include "kube/client/plugin.h"

enum { PLUGGED_MAX = 8 << 20 };

/* --- what a plugin said */

static void unplug(Plugged *p)
{
    arena_close(p->arena);
    p->arena = NULL;
}

static Plugged plugged_copy(const Plugged *from)
{
    Plugged p = *from;

    if (!from->asked)
        return p;
    p.arena = arena_open(PLUGGED_MAX);
    arena_keep_secret(p.arena);
    p.config = arena_new(p.arena, Config);
    *p.config = *from->config;
    p.config->token = str_copy(p.arena, from->config->token);
    p.config->cert_pem = str_copy(p.arena, from->config->cert_pem);
    p.config->key_pem = str_copy(p.arena, from->config->key_pem);
    return p;
}

static Err *plug(Arena *a, const Config *asked, const PluginTerms *terms, Plugged *ret)
{
    PluginAnswer answer;
    Plugged p = {.asked = asked, .clock = terms->clock, .arena = arena_open(PLUGGED_MAX)};

    arena_keep_secret(p.arena);
    Err *err = err_copy(a, plugin_ask(p.arena, asked, terms, &answer));
    if (err) {
        unplug(&p);
        return err;
    }
    p.config = arena_new(p.arena, Config);
    *p.config = *asked;
    p.config->token = answer.token;
    p.expires_ns = answer.expires_ns;
    p.may_have_asked = answer.may_have_asked;
    if (answer.cert_pem) {
        p.config->cert_pem = answer.cert_pem;
        p.config->key_pem = answer.key_pem;
        p.config->cert_file = p.config->key_file = NULL;
    }
    *ret = p;
    return OK;
}

/* --- all of it */

/* Token and TLS of a config that a plugin has completed, or that needs none. */
static Err *open_parts(Arena *a, const Config *config, Credentials *c)
{
    TRY(token_open(a, config, &c->token));
    Err *err = tls_open(a, config, &c->tls);
    if (err)
        token_close(&c->token);
    return err;
}

Err *client_credentials_open(
    Arena *a, const Config *config, const PluginTerms *terms, Credentials *ret)
{
    Credentials credentials = {.plugged = {.asked = NULL}};

    if (config->exec)
        TRY(plug(a, config, terms, &credentials.plugged));
    Err *err = open_parts(a, config->exec ? credentials.plugged.config : config, &credentials);
    if (err) {
        unplug(&credentials.plugged);
        return err;
    }
    *ret = credentials;
    return OK;
}

void client_credentials_close(Credentials *c)
{
    token_close(&c->token);
    tls_close(&c->tls);
    unplug(&c->plugged);
}

Credentials client_credentials_copy(const Credentials *from)
{
    Credentials c = {
        .token = token_copy(&from->token),
        .tls = tls_copy(&from->tls),
        .plugged = plugged_copy(&from->plugged),
    };

    if (c.plugged.asked)
        c.tls.config = c.plugged.config;
    return c;
}

/* Asks the plugin again, and takes over what is new in its answer. */
static void replug(Credentials *c, int64_t left_ms)
{
    SCOPED_ARENA scratch = arena_open(64 << 10);
    Credentials fresh = {.plugged = {.asked = NULL}};
    PluginTerms terms = {.clock = c->plugged.clock, .left_ms = left_ms, .asks_nobody = true};

    if (plug(scratch, c->plugged.asked, &terms, &fresh.plugged))
        return;
    if (open_parts(scratch, fresh.plugged.config, &fresh)) {
        unplug(&fresh.plugged);
        return;
    }
    const Config *was = c->plugged.config, *is = fresh.plugged.config;
    bool other_token = !str_eq(was->token, is->token);
    bool other_tls = !str_eq(was->cert_pem, is->cert_pem) || !str_eq(was->key_pem, is->key_pem);
    fresh.token.generation = c->token.generation + other_token;
    fresh.tls.generation = c->tls.generation + other_tls;
    client_credentials_close(c);
    *c = fresh;
}

void client_credentials_refresh(Credentials *c, int64_t now_ms, int64_t left_ms, bool force)
{
    const Plugged *p = &c->plugged;

    if (p->asked && (force || clock_wall_ms(p->clock) >= p->expires_ns / 1000000))
        replug(c, left_ms);
    token_refresh(&c->token, now_ms, force);
    tls_refresh(&c->tls, now_ms, force);
}
