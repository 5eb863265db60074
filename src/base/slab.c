/* Slab: pages of 64 KiB, each cut into pieces of one size class.
 *
 * A page is aligned to its own size, so a piece finds its page by clearing bits of its address.
 * Pages come from mmap and are carved from the front, so memory that was never handed out is never
 * touched. Classes are at most an eighth apart. What is larger than PIECE_MAX goes to malloc. */
#include "base/slab.h"

#include "base/err.h"
#include "base/link.h"
#include "base/memory.h"
#include "base/poison.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    PAGE_BYTES = 64 << 10,
    PIECE_STEP = 16,
    FINE_MAX = 256,    /* up to here classes are PIECE_STEP apart */
    STEPS_PER_TWO = 8, /* beyond, so many between a power of two and the next */
    PIECE_MAX = 8 << 10,
    CLASS_COUNT = FINE_MAX / PIECE_STEP + 5 * STEPS_PER_TWO,
    SPARES_MAX = 4,
};

typedef struct Page {
    Link all;    /* in Slab.pages */
    Link open;   /* in Slab.open of its class while a piece is free; else alone */
    void *freed; /* pieces given back, each pointing to the next */
    uint32_t class;
    uint32_t used;   /* pieces in use */
    uint32_t carved; /* bytes, with this header, that were ever handed out */
} Page;

/* A piece that malloc gave; its bytes follow. */
typedef struct Large {
    alignas(PIECE_STEP) Link all;
    size_t size;
} Large;

struct Slab {
    Link pages;
    Link larges;
    Link open[CLASS_COUNT];
    Page *spares[SPARES_MAX]; /* empty and of no class */
    size_t spare_count;
    size_t count; /* of pieces in use */
    size_t footprint;
};

enum { PAGE_HEADER = (sizeof(Page) + PIECE_STEP - 1) / PIECE_STEP * PIECE_STEP };

static uint32_t class_of(size_t size)
{
    if (size <= FINE_MAX)
        return size == 0 ? 0 : (uint32_t)((size - 1) / PIECE_STEP);

    unsigned power = 63U - (unsigned)__builtin_clzll((unsigned long long)(size - 1));
    size_t step = ((size_t)1 << power) / STEPS_PER_TWO;
    size_t steps = (size - 1 - ((size_t)1 << power)) / step;
    return (uint32_t)(FINE_MAX / PIECE_STEP + (power - 8) * STEPS_PER_TWO + steps);
}

static uint32_t class_size(uint32_t class)
{
    if (class < FINE_MAX / PIECE_STEP)
        return (class + 1) * PIECE_STEP;

    uint32_t beyond = class - FINE_MAX / PIECE_STEP;
    uint32_t base = (uint32_t)FINE_MAX << beyond / STEPS_PER_TWO;
    return base + base / STEPS_PER_TWO * (beyond % STEPS_PER_TWO + 1);
}

static char *map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        BUG("out of memory");
    return memory;
}

/* The kernel puts a mapping next to the one before, so only the first of many has to be cut to its
 * alignment. */
static Page *map_page(void)
{
    char *memory = map(PAGE_BYTES);
    if ((uintptr_t)memory % PAGE_BYTES == 0)
        return (Page *)(void *)memory;

    munmap(memory, PAGE_BYTES);
    memory = map(2 * (size_t)PAGE_BYTES);
    size_t before = PAGE_BYTES - (uintptr_t)memory % PAGE_BYTES;
    munmap(memory, before);
    if (before < PAGE_BYTES)
        munmap(memory + before + PAGE_BYTES, PAGE_BYTES - before);
    return (Page *)(void *)(memory + before);
}

static void unmap_page(Page *page)
{
    ASAN_UNPOISON_MEMORY_REGION(page, PAGE_BYTES);
    munmap(page, PAGE_BYTES);
}

static Page *open_page(Slab *s, uint32_t class)
{
    Page *page;
    if (s->spare_count > 0) {
        page = s->spares[--s->spare_count];
    } else {
        page = map_page();
        s->footprint += PAGE_BYTES;
    }
    *page = (Page){.class = class, .carved = PAGE_HEADER};
    link_init(&page->all);
    link_init(&page->open);
    ASAN_POISON_MEMORY_REGION((char *)page + PAGE_HEADER, PAGE_BYTES - PAGE_HEADER);
    link_insert_before(&s->pages, &page->all);
    link_insert_before(&s->open[class], &page->open);
    return page;
}

static void close_page(Slab *s, Page *page)
{
    link_remove(&page->all);
    link_remove(&page->open);
    if (s->spare_count < SPARES_MAX) {
        s->spares[s->spare_count++] = page;
        return;
    }
    unmap_page(page);
    s->footprint -= PAGE_BYTES;
}

static bool page_is_full(const Page *page)
{
    return !page->freed && page->carved + class_size(page->class) > PAGE_BYTES;
}

static void *take_piece(Page *page, size_t size)
{
    void *piece = page->freed;
    if (!piece) {
        piece = (char *)page + page->carved;
        page->carved += class_size(page->class);
        ASAN_UNPOISON_MEMORY_REGION(piece, size);
    } else {
        ASAN_UNPOISON_MEMORY_REGION(piece, sizeof(void *));
        page->freed = *(void **)piece;
        ASAN_POISON_MEMORY_REGION(piece, sizeof(void *));
        ASAN_UNPOISON_MEMORY_REGION(piece, size);
    }
    page->used++;
    if (page_is_full(page))
        link_remove(&page->open);
    return piece;
}

static void *alloc_large(Slab *s, size_t size)
{
    if (size > SIZE_MAX / 2)
        BUG("an allocation of more than half the address space");
    Large *large = memory_new(sizeof *large + size);
    large->size = size;
    link_init(&large->all);
    link_insert_before(&s->larges, &large->all);
    s->footprint += sizeof *large + size;
    return large + 1;
}

static void free_large(Slab *s, Large *large, size_t size)
{
    assert(large->size == size);
    link_remove(&large->all);
    s->footprint -= sizeof *large + size;
    free(large);
}

Slab *slab_open(void)
{
    Slab *s = memory_new_zeroed(1, sizeof *s);
    link_init(&s->pages);
    link_init(&s->larges);
    for (size_t class = 0; class < CLASS_COUNT; class ++)
        link_init(&s->open[class]);
    return s;
}

void slab_close(Slab *s)
{
    if (!s)
        return;
    while (!link_is_alone(&s->pages)) {
        Page *page = link_owner(Page, all, s->pages.next);
        link_remove(&page->all);
        unmap_page(page);
    }
    for (Link *link = s->larges.next, *next; link != &s->larges; link = next) {
        next = link->next;
        free(link_owner(Large, all, link));
    }
    while (s->spare_count > 0)
        unmap_page(s->spares[--s->spare_count]);
    free(s);
}

void *slab_alloc(Slab *s, size_t size)
{
    s->count++;
    if (size > PIECE_MAX)
        return alloc_large(s, size);

    uint32_t class = class_of(size);
    Link *open = &s->open[class];
    Page *page = link_is_alone(open) ? open_page(s, class) : link_owner(Page, open, open->next);
    return take_piece(page, size);
}

void slab_free(Slab *s, void *piece, size_t size)
{
    if (!piece)
        return;
    s->count--;
    if (size > PIECE_MAX) {
        free_large(s, (Large *)piece - 1, size);
        return;
    }

    Page *page = (Page *)(void *)((char *)piece - (uintptr_t)piece % PAGE_BYTES);
    assert(page->class == class_of(size) && page->used > 0);
    bool was_full = page_is_full(page);
    ASAN_UNPOISON_MEMORY_REGION(piece, sizeof(void *));
    *(void **)piece = page->freed;
    page->freed = piece;
    page->used--;
    ASAN_POISON_MEMORY_REGION(piece, class_size(page->class));

    if (was_full)
        link_insert_before(&s->open[page->class], &page->open);
    if (page->used == 0)
        close_page(s, page);
}

size_t slab_count(const Slab *s)
{
    return s->count;
}

size_t slab_footprint(const Slab *s)
{
    return s->footprint;
}
