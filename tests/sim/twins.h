/* Validators with one signing key, in the Secret `signing`, for tests of what comes of that. */
#ifndef TESTS_SIM_TWINS_H
#define TESTS_SIM_TWINS_H

#include "base/str.h"
#include "sei/api/condition.h"
#include "tests/sim/play_modes.h"
#include "tests/test.h"

/* Whoever is held is looked at now and then, so the operator never has nothing left to do. */
enum { REST_MS = 40000, WITH_KEYS = 6 };

#define KEYS                                                                                       \
    "signingKey: {secret: {secretName: 'signing'}}, nodeKey: {secret: {secretName: 'node'}}"
#define VALIDATOR   "{spec: {fullNode: null, validator: {" KEYS "}}}"
#define PAUSED      "{spec: {paused: true}}"
#define UNPAUSED    "{spec: {paused: null}}"
#define BORN_PAUSED "{spec: {paused: true, fullNode: null, validator: {" KEYS "}}}"

static inline const char *pod_of(Play *p, const char *node)
{
    return str_format(play_arena(p), "%s-0", node);
}

static inline bool has_pod(Play *p, const char *node)
{
    return play_find(p, kind_pod, pod_of(p, node)) != NULL;
}

static inline bool has_none(Play *p, const char *node)
{
    return !has_pod(p, node);
}

static inline bool is_ready(Play *p, const char *node)
{
    return str_eq(play_condition(p, node, COND_READY), "True");
}

static inline bool is_held(Play *p, const char *node)
{
    return str_eq(play_reason(p, node, COND_STALLED), "SigningKeyInUse");
}

static inline void given_secrets(Play *p)
{
    play_prepare_mode(p, &play_modes[WITH_KEYS]);
}

static inline void create(Play *p, const char *name)
{
    play_create_node(p, name, VALIDATOR);
}

/* Creation times are whole seconds: so that the first one is the older. */
static inline void create_later(Play *p, const char *name)
{
    play_run(p, 1500);
    create(p, name);
}

static inline void given_running(Play *p, const char *name)
{
    given_secrets(p);
    create(p, name);
    then_str(play_settle(p), NULL);
    then_true(is_ready(p, name));
}

static inline void stop(Play *p, const char *name)
{
    play_patch(p, kind_seinode, name, PAUSED);
}

static inline void let_go(Play *p, const char *name)
{
    play_patch(p, kind_seinode, name, UNPAUSED);
}

#endif
