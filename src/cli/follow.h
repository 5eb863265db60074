/* Follow: every change of some objects, told once each, through lost connections and restarted
 * servers. */
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

#include "cli/command.h"
#include "kube/kube.h"

typedef struct FollowSink FollowSink;

/* Who is told. The object is borrowed for the call. */
struct FollowSink {
    void (*changed)(FollowSink *self, const Json *object, bool is_gone);
};

typedef struct FollowOptions {
    const Kind *kind;
    const char *namespace, *labels, *fields; /* NULL: all */
    const Objects *known; /* what was shown already and is not told again unless it changed */
    FollowSink *sink;
} FollowOptions;

/* Goes on until the streams themselves fail, which is the only way in which it returns by itself;
 * trouble on the way is told to stderr, once each time. */
Err *follow_run(Cli *cli, const FollowOptions *options) MUST_CHECK;

#endif
