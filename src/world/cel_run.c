/* The machine that runs rules. Errors are values: they go through everything but && and ||, where
 * the other side may make them meaningless, and macros, which are made of these. */
#include "base/str.h"
#include "world/cel_program.h"

#include <string.h>

enum { CALL_MAX = 1000000, OBJECT_WEIGHT_MIN = 1 };

/* A macro at work. */
typedef struct Loop {
    CelValue range;
    const Json *next;
    size_t index, count;
    CelValue held;  /* what it will give */
    CelValue *kept; /* elements of a new list */
    size_t kept_count;
} Loop;

struct CelRun {
    Arena *arena;
    const CelSubject *subject;
    CelValue stack[CEL_DEPTH_MAX];
    size_t depth;
    CelValue slots[CEL_SLOTS_MAX];
    Loop loops[CEL_SLOTS_MAX];
    size_t loop_count;
    size_t at;   /* the next step */
    size_t cost; /* so far */
    size_t weight;
};

Arena *cel_arena(CelRun *run)
{
    return run->arena;
}

void cel_charge(CelRun *run, size_t cost)
{
    run->cost += cost;
}

bool cel_is_spent(const CelRun *run)
{
    return run->cost > CALL_MAX;
}

/* How many values an object has in it, all told. */
static size_t weight_of(const Json *value)
{
    const Json *parents[JSON_DEPTH_MAX + 1], *at = value;
    size_t depth = 0, weight = OBJECT_WEIGHT_MIN;

    while (at) {
        const Json *inner = json_first(at);
        weight++;
        if (inner && depth <= JSON_DEPTH_MAX) {
            parents[depth++] = at;
            at = inner;
            continue;
        }
        while (depth > 0 && !json_next(parents[depth - 1], at))
            at = parents[--depth];
        at = depth > 0 ? json_next(parents[depth - 1], at) : NULL;
    }
    return weight;
}

void cel_charge_object(CelRun *run)
{
    if (run->weight == 0)
        run->weight = weight_of(run->subject->self);
    cel_charge(run, run->weight);
}

/* --- the stack --- */

static void push(CelRun *run, CelValue value)
{
    if (run->depth == CEL_DEPTH_MAX)
        BUG("a rule that needs more of the stack than it was compiled for");
    run->stack[run->depth++] = value;
}

static CelValue pop(CelRun *run)
{
    if (run->depth == 0)
        BUG("a rule that takes more off the stack than it put there");
    return run->stack[--run->depth];
}

static CelValue as_flag(CelValue value)
{
    return value.kind == CEL_BOOL || value.kind == CEL_ERROR ? value : cel_error(cel_mismatch);
}

/* --- fields --- */

static CelValue member_of(CelRun *run, const CelStep *s, CelValue of)
{
    const Json *member;
    bool declared, has = s->op == CEL_HAS;

    if (of.kind == CEL_ERROR)
        return of;
    if (of.kind != CEL_MAP)
        return cel_error(cel_mismatch);
    cel_charge(run, 1);
    member = json_member(of.json, s->name);
    /* A field that is null is as good as none; a key of a map that is null is there. */
    if (json_type(member) == JSON_NULL && of.shape && shape_find(of.shape, s->name))
        member = NULL;
    if (has)
        return cel_flag(member != NULL);
    if (!member)
        return cel_error(str_format(run->arena, "no such key: %s", s->value.text));
    return cel_value_of(member, of.shape ? shape_of_field(of.shape, s->name, &declared) : NULL);
}

/* --- calls --- */

static bool row_fits(const CelFunction *row, const CelValue *args, size_t count)
{
    if (strlen(row->params) != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!cel_fits(row->params[i], args[i].kind))
            return false;
    return true;
}

static CelValue call(CelRun *run, const CelStep *s)
{
    const CelValue *args = &run->stack[run->depth - s->to];

    for (size_t i = 0; i < s->to; i++)
        if (args[i].kind == CEL_ERROR)
            return args[i];
    for (const CelFunction *row = s->function; str_eq(row->name, s->name); row++)
        if (row->is_method == s->is_method && row_fits(row, args, s->to))
            return row->call(run, args);
    return cel_error(cel_mismatch);
}

static CelValue made_list(CelRun *run, size_t count)
{
    CelValue *items = arena_array(run->arena, CelValue, count);

    cel_charge(run, CEL_ELEMENT_COST * count);
    for (size_t i = 0; i < count; i++) {
        items[i] = run->stack[run->depth - count + i];
        if (items[i].kind == CEL_ERROR)
            return items[i];
    }
    return (CelValue){.kind = CEL_LIST, .items = items, .count = count};
}

/* --- true and false --- */

static CelValue both(CelValue left, CelValue right)
{
    left = as_flag(left);
    right = as_flag(right);
    if (left.kind == CEL_BOOL && !left.flag)
        return left;
    if (right.kind == CEL_BOOL && !right.flag)
        return right;
    return left.kind == CEL_ERROR ? left : right;
}

static CelValue either(CelValue left, CelValue right)
{
    left = as_flag(left);
    right = as_flag(right);
    if (left.kind == CEL_BOOL && left.flag)
        return left;
    if (right.kind == CEL_BOOL && right.flag)
        return right;
    return left.kind == CEL_ERROR ? left : right;
}

static void branch(CelRun *run, const CelStep *s)
{
    CelValue condition = as_flag(pop(run));

    if (condition.kind == CEL_ERROR) {
        push(run, condition);
        run->at = s->end;
    } else if (!condition.flag) {
        run->at = s->to;
    }
}

/* --- macros --- */

static Loop *loop_of(CelRun *run)
{
    if (run->loop_count == 0)
        BUG("a macro that goes on and never began");
    return &run->loops[run->loop_count - 1];
}

static void end_loop(CelRun *run)
{
    Loop *l = loop_of(run);

    if (l->kept && l->held.kind != CEL_ERROR)
        l->held = (CelValue){.kind = CEL_LIST, .items = l->kept, .count = l->kept_count};
    push(run, l->held);
    run->loop_count--;
}

/* The next element into the slot of the macro; false when there is none. */
static bool take_element(CelRun *run)
{
    Loop *l = loop_of(run);
    CelValue *slot = &run->slots[run->loop_count - 1];

    if (l->index == l->count)
        return false;
    if (!l->range.json)
        *slot = l->range.items[l->index];
    else if (l->range.kind == CEL_MAP)
        *slot = cel_text(json_key(l->next));
    else
        *slot = cel_value_of(l->next, shape_of_element(l->range.shape));
    l->index++;
    l->next = l->next ? json_next(l->range.json, l->next) : NULL;
    return true;
}

static void begin_loop(CelRun *run, const CelStep *s)
{
    CelValue range = pop(run);
    Loop *l = &run->loops[s->to];
    bool makes_list = s->macro == CEL_FILTER || s->macro == CEL_MAP_TO;

    if (range.kind != CEL_LIST && range.kind != CEL_MAP) {
        push(run, range.kind == CEL_ERROR ? range : cel_error(cel_mismatch));
        run->at = s->end;
        return;
    }
    run->loop_count = s->to + 1;
    *l = (Loop){.range = range,
        .next = range.json ? json_first(range.json) : NULL,
        .count = cel_size(&range),
        .held = cel_flag(s->macro == CEL_ALL),
        .kept = makes_list ? arena_array(run->arena, CelValue, cel_size(&range) + 1) : NULL};
    cel_charge(run, makes_list ? CEL_ELEMENT_COST * l->count : 1);
    if (take_element(run))
        return;
    end_loop(run);
    run->at = s->end;
}

/* Takes what the body gave for an element; true when that settles it. */
static bool is_settled(Loop *l, CelMacro macro, CelValue element, CelValue given)
{
    CelValue flag = as_flag(given);

    switch (macro) {
    case CEL_ALL:
        l->held = both(l->held, given);
        return l->held.kind == CEL_BOOL && !l->held.flag;
    case CEL_EXISTS:
        l->held = either(l->held, given);
        return l->held.kind == CEL_BOOL && l->held.flag;
    case CEL_EXISTS_ONE:
        l->kept_count += flag.kind == CEL_BOOL && flag.flag;
        l->held = flag.kind == CEL_ERROR ? flag : cel_flag(l->kept_count == 1);
        return flag.kind == CEL_ERROR;
    case CEL_FILTER:
        if (flag.kind == CEL_BOOL && flag.flag)
            l->kept[l->kept_count++] = element;
        l->held = flag;
        return flag.kind == CEL_ERROR;
    case CEL_MAP_TO:
        l->kept[l->kept_count++] = given;
        l->held = given;
        return given.kind == CEL_ERROR;
    }
    BUG("a macro that is none");
}

static void go_on(CelRun *run, const CelStep *s)
{
    Loop *l = loop_of(run);
    CelValue element = run->slots[run->loop_count - 1];
    bool settled = is_settled(l, s->macro, element, pop(run));

    cel_charge(run, 1);
    if (settled || !take_element(run))
        end_loop(run);
    else
        run->at = s->to;
}

/* --- running --- */

static void skip(CelRun *run, const CelStep *s)
{
    const CelValue *left = &run->stack[run->depth - 1];

    if (left->kind == CEL_BOOL && left->flag == (s->op == CEL_SKIP_TRUE))
        run->at = s->to;
}

static void take(CelRun *run, size_t count, CelValue result)
{
    run->depth -= count;
    push(run, result);
}

static void step(CelRun *run, const CelStep *s)
{
    const CelSubject *subject = run->subject;
    CelValue right;

    switch (s->op) {
    case CEL_PUSH:
        push(run, s->value);
        return;
    case CEL_SELF:
        push(run, cel_value_of(subject->self, subject->shape));
        return;
    case CEL_OLD:
        push(run,
            subject->old ? cel_value_of(subject->old, subject->shape)
                         : cel_error("no such attribute(s): oldSelf"));
        return;
    case CEL_SLOT:
        push(run, run->slots[s->to]);
        return;
    case CEL_SELECT:
    case CEL_HAS:
        push(run, member_of(run, s, pop(run)));
        return;
    case CEL_CALL:
        take(run, s->to, call(run, s));
        return;
    case CEL_MAKE_LIST:
        take(run, s->to, made_list(run, s->to));
        return;
    case CEL_SKIP_FALSE:
    case CEL_SKIP_TRUE:
        skip(run, s);
        return;
    case CEL_AND:
    case CEL_OR:
        right = pop(run);
        push(run, s->op == CEL_AND ? both(pop(run), right) : either(pop(run), right));
        return;
    case CEL_BRANCH:
        branch(run, s);
        return;
    case CEL_GO:
        run->at = s->to;
        return;
    case CEL_LOOP:
        begin_loop(run, s);
        return;
    case CEL_NEXT:
        go_on(run, s);
        return;
    }
}

CelAnswer cel_ask(Arena *a, const Cel *cel, const CelSubject *subject, int64_t *budget)
{
    CelRun *run = arena_new(a, CelRun);

    run->arena = a;
    run->subject = subject;
    while (run->at < cel->count && !cel_is_spent(run)) {
        cel_charge(run, 1);
        const CelStep *s = &cel->steps[run->at++];
        step(run, s);
    }
    *budget -= (int64_t)run->cost;
    if (cel_is_spent(run))
        return (CelAnswer){
            .error = "operation cancelled: actual cost limit exceeded", .is_spent = true};
    CelValue result = pop(run);
    if (result.kind == CEL_ERROR)
        return (CelAnswer){.error = result.text, .is_mismatch = result.text == cel_mismatch};
    if (result.kind != (cel->gives_text ? CEL_TEXT : CEL_BOOL))
        return (CelAnswer){.error = cel_mismatch, .is_mismatch = true};
    return (CelAnswer){.holds = result.flag, .text = result.text};
}
