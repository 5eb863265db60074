/* Descriptors: the kernel's own list of what is open. */
#include "kube/runtime/descriptors.h"

#include "kube/runtime/machine.h"

#include <dirent.h>
#include <sys/resource.h>

/* -1: the list cannot be opened. */
static int64_t count_open(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int64_t count = -3; /* ".", ".." and the directory itself */

    if (!dir)
        return -1;
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

DescriptorsUse descriptors_use(void)
{
    struct rlimit limit;
    DescriptorsUse use = {.open = count_open(), .limit = INT64_MAX};

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < INT64_MAX)
        use.limit = (int64_t)limit.rlim_cur;
    if (use.open < 0)
        use.open = use.limit;
    return use;
}

void descriptors_look(DescriptorsLook *l, Manager *m)
{
    int64_t now = clock_mono_ms(m->clock);

    if (now < l->due_ms)
        return;
    l->due_ms = now + DESCRIPTORS_LOOK_MS;
    DescriptorsUse use = descriptors_use();
    if (use.limit - use.open >= DESCRIPTORS_SPARE)
        return;
    guard_enter(m->guard);
    metrics_add(m->instruments.descriptor_shortages, (MetricLabels){0}, 1);
    guard_leave(m->guard);
    if (now < l->report_due_ms)
        return;
    l->report_due_ms = now + DESCRIPTORS_REPORT_MS;
    log_warn(&m->log,
        "file descriptors run short: connections fail; raise the limit on open files",
        log_num("open", use.open),
        log_num("limit", use.limit));
}
