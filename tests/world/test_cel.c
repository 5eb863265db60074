/* Rules in CEL, one expression at a time: what they say of a value, what is refused of them, and
 * that nobody can write one that hurts. Words are those of a Kubernetes 1.34 server. */
#include "base/draft.h"
#include "tests/test.h"
#include "tests/world/cel_cases.h"
#include "world/cel.h"
#include "world/schema.h"
#include "world/schema_shape.h"

static const Shape *shape_of_spec(Arena *a)
{
    const Schema *schema = NULL;

    then_ok(schema_of_crd(a,
        json_fixture(a,
            str_format(a,
                "{spec: {group: 'w.io', names: {kind: 'Widget'}, versions: [{served: true,"
                " schema: {openAPIV3Schema: {type: 'object', properties: {spec: {type: 'object',"
                " properties: {%s}}}}}}]}}",
                cel_fields)),
        &schema));
    return shape_find(schema->root, "spec")->shape;
}

/* --- what rules say --- */

/* What a rule says, and how much of the budget that leaves. */
static const char *said_within(
    Arena *a, const char *rule, const Json *self, const Json *old, int64_t *budget)
{
    const Shape *shape = shape_of_spec(a);
    const Cel *cel = NULL;

    then_ok(cel_compile(a, rule, &(CelScope){.self = shape}, &cel));
    CelAnswer answer =
        cel_ask(a, cel, &(CelSubject){.self = self, .old = old, .shape = shape}, budget);
    return answer.error ? answer.error : answer.holds ? "true" : "false";
}

static const char *said(Arena *a, const char *rule, const Json *self, const Json *old)
{
    int64_t budget = CEL_BUDGET;
    const char *says = said_within(a, rule, self, old, &budget);

    then_true(budget < CEL_BUDGET);
    return says;
}

TEST(cel_expressions_give_the_results_of_the_real_server)
{
    each_case(i, cel_answers) {
        SCOPED_ARENA a = arena_open(4 << 20);
        then_str(said(a, cel_answers[i].name, json_fixture(a, cel_answers[i].self), NULL),
            cel_answers[i].says);
    }
}

TEST(cel_rules_can_compare_with_the_old_value)
{
    static const struct {
        const char *name, *self, *old, *says;
    } cases[] = {
        {"self == oldSelf", "{n: 1}", "{n: 1}", "true"},
        {"self == oldSelf", "{n: 1}", "{n: 2}", "false"},
        {"self == oldSelf", "{n: 1}", "{n: 1, m: 1}", "false"},
        {"self.o == oldSelf.o", "{o: {x: 1, y: 'a'}}", "{o: {y: 'a', x: 1}}", "true"},
        {"!has(oldSelf.n) || self.n >= oldSelf.n", "{n: 1}", "{n: 2}", "false"},
        {"self.set == oldSelf.set", "{set: ['a', 'b']}", "{set: ['b', 'a']}", "true"},
        {"self.set == oldSelf.set", "{set: ['a', 'b']}", "{set: ['b', 'c']}", "false"},
        {"self.ts == oldSelf.ts", "{ts: ['a', 'b']}", "{ts: ['b', 'a']}", "false"},
        {"oldSelf.ts.all(x, x in self.ts)", "{ts: ['a', 'b']}", "{ts: ['b']}", "true"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        const Json *self = json_fixture(a, cases[i].self), *old = json_fixture(a, cases[i].old);
        then_str(said(a, cases[i].name, self, old), cases[i].says);
    }
}

TEST(a_cel_rule_reports_whether_it_uses_the_old_value)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    const Cel *cel = NULL;

    then_ok(cel_compile(a, "self.n == 1", &(CelScope){.self = shape_of_spec(a)}, &cel));
    then_true(!cel_uses_old(cel));
    then_ok(cel_compile(a, "self == oldSelf", &(CelScope){.self = shape_of_spec(a)}, &cel));
    then_true(cel_uses_old(cel));
}

TEST(a_cel_message_expression_gives_a_text)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    CelScope scope = {.self = shape_of_spec(a), .gives_text = true};
    CelSubject subject = {.self = json_fixture(a, "{n: 3}"), .shape = scope.self};
    int64_t budget = CEL_BUDGET;
    const Cel *cel = NULL;

    then_ok(cel_compile(a, "'n is ' + string(self.n)", &scope, &cel));
    then_str(cel_ask(a, cel, &subject, &budget).text, "n is 3");
    then_err(cel_compile(a, "self.n", &scope, &cel),
        TERMINAL("messageExpression must evaluate to a string"));
}

/* --- what is refused --- */

TEST(an_invalid_cel_expression_is_refused_with_its_position)
{
    each_case(i, cel_refusals) {
        SCOPED_ARENA a = arena_open(4 << 20);
        const Cel *cel = NULL;
        Err *err =
            cel_compile(a, cel_refusals[i].name, &(CelScope){.self = shape_of_spec(a)}, &cel);

        then_true(err_is(err, ERR_TERMINAL));
        then_str(err->message,
            str_format(a,
                "compilation failed: ERROR: <input>:1%s\n | %s\n | %s",
                cel_refusals[i].fault,
                cel_refusals[i].name,
                cel_refusals[i].dots));
    }
}

TEST(the_position_of_a_cel_error_is_given_as_line_and_column)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    const Cel *cel = NULL;

    then_err(
        cel_compile(a, "true &&\n 'é' == self.nope", &(CelScope){.self = shape_of_spec(a)}, &cel),
        TERMINAL("compilation failed: ERROR: <input>:2:13: undefined field 'nope'\n"
                 " |  'é' == self.nope\n | ............^"));
}

TEST(a_cel_rule_must_evaluate_to_a_boolean)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    const Cel *cel = NULL;

    then_err(cel_compile(a, "self.n", &(CelScope){.self = shape_of_spec(a)}, &cel),
        TERMINAL("cel expression must evaluate to a bool"));
    then_err(cel_compile(a, "dyn(true)", &(CelScope){.self = shape_of_spec(a)}, &cel),
        TERMINAL("cel expression must evaluate to a bool"));
}

/* --- hostile ones --- */

static const char *repeated(Arena *a, const char *piece, size_t count, const char *rest)
{
    size_t len = strlen(piece);
    char *text = arena_array(a, char, len *count + 1);

    for (size_t i = 0; i < count; i++)
        memcpy(text + i * len, piece, len);
    return str_format(a, "%s%s", text, rest);
}

TEST(cel_expressions_have_limits_of_depth_and_length)
{
    static const struct {
        const char *name, *piece;
        size_t count;
        const char *rest, *fault;
    } cases[] = {
        {"parentheses", "(", 5000, "true", "expression is nested too deep or too long"},
        {"negations", "!", 5000, "true", "expression is nested too deep or too long"},
        {"lists", "[", 5000, "", "expression is nested too deep or too long"},
        {"right sides", "true || (", 1000, "", "expression is nested too deep or too long"},
        {"conditions", "true ? true : ", 1000, "true", "expression is nested too deep or too long"},
        {"calls", "size(", 3000, "", "expression is nested too deep or too long"},
        {"elements", "1,", 100, "", "',' is not expected here"},
        {"steps", "true && ", 2000, "true", "expression is nested too deep or too long"},
        {"macros", "self.ns.all(x, ", 9, "true", "is not expected here"},
        {"length", " ", 20000, "true", "an expression of over 16384 bytes"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(32 << 20);
        const Cel *cel = NULL;
        Err *err = cel_compile(a,
            repeated(a, cases[i].piece, cases[i].count, cases[i].rest),
            &(CelScope){.self = shape_of_spec(a)},
            &cel);
        then_true(err && strstr(err->message, cases[i].fault));
    }
}

TEST(expensive_cel_rules_exceed_their_cost_limit)
{
    static const char *const rules[] = {
        "self.ns.all(x, self.ns.all(y, self.ns.all(z, true)))",
        "self.ns.all(x, self.ns.all(y, self == self))",
        "size(self.ns.map(x, self.ns.map(y, self.ns))) > 0",
        "size(self.ns.map(x, self.ns + self.ns + self.ns)) > 0",
        "self.ns.all(x, self.ns.all(y, x in self.ns || true))",
    };
    SCOPED_ARENA a = arena_open(512 << 20);
    const Json *self = json_fixture(a, str_format(a, "{ns: [%s]}", repeated(a, "0,", 2000, "0")));

    for (size_t i = 0; i < array_count(rules); i++)
        then_str(said(a, rules[i], self, NULL), "operation cancelled: actual cost limit exceeded");
    then_true(arena_used(a) < 256 << 20);
}

TEST(cel_operations_on_long_texts_exceed_the_cost_limit)
{
    SCOPED_ARENA a = arena_open(512 << 20);
    const Json *self = json_fixture(a,
        str_format(
            a, "{ns: [%s], t: '%s'}", repeated(a, "0,", 2000, "0"), repeated(a, "x", 50000, "")));

    then_str(said(a, "self.ns.all(x, (self.t + self.t).contains(self.t))", self, NULL),
        "operation cancelled: actual cost limit exceeded");
}

static const Json *set_of(Arena *a, int from, int step, int count)
{
    Draft *set = draft_array(a);

    for (int i = 0; i < count; i++)
        draft_push_str(set, str_format(a, "%d", from + i * step));
    return json_seal(a, draft(a, sub("set", set)));
}

TEST(comparing_cel_sets_in_another_order_is_limited_by_the_cost)
{
    static const struct {
        const char *name;
        int count;
        const char *says;
    } cases[] = {
        {"cheap enough", 1300, "true"},
        {"too dear", 9000, "operation cancelled: actual cost limit exceeded"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(64 << 20);
        int64_t budget = CEL_BUDGET;
        const char *says = said_within(a,
            "self.set == oldSelf.set",
            set_of(a, 0, 1, cases[i].count),
            set_of(a, cases[i].count - 1, -1, cases[i].count),
            &budget);
        then_str(says, cases[i].says);
        then_true(CEL_BUDGET - budget < 1100000);
    }
}
