/* Command: one verb of kubectl-sei, as a row of a table, and what it is handed when it runs.
 *
 * The table (commands.c) is the only place that knows which commands there are: parsing, --help,
 * the man page, completion and docs/KUBECTL_SEI.md all read it. A command function gets everything
 * through its Cli, prints through cli->out alone, and gives its exit code back; so that a test runs
 * it in its own process against any Transport. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/clock.h"
#include "cli/flags.h"
#include "cli/output.h"
#include "kube/config.h"
#include "kube/transport.h"

#include <stdbool.h>
#include <stddef.h>

/* How a command ends. Scripts rely on these. */
typedef enum ExitCode {
    EXIT_FINE = 0,
    EXIT_UNHEALTHY = 1, /* drift was found, or the object is not well: as `kubectl diff` */
    EXIT_MISUSED = 2,   /* the command line, or what it asks for, makes no sense or is refused */
    EXIT_NOT_FOUND = 3,
    EXIT_FORBIDDEN = 4,   /* also: not logged in */
    EXIT_TIMED_OUT = 5,   /* the answer, or a part of it, did not come in time */
    EXIT_UNREACHABLE = 6, /* no API server, or one that fails */
} ExitCode;

typedef struct Cli Cli;

/* What a word behind the command's name is: for completion. */
typedef enum ArgKind {
    ARG_NONE,
    ARG_KIND,   /* nodes, fleets */
    ARG_TARGET, /* NAME, node/NAME or fleet/NAME */
    ARG_FLEET,  /* the name of a fleet */
    ARG_NODE,   /* the name of a node */
    ARG_IMAGE,
    ARG_REASON, /* of a condition or an event */
    ARG_SHELL,  /* bash, zsh, fish */
    ARG_PLAN,   /* the id of a plan */
    ARG_WORD,   /* of a command that runs elsewhere */
} ArgKind;

enum { COMMAND_ARGS_MAX = 3 };

typedef struct Command {
    const char *topic;    /* the heading it stands under; NULL: not shown to people */
    const char *name;     /* "rollout status": one word or two */
    const char *args;     /* "NAME [IMAGE]", for people; "" for none */
    const char *about;    /* one line, without a full stop */
    const char *more;     /* paragraphs, or NULL */
    const char *examples; /* lines of arguments behind the program's name, or NULL */
    ArgKind arg_kinds[COMMAND_ARGS_MAX]; /* the last one that is given stands for all that follow */
    size_t args_min, args_max;
    unsigned flag_groups; /* of FlagGroup: what it understands beside --help */
    int (*run)(Cli *cli);
} Command;

/* The table; a row without a name ends it. */
extern const Command commands[];

/* What a running command has. */
struct Cli {
    Arena *arena;
    const Command *command;
    const char *program; /* "kubectl sei", as people type it */
    Flags flags;
    const char *const *args;
    size_t arg_count;
    Clock *clock;
    void (*nap)(Cli *cli, int64_t ms); /* lets time pass */
    /* Asks the person at the terminal and gives the line that they type, "" at its end. NULL when
     * stdin or stderr is no terminal. */
    const char *(*ask)(Cli *cli, const char *question);
    /* Keeps a file that is not there yet, for its owner alone. */
    Err *(*save)(Cli *cli, const char *path, Bytes content);
    Output *out;

    /* The cluster. main leaves transport NULL, and connection_open fills the rest; a test brings
     * its own transport and namespace. */
    const ConfigSource *source;
    Transport *transport;
    const char *namespace; /* of --namespace or the context; NULL with --all-namespaces */
    Api *api;
    bool asks_nobody;      /* a credential plugin may not: no person waits for this command */
    bool spares_secrets;   /* it runs within a report, which promises to read none */
    int64_t deadline_ms;   /* on the monotonic clock: when the answer is given, whole or not */
    struct Client *client; /* ours to close, or NULL */
    const Config *config;  /* who we are there, or NULL: not known */
    bool plugin_failed;    /* its credential plugin did not log in */
    struct Screen *screen; /* of watch; NULL: the process's own terminal */
};

/* The command of these words, or NULL; *ret_used is how many of them were its name. */
const Command *command_find(const char *const *words, size_t count, size_t *ret_used);

/* --- the commands, one file each --- */

int get_command(Cli *cli);
int status_command(Cli *cli);
int watch_command(Cli *cli);
int drift_command(Cli *cli);
int plan_show_command(Cli *cli);
int plan_history_command(Cli *cli);
int explain_command(Cli *cli);
int doctor_command(Cli *cli);
int rollout_status_command(Cli *cli);
int rollout_hold_command(Cli *cli);
int rollout_resume_command(Cli *cli);
int rollout_promote_command(Cli *cli);
int rollout_abort_command(Cli *cli);
int rollout_retry_command(Cli *cli);
int rollout_undo_command(Cli *cli);
int rollout_restart_command(Cli *cli);
int set_image_command(Cli *cli);
int pause_command(Cli *cli);
int unpause_command(Cli *cli);
int maintain_command(Cli *cli);
int report_command(Cli *cli);
int version_command(Cli *cli);
int completion_command(Cli *cli);
int complete_command(Cli *cli);  /* __complete */
int man_command(Cli *cli);       /* __man */
int reference_command(Cli *cli); /* __reference */
int checks_command(Cli *cli);    /* __checks */

#endif
