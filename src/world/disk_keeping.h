/* DiskKeeping: what stands on the disks as JSON, told to somebody who keeps it beyond the process,
 * and given back by them.
 *
 * A seid that runs makes blocks without anybody stepping it, so of a disk in use it is told from
 * where and when on its height grows, not every height: what it had come to follows from the time
 * at which the process ended. */
#ifndef WORLD_DISK_KEEPING_H
#define WORLD_DISK_KEEPING_H

#include "world/disks.h"
#include "world/seid.h"

/* Who keeps it. What is given is borrowed for the call. */
struct DiskKeeper {
    /* A disk holds something else than it was told to. */
    void (*keep)(DiskKeeper *self, const char *uid, const Json *contents);
    /* A task of it is another, or gone (NULL). */
    void (*keep_task)(DiskKeeper *self, const char *uid, const char *id, const Json *row);
};

/* Tells from now on; NULL: nobody. */
void disks_tell(Disks *d, DiskKeeper *keeper);

/* Tells what a disk holds, unless that was told. `seid` is the process of one of its holders, who
 * does this for a last time before it lets the disk go. */
void disks_note(Disks *d, Disk *disk, const Seid *seid);

/* Tells a keeper everything that there is. */
void disks_tell_all(const Disks *d, DiskKeeper *keeper);

/* Puts back what was told, before anybody has mounted anything. `now_ms` is when it was last known
 * to run. A record that cannot be understood is left out: false. */
bool disks_restore(
    Disks *d, const char *uid, const Json *contents, Outside *outside, int64_t now_ms) MUST_CHECK;
bool disks_restore_task(Disks *d, const char *uid, const Json *row) MUST_CHECK;

#endif
