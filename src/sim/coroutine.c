/* Coroutine: ucontext, which saves everything that a function call must keep.
 *
 * makecontext hands over ints only, so the pointer travels in two halves. The address sanitizer
 * must know which stack is in use, the thread sanitizer which "thread" runs; both are told right
 * around each switch, and nothing may stand between. */
#include "sim/coroutine.h"

#include "base/arena.h"
#include "base/err.h"

#include <assert.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define COROUTINE_TELLS_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COROUTINE_TELLS_ASAN
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define COROUTINE_TELLS_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define COROUTINE_TELLS_TSAN
#endif
#endif

#ifdef COROUTINE_TELLS_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef COROUTINE_TELLS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* One side of the switch, as the sanitizers see it. */
typedef struct Side {
    const void *bottom;
    size_t size;
    void *fake_stack; /* the address sanitizer's, while this side does not run */
    void *fiber;      /* the thread sanitizer's */
} Side;

struct Coroutine {
    Arena *home;
    void (*body)(void *self);
    void *self;
    char *mapping; /* the guard page, then the stack */
    size_t mapping_size;
    ucontext_t inside, outside;
    Side inner, outer;
    bool begun, runs, ended;
};

/* --- what the sanitizers are told --- */

/* Control is about to go from one side to the other; `last`: never to come back. */
static void leave(Side *from, const Side *to, bool last)
{
    (void)from, (void)to, (void)last;
#ifdef COROUTINE_TELLS_ASAN
    __sanitizer_start_switch_fiber(last ? NULL : &from->fake_stack, to->bottom, to->size);
#endif
#ifdef COROUTINE_TELLS_TSAN
    from->fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->fiber, 0);
#endif
}

/* Control has come (back) to a side from the other. */
static void arrive(Side *to, Side *from)
{
    (void)to, (void)from;
#ifdef COROUTINE_TELLS_ASAN
    __sanitizer_finish_switch_fiber(to->fake_stack, &from->bottom, &from->size);
#endif
}

static void open_side(Side *inner, const char *bottom, size_t size)
{
    *inner = (Side){.bottom = bottom, .size = size};
#ifdef COROUTINE_TELLS_TSAN
    inner->fiber = __tsan_create_fiber(0);
#endif
}

static void close_side(Side *inner)
{
    (void)inner;
#ifdef COROUTINE_TELLS_TSAN
    __tsan_destroy_fiber(inner->fiber);
#endif
}

/* --- the switches --- */

static void begin(unsigned high, unsigned low)
{
    Coroutine *c = (Coroutine *)((uintptr_t)high << 32 | low);

    arrive(&c->inner, &c->outer);
    c->body(c->self);
    c->ended = true;
    leave(&c->inner, &c->outer, true);
    setcontext(&c->outside);
    BUG("a coroutine went on after its end");
}

static void map_stack(Coroutine *c)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    c->mapping_size = COROUTINE_STACK_BYTES + page;
    c->mapping =
        mmap(NULL, c->mapping_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (c->mapping == MAP_FAILED)
        BUG("no memory for a coroutine's stack");
    if (mprotect(c->mapping, page, PROT_NONE))
        BUG("a coroutine's stack cannot be guarded");
    open_side(&c->inner, c->mapping + page, COROUTINE_STACK_BYTES);
}

Coroutine *coroutine_open(void (*body)(void *self), void *self)
{
    Arena *home = arena_open(sizeof(Coroutine));
    Coroutine *c = arena_new(home, Coroutine);

    c->home = home;
    c->body = body;
    c->self = self;
    map_stack(c);
    if (getcontext(&c->inside))
        BUG("a context cannot be taken");
    c->inside.uc_stack.ss_sp = (void *)c->inner.bottom;
    c->inside.uc_stack.ss_size = c->inner.size;
    uintptr_t address = (uintptr_t)c;
    makecontext(&c->inside, (void (*)(void))begin, 2, (unsigned)(address >> 32), (unsigned)address);
    return c;
}

void coroutine_close(Coroutine *c)
{
    if (!c)
        return;
    if (c->begun && !c->ended)
        BUG("a coroutine is closed before it has ended");
    close_side(&c->inner);
    munmap(c->mapping, c->mapping_size);
    arena_close(c->home);
}

void coroutine_resume(Coroutine *c)
{
    assert(!c->runs && !c->ended);
    c->begun = c->runs = true;
    leave(&c->outer, &c->inner, false);
    swapcontext(&c->outside, &c->inside);
    arrive(&c->outer, &c->inner);
    c->runs = false;
}

void coroutine_yield(Coroutine *c)
{
    assert(c->runs);
    leave(&c->inner, &c->outer, false);
    swapcontext(&c->inside, &c->outside);
    arrive(&c->inner, &c->outer);
}

bool coroutine_has_ended(const Coroutine *c)
{
    return c->ended;
}
