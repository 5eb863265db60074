/* The table of rules of Services. */
#ifndef WORLD_VALIDITY_SERVICE_H
#define WORLD_VALIDITY_SERVICE_H

#include "world/validity_rules.h"

extern const Rule validity_service_rules[];

#endif
