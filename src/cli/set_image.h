/* SetImage: what every command takes for an image. The server takes any text, and only the kubelet
 * would find out, when a pod is gone already. */
#ifndef CLI_SET_IMAGE_H
#define CLI_SET_IMAGE_H

#include "cli/command.h"

/* ERR_TERMINAL where it cannot be one: [registry/]name[:tag][@digest]. */
Err *set_image_check(Cli *cli, const char *image) MUST_CHECK;

#endif
