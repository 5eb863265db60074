/* Yaml: the text of a kubeconfig as a Json value. */
#ifndef KUBE_CLIENT_YAML_H
#define KUBE_CLIENT_YAML_H

#include "base/err.h"
#include "base/json.h"

enum {
    YAML_BYTES_MAX = 1 << 20,
    YAML_DEPTH_MAX = 50, /* a kubeconfig needs six */
};

/* Reads one YAML document, or JSON, of at most YAML_BYTES_MAX bytes; an empty text is an empty
 * object. Plain words become null, booleans and whole numbers as YAML's core schema says; all else
 * is a string. Refused, with line and column: aliases (they multiply without bound), tags other
 * than !!str, keys that are no plain text, a second document, more than YAML_DEPTH_MAX levels.
 * ERR_TERMINAL; messages never repeat the text, which may hold secrets. */
Err *yaml_parse(Arena *a, const char *text, const Json **ret) MUST_CHECK;

#endif
