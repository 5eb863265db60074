/* Pod: what the files of a node's pod share. One file per container; what more than one of them
 * needs (probes, security, the platform's choice by mode) is in a file of its own. */
#ifndef SEI_RENDER_POD_H
#define SEI_RENDER_POD_H

#include "sei/api/ports.h"
#include "sei/render/render.h"

#include <stdbool.h>

#define DATA_DIR       "/.sei" /* where the data volume is mounted, and HOME of seid */
#define PROXY_CONF_DIR "/etc/kube-rbac-proxy"

#define VOLUME_DATA         "data"
#define VOLUME_SIDECAR_TMP  "sidecar-tmp"
#define VOLUME_PROXY_CONFIG "rbac-proxy-config"

#define CONTAINER_EXPORTER "cosmos-exporter"

enum { EXPORTER_PORT = 9300, NODE_USER = 65532 };

/* What the platform gives to a node of its mode. */
typedef struct Platform {
    const char *nodepool, *cpu, *memory, *storage_class, *storage_size;
} Platform;
Platform render_platform(const Subject *s);

/* What the API server would refuse, or what could never run: names, labels, ports, images. */
Err *render_check(Arena *a, const Subject *s) MUST_CHECK;

/* Requests and limits of a container as the server stores them, NULL when there are none. `path`
 * is where they stand in the spec. */
Err *render_resources(
    Arena *a, const char *path, const Json *resources, const Json **ret) MUST_CHECK;

/* The pod template, without its hash. */
Err *render_pod_template(
    Arena *a, const Subject *s, const char *config_hash, Draft **ret) MUST_CHECK;

/* What pods of both stages have in common. */
Draft *render_affinity(Arena *a, const char *nodepool);
Draft *render_tolerations(Arena *a, const Subject *s);
Draft *render_pod_security(Arena *a);
Draft *render_pod_annotations(Arena *a, const Subject *s, const char *config_hash);

/* Volumes: the data, a place for the sidecar's files, the proxy's configuration. No keys. */
Draft *render_volumes(Arena *a, const Subject *s);

/* The containers. */
Draft *render_seid_init(Arena *a, const Subject *s, const char *image);
Draft *render_sidecar(Arena *a, const Subject *s, const Json *resources);
Draft *render_proxy(Arena *a, const Subject *s);
Draft *render_seid(Arena *a, const Subject *s);
Draft *render_exporter(Arena *a, const Subject *s);

/* The same in a bootstrap pod: no keys, nothing probes them, and seid stops at a height. */
Draft *render_bootstrap_sidecar(Arena *a, const Subject *s, const Json *resources);
Draft *render_bootstrap_proxy(Arena *a, const Subject *s);
Draft *render_bootstrap_seid(Arena *a, const Subject *s);

/* The labels of everything that belongs to a bootstrap stage, and of nothing else. */
Draft *render_bootstrap_labels(Arena *a, const Subject *s);
Draft *render_bootstrap_metadata(Arena *a, const Subject *s, const char *name);

/* --- pieces of containers --- */

Draft *render_port(Arena *a, const char *name, int64_t number);
Draft *render_mount(Arena *a, const char *volume, const char *path);
Draft *render_variable(Arena *a, const char *name, const char *value);

/* Times of a probe; 0 leaves a field to the server. */
typedef struct ProbeTimes {
    int delay, period, failures, timeout;
} ProbeTimes;
Draft *render_http_probe(Arena *a, const char *path, int port, ProbeTimes times);
Draft *render_tcp_probe(Arena *a, int port, ProbeTimes times);

typedef enum RootFilesystem { ROOT_WRITABLE, ROOT_READ_ONLY } RootFilesystem;
Draft *render_security(Arena *a, RootFilesystem root);

/* --- keys of a validator: nothing of all this for other modes --- */

/* Volumes of the Secrets, at the end of `volumes`. */
void render_key_volumes(Arena *a, const Subject *s, Draft *volumes);

/* Who gets to see them: seid its keys, the sidecar the operator's keyring. */
void render_seid_key_mounts(Arena *a, const Subject *s, Draft *mounts);
void render_sidecar_key_mounts(Arena *a, const Subject *s, Draft *mounts);
void render_sidecar_key_variables(Arena *a, const Subject *s, Draft *variables);

/* --- guards of those keys, for pods as they were rendered --- */

/* ERR_TERMINAL when any container but the sidecar could read the operator's keyring or its
 * passphrase, or any but seid the keys of the node. */
Err *render_check_keys(Arena *a, const Subject *s, const Json *pod_spec) MUST_CHECK;

/* ERR_TERMINAL when a bootstrap pod could read the key that signs blocks, the operator's keyring or
 * its passphrase: it runs another image, and nothing in it has to know them. */
Err *render_check_bootstrap(Arena *a, const Subject *s, const Json *pod_spec) MUST_CHECK;

#endif
