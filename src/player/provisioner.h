/* Provisioner: an actor that makes a volume for each claim that waits for one, as a storage driver
 * does. Binding is left to whoever does it in that cluster. */
#ifndef PLAYER_PROVISIONER_H
#define PLAYER_PROVISIONER_H

#include "world/actor.h"

enum { PROVISIONER_OBJECTS_MAX = 20000 };

Actor *provisioner_open(void);

#endif
