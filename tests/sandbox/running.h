/* Running: the program sei-sandbox as a child of the test, in a folder of its own, and a client of
 * it. Addresses of pods follow from the test's pid, so that several may run at once. */
#ifndef TESTS_SANDBOX_RUNNING_H
#define TESTS_SANDBOX_RUNNING_H

#include "kube/client.h"
#include "tests/e2e/deadline.h"
#include "tests/e2e/folder.h"
#include "tests/e2e/process.h"

#include <sys/types.h>

enum { RUNNING_WAIT_MS = 60000, RUNNING_ARGS_MAX = 16 };

typedef struct Running {
    Arena *arena;
    Folder *folder;
    const char *program, *kubeconfig, *log;
    const char *args[RUNNING_ARGS_MAX]; /* behind "up" and where things are */
    pid_t pid;
    int64_t port;
    Client *client;
    Api *api;
} Running;

/* Starts the program with these further words, ended by NULL, and waits until it is ready. */
void running_open(Running *r, const char *program, const char *const *args);

/* Ends it with a signal and gives its exit status. */
int running_stop(Running *r, int number);

/* Starts it again with the same words. */
void running_start(Running *r);

/* Whether these words are in its log. */
bool running_has_said(Running *r, const char *words);

/* Ends it if it still runs, and removes the folder. */
void running_close(Running *r);

/* Creates what a YAML file of the repository holds, document by document. */
void running_create(Running *r, const char *file);

/* A connection to it, without TLS. */
int running_dial(const Running *r);

#endif
