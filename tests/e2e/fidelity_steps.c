/* The generator: a seed becomes a sequence of steps. Which kinds a sequence is about is drawn
 * first, one or two of them, so that steps meet each other. */
#include "base/str.h"
#include "tests/e2e/fidelity.h"

typedef struct Dice {
    SeededRng rng;
    size_t kinds[2];
} Dice;

static size_t below(Dice *d, size_t bound)
{
    return (size_t)rng_below(&d->rng.port, bound);
}

static bool one_in(Dice *d, size_t n)
{
    return below(d, n) == 0;
}

static const char *any_of(Dice *d, const char *const *texts)
{
    size_t count = 0;

    while (texts[count])
        count++;
    return texts[below(d, count)];
}

static Seen any_seen(Dice *d)
{
    static const Seen mix[] = {SEEN_NONE, SEEN_NONE, SEEN_LAST, SEEN_LAST, SEEN_FIRST, SEEN_WRONG};

    return mix[below(d, sizeof mix / sizeof *mix)];
}

/* What changes every kind alike. */
static const char *const changes_of_all[] = {
    "{metadata: {labels: {app: 'a'}}}",
    "{metadata: {labels: {app: 'b', tier: 'db'}}}",
    "{metadata: {labels: null}}",
    "{metadata: {annotations: {note: 'x'}}}",
    "{metadata: {colour: 'x', labels: {app: 'a'}}}",
    "{colour: {x: 1}, Spec: 1}",
    "{metadata: {finalizers: ['test.io/hold']}}",
    "{metadata: {finalizers: ['test.io/hold', 'test.io/other']}}",
    "{metadata: {finalizers: null}}",
    "{metadata: {finalizers: []}}",
    "{metadata: {'$deleteFromPrimitiveList/finalizers': ['test.io/hold']}}",
    "{metadata: {labels: {'$patch': 'replace', app: 'r'}}}",
    "{metadata: {labels: {'bad label!': 'x'}}}",
    "{metadata: {finalizers: ['unqualified']}}",
    /* NOLINTNEXTLINE(bugprone-suspicious-missing-comma) */
    "{metadata: {ownerReferences: [{apiVersion: 'v1', kind: 'ConfigMap', name: 'owner',"
    " uid: '11111111-1111-4111-8111-111111111111'}]}}",
    "{metadata: {ownerReferences: [{apiVersion: 'v1', kind: 'ConfigMap', name: 'owner',"
    " uid: '11111111-1111-4111-8111-111111111111', controller: true, blockOwnerDeletion: true}]}}",
    "{}",
    NULL,
};

static const char *const fields_of_all[] = {
    "metadata.name=a", "metadata.name!=a", "metadata.name=b", NULL};
static const char *const scales[] = {
    "{spec: {replicas: 3}}", "{spec: {replicas: 0}}", "{spec: {replicas: -1}}", NULL};
static const char *const managers[] = {"red", "blue", "green", NULL};

static const char *any_change(Dice *d, const KindRow *row)
{
    return one_in(d, 2) ? any_of(d, row->changes) : any_of(d, changes_of_all);
}

static void add_delete(Dice *d, Step *s)
{
    static const Propagation ways[] = {PROPAGATION_DEFAULT,
        PROPAGATION_DEFAULT,
        PROPAGATION_BACKGROUND,
        PROPAGATION_FOREGROUND,
        PROPAGATION_ORPHAN};

    s->request.propagation = ways[below(d, sizeof ways / sizeof *ways)];
    if (one_in(d, 3))
        s->uid = any_seen(d);
    if (one_in(d, 4))
        s->version = any_seen(d);
    if (one_in(d, 3)) {
        s->request.has_grace = true;
        s->request.grace_seconds = (int64_t)below(d, 3) * 30;
    }
}

static void add_list(Dice *d, Step *s, const KindRow *row)
{
    if (one_in(d, 2))
        s->request.labels = fidelity_selectors[below(d, FIDELITY_SELECTORS)].selector;
    if (one_in(d, 4))
        s->request.fields =
            row->fields && one_in(d, 2) ? any_of(d, row->fields) : any_of(d, fields_of_all);
    if (one_in(d, 2)) {
        s->request.limit = (int64_t)below(d, 2) + 1;
        s->goes_on = one_in(d, 2);
    }
}

static void add_watch(Dice *d, Step *s, const KindRow *row)
{
    static const Seen from[] = {
        SEEN_NONE, SEEN_LAST, SEEN_LAST, SEEN_FIRST, SEEN_FIRST, SEEN_LISTED, SEEN_WRONG};

    s->version = from[below(d, sizeof from / sizeof *from)];
    s->request.bookmarks = one_in(d, 2) || (row->uncached && s->version == SEEN_NONE);
    if (one_in(d, 3))
        s->request.labels = fidelity_selectors[below(d, FIDELITY_SELECTORS)].selector;
    if (one_in(d, 6))
        s->request.fields = any_of(d, fields_of_all);
}

static void add_apply(Dice *d, Step *s, const KindRow *row)
{
    s->text = any_of(d, row->applies);
    s->request.force = one_in(d, 3);
    if (one_in(d, 10))
        s->version = any_seen(d);
    if (row->status && one_in(d, 8)) {
        s->request.subresource = "status";
        s->text = any_of(d, row->status);
    } else if (row->scales && one_in(d, 6)) {
        s->request.subresource = "scale";
        s->text = any_of(d, scales);
    }
}

/* A third of the changes go to a subresource, where there is one. */
static void add_change(Dice *d, Step *s, const KindRow *row)
{
    s->text = any_change(d, row);
    if (s->request.verb == VERB_STRATEGIC_PATCH && row->strategic && one_in(d, 2)) {
        s->text = any_of(d, row->strategic);
        return;
    }
    if (row->status && one_in(d, 4)) {
        s->request.subresource = "status";
        s->text = one_in(d, 4) ? any_change(d, row) : any_of(d, row->status);
    } else if (row->scales && one_in(d, 4)) {
        s->request.subresource = "scale";
        s->text = any_of(d, scales);
    }
    s->version = any_seen(d);
    if (s->request.verb == VERB_UPDATE && s->version == SEEN_NONE && one_in(d, 2))
        s->version = SEEN_LAST;
    if (one_in(d, 8))
        s->uid = any_seen(d);
}

static void add_body(Dice *d, Step *s, const KindRow *row)
{
    switch (s->request.verb) {
    case VERB_GET:
        if (row->scales && one_in(d, 3))
            s->request.subresource = "scale";
        break;
    case VERB_LIST:
        add_list(d, s, row);
        break;
    case VERB_CREATE:
        s->text = any_of(d, row->objects);
        if (row->evictions && one_in(d, 2)) {
            s->request.subresource = "eviction";
            s->text = any_of(d, row->evictions);
        }
        break;
    case VERB_APPLY:
        add_apply(d, s, row);
        break;
    case VERB_WATCH:
        add_watch(d, s, row);
        break;
    case VERB_JSON_PATCH:
        s->text = any_of(d, row->patches);
        break;
    case VERB_DELETE:
        add_delete(d, s);
        break;
    default:
        add_change(d, s, row);
    }
}

/* Pods come with the budgets that keep them, sometimes: two kinds of all would seldom meet. */
static void draw_kinds(Dice *d)
{
    for (size_t i = 0; i < 2; i++)
        d->kinds[i] = below(d, FIDELITY_KINDS);
    if (fidelity_kinds[d->kinds[0]]->evictions && one_in(d, 2))
        while (fidelity_kinds[d->kinds[1]] != &fidelity_pdb)
            d->kinds[1] = (d->kinds[1] + 1) % FIDELITY_KINDS;
}

/* Compaction is felt by all kinds of the sequence, or there is none. */
static bool is_uncached(const Dice *d)
{
    return fidelity_kinds[d->kinds[0]]->uncached && fidelity_kinds[d->kinds[1]]->uncached;
}

static void add_step(Dice *d, Step *s)
{
    static const Verb mix[] = {VERB_GET,
        VERB_LIST,
        VERB_LIST,
        VERB_WATCH,
        VERB_CREATE,
        VERB_CREATE,
        VERB_CREATE,
        VERB_UPDATE,
        VERB_UPDATE,
        VERB_APPLY,
        VERB_APPLY,
        VERB_APPLY,
        VERB_MERGE_PATCH,
        VERB_MERGE_PATCH,
        VERB_MERGE_PATCH,
        VERB_STRATEGIC_PATCH,
        VERB_STRATEGIC_PATCH,
        VERB_JSON_PATCH,
        VERB_DELETE,
        VERB_DELETE};

    *s = (Step){.request.verb = mix[below(d, sizeof mix / sizeof *mix)],
        .kind = d->kinds[below(d, 2)],
        .name = below(d, FIDELITY_NAMES)};
    if (is_uncached(d) && one_in(d, 15)) {
        *s = (Step){.compacts = true};
        return;
    }
    if (request_method(&s->request)[0] != 'G') {
        s->request.dry_run = one_in(d, 8);
        if (s->request.verb != VERB_DELETE && one_in(d, 6))
            s->request.field_validation = FIELD_VALIDATION_STRICT;
        if (s->request.verb != VERB_DELETE)
            s->request.manager = any_of(d, managers);
    }
    add_body(d, s, fidelity_kinds[s->kind]);
}

void fidelity_steps(uint64_t seed, Steps *ret)
{
    Dice d = {0};

    rng_seed(&d.rng, seed);
    bool compacts = one_in(&d, 8);
    do
        draw_kinds(&d);
    while ((compacts && !is_uncached(&d))
        || explained_parts(fidelity_kinds[d.kinds[0]]->kind, fidelity_kinds[d.kinds[1]]->kind));
    ret->count = 1 + below(&d, FIDELITY_STEPS_MAX);
    for (size_t i = 0; i < ret->count; i++) {
        do
            add_step(&d, &ret->items[i]);
        while (explained_avoids(&ret->items[i]));
    }
}
