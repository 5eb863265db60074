/* Pod: reading one: its containers, its claim, what the sidecar and the proxy are told by their
 * environment and flags. Of a spec of many kilobytes a pod keeps a few texts, because a cluster may
 * have thousands of pods. */
#include "world/pod.h"

#include "base/str.h"
#include "kube/meta.h"

#include <stdlib.h>
#include <string.h>

static const char *env_of(const Json *container, const char *name)
{
    const Json *env;

    json_each(env, json_find(container, ".env"))
        if (str_eq(json_str(env, ".name"), name))
            return json_str(env, ".value");
    return NULL;
}

/* The value of --flag=value among the arguments, or NULL. */
static const char *flag_of(const Json *container, const char *flag)
{
    const Json *arg;

    json_each(arg, json_find(container, ".args"))
        if (str_has_prefix(json_text(arg), flag))
            return json_text(arg) + strlen(flag);
    return NULL;
}

/* The N of an image tagged v0.0.N; any other tag is of the newest. */
static int version_of(const char *image)
{
    const char *tag = strrchr(image, ':');
    int64_t number;

    if (tag && str_has_prefix(tag, ":v0.0.") && str_to_int(tag + 6, &number) && number >= 0
        && number < SIDECAR_NEWEST)
        return (int)number;
    return SIDECAR_NEWEST;
}

/* seid start ... --halt-height N, wherever in the script it stands. */
static int64_t halt_height_of(const Json *container)
{
    static const char flag[] = "--halt-height";
    const Json *arg;

    json_each(arg, json_find(container, ".args")) {
        const char *at = json_text(arg) ? strstr(json_text(arg), flag) : NULL;
        if (at)
            return strtoll(at + sizeof flag, NULL, 10);
    }
    return 0;
}

static bool script_has(const Json *container, const char *text)
{
    const Json *arg;

    json_each(arg, json_find(container, ".args"))
        if (json_text(arg) && strstr(json_text(arg), text))
            return true;
    return false;
}

static void decode_program(Pod *p, const Container *c, const Json *spec)
{
    const char *chain_id = str_copy(p->arena, env_of(spec, "SEI_CHAIN_ID"));

    switch (c->program) {
    case PROGRAM_SIDECAR:
        p->sidecar.chain_id = chain_id ? chain_id : "";
        p->sidecar.version = version_of(c->image);
        p->sidecar.has_keyring = !str_empty(env_of(spec, "SEI_KEYRING_BACKEND"));
        break;
    case PROGRAM_PROXY:
        p->proxy.audiences = str_copy(p->arena, flag_of(spec, "--auth-token-audiences="));
        p->proxy.ignore_paths = str_copy(p->arena, flag_of(spec, "--ignore-paths="));
        break;
    case PROGRAM_SEID:
        p->seid.image = c->image;
        p->seid.halt_height = halt_height_of(spec);
        p->excuses_termination = script_has(spec, "130|143) s=0");
        p->excuses_interrupt = p->excuses_termination || script_has(spec, "-ne 130 ] || s=0");
        p->tells_termination = script_has(spec, "t=143;");
        break;
    case PROGRAM_PLAIN:
    case PROGRAM_SEID_INIT:
        break;
    }
}

static void decode_containers(Pod *p, const Json *list, bool is_init)
{
    const Json *spec;

    json_each(spec, list) {
        Container *c = &p->containers[p->count++];
        container_decode(p->arena, c, spec, is_init);
        decode_program(p, c, spec);
    }
}

/* A pod that was running before this kubelet was: its containers start once more. */
static void decode_restarts(Pod *p, const Json *statuses)
{
    const Json *status;

    json_each(status, statuses)
        for (size_t i = 0; i < p->count; i++)
            if (str_eq(p->containers[i].name, json_str(status, ".name"))
                && json_str(status, ".containerID"))
                p->containers[i].restarts = json_int(status, ".restartCount", 0) + 1;
}

static const char *claim_of(const Json *pod)
{
    const Json *volume;

    json_each(volume, json_find(pod, ".spec.volumes")) {
        const char *claim = json_str(volume, ".persistentVolumeClaim.claimName");
        if (claim)
            return claim;
    }
    return NULL;
}

static const Json *secrets_of(Arena *a, const Json *pod)
{
    static const char *const paths[] = {".spec.volumes[].secret", NULL};
    SCOPED_ARENA work = arena_open(POD_SPEC_MAX);

    return json_copy(a, json_find(json_project(work, pod, paths), ".spec.volumes"));
}

static void decode_names(Pod *p, const Json *pod)
{
    Arena *a = p->arena;
    const char *node = meta_label(pod, "sei.io/node"), *uid = meta_uid(pod);
    Key key = meta_key(pod);

    p->key = (Key){str_copy(a, key.namespace), str_copy(a, key.name)};
    p->key_text = key_text(a, p->key);
    p->uid = uid ? str_copy(a, uid) : "";
    p->generation = meta_generation(pod);
    p->proxy.namespace = p->key.namespace;
    p->proxy.name = node ? str_copy(a, node) : p->key.name;
}

bool pod_decode(Pod *p, const Json *pod)
{
    const Json *first = json_find(pod, ".spec.initContainers");
    const Json *then = json_find(pod, ".spec.containers");
    const char *restart_policy = json_str(pod, ".spec.restartPolicy");

    if (json_count(first) + json_count(then) > POD_CONTAINERS_MAX)
        return false;
    decode_names(p, pod);
    p->claim = str_copy(p->arena, claim_of(pod));
    p->secrets = secrets_of(p->arena, pod);
    p->grace_s = json_int(pod, ".spec.terminationGracePeriodSeconds", 30);
    p->restart_policy = restart_policy ? str_copy(p->arena, restart_policy) : "Always";
    p->containers = arena_array(p->arena, Container, json_count(first) + json_count(then));
    decode_containers(p, first, true);
    decode_containers(p, then, false);
    decode_restarts(p, json_find(pod, ".status.initContainerStatuses"));
    decode_restarts(p, json_find(pod, ".status.containerStatuses"));
    if (!pod_find(p, PROGRAM_SIDECAR) && pod_find(p, PROGRAM_SEID))
        pod_find(p, PROGRAM_SEID)->program = PROGRAM_PLAIN;
    return true;
}
