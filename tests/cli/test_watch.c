/* watch, as a person has it: a screen, or lines where there is none; and a server that goes away.
 */
#include "cli/screen.h"
#include "tests/cli/world_streams.h"

#define NODE(name)                                                                                 \
    "{metadata: {name: '" name "'}, spec: {chainId: 'c', image: 'seid:v1', fullNode: {}}, status:" \
    " {observedGeneration: 1, currentImage: 'seid:v1', conditions: [{type: 'Ready', status:"       \
    " 'True', reason: 'Available', message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}]}}"

#define FLEET                                                                                      \
    "{metadata: {name: 'rpc'}, spec: {replicas: 2, updateStrategy: {type: 'InPlace'}, template:"   \
    " {spec: {chainId: 'c', image: 'seid:v1', fullNode: {}}}}, status: {observedGeneration: 1,"    \
    " updatedReplicas: 2, availableReplicas: 2, nodes: [{name: 'rpc-0'}]}}"

typedef struct Theatre {
    Terminal *terminal;
    WorldStreams streams;
    Screen screen;
    int columns, lines, entered, left;
    int quit_at; /* the poll after which somebody types q; -1: never */
} Theatre;

/* --- the terminal */

static void enter(Screen *self)
{
    link_owner(Theatre, screen, self)->entered++;
}

static void leave(Screen *self)
{
    link_owner(Theatre, screen, self)->left++;
}

static int key(Screen *self)
{
    const Theatre *x = link_owner(Theatre, screen, self);

    return x->streams.polls == x->quit_at ? 'q' : 0;
}

static void measure(Screen *self, int *columns, int *lines)
{
    const Theatre *x = link_owner(Theatre, screen, self);

    *columns = x->columns;
    *lines = x->lines;
}

static Theatre *current; /* the transport of a terminal knows only that */

static Streams *open_streams(Transport *self)
{
    (void)self;
    return &current->streams.port;
}

static void close_streams(Transport *self, Streams *streams)
{
    (void)self, (void)streams;
}

static void theatre_open(Theatre *x, Terminal *t, int quit_at)
{
    *x = (Theatre){
        .terminal = t,
        .screen = {enter, leave, key, measure},
        .columns = 80,
        .lines = 24,
        .quit_at = quit_at,
    };
    world_streams_init(&x->streams, t);
    t->transport.open_streams = open_streams;
    t->transport.close_streams = close_streams;
    t->screen = &x->screen;
    current = x;
}

static void set_state(Terminal *t, const char *status, const char *reason)
{
    terminal_ask(t,
        (Request){.verb = VERB_MERGE_PATCH,
            .kind = kind_seinode,
            .key = {"default", "rpc-0"},
            .subresource = "status",
            .body = json_fixture(t->arena,
                str_format(t->arena,
                    "{status: {conditions: [{type: 'Ready', status: '%s', reason: '%s', message:"
                    " 'told', lastTransitionTime: '2026-01-01T00:00:00Z'}]}}",
                    status,
                    reason))});
}

/* --- lines */

static Err *act_of_lines(WorldStreams *s, int poll)
{
    if (poll == 6)
        set_state(s->terminal, "False", "PodNotReady");
    if (poll == 8) /* nothing that anybody would notice */
        terminal_ask(s->terminal,
            (Request){.verb = VERB_MERGE_PATCH,
                .kind = kind_seinode,
                .key = {"default", "rpc-0"},
                .body = json_fixture(s->terminal->arena, "{metadata: {labels: {a: 'b'}}}")});
    if (poll == 10)
        s->is_down = true;
    if (poll == 60)
        s->is_down = false;
    if (poll == 120)
        set_state(s->terminal, "True", "Available");
    return poll == 130 ? err_terminal(s->terminal->arena, "the play is over") : OK;
}

static size_t count_of(const char *text, const char *phrase)
{
    size_t count = 0;

    for (; (text = strstr(text, phrase)); text += strlen(phrase))
        count++;
    return count;
}

TEST(watch_without_a_terminal_prints_a_line_for_each_change)
{
    SCOPED_TERMINAL t = terminal_open();
    Theatre x;

    given(t, kind_seinode, NODE("rpc-0"));
    theatre_open(&x, t, -1);
    x.streams.act = act_of_lines;
    type(t, "watch");
    then_int(count_of(said(t), "\n"), 3);
    then_said(t, " node/rpc-0 Ready v1\n");
    then_said(t, " node/rpc-0 PodNotReady v1: told\n");
    then_int(count_of(said(t), "\033"), 0);
    then_int(x.entered, 0);
}

TEST(watch_reports_a_lost_and_a_restored_connection_once_each)
{
    SCOPED_TERMINAL t = terminal_open();
    Theatre x;

    given(t, kind_seinode, NODE("rpc-0"));
    theatre_open(&x, t, -1);
    x.streams.act = act_of_lines;
    type(t, "watch node/rpc-0");
    then_int(count_of(talked(t), "reconnecting since"), 1);
    then_talked(t, "connection refused");
    then_int(count_of(talked(t), "connected again"), 1);
    then_talked(t, "the play is over");
}

TEST(watch_of_a_fleet_includes_its_nodes)
{
    SCOPED_TERMINAL t = terminal_open();
    Theatre x;

    given(t, kind_seinodedeployment, FLEET);
    given(t,
        kind_seinode,
        "{metadata: {name: 'rpc-0', labels: {'sei.io/nodedeployment': 'rpc'}}, spec: {chainId: 'c',"
        " image: 'seid:v1', fullNode: {}}}");
    given(t, kind_seinode, NODE("other"));
    theatre_open(&x, t, -1);
    x.streams.act = act_of_lines;
    type(t, "watch rpc");
    then_said(t, "fleet/rpc New v1: 2 of 2 on the template, 2 available");
    then_said(t, "node/rpc-0 New");
    then_int(count_of(said(t), "other"), 0);
}

static Err *act_of_two_namespaces(WorldStreams *s, int poll)
{
    if (poll == 6)
        set_state(s->terminal, "False", "PodNotReady");
    return poll == 20 ? err_terminal(s->terminal->arena, "the play is over") : OK;
}

static void given_two_namespaces(Terminal *t)
{
    given(t, kind_namespace, "{metadata: {name: 'sei', namespace: null}}");
    given(t, kind_seinode, NODE("rpc-0"));
    given(t,
        kind_seinode,
        "{metadata: {name: 'rpc-0', namespace: 'sei', labels: {a: 'b'}}, spec: {chainId: 'c',"
        " image: 'seid:v1', fullNode: {}}}");
}

TEST(watch_of_all_namespaces_prints_the_namespace_of_each_object)
{
    SCOPED_TERMINAL t = terminal_open();
    Theatre x;

    given_two_namespaces(t);
    theatre_open(&x, t, -1);
    x.streams.act = act_of_two_namespaces;
    type(t, "watch -A");
    then_int(count_of(said(t), "\n"), 3);
    then_said(t, " default node/rpc-0 Ready v1\n");
    then_said(t, " default node/rpc-0 PodNotReady v1: told\n");
    then_int(count_of(said(t), " sei node/rpc-0 New"), 1);
}

TEST(watch_with_a_selector_prints_only_selected_objects)
{
    SCOPED_TERMINAL t = terminal_open();
    Theatre x;

    given_two_namespaces(t);
    theatre_open(&x, t, -1);
    x.streams.act = act_of_two_namespaces;
    type(t, "watch -A -l a=b");
    then_int(count_of(said(t), "\n"), 1);
    then_said(t, " sei node/rpc-0 New");
    then_int(type(t, "watch rpc-0 -l a=b"), EXIT_MISUSED);
    then_talked(t, "a name or --selector, but not both");
    then_int(type(t, "watch rpc-0 -A"), EXIT_MISUSED);
    then_talked(t, "a name is of one namespace");
}

/* --- the screen */

/* The last frame that was drawn. */
static const char *last_frame(const Terminal *t)
{
    const char *at = said(t), *last = NULL;

    while ((at = strstr(at, "\033[H")))
        last = at++;
    return last ? last : "";
}

TEST(the_watch_screen_of_all_namespaces_shows_each_namespace)
{
    SCOPED_TERMINAL t = terminal_open();
    Theatre x;

    given_two_namespaces(t);
    t->out.is_terminal = true;
    theatre_open(&x, t, 8);
    then_int(type(t, "watch -A -l '!z'"), EXIT_FINE);
    const char *frame = last_frame(t);
    then_true(strstr(frame, "all  -l !z  0 fleets, 2 nodes") != NULL);
    then_true(strstr(frame, "default/rpc-0") < strstr(frame, "sei/rpc-0"));
}

static Err *act_of_screen(WorldStreams *s, int poll)
{
    Theatre *x = link_owner(Theatre, streams, s);

    if (poll == 8)
        set_state(s->terminal, "False", "PodNotReady");
    if (poll == 12)
        x->columns = 60;
    if (poll == 16)
        s->is_down = true;
    return OK;
}

TEST(the_watch_screen_is_entered_and_drawn_and_left_as_it_was)
{
    SCOPED_TERMINAL t = terminal_open();
    Theatre x;

    given(t, kind_seinode, NODE("rpc-0"));
    t->out.is_terminal = true;
    theatre_open(&x, t, 90);
    x.streams.act = act_of_screen;
    then_int(type(t, "watch rpc-0"), EXIT_FINE);
    then_true(str_has_prefix(said(t), screen_begin));
    then_true(str_has_suffix(said(t), screen_end));
    then_int(x.entered, 1);
    then_int(x.left, 1);
    then_said(t, "Ready: yes");
    then_true(strstr(last_frame(t), "PodNotReady") != NULL);
    then_true(strstr(last_frame(t), "reconnecting since") != NULL);
    then_true(strstr(last_frame(t), "q quit") != NULL);
    then_str(talked(t), "");
}

TEST(no_frame_of_the_watch_screen_exceeds_the_terminal)
{
    SCOPED_TERMINAL t = terminal_open();
    Theatre x;

    for (int i = 0; i < 40; i++)
        given(t, kind_seinode, str_format(t->arena, NODE("rpc-%d"), i));
    t->out.is_terminal = true;
    theatre_open(&x, t, 8);
    x.columns = 70;
    x.lines = 20;
    then_int(type(t, "watch"), EXIT_FINE);
    const char *frame = last_frame(t);
    then_int(count_of(frame, "\r\n"), 19);
    then_true(strstr(frame, "40 nodes") != NULL);
    then_true(strstr(frame, "more: kubectl sei get nodes") != NULL);
    for (const char *line = frame; (line = strstr(line, "\n")); line++)
        then_true(strcspn(line + 1, "\033") <= 70);
}

static const struct {
    const char *name;
    int lines, nodes;
    const char *has[3], *has_not[2];
} notes[] = {
    {"with room for all of it",
        24,
        40,
        {"of a sandbox\033[K\r\n", "try this", "q quit  "},
        {"go on"}},
    {"with room for all of it, because the view is short",
        13,
        2,
        {"of a sandbox", "try this", "q quit  "},
        {"go on"}},
    {"with room for its first line", 13, 40, {"of a sandbox", "q quit  "}, {"go on", "try this"}},
};

/* The program that starts the screen knows what ends with it. */
TEST(a_note_stays_above_the_watch_screen_and_says_what_quitting_ends)
{
    each_case(i, notes) {
        SCOPED_TERMINAL t = terminal_open();
        Theatre x;

        for (int n = 0; n < notes[i].nodes; n++)
            given(t, kind_seinode, str_format(t->arena, NODE("rpc-%d"), n));
        t->out.is_terminal = true;
        theatre_open(&x, t, 8);
        x.lines = notes[i].lines;
        then_int(type(t, "watch --note 'of a sandbox\n\ntry this: kubectl'"), EXIT_FINE);
        const char *frame = last_frame(t);
        then_true(count_of(frame, "\r\n") < (size_t)x.lines);
        then_true(str_has_prefix(frame, "\033[Hof a sandbox"));
        for (size_t n = 0; n < array_count(notes[i].has) && notes[i].has[n]; n++)
            then_true(strstr(frame, notes[i].has[n]) != NULL);
        for (size_t n = 0; n < array_count(notes[i].has_not) && notes[i].has_not[n]; n++)
            then_true(!strstr(frame, notes[i].has_not[n]));
    }
}

TEST(without_a_note_quitting_the_watch_screen_ends_nothing_else)
{
    SCOPED_TERMINAL t = terminal_open();
    Theatre x;

    given(t, kind_seinode, NODE("rpc-0"));
    t->out.is_terminal = true;
    theatre_open(&x, t, 8);
    then_int(type(t, "watch"), EXIT_FINE);
    then_true(strstr(last_frame(t), "q quit (nodes and rollouts go on)") != NULL);
}

static const struct {
    const char *name;
    int status, code;
} refusals[] = {
    {"a login that is refused", 401, EXIT_FORBIDDEN},
    {"a missing permission", 403, EXIT_FORBIDDEN},
};

/* With a name the object is read first, and that fails. */
TEST(watch_of_all_objects_ends_if_its_first_request_is_refused)
{
    each_case(i, refusals) {
        SCOPED_TERMINAL t = terminal_open();
        Theatre x;

        t->out.is_terminal = true;
        theatre_open(&x, t, 20);
        t->fault = err_retry(t->arena, "refused");
        t->fault->status = refusals[i].status;
        then_int(type(t, "watch"), refusals[i].code);
        then_talked(t, "error: refused\nhint: ");
        then_int(x.entered, 0);
    }
}

static Err *act_of_deletion(WorldStreams *s, int poll)
{
    if (poll == 8)
        terminal_ask(s->terminal,
            (Request){.verb = VERB_DELETE, .kind = kind_seinode, .key = {"default", "rpc-0"}});
    return OK;
}

TEST(watch_reports_a_deleted_object)
{
    SCOPED_TERMINAL t = terminal_open();
    Theatre x;

    given(t, kind_seinode, NODE("rpc-0"));
    t->out.is_terminal = true;
    theatre_open(&x, t, 30);
    x.streams.act = act_of_deletion;
    then_int(type(t, "watch rpc-0"), EXIT_FINE);
    then_true(strstr(last_frame(t), "node/rpc-0 is gone") != NULL);
}

TEST(watch_of_an_unknown_name_opens_no_screen)
{
    SCOPED_TERMINAL t = terminal_open();
    Theatre x;

    t->out.is_terminal = true;
    theatre_open(&x, t, 1);
    then_int(type(t, "watch nobody"), EXIT_NOT_FOUND);
    then_int(x.entered, 0);
    then_str(said(t), "");
}
