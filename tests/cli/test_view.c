/* Views and their texts in all states that the simulator was brought into (tests/sim/scenes.h). */
#include "base/draft.h"
#include "cli/view.h"
#include "cli/view_text.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/cli/states.h"

enum { ARENA_MAX = STATES_ARENA_MAX };

static const PageStyle plain = {.is_utf8 = true, .columns = PAGE_COLUMNS, .rows = PAGE_ROWS};

/* Every view of a scene, ended by NULL. */
typedef struct Views {
    const Json *items[5];
} Views;

static Views views_of(Arena *a, const Json *sight)
{
    const Json *plan;

    then_ok(view_plan(a, sight, NULL, &plan));
    return (Views){
        {view_status(a, sight), view_drift(a, sight), plan, view_plan_history(a, sight), NULL}};
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

TEST(the_status_text_of_every_simulated_state_equals_its_golden_file)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    for (const char *const *scene = states(a); *scene; scene++) {
        Views views = views_of(a, sight_of_state(a, *scene));
        const char *text = "";
        for (size_t i = 0; views.items[i]; i++)
            text =
                str_format(a, "%s%s%s", text, i ? "\n" : "", view_text(a, views.items[i], &plain));
        then_golden(a, views.items[0], str_format(a, "cli/%s.status.json", *scene));
        then_golden_text(a, text, str_format(a, "cli/%s.txt", *scene));
    }
    test_name_case(NULL);
}

/* What -o json prints of the other views: of a node and of a fleet, each with something to say. */
TEST(the_json_form_of_every_view_equals_its_golden_file)
{
    static const char *const chosen[] = {"node-updating", "fleet-platform-drift", "fleet-rolling"};
    static const char *const names[] = {"status", "drift", "plan", "history"};
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    for (size_t i = 0; i < array_count(chosen); i++) {
        Views views = views_of(a, sight_of_state(a, chosen[i]));
        for (size_t v = 0; views.items[v]; v++) {
            then_golden(a, views.items[v], str_format(a, "cli/%s.%s.json", chosen[i], names[v]));
            then_str(json_str(views.items[v], ".apiVersion"), "cli.sei.io/v1");
        }
    }
    test_name_case(NULL);
}

/* The widest line of a text without colours. */
static size_t width_of(Arena *a, const char *text)
{
    size_t widest = 0;

    while (*text) {
        size_t len = strcspn(text, "\n");
        size_t width = glyph_width(str_slice(a, text, len));
        widest = width > widest ? width : widest;
        text += len + (text[len] == '\n');
    }
    return widest;
}

TEST(no_status_text_exceeds_the_width_or_height_of_the_terminal)
{
    static const PageStyle styles[] = {
        {.is_utf8 = true, .columns = 80, .rows = 24},
        {.is_utf8 = false, .columns = 80, .rows = 24},
        {.is_utf8 = true, .columns = 120, .rows = 50},
        {.is_utf8 = true, .columns = 40, .rows = 24},
    };
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    for (const char *const *scene = states(a); *scene; scene++) {
        Views views = views_of(a, sight_of_state(a, *scene));
        for (size_t s = 0; s < array_count(styles); s++)
            for (size_t i = 0; views.items[i]; i++) {
                const char *text = view_text(a, views.items[i], &styles[s]);
                then_true(*text != '\0');
                then_true(width_of(a, text) <= styles[s].columns);
                then_true(i > 0 || lines_of(text) < styles[s].rows);
            }
    }
    test_name_case(NULL);
}

/* What was printed by -o json gives the same text when it is read again: nothing else goes into it.
 */
TEST(a_view_text_depends_only_on_its_json)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    for (const char *const *scene = states(a); *scene; scene++) {
        Views views = views_of(a, sight_of_state(a, *scene));
        for (size_t i = 0; views.items[i]; i++) {
            SCOPED_ARENA other = arena_open(ARENA_MAX);
            const Json *again;
            then_ok(json_parse(other, json_write(a, views.items[i]), &again));
            then_str(view_text(other, again, &plain), view_text(a, views.items[i], &plain));
        }
    }
    test_name_case(NULL);
}

TEST(ascii_output_contains_only_ascii)
{
    static const PageStyle ascii = {.columns = PAGE_COLUMNS, .rows = PAGE_ROWS};
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    for (const char *const *scene = states(a); *scene; scene++) {
        const char *text = view_text(a, view_status(a, sight_of_state(a, *scene)), &ascii);
        for (const char *at = text; *at; at++)
            then_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
    }
    test_name_case(NULL);
}

static const char *without_colors(Arena *a, const char *text)
{
    char *plain_text = arena_alloc(a, strlen(text) + 1);
    size_t len = 0;

    while (*text)
        if (*text == '\033')
            text += strcspn(text, "m") + 1;
        else
            plain_text[len++] = *text++;
    plain_text[len] = '\0';
    return plain_text;
}

/* So none carries a meaning alone. */
TEST(colours_do_not_change_the_text)
{
    static const PageStyle colourful = {
        .is_utf8 = true, .color = true, .columns = PAGE_COLUMNS, .rows = PAGE_ROWS};
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    for (const char *const *scene = states(a); *scene; scene++) {
        const Json *view = view_status(a, sight_of_state(a, *scene));
        const char *text = view_text(a, view, &colourful);
        then_true(strstr(text, "\033[") != NULL);
        then_str(without_colors(a, text), view_text(a, view, &plain));
    }
    test_name_case(NULL);
}

/* --- pipes */

static size_t count_of(const char *text, const char *mark)
{
    size_t count = 0;

    while ((text = strstr(text, mark))) {
        text += strlen(mark);
        count++;
    }
    return count;
}

/* But for what the operator itself has cut. */
TEST(output_into_a_pipe_is_not_cut_or_wrapped)
{
    static const PageStyle endless = {
        .is_utf8 = true, .columns = PAGE_ENDLESS, .rows = PAGE_LINES_MAX};
    static const char edge[] = "                              ";
    SCOPED_ARENA a = arena_open(1U << 31);

    for (const char *const *scene = states(a); *scene; scene++) {
        Views views = views_of(a, sight_of_state(a, *scene));
        for (size_t i = 0; views.items[i]; i++) {
            const char *text = view_text(a, views.items[i], &endless);
            const char *whole = json_write(a, views.items[i]).data;
            if (count_of(text, "…") > count_of(whole, "…") || strstr(text, edge))
                test_fail(__FILE__, __LINE__, "cut, or blanks up to an edge:\n%s", text);
        }
        const char *why = json_str(views.items[0], ".why[0].text");
        then_true(!why || strstr(view_text(a, views.items[0], &endless), why));
    }
    test_name_case(NULL);
}

/* --- times */

/* Whether the text begins so; a # in the phrase is any length of time. */
static bool begins_with(const char *text, const char *phrase)
{
    for (; *phrase; phrase++)
        if (*phrase == '#') {
            size_t len = strspn(text, "0123456789hms");
            if (!len)
                return false;
            text += len;
        } else if (*text++ != *phrase) {
            return false;
        }
    return true;
}

static bool has_phrase(const char *text, const char *phrase)
{
    for (; *text; text++)
        if (begins_with(text, phrase))
            return true;
    return false;
}

static const struct {
    const char *name, *state, *phrase;
} times[] = {
    {"of being unready, not of its reason", "node-halted", "PodNotReady (not ready for #): "},
    {"of a fleet that is unready", "fleet-rolling", "NodesNotAvailable (not ready for #): "},
    {"of being stalled", "node-stalled-plan-failed", "PlanFailed (stalled for #): "},
    {"of being out of date", "node-updating", "SpecDrift, out of date for #"},
    {"of being ready, beside a place in the rollout", "fleet-rolling", "Pending   yes # "},
    {"of being unready, beside a place in the rollout", "fleet-rolling", "Updating  no # "},
};

TEST(each_time_is_shown_next_to_what_it_belongs_to)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    each_case(i, times) {
        const char *text = view_text(a, view_status(a, sight_of_state(a, times[i].state)), &plain);
        test_name_case(times[i].name);
        if (!has_phrase(text, times[i].phrase))
            test_fail(__FILE__, __LINE__, "nothing of \"%s\" in:\n%s", times[i].phrase, text);
    }
    test_name_case(NULL);
}

/* --- that nothing is left out */

static bool is_seen_stalled(Arena *a, const char *const *names, Reason reason)
{
    const char *kind = reason_is_of_fleet(reason) ? "fleet-" : "node-";

    for (; *names; names++) {
        const Json *view = view_status(a, sight_of_state(a, *names));
        const Json *why = json_find(view, ".why[0]");
        if (str_has_prefix(*names, kind) && str_eq(json_str(why, ".about"), COND_STALLED)
            && str_eq(json_str(why, ".reason"), reason_text(reason)) && json_str(why, ".advice"))
            return true;
    }
    return false;
}

TEST(every_stall_reason_has_a_simulated_state_and_is_shown_first_with_its_remedy)
{
    SCOPED_ARENA a = arena_open(1U << 31);
    const char *const *names = states(a);

    for (Reason reason = 0; reason < REASON_ALL_COUNT; reason++) {
        if (reason == REASON_COUNT || !str_eq(reason_condition(reason), COND_STALLED)
            || str_eq(reason_text(reason), "NotStalled"))
            continue;
        if (!is_seen_stalled(a, names, reason))
            test_fail(
                __FILE__, __LINE__, "no state is Stalled with reason %s", reason_text(reason));
    }
    test_name_case(NULL);
}

/* --- what could not be read, and what is not as it should be */

#define PULSED(pulse)                                                                              \
    "{now: '2026-01-01T00:00:00Z', object: {kind: 'SeiNode', metadata: {name: 'x'}}, pulses:"      \
    " [{node: 'x', " pulse "}]}"
#define UNREADY(pulse)                                                                             \
    "{now: '2026-01-01T00:00:00Z', object: {kind: 'SeiNode', metadata: {name: 'x'}, status:"       \
    " {observedGeneration: 0, conditions: [{type: 'Ready', status: 'False', reason:"               \
    " 'PodNotReady', message: 'm'}]}}, pulses: [{node: 'x', " pulse "}]}"

static const struct {
    const char *name, *sight, *phrase;
} odd[] = {
    {"nothing but a name",
        "{now: '2026-01-01T00:00:00Z', object: {kind: 'SeiNode', metadata: {name: 'x'}}}",
        "x"},
    {"a fleet with nothing but a name",
        "{now: '2026-01-01T00:00:00Z', object: {kind: 'SeiNodeDeployment', metadata: {name: 'x'}}}",
        "Fleet"},
    {"members of other types",
        "{now: 7, object: {kind: 'SeiNode', metadata: {name: 'x', generation: 'a'}, spec: [], "
        "status:"
        " {plan: 'x', history: {}, conditions: 3, drift: []}}}",
        "x"},
    {"what could not be read is named with the reason",
        "{now: '2026-01-01T00:00:00Z', object: {kind: 'SeiNode', metadata: {name: 'x'}}, missing:"
        " [{what: 'pods', why: 'forbidden'}, {what: 'claim', why: 'late'}]}",
        "could not read pods, claim: forbidden"},
    {"another namespace is typed",
        "{namespace: 'default', object: {kind: 'SeiNode', metadata: {name: 'x', namespace: "
        "'sei'}}}",
        "kubectl sei watch x -n sei"},
    {"an escape sequence does not reach the terminal",
        "{object: {kind: 'SeiNode', metadata: {name: 'x', namespace: 'a\\u001b[2Jb'}}}",
        "a[2Jb/x"},
    {"a node without other nodes to compare with",
        PULSED("height: 7, blockTime: '2025-12-31T23:59:00Z', peers: 1"),
        "Height    7  lag unknown (nobody to compare with)  block 60s old  1 peer\n"},
    {"one that is behind its peers",
        PULSED("height: 1000, peersHeight: 2500, catchesUp: true"),
        "Height    1,000  lag 1,500 to its peers  catches up\n"},
    {"one that is ahead of them",
        PULSED("height: 1000, peersHeight: 999"),
        "Height    1,000  lag 0 to its peers\n"},
    {"one that could not be asked", PULSED("why: 'no right'"), "Height    unknown: no right\n"},
    {"one that is behind another node",
        "{object: {kind: 'SeiNode', metadata: {name: 'x'}}, pulses: [{node: 'y', height: 8},"
        " {node: 'z', why: 'no'}, {node: 'x', height: 5}]}",
        "Height    5  lag 3 to y\n"},
    {"one that was asked before another has no lag to it",
        "{object: {kind: 'SeiNode', metadata: {name: 'x'}}, pulses: [{node: 'y', height: 5},"
        " {node: 'x', height: 5}, {node: 'z', height: 8, peersHeight: 9}]}",
        "Height    5  lag 0 to y\n"},
    {"without peers, which is the cause",
        UNREADY("height: 5, peers: 0"),
        "Why       seid has no peers\n"},
    {"catching up, which is the cause",
        UNREADY("height: 5, peersHeight: 8, catchesUp: true, blockTime: '2025-01-01T00:00:00Z'"),
        "Why       seid catches up with its peers\n"},
    {"standing still, which is the cause",
        UNREADY("height: 5, peersHeight: 8, blockTime: '2025-12-31T23:59:00Z'"),
        "Why       seid stands still, behind its peers (60s)\n"},
    {"a chain that stands still, also while the pod is Ready",
        "{now: '2026-01-01T00:00:00Z', object: {kind: 'SeiNode', metadata: {name: 'x'}, status:"
        " {observedGeneration: 0, conditions: [{type: 'Ready', status: 'True', reason:"
        " 'Available'}]}}, pulses: [{node: 'x', height: 5, peersHeight: 5, blockTime:"
        " '2025-12-31T23:50:00Z'}]}",
        "Why       nobody who was asked has a new block (10m)\n"},
    {"a node of a fleet that is paused alone",
        "{object: {kind: 'SeiNode', metadata: {name: 'x', labels: {'" LABEL_FLEET "': 'rpc'}}, "
        "spec: {paused: true}}}",
        "Fleet     rpc   the node: paused\n"},
    {"a node that is paused with its fleet",
        "{object: {kind: 'SeiNode', metadata: {name: 'x', labels: {'" LABEL_FLEET "': 'rpc'}, "
        "managedFields: [{manager: '" FLEET_MANAGER "', operation: 'Apply', fieldsV1: {'f:spec': "
        "{'f:paused': {}}}}]}, spec: {paused: true}, status: {conditions: [{type: 'Ready', status: "
        "'False', reason: 'Paused'}]}}}",
        "Fleet     rpc   the node: paused with the fleet\n"},
    {"an edit that is not observed yet",
        "{object: {kind: 'SeiNode', metadata: {name: 'x', generation: 3}, status:"
        " {observedGeneration: 2}}}",
        "generation 2 of 3"},
};

TEST(a_view_is_made_from_incomplete_data)
{
    each_case(i, odd) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Views views = views_of(a, json_fixture(a, odd[i].sight));
        const char *text = view_text(a, views.items[0], &plain);

        if (!strstr(text, odd[i].phrase))
            then_str(text, odd[i].phrase);
        for (size_t v = 1; views.items[v]; v++)
            then_true(*view_text(a, views.items[v], &plain) != '\0');
    }
}

/* --- nodes that settle */

/* At rest for six minutes, and asked for ten. */
static const Json *settling_but(Arena *a, const char *patch)
{
    const Json *sight = json_merge(a,
        sight_of_state(a, "fleet-at-rest"),
        json_fixture(a,
            "{object: {spec: {updateStrategy: {minReadySeconds: 600}}, status: {conditions: "
            "[{type: 'Ready', status: 'False', reason: 'NodesNotAvailable', message: '0 of 3 nodes "
            "are available; not available: rpc-0, rpc-1, rpc-2', lastTransitionTime: "
            "'2026-01-01T00:00:00Z'}]}}}"));

    return json_merge(a, sight, json_fixture(a, patch));
}

TEST(a_fleet_that_waits_for_min_ready_seconds_shows_the_remaining_time)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *view = view_status(a, settling_but(a, "{}"));
    const char *text = view_text(a, view, &plain);

    then_true(begins_with(json_str(view, ".why[0].text"),
        "3 nodes are Ready, and count as available when they have been for minReadySeconds (10m): "
        "the last one in #"));
    then_true(begins_with(json_str(view, ".nodes[0].waiting"),
        "counts as available in #, after minReadySeconds (10m)"));
    then_str(json_str(view, ".nodes[0].mark"), "busy");
    then_true(strstr(text, "Nothing: time does it.") != NULL);
}

TEST(a_fleet_whose_nodes_are_available_shows_no_remaining_time)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *view = view_status(
        a, settling_but(a, "{object: {spec: {updateStrategy: {minReadySeconds: 300}}}}"));

    then_str(json_str(view, ".why[0].about"), "Ready");
    then_str(json_str(view, ".nodes[0].waiting"), NULL);
    then_str(json_str(view, ".nodes[0].mark"), "good");
}

/* --- plans by their ids */

#define TWO_PLANS                                                                                  \
    "{object: {kind: 'SeiNode', metadata: {name: 'x'}, status: {plan: {id: 'aa-2', kind: "         \
    "'repair',"                                                                                    \
    " phase: 'Active', tasks: []}, history: [{id: 'aa-1', kind: 'init', result: 'Complete'},"      \
    " {id: 'bb-1', kind: 'init', result: 'Failed', message: 'no'}]}}}"

static const struct {
    const char *name, *id, *kind;
    Want want;
} ids[] = {
    {"none: the newest", NULL, "repair"},
    {"the one in hand", "aa-2", "repair"},
    {"one that is remembered", "aa-1", "init"},
    {"the beginning of one", "b", "init"},
    {"the beginning of two", "aa", .want = TERMINAL("more than one plan of x")},
    {"of no plan", "cc", .want = TERMINAL("kubectl sei plan history x")},
};

TEST(a_plan_is_found_by_the_beginning_of_its_id)
{
    each_case(i, ids) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Json *view = NULL;

        then_err(view_plan(a, json_fixture(a, TWO_PLANS), ids[i].id, &view), ids[i].want);
        then_str(json_str(view, ".plan.kind"), ids[i].kind);
    }
}

TEST(the_plan_history_begins_with_the_current_plan)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *view = view_plan_history(a, json_fixture(a, TWO_PLANS));

    then_int(json_count(json_find(view, ".plans")), 3);
    then_str(json_str(view, ".plans[0].id"), "aa-2");
    then_str(json_str(view, ".plans[2].id"), "aa-1");
}

static const struct {
    const char *name, *now;
    bool asks;
} unseen[] = {
    {"a moment old", "{now: '2026-01-01T00:00:14Z'}", false},
    {"old enough to wonder", "{now: '2026-01-01T00:00:15Z'}", true},
    {"without a time", "{now: null}", true},
};

TEST(status_asks_whether_an_operator_runs_only_if_the_object_has_waited_for_one)
{
    each_case(i, unseen) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Json *now = json_fixture(a, unseen[i].now);
        const Json *view = view_status(a, json_merge(a, sight_of_state(a, "node-fresh"), now));
        const char *text = json_str(view, ".why[0].text");

        then_true(strstr(text, "no operator has looked at it yet") != NULL);
        then_int(strstr(text, "is one running") != NULL, unseen[i].asks);
    }
}

/* --- a hold --- */

static const struct {
    const char *name, *word, *mark;
    const char *text; /* of the first cause */
    const char *next;
} held[] = {
    {"fleet-at-rest",
        "Held",
        "idle",
        "spec.updateStrategy.hold is true: no node is updated until a person resumes the fleet",
        "kubectl sei rollout resume rpc"},
    {"fleet-held",
        "Held",
        "idle",
        "updateStrategy.hold is set, and rpc-0, rpc-1 are yet to be updated",
        "kubectl sei rollout resume rpc"},
    {"fleet-platform-drift",
        "Held",
        "idle",
        "spec.updateStrategy.hold is true: no node is updated until a person resumes the fleet",
        "kubectl sei rollout resume rpc"},
    {"fleet-halted",
        "Held,NodesNotAvailable",
        "busy",
        "spec.updateStrategy.hold is true: no node is updated until a person resumes the fleet",
        "kubectl sei rollout resume rpc"},
    {"fleet-stalled-nodes-stalled",
        "Held,Stalled",
        "bad",
        "spec.updateStrategy.hold is true: no node is updated until a person resumes the fleet",
        "kubectl sei status node/rpc-0"},
};

TEST(status_of_a_held_fleet_says_so_first)
{
    each_case(i, held) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Json *hold =
            json_fixture(a, "{object: {spec: {updateStrategy: {type: 'InPlace', hold: true}}}}");
        const Json *sight = json_merge(a, sight_of_state(a, held[i].name), hold);
        const Json *view = view_status(a, sight), *row = view_row(a, sight);

        then_str(json_str(view, ".state.word"), held[i].word);
        then_str(json_str(view, ".state.mark"), held[i].mark);
        then_str(json_str(view, ".why[0].text"), held[i].text);
        then_str(json_str(view, ".next[0]"), held[i].next);
        then_str(json_str(row, ".state"), held[i].word);
        then_true(strstr(json_str(row, ".waiting"), "updateStrategy.hold") != NULL);
    }
    test_name_case(NULL);
}

TEST(status_of_a_held_fleet_gives_advice_on_more_urgent_problems_first)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *hold =
        json_fixture(a, "{object: {spec: {updateStrategy: {type: 'InPlace', hold: true}}}}");
    const char *rest = view_text(
        a, view_status(a, json_merge(a, sight_of_state(a, "fleet-at-rest"), hold)), &plain);
    const char *halted = view_text(
        a, view_status(a, json_merge(a, sight_of_state(a, "fleet-halted"), hold)), &plain);

    then_true(strstr(rest, "Do        Remove `updateStrategy.hold`") != NULL);
    then_true(strstr(halted, "Do        Look at the nodes that the message names.") != NULL);
    test_name_case(NULL);
}

/* --- a rollout and a pause */

TEST(status_during_a_rollout_advises_to_wait)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *rolling = view_status(a, sight_of_state(a, "fleet-rolling"));
    const Json *halted = view_status(a, sight_of_state(a, "fleet-halted"));

    then_true(
        strstr(view_text(a, rolling, &plain), "Do        Wait: the rollout replaces pods in turn.")
        != NULL);
    then_true(strstr(view_text(a, halted, &plain), "Do        Look at the nodes") != NULL);
    test_name_case(NULL);
}

TEST(status_of_a_paused_fleet_shows_the_images_that_ran_last)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *image =
        json_fixture(a, "{object: {spec: {template: {spec: {image: 'ghcr.io/example/seid:v9'}}}}}");
    const Json *sight = json_merge(a, sight_of_state(a, "fleet-paused"), image);
    const char *text = view_text(a, view_status(a, sight), &plain);

    then_true(strstr(text, "Image     ghcr.io/example/seid:v9   ran last v1\n") != NULL);
    test_name_case(NULL);
}

/* --- for exit codes */

static const struct {
    const char *name;
    bool is_well, is_drifted;
} judged[] = {
    {"node-running", true, false},
    {"node-stalled-invalid-spec", false, true},
    {"node-updating", false, true},
    {"node-platform-drift", true, true},
    {"node-adopted-drift", true, true},
    {"node-fresh", false, false},
    {"fleet-at-rest", true, false},
    {"fleet-held", false, true},
    {"fleet-partition", true, true},
    {"fleet-platform-drift", true, true},
};

TEST(an_object_is_healthy_or_drifted_or_both)
{
    each_case(i, judged) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Json *sight = sight_of_state(a, judged[i].name);

        then_int(view_is_well(view_status(a, sight)), judged[i].is_well);
        then_int(json_bool(view_drift(a, sight), ".drifted", false), judged[i].is_drifted);
    }
}

/* --- all of a namespace */

/* A fleet, its nodes, and a node that needs a person. */
static const Json *overview_of(Arena *a)
{
    const Json *fleet = sight_of_state(a, "fleet-rolling");
    const Json *alone = sight_of_state(a, "node-stalled-plan-failed"), *child;
    Draft *fleets = draft_array(a), *nodes = draft_array(a);

    draft_push_json(fleets, json_find(fleet, ".object"));
    json_each(child, json_find(fleet, ".children"))
        draft_push_json(nodes, child);
    draft_push_json(nodes, json_find(alone, ".object"));
    return view_overview(a,
        json_seal(a,
            draft(a,
                str("now", json_str(fleet, ".now")),
                str("namespace", "sei"),
                sub("fleets", fleets),
                sub("nodes", nodes))));
}

TEST(the_overview_of_a_namespace_equals_its_golden_file)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *view = overview_of(a);

    then_golden(a, view, "cli/overview.json");
    then_golden_text(a, view_text(a, view, &plain), "cli/overview.txt");
    then_true(width_of(a, view_text(a, view, &plain)) <= PAGE_COLUMNS);
}

TEST(the_overview_of_an_empty_namespace_says_so)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *view = view_overview(a, json_fixture(a, "{namespace: 'sei'}"));

    then_true(strstr(view_text(a, view, &plain), "There are no nodes and no fleets") != NULL);
}
