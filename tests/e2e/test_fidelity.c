/* The world's server answers as the real one: sequences of requests are played to both, and every
 * answer, what watches saw and what is stored in the end must be equal, but for what
 * docs/FIDELITY.md explains.
 *
 * First come the sequences in tests/e2e/sequences, which found something once; then random ones.
 * One that differs is shrunk, printed, and written there to be kept. FIDELITY_SEED and
 * FIDELITY_COUNT in the environment play others than the usual ones, FIDELITY_ONLY=Pod those with
 * such a kind among their steps. Only the API server runs: nobody else writes.
 *
 * The real server spends more time waiting than working, so several players, each a thread, take
 * sequences from one pile. A check that fails in one of them ends the program. */
#include "kube/client/file.h"
#include "tests/e2e/fidelity_rig.h"
#include "tests/e2e/scene.h"

#include <dirent.h>
#include <pthread.h>

/* Sanitizers look at the code, not at the answers, and cost time: a few do. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SEQUENCES = 40 };
#else
enum { SEQUENCES = 2000 };
#endif

enum {
    SEQUENCE_ARENA_MAX = 512 << 20,
    PARTING_BEFORE = 200,
    PARTING_MAX = 700,
    FILES_MAX = 1000,
    FILE_BYTES_MAX = 1 << 20,
};

/* --- shrinking and keeping --- */

static void drop(Steps *steps, size_t at)
{
    memmove(
        steps->items + at, steps->items + at + 1, (steps->count - at - 1) * sizeof *steps->items);
    steps->count--;
}

/* What follows the difference is not needed to see it. */
static void cut(Steps *steps, const Difference *d)
{
    if (d->step < steps->count)
        steps->count = d->step + 1;
}

/* Leaves out whatever can be left out while the two still differ. */
static void shrink(Player *p, Steps *steps)
{
    for (size_t at = steps->count; at-- > 0;) {
        SCOPED_ARENA a = arena_open(SEQUENCE_ARENA_MAX);
        Steps fewer = *steps;

        drop(&fewer, at);
        if (fewer.count == 0)
            return;
        Difference d = player_play(p, a, &fewer);
        if (!d.found)
            continue;
        *steps = fewer;
        cut(steps, &d);
        if (at > steps->count)
            at = steps->count;
    }
}

static const char *folder_path(Arena *a)
{
    const char *root = getenv("SEI_SOURCE_ROOT");

    return str_format(a, "%s/tests/e2e/sequences", root ? root : ".");
}

static const char *sequence_text(Arena *a, const char *why, const Steps *steps)
{
    const char *text = str_format(a, "{\n  why: '%s',\n  steps: [\n", why);

    for (size_t i = 0; i < steps->count; i++)
        text = str_format(a, "%s    %s,\n", text, step_text(a, &steps->items[i]));
    return str_format(a, "%s  ],\n}\n", text);
}

/* Where two texts part, with what stands around: the whole answers are long. */
static void print_parting(Arena *a, const char *world, const char *real)
{
    size_t at = 0;

    while (world[at] && world[at] == real[at])
        at++;
    size_t from = at > PARTING_BEFORE ? at - PARTING_BEFORE : 0;
    fprintf(stderr, "world: ...%s\n", str_cut(a, world + from, PARTING_MAX));
    fprintf(stderr, "real:  ...%s\n\n", str_cut(a, real + from, PARTING_MAX));
}

static void print_difference(Arena *a, const char *name, const Steps *steps, const Difference *d)
{
    fprintf(stderr, "%s differs at step %zu of %zu:\n", name, d->step + 1, steps->count);
    fprintf(stderr, "%s", sequence_text(a, name, steps));
    print_parting(a, d->world, d->real);
}

static void keep(Player *p, const char *name, Steps *steps, const Difference *first)
{
    SCOPED_ARENA a = arena_open(SEQUENCE_ARENA_MAX);
    Steps whole = *steps;

    shrink(p, steps);
    Difference d = player_play(p, a, steps);
    if (!d.found) {
        fprintf(stderr, "%s differed once, and not again:\n", name);
        print_difference(a, name, &whole, first);
        return;
    }
    print_difference(a, name, steps, &d);
    then_ok(controlplane_write(a,
        str_format(a, "%s/%s.json5", folder_path(a), name),
        sequence_text(a, "found by a random sequence and not yet explained", steps)));
}

/* --- what was kept --- */

static int compare_texts(const void *left, const void *right)
{
    return str_compare(*(const char *const *)left, *(const char *const *)right);
}

/* The names of the files there, in their order. */
static size_t kept_names(Arena *a, const char *ret[FILES_MAX])
{
    DIR *folder = opendir(folder_path(a));
    size_t count = 0;

    then_true(folder != NULL);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (!str_has_suffix(entry->d_name, ".json5"))
            continue;
        then_true(count < FILES_MAX);
        ret[count++] = str_copy(a, entry->d_name);
    }
    closedir(folder);
    qsort(ret, count, sizeof *ret, compare_texts);
    return count;
}

/* --- the pile --- */

/* All sequences by their numbers: first those that were kept, then the random ones. */
typedef struct Pile {
    Rig *rig;
    const char *kept[FILES_MAX];
    size_t kept_count;
    uint64_t seed; /* of the first random one */
    size_t count;
    const char *only; /* the kind that must be among the steps, or NULL */
    atomic_size_t next, played, differing;
} Pile;

static uint64_t from_environment(const char *name, uint64_t usual)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : usual;
}

static Pile *pile_new(Arena *a, Rig *rig)
{
    Pile *pile = arena_new(a, Pile);

    pile->rig = rig;
    pile->seed = from_environment("FIDELITY_SEED", 1);
    pile->only = getenv("FIDELITY_ONLY");
    pile->kept_count = kept_names(a, pile->kept);
    pile->count = pile->kept_count + from_environment("FIDELITY_COUNT", SEQUENCES);
    return pile;
}

/* The steps of a sequence, and its name. */
static const char *pile_steps(Arena *a, const Pile *pile, size_t number, Steps *ret)
{
    Buf text = {.ceiling = FILE_BYTES_MAX};

    if (number >= pile->kept_count) {
        uint64_t seed = pile->seed + (number - pile->kept_count);
        fidelity_steps(seed, ret);
        return str_format(a, "seed-%" PRIu64, seed);
    }
    const char *name = pile->kept[number];
    then_ok(file_read(a, str_format(a, "%s/%s", folder_path(a), name), &text, NULL));
    steps_read(a, str_slice(a, text.data, text.len), ret);
    buf_close(&text);
    return name;
}

static bool compacts(const Steps *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i].compacts)
            return true;
    return false;
}

static bool has_kind(const Steps *steps, const char *name)
{
    for (size_t i = 0; i < steps->count; i++)
        if (!steps->items[i].compacts
            && str_eq(fidelity_kinds[steps->items[i].kind]->kind->name, name))
            return true;
    return false;
}

/* Plays one, unless it is another's: those that compact are played by somebody who is alone. */
static void play_number(Player *p, Pile *pile, size_t number, bool is_alone)
{
    SCOPED_ARENA a = arena_open(SEQUENCE_ARENA_MAX);
    Steps steps;
    const char *name = pile_steps(a, pile, number, &steps);

    if (compacts(&steps) != is_alone)
        return;
    atomic_fetch_add(&pile->played, 1);
    if (pile->only && !has_kind(&steps, pile->only))
        return;
    Difference d = player_play(p, a, &steps);
    if (!d.found)
        return;
    atomic_fetch_add(&pile->differing, 1);
    if (number < pile->kept_count) {
        print_difference(a, name, &steps, &d);
        return;
    }
    cut(&steps, &d);
    keep(p, name, &steps, &d);
}

/* What one of several players does: takes the next one until there is none. */
typedef struct Shift {
    Player *player;
    Pile *pile;
    pthread_t thread;
} Shift;

static void *shift_main(void *self)
{
    Shift *shift = self;
    Pile *pile = shift->pile;

    for (size_t i = atomic_fetch_add(&pile->next, 1); i < pile->count;
        i = atomic_fetch_add(&pile->next, 1))
        play_number(shift->player, pile, i, false);
    return NULL;
}

static void play_together(Pile *pile)
{
    Shift shifts[FIDELITY_PLAYERS];

    for (size_t i = 0; i < FIDELITY_PLAYERS; i++) {
        shifts[i] = (Shift){.player = &pile->rig->players[i], .pile = pile};
        then_int(pthread_create(&shifts[i].thread, NULL, shift_main, &shifts[i]), 0);
    }
    for (size_t i = 0; i < FIDELITY_PLAYERS; i++)
        pthread_join(shifts[i].thread, NULL);
}

/* --- the tests --- */

TEST(the_simulated_api_server_answers_like_the_real_one)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Rig *rig = rig_open(a);
    Pile *pile = pile_new(a, rig);

    play_together(pile);
    for (size_t i = 0; i < pile->count; i++)
        play_number(&rig->players[0], pile, i, true);
    rig_close(rig);
    then_int(pile->played, pile->count);
    then_int(pile->differing, 0);
}

/* --- what is written about it --- */

static const char *section(Arena *a, const char *page, const char *title)
{
    const char *from = strstr(page, title);

    then_true(from != NULL);
    const char *end = strstr(from + strlen(title), "\n## ");
    return str_slice(a, from, end ? (size_t)(end - from) : strlen(from));
}

static bool is_explained(Arena *a, const char *name, size_t len)
{
    for (const char *const *each = explained_names(a); *each; each++)
        if (strlen(*each) == len && strncmp(*each, name, len) == 0)
            return true;
    return false;
}

/* Each row has a line, and each line a row. */
TEST(every_explained_difference_to_the_real_server_is_documented)
{
    static const char bullet[] = "\n- `";
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *root = getenv("SEI_SOURCE_ROOT");
    Buf text = {.ceiling = FILE_BYTES_MAX};

    then_ok(file_read(a, str_format(a, "%s/docs/FIDELITY.md", root ? root : "."), &text, NULL));
    const char *lines = section(a, str_slice(a, text.data, text.len), "## Explained differences");
    buf_close(&text);
    for (const char *const *name = explained_names(a); *name; name++)
        if (!strstr(lines, str_format(a, "%s%s`: ", bullet, *name)))
            fail_msg("docs/FIDELITY.md does not explain %s", *name);
    for (const char *at = strstr(lines, bullet); at; at = strstr(at + 1, bullet)) {
        const char *name = at + strlen(bullet);
        size_t len = strcspn(name, "`");
        if (!is_explained(a, name, len))
            fail_msg("docs/FIDELITY.md explains %.*s, which no row knows", (int)len, name);
    }
}
