/* PodLog: the end of the log of one container. */
#ifndef CLI_POD_LOG_H
#define CLI_POD_LOG_H

#include "cli/command.h"
#include "kube/key.h"

typedef struct PodLogAsk {
    Key pod;
    const char *container;
    int lines, bytes; /* at most */
    bool timestamps;
    bool previous; /* of the run before the present one */
} PodLogAsk;

/* Errors are those of the API: 400 while the container has not started. */
Err *pod_log_read(Cli *cli, const PodLogAsk *ask, const char **ret) MUST_CHECK;

#endif
