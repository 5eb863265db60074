/* The machine against chance: workers that want, rest, move and forget in any order, answers of
 * every kind, and laws that hold in between. The model knows only what was sent and answered. */
#include "tests/sei/sidecar/street.h"

enum { SEEDS = 400, MOVES = 300, TASKS = 3 };

static const char *const ids[TASKS] = {
    "aaaaaaaa-0000-4000-8000-000000000001",
    "bbbbbbbb-0000-4000-8000-000000000002",
    "cccccccc-0000-4000-8000-000000000003",
};

/* What an onlooker knows of one task. */
typedef struct Seen {
    bool was_posted;
    bool may_work;     /* handed over, and nobody has said that it has ended or is not known */
    bool is_completed; /* somebody said so */
    int missing;       /* 404s in a row */
} Seen;

typedef struct Play {
    Street *street;
    SeededRng rng;
    Seen tasks[TASKS];
    OpenCall *call; /* the one that is open, or NULL */
    HttpId call_id; /* places for calls are used again */
    int asked;      /* the task that it is about, or -1 */
    bool is_post;
    int pods;
} Play;

static uint64_t chance(Play *p, uint64_t bound)
{
    return rng_below(&p->rng.port, bound);
}

static int task_in(const char *text)
{
    for (int i = 0; i < TASKS; i++)
        if (strstr(text, ids[i]))
            return i;
    return -1;
}

/* The laws of what is sent: one call at a time; nothing is handed over while another task may be at
 * work. */
static void look(Play *p)
{
    Street *s = p->street;
    OpenCall *call = street_call(s, NULL);

    then_true(s->open_count <= 1);
    p->call = call;
    if (!call || p->call_id == call->id)
        return;
    p->call_id = call->id;
    p->is_post = str_has_prefix(call->text, "POST");
    p->asked = task_in(p->is_post ? call->body : call->text);
    if (!p->is_post)
        return;
    for (int i = 0; i < TASKS; i++)
        then_true(i == p->asked || !p->tasks[i].may_work);
    p->tasks[p->asked].may_work = p->tasks[p->asked].was_posted = true;
}

static void step(Play *p)
{
    street_step(p->street);
    look(p);
}

static void pass(Play *p)
{
    int64_t until = street_now(p->street) + (int64_t)chance(p, 8000);

    step(p);
    while (p->street->next_ms <= until) {
        int64_t nap = p->street->next_ms - street_now(p->street);
        clock_manual_advance_ms(&p->street->clock, nap > 0 ? nap : 0);
        step(p);
    }
    clock_manual_advance_ms(&p->street->clock, until - street_now(p->street));
}

/* --- what workers do ---------------------------------------------------------------------------
 */

static SidecarTarget target(Play *p)
{
    return (SidecarTarget){
        .node = {"sei", "rpc-0"},
        .pod_uid = str_format(p->street->arena, "pod-%d", p->pods),
        .pod_ip = chance(p, 8) ? "10.0.0.1" : NULL,
        .host = "host",
        .bearer = chance(p, 4) ? str_format(p->street->arena, "t%d", (int)chance(p, 3)) : NULL,
    };
}

static void want(Play *p)
{
    int i = (int)chance(p, TASKS);
    SidecarTarget whom = target(p);
    SidecarNews news = {0};
    SidecarJob job = {.id = ids[i],
        .type = i ? "mark-ready" : "config-apply",
        .submitted = p->tasks[i].was_posted && chance(p, 2),
        .attempt = (int64_t)chance(p, 2)};

    sidecar_task(p->street->port, p->street->arena, &whom, &job, &news);
    then_true(news.state != SIDECAR_COMPLETED || p->tasks[i].is_completed);
}

static void act(Play *p)
{
    SidecarTarget whom = target(p);
    SidecarProbe probe;

    switch (chance(p, 8)) {
    case 0:
        sidecar_rest(p->street->port, whom.node);
        break;
    case 1:
        sidecar_probe(p->street->port, p->street->arena, &whom, &probe);
        break;
    case 2:
        p->pods++;
        break;
    case 3:
        pass(p);
        break;
    default:
        want(p);
    }
    step(p);
}

/* --- what sidecars do --------------------------------------------------------------------------
 */

typedef enum Outcome { SAYS_NOTHING, ENDS, STANDS, IS_MISSING } Outcome;

static const struct {
    int status; /* 0: silence; 1: silence, and it certainly did not arrive */
    const char *body;
    Outcome of_post, of_get;
    bool completes;
} replies[] = {
    {201, "{\"id\":\"%s\"}", STANDS, SAYS_NOTHING},
    {201, "{\"id\":\"x\"}", SAYS_NOTHING, SAYS_NOTHING},
    {200, "{\"id\":\"%s\",\"status\":\"running\"}", SAYS_NOTHING, STANDS},
    {200, "{\"id\":\"%s\",\"status\":\"completed\"}", SAYS_NOTHING, ENDS, .completes = true},
    {200, "{\"id\":\"%s\",\"status\":\"failed\",\"run\":1}", SAYS_NOTHING, ENDS},
    {200, "{\"id\":\"y\",\"status\":\"completed\"}", SAYS_NOTHING, SAYS_NOTHING},
    {200, "{\"id\":\"%s\",\"stat", SAYS_NOTHING, SAYS_NOTHING},
    {404, "{\"error\":\"no such task\"}", SAYS_NOTHING, IS_MISSING},
    {404, "404 page not found", SAYS_NOTHING, SAYS_NOTHING},
    {400, "{\"error\":\"type is required\"}", ENDS, SAYS_NOTHING},
    {400, "{\"error\":\"persist task: full\"}", ENDS, SAYS_NOTHING},
    {401, "Unauthorized", ENDS, SAYS_NOTHING},
    {502, "", SAYS_NOTHING, SAYS_NOTHING},
    {503, "", SAYS_NOTHING, SAYS_NOTHING},
    {0, "", SAYS_NOTHING, SAYS_NOTHING},
    {1, "", ENDS, SAYS_NOTHING},
};

/* What an onlooker makes of it. */
static void note(Play *p, size_t reply)
{
    Seen *seen = &p->tasks[p->asked];
    Outcome outcome = p->is_post ? replies[reply].of_post : replies[reply].of_get;

    seen->is_completed = seen->is_completed || (!p->is_post && replies[reply].completes);
    if (outcome == ENDS)
        seen->may_work = false;
    if (outcome == IS_MISSING && ++seen->missing >= 2)
        seen->may_work = false;
    if (outcome == STANDS || outcome == ENDS)
        seen->missing = 0;
}

static void reply(Play *p)
{
    size_t i = chance(p, array_count(replies));
    const char *id = p->asked >= 0 ? ids[p->asked] : "";
    const char *percent = strstr(replies[i].body, "%s");
    const char *body = percent ? str_format(p->street->arena,
                                     "%.*s%s%s",
                                     (int)(percent - replies[i].body),
                                     replies[i].body,
                                     id,
                                     percent + 2)
                               : replies[i].body;

    if (p->asked >= 0)
        note(p, i);
    p->call = NULL;
    if (replies[i].status > 1)
        street_answer(p->street, replies[i].status, body);
    else
        street_silence(p->street, replies[i].status == 0);
    look(p);
}

TEST(in_random_play_no_task_is_submitted_while_another_one_may_run)
{
    int posts = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        SCOPED_STREET s = street_open();
        Play p = {.street = s, .asked = -1};
        s->sent = NULL;
        rng_seed(&p.rng, seed);
        for (int i = 0; i < MOVES; i++) {
            if (p.call && chance(&p, 2))
                reply(&p);
            else
                act(&p);
            posts += p.call && p.is_post;
        }
        then_true(s->wakes <= s->calls); /* nobody is woken but by an answer */
    }
    then_true(posts > SEEDS); /* something did happen */
}
