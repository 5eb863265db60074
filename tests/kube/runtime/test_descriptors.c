/* File descriptors that run short: counted at each look, reported once a minute. */
#include "base/str.h"
#include "kube/runtime/descriptors.h"
#include "tests/kube/runtime/rig.h"

#include <sys/resource.h>

static const Watch watches[] = {{kind_configmap}, {0}};

static const char *shortages(Rig *r)
{
    Buf page = {.ceiling = 1 << 20};

    then_true(metrics_write(r->manager->metrics, &page));
    const char *at = strstr(page.data, "\nprocess_fd_shortages_total ");
    const char *count = at ? str_slice(r->arena, at + 28, strcspn(at + 28, "\n")) : "";
    buf_close(&page);
    return count;
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void let_open(int64_t more, const struct rlimit *before)
{
    struct rlimit few = {
        .rlim_cur = (rlim_t)(descriptors_use().open + more), .rlim_max = before->rlim_max};

    then_int(setrlimit(RLIMIT_NOFILE, &few), 0);
}

TEST(a_shortage_of_file_descriptors_is_counted_and_reported_at_most_once_a_minute)
{
    SCOPED_RIG r = rig_open(watches);
    DescriptorsLook look = {0};
    struct rlimit before;

    then_int(getrlimit(RLIMIT_NOFILE, &before), 0);
    descriptors_look(&look, r->manager);
    then_str(r->logged, "");

    let_open(DESCRIPTORS_SPARE - 1, &before);
    descriptors_look(&look, r->manager); /* it is not time to look yet */
    then_str(r->logged, "");
    for (int i = 0; i < 12; i++) {
        clock_manual_advance_ms(&r->clock, DESCRIPTORS_LOOK_MS);
        descriptors_look(&look, r->manager);
    }
    then_str(shortages(r), "12");
    then_int(lines_of(r->logged), 1);
    then_true(strstr(r->logged, "file descriptors run short") && strstr(r->logged, "\"limit\":"));
    clock_manual_advance_ms(&r->clock, DESCRIPTORS_LOOK_MS);
    descriptors_look(&look, r->manager);
    then_int(lines_of(r->logged), 2);

    let_open(0, &before); /* not even the list can be opened */
    clock_manual_advance_ms(&r->clock, DESCRIPTORS_LOOK_MS);
    descriptors_look(&look, r->manager);
    then_str(shortages(r), "14");
    then_int(setrlimit(RLIMIT_NOFILE, &before), 0);
}
