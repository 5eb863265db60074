/* Flags: the command line as values. One table says what there is, what it means and what it is
 * when not given; parsing, --help and `config` all read that. */
#ifndef OPERATOR_FLAGS_H
#define OPERATOR_FLAGS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Flags {
    const char *metrics_address, *health_address; /* "0": not served */
    bool metrics_secure;
    const char *certificate_folder; /* "": one is made */
    const char *certificate_name, *certificate_key;
    bool leader_elect;
    const char *lease_namespace, *identity; /* "": to be found */
    const char *kubeconfig;                 /* "": to be found */
    int64_t workers;
    const char *namespaces; /* "a,b"; "": all */
    int64_t platform_max_unavailable;
    bool chain_facts;
    const char *sidecar_account; /* "namespace/name"; "": to be found */
    const char *log_level, *log_encoder;
    bool log_development;
    bool help, version;
    bool config; /* the command */
} Flags;

typedef enum FlagType {
    FLAG_TEXT,
    FLAG_SWITCH,
    FLAG_NUMBER,
    FLAG_REFUSED, /* of the reference, and nothing but its default is supported */
    FLAG_IGNORED, /* of the reference, and without any effect here */
} FlagType;

typedef struct FlagRow {
    const char *name;  /* without dashes; NULL ends the table */
    const char *value; /* what stands behind it, in a word; NULL for a switch */
    const char *fallback;
    const char *about;
    FlagType type;
    size_t offset;    /* of the value in Flags */
    int64_t min, max; /* of a number */
} FlagRow;

extern const FlagRow flag_rows[];

/* Reads the words of a command line, the first being the program's name, as Go's programs do: one
 * dash or two, "=value" or the next word, switches alone or with "=true" or "=false". ERR_TERMINAL
 * lists everything that is wrong, in one message. Texts are borrowed. */
Err *flags_parse(Arena *a, int count, char *const *words, Flags *ret) MUST_CHECK;

/* The value of a row, as it would be written; NULL for those that have none here. */
const char *flags_value(Arena *a, const Flags *flags, const FlagRow *row);

#endif
