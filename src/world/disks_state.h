/* What the disks are made of; shared by disks.c and disk_keeping.c alone. */
#ifndef WORLD_DISKS_STATE_H
#define WORLD_DISKS_STATE_H

#include "base/map.h"
#include "base/slab.h"
#include "world/disks.h"

struct Disks {
    Slab *slab;
    Map *claims, *disks; /* by name, and by UID */
    DiskKeeper *keeper;  /* or NULL */
};

/* The disk of a UID, made at its first mention; NULL when there are too many. */
Disk *disks_find_or_add(Disks *d, const char *uid);

/* Begins to hear of a new disk's tasks; and forgets what was told of one that goes. */
void disk_listen(Disk *disk);
void disk_forget_told(Disks *d, Disk *disk);

#endif
