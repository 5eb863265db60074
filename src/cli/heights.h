/* Heights: how far the nodes of a list are, as `get -o wide` shows it: each seid is asked once, and
 * compared with the best that anybody of its chain has told of. */
#ifndef CLI_HEIGHTS_H
#define CLI_HEIGHTS_H

#include "cli/command.h"
#include "kube/kube.h"

/* More nodes than this are not asked: that takes longer than anybody waits. */
enum { HEIGHTS_NODES_MAX = 100, HEIGHTS_MS = 2000 };

/* The nodes, each that has answered with `seen: {height, lag}` in it; the others as they are. Says
 * on stderr why some have not. */
void heights_add(Cli *cli, Objects *nodes);

#endif
