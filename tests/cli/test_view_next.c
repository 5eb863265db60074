/* What `status` tells people to type, in all states of tests/cli/states.h: it names what is wrong
 * first, and every command that it offers is one that there is. */
#include "base/draft.h"
#include "cli/command.h"
#include "cli/view.h"
#include "cli/view_text.h"
#include "tests/cli/states.h"

enum { WORDS_MAX = 16, STATES_AT_LEAST = 60 };

/* Verbs of kubectl that are offered, each with what it is about. */
static const char *const of_kubectl[] = {
    "logs", "describe pod", "get pv", "edit seinode", "edit snd", "edit pv"};

static Words words_of(Arena *a, const char *line)
{
    Words words = {.items = arena_array(a, const char *, WORDS_MAX)};

    while (*(line += strspn(line, " "))) {
        size_t len = strcspn(line, " ");
        then_true(words.count < WORDS_MAX);
        words.items[words.count++] = str_slice(a, line, len);
        line += len;
    }
    return words;
}

/* A command of the plugin's own table, with flags and as many words as it has. */
static void then_is_ours(Arena *a, const char *line)
{
    Words words = words_of(a, line), plain;
    size_t used = 0;
    const Command *command = command_find(words.items, words.count, &used);
    Flags flags;

    if (!command)
        test_fail(__FILE__, __LINE__, "kubectl sei %s: there is no such command", line);
    Words rest = {.items = words.items + used, .count = words.count - used};
    then_ok(flags_parse(a, &rest, command->flag_groups, &flags, &plain));
    then_true(plain.count >= command->args_min && plain.count <= command->args_max);
}

static void then_can_be_typed(Arena *a, const char *command)
{
    static const char own[] = "kubectl sei ", other[] = "kubectl ";

    if (str_has_prefix(command, own)) {
        then_is_ours(a, command + strlen(own));
        return;
    }
    then_true(str_has_prefix(command, other));
    for (size_t i = 0; i < array_count(of_kubectl); i++)
        if (str_has_prefix(command + strlen(other), of_kubectl[i]))
            return;
    test_fail(__FILE__, __LINE__, "\"%s\" is not known to be a command", command);
}

TEST(every_suggested_command_is_valid)
{
    SCOPED_ARENA a = arena_open(STATES_ARENA_MAX);

    for (const char *const *scene = states(a); *scene; scene++) {
        const Json *next = json_find(view_status(a, sight_of_state(a, *scene)), ".next"), *command;
        then_true(json_count(next) > 0);
        json_each(command, next)
            then_can_be_typed(a, json_text(command));
    }
    test_name_case(NULL);
}

/* As if what the state is of were a validator. */
static const Json *of_validator(Arena *a, const Json *sight)
{
    const Json *mode = json_fixture(a, "{fullNode: null, archive: null, validator: {}}");
    Draft *node = draft(a, obj("object", draft_json("spec", mode)));
    Draft *fleet = draft(a, obj("object", obj("spec", obj("template", draft_json("spec", mode)))));
    bool is_fleet = json_find(sight, ".object.spec.template") != NULL;

    return json_merge(a, sight, json_seal(a, is_fleet ? fleet : node));
}

TEST(advice_that_starts_a_validator_warns_about_double_signing)
{
    static const char *const starters[] = {" unpause ", " --abort", "scale statefulset"};
    SCOPED_ARENA a = arena_open(STATES_ARENA_MAX);
    int cautions = 0;

    for (const char *const *scene = states(a); *scene; scene++) {
        const Json *view = view_status(a, of_validator(a, sight_of_state(a, *scene)));
        const Json *next = json_find(view, ".next"), *command, *why = json_find(view, ".why"), *one;
        json_each(command, next)
            for (size_t i = 0; i < array_count(starters); i++)
                then_true(!strstr(json_text(command), starters[i]));
        json_each(one, why) {
            const char *advice = json_str(one, ".advice");
            bool starts = advice && (strstr(advice, "npause") || strstr(advice, "to false"));
            then_true(!starts || strstr(advice, "slashed"));
            cautions += starts;
        }
    }
    then_true(cautions >= 4);
    test_name_case(NULL);
}

TEST(status_of_a_node_that_was_paused_with_its_fleet_suggests_unpausing_the_fleet)
{
    SCOPED_ARENA a = arena_open(STATES_ARENA_MAX);
    const Json *child = json_fixture(a,
        "{object: {metadata: {labels: {'sei.io/nodedeployment': 'rpc'}, managedFields: [{manager:"
        " 'seinodedeployment-controller', operation: 'Apply', fieldsV1: {'f:spec': {'f:paused':"
        " {}}}}]}}}");
    const Json *view = view_status(a, json_merge(a, sight_of_state(a, "node-paused"), child));

    then_json(json_find(view, ".next"), "['kubectl sei status fleet/rpc']");
    then_str(json_str(view, ".why[0].advice"),
        "It is paused with fleet/rpc, which would pause it again: unpause that.");
    test_name_case(NULL);
}

/* A fleet that has never been whole has no template to go back to: there the verb is refused. */
TEST(undo_is_suggested_only_if_there_is_a_previous_template)
{
    SCOPED_ARENA a = arena_open(STATES_ARENA_MAX);
    const Json *never_whole = json_fixture(a, "{object: {status: {completeRevision: null}}}");
    int offers = 0;

    for (const char *const *scene = states(a); *scene; scene++) {
        const Json *sight = sight_of_state(a, *scene), *command;
        const Json *next = json_find(view_status(a, sight), ".next");
        json_each(command, next)
            offers += strstr(json_text(command), "rollout undo") != NULL;
        next = json_find(view_status(a, json_merge(a, sight, never_whole)), ".next");
        json_each(command, next)
            then_true(!strstr(json_text(command), "rollout undo"));
    }
    then_true(offers >= 4);
    test_name_case(NULL);
}

/* The causes are in the order in which a person has to deal with them, and the screen begins with
 * the first. */
TEST(status_of_an_unhealthy_object_begins_with_the_cause)
{
    SCOPED_ARENA a = arena_open(STATES_ARENA_MAX);
    const PageStyle style = {.is_utf8 = true, .columns = PAGE_COLUMNS, .rows = PAGE_ROWS};

    for (const char *const *scene = states(a); *scene; scene++) {
        const Json *view = view_status(a, sight_of_state(a, *scene));
        const char *cause = json_str(view, ".why[0].text"), *text = view_text(a, view, &style);
        if (view_is_well(view))
            continue;
        then_true(!str_empty(cause));
        const char *second = strchr(text, '\n') + 1;
        then_true(str_has_prefix(second, "Why       "));
        then_true(strstr(text, "\nNext      kubectl ") != NULL);
    }
    test_name_case(NULL);
}

TEST(the_simulator_provides_enough_states)
{
    SCOPED_ARENA a = arena_open(STATES_ARENA_MAX);
    size_t count = 0;

    for (const char *const *scene = states(a); *scene; scene++)
        count++;
    then_true(count >= STATES_AT_LEAST);
}
