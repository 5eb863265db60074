/* What the platform gives to a node: archives have a pool, a disk and a size of their own. */
#include "sei/render/pod.h"

Platform render_platform(const Subject *s)
{
    const Settings *p = s->settings;

    if (s->mode == MODE_ARCHIVE)
        return (Platform){
            .nodepool = p->nodepool_archive,
            .cpu = p->cpu_archive,
            .memory = p->memory_archive,
            .storage_class = p->storage_class_archive,
            .storage_size = p->storage_size_archive,
        };
    return (Platform){
        .nodepool = p->nodepool,
        .cpu = p->cpu,
        .memory = p->memory,
        .storage_class = p->storage_class_perf,
        .storage_size = p->storage_size,
    };
}
