/* Desk: a registry of metrics for tests, and its page. */
#ifndef TESTS_SEI_RECONCILE_DESK_H
#define TESTS_SEI_RECONCILE_DESK_H

#include "base/bytes.h"
#include "sei/reconcile/figures.h"
#include "tests/test.h"

typedef struct Desk {
    Arena *arena;
    Metrics *metrics;
    Figures figures;
} Desk;

static inline Desk *desk_open(void)
{
    Arena *a = arena_open(16 << 20);
    Desk *d = arena_new(a, Desk);

    d->arena = a;
    d->metrics = metrics_open(0);
    figures_declare(&d->figures, d->metrics, guard_none());
    return d;
}

static inline void desk_close(Desk **d)
{
    figures_close(&(*d)->figures);
    metrics_close((*d)->metrics);
    arena_close((*d)->arena);
}

#define SCOPED_DESK __attribute__((cleanup(desk_close))) Desk *

static inline const char *page(Desk *d)
{
    Buf page = {.ceiling = 1 << 20};

    then_true(metrics_write(d->metrics, &page));
    const char *text = str_copy(d->arena, page.data);
    buf_close(&page);
    return text;
}

/* Whether a line stands on the page. */
static inline bool shows(Desk *d, const char *line)
{
    return strstr(page(d), str_format(d->arena, "\n%s\n", line)) != NULL;
}

#endif
