/* Agenda: a pairing heap. Melding is two-pass and iterative; the shape of the heap never shows,
 * since due time, lot and number order all turns strictly. */
#include "world/agenda.h"

#include <assert.h>

void agenda_init(Agenda *agenda, Rng *rng)
{
    *agenda = (Agenda){.rng = rng};
}

static bool is_before(const Turn *left, const Turn *right)
{
    if (left->due_ms != right->due_ms)
        return left->due_ms < right->due_ms;
    if (left->lot != right->lot)
        return left->lot < right->lot;
    return left->number < right->number;
}

/* One heap of two. Neither has siblings. */
static Turn *meld(Turn *left, Turn *right)
{
    if (!left || !right)
        return left ? left : right;
    if (is_before(right, left)) {
        Turn *swap = left;
        left = right;
        right = swap;
    }
    right->next = left->child;
    right->back = left;
    if (left->child)
        left->child->back = right;
    left->child = right;
    return left;
}

/* One heap of a chain of siblings: in pairs from the left, then all from the right. */
static Turn *meld_siblings(Turn *chain)
{
    Turn *pairs = NULL, *heap = NULL;

    while (chain) {
        Turn *left = chain, *right = chain->next;
        chain = right ? right->next : NULL;
        left->next = left->back = NULL;
        if (right)
            right->next = right->back = NULL;
        Turn *pair = meld(left, right);
        pair->next = pairs;
        pairs = pair;
    }
    while (pairs) {
        Turn *pair = pairs;
        pairs = pair->next;
        pair->next = NULL;
        heap = meld(heap, pair);
    }
    return heap;
}

void agenda_cancel(Agenda *agenda, Turn *turn)
{
    if (!turn->planned)
        return;
    if (turn->back && turn->back->child == turn)
        turn->back->child = turn->next;
    else if (turn->back)
        turn->back->next = turn->next;
    if (turn->next)
        turn->next->back = turn->back;
    Turn *below = meld_siblings(turn->child);
    agenda->first = turn == agenda->first ? below : meld(agenda->first, below);
    turn->planned = false;
    turn->child = turn->next = turn->back = NULL;
}

void agenda_plan(Agenda *agenda, Turn *turn, int64_t due_ms)
{
    assert(turn->take);
    agenda_cancel(agenda, turn);
    turn->planned = true;
    turn->due_ms = due_ms;
    turn->lot = agenda->rng->next(agenda->rng);
    turn->number = ++agenda->planned_ever;
    agenda->first = meld(agenda->first, turn);
}

void agenda_hasten(Agenda *agenda, Turn *turn, int64_t due_ms)
{
    if (!turn->planned || turn->due_ms > due_ms)
        agenda_plan(agenda, turn, due_ms);
}

Turn *agenda_first(const Agenda *agenda)
{
    return agenda->first;
}
