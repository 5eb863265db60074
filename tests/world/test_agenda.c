/* The agenda: turns come in the order of their times, equal times by the seed. */
#include "world/agenda.h"

#include "tests/test.h"

enum { TURNS = 200 };

/* What was taken, in order. */
typedef struct Diary {
    int taken[TURNS * 2];
    int count;
} Diary;

typedef struct Guest {
    Turn turn;
    Diary *diary;
    int number;
} Guest;

typedef struct Party {
    SeededRng rng;
    Agenda agenda;
    Diary diary;
    Guest guests[TURNS];
} Party;

static void note(void *self, int64_t now_ms)
{
    Guest *g = self;

    (void)now_ms;
    g->diary->taken[g->diary->count++] = g->number;
}

static void invite(Party *p, uint64_t seed)
{
    *p = (Party){.diary = {.count = 0}};
    rng_seed(&p->rng, seed);
    agenda_init(&p->agenda, &p->rng.port);
    for (int i = 0; i < TURNS; i++)
        p->guests[i] = (Guest){
            .turn = {.take = note, .self = &p->guests[i]},
            .diary = &p->diary,
            .number = i,
        };
}

static void take_all(Party *p)
{
    for (Turn *turn; (turn = agenda_first(&p->agenda));) {
        agenda_cancel(&p->agenda, turn);
        turn->take(turn->self, turn->due_ms);
    }
}

TEST(scheduled_turns_run_in_the_order_of_their_times)
{
    Party p;
    int64_t last = INT64_MIN;

    invite(&p, 1);
    for (int i = 0; i < TURNS; i++)
        agenda_plan(&p.agenda, &p.guests[i].turn, (i * 7919) % 101);
    take_all(&p);
    then_int(p.diary.count, TURNS);
    for (int i = 0; i < TURNS; i++) {
        int64_t due = p.guests[p.diary.taken[i]].turn.due_ms;
        then_true(due >= last);
        last = due;
    }
}

TEST(turns_at_the_same_time_run_in_an_order_that_depends_on_the_seed)
{
    Party first, again, other;

    invite(&first, 1);
    invite(&again, 1);
    invite(&other, 2);
    for (int i = 0; i < TURNS; i++) {
        agenda_plan(&first.agenda, &first.guests[i].turn, 5);
        agenda_plan(&again.agenda, &again.guests[i].turn, 5);
        agenda_plan(&other.agenda, &other.guests[i].turn, 5);
    }
    take_all(&first);
    take_all(&again);
    take_all(&other);
    then_int(memcmp(&first.diary, &again.diary, sizeof first.diary), 0);
    then_true(memcmp(&first.diary, &other.diary, sizeof first.diary) != 0);
}

TEST(a_turn_that_is_scheduled_again_moves_to_the_new_time)
{
    Party p;

    invite(&p, 1);
    agenda_plan(&p.agenda, &p.guests[0].turn, 10);
    agenda_plan(&p.agenda, &p.guests[1].turn, 20);
    agenda_plan(&p.agenda, &p.guests[0].turn, 30);
    take_all(&p);
    then_int(p.diary.count, 2);
    then_int(p.diary.taken[0], 1);
    then_int(p.diary.taken[1], 0);
}

TEST(hastening_a_turn_never_makes_it_later)
{
    Party p;

    invite(&p, 1);
    agenda_hasten(&p.agenda, &p.guests[0].turn, 10);
    agenda_hasten(&p.agenda, &p.guests[0].turn, 30);
    then_int(p.guests[0].turn.due_ms, 10);
    agenda_hasten(&p.agenda, &p.guests[0].turn, 5);
    then_int(agenda_first(&p.agenda)->due_ms, 5);
}

/* Any mix of planning, moving, cancelling and taking keeps exactly what is planned, in order. */
TEST(a_cancelled_turn_never_runs_in_random_play)
{
    Party p;
    SeededRng chance;

    invite(&p, 3);
    rng_seed(&chance, 99);
    for (int round = 0; round < 20000; round++) {
        Guest *g = &p.guests[rng_below(&chance.port, TURNS)];
        if (rng_below(&chance.port, 3) == 0)
            agenda_cancel(&p.agenda, &g->turn);
        else
            agenda_plan(&p.agenda, &g->turn, (int64_t)rng_below(&chance.port, 50));
    }
    int planned = 0;
    int64_t last = INT64_MIN;
    for (int i = 0; i < TURNS; i++)
        planned += p.guests[i].turn.planned;
    for (Turn *turn; (turn = agenda_first(&p.agenda)); planned--) {
        then_true(turn->planned && turn->due_ms >= last);
        last = turn->due_ms;
        agenda_cancel(&p.agenda, turn);
    }
    then_int(planned, 0);
}
