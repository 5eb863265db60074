/* Flags: what stands behind a dash, as kubectl spells it. One table, as of the commands; each row
 * belongs to a group, and a command says which groups it understands. */
#ifndef CLI_FLAGS_H
#define CLI_FLAGS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of Command.flag_groups. */
typedef enum FlagGroup {
    FLAGS_ALWAYS = 1 << 0,     /* --help, --color */
    FLAGS_CONNECTION = 1 << 1, /* --kubeconfig, --context, --as, --request-timeout, ... */
    FLAGS_NAMESPACE = 1 << 2,  /* -n */
    FLAGS_SELECT = 1 << 3,     /* -A, -l */
    FLAGS_OUTPUT = 1 << 4,     /* -o */
    FLAGS_TABLE = 1 << 5,      /* --no-headers */
    FLAGS_WATCH = 1 << 6,      /* -w */
    FLAGS_WRITE = 1 << 7,      /* --dry-run */
    FLAGS_WAIT = 1 << 8,       /* --timeout */
    FLAGS_CLIENT = 1 << 9,     /* --client */
    FLAGS_EXAM = 1 << 10,      /* --pre, --wait, -A */
    FLAGS_MAINTAIN = 1 << 11,  /* --image, --resume, --abort, --unpause-always, --force */
    FLAGS_REPORT = 1 << 12,    /* --to */
    FLAGS_CONFIRM = 1 << 13,   /* --yes */
    FLAGS_SCREEN = 1 << 14,    /* --note */
} FlagGroup;

typedef enum OutputFormat {
    OUTPUT_TABLE, /* text for people */
    OUTPUT_WIDE,
    OUTPUT_JSON,
    OUTPUT_YAML,
    OUTPUT_NAME,
    OUTPUT_JSONPATH,
} OutputFormat;

typedef enum DryRun { DRY_RUN_NONE, DRY_RUN_CLIENT, DRY_RUN_SERVER } DryRun;

typedef struct Flags {
    bool help;
    const char *color;                                      /* "auto", "always", "never" */
    const char *kubeconfig, *context, *cluster, *user, *as; /* "": not given */
    const char *as_group;                                   /* "a,b" */
    int64_t request_timeout_ms;                             /* 0: no limit of the whole */
    bool has_request_timeout;                               /* a person has said so, and means it */
    const char *namespace;                                  /* "": that of the context */
    bool all_namespaces;
    const char *selector; /* "": everything */
    const char *output;   /* as given: "", "json", "jsonpath={.x}" */
    OutputFormat format;
    const char *jsonpath; /* of OUTPUT_JSONPATH, else NULL */
    bool no_headers;
    bool watch;
    const char *dry_run_text;
    DryRun dry_run;
    int64_t timeout_ms; /* --timeout of what waits; 0: no end */
    bool client_only;
    const char *image; /* of maintain; "": not given */
    bool has_image;    /* it was given, be it empty */
    bool resume, abort, unpause_always, force;
    const char *to;   /* of report; "": a name is made */
    bool pre, wait;   /* of doctor */
    bool yes;         /* nothing is asked */
    const char *note; /* of watch; "": none */
} Flags;

typedef enum FlagType {
    FLAG_TEXT,     /* const char * */
    FLAG_TEXTS,    /* const char *: each further one is put behind a comma */
    FLAG_SWITCH,   /* bool */
    FLAG_DURATION, /* int64_t of milliseconds: 5s, 1m30s, 0; a number alone is of seconds */
} FlagType;

typedef struct FlagRow {
    const char *name;  /* without dashes; NULL ends the table */
    char letter;       /* of the short form, or '\0' */
    const char *value; /* what stands behind it, in a word; NULL for a switch */
    const char *bare;  /* the value when there is none (--dry-run), or NULL: it must have one */
    const char *fallback;
    const char *about;
    const char *choices; /* "auto|always|never", for checking and completion; or NULL */
    FlagType type;
    size_t offset;
    FlagGroup group;
} FlagRow;

extern const FlagRow flag_rows[];

/* The row of a long name or of a letter, among the groups; NULL when there is none. */
const FlagRow *flag_find(const char *name, size_t len, unsigned groups);
const FlagRow *flag_find_letter(char letter, unsigned groups);

/* Everything at its default. */
void flags_init(Flags *ret);

/* The words of a command line that are no flags, in their order. */
typedef struct Words {
    const char **items; /* room for as many as were given */
    size_t count;
} Words;

/* Reads the flags out of the words, wherever they stand; behind "--" there are none. As pflag does:
 * "--name value", "--name=value", "-n value", "-nvalue", "-Aw". ERR_TERMINAL lists all that is
 * wrong. Flags of other groups than `groups` are refused with a word on what is. */
Err *flags_parse(
    Arena *a, const Words *given, unsigned groups, Flags *ret, Words *ret_words) MUST_CHECK;

#endif
