/* The index of peers: who is found, who is told of a change, when, and how much is looked at for
 * that. Work is counted, not timed. */
#include "sei/reconcile/peers.h"

#include "base/str.h"
#include "tests/test.h"

#include <string.h>

enum { START_MS = 100000 };

typedef struct Village {
    Arena *arena;
    Peers *peers;
    int64_t now_ms;
    int told; /* since it was last asked for */
} Village;

static Village *village_open(void)
{
    Arena *arena = arena_open(1 << 30);
    Village *v = arena_new(arena, Village);

    *v = (Village){.arena = arena, .peers = peers_open(), .now_ms = START_MS};
    return v;
}

static void village_close(Village **v)
{
    peers_close((*v)->peers);
    arena_close((*v)->arena);
}
#define SCOPED_VILLAGE __attribute__((cleanup(village_close))) Village *

#define RPC "{label: {selector: {fleet: 'rpc'}}}"

static Key key_of(const char *name)
{
    return (Key){.namespace = "sei", .name = name};
}

/* `more` are members of its spec. */
static const Json *node(Village *v, const char *name, const char *labels, const char *more)
{
    return json_fixture(v->arena,
        str_format(v->arena,
            "{metadata: {namespace: 'sei', name: '%s', labels: %s}, spec: {%s}}",
            name,
            labels,
            more));
}

static void fill(Village *v)
{
    then_true(peers_must_be_filled(v->peers));
    peers_filled(v->peers, true, v->now_ms);
}

static void note(Village *v, const char *name, const char *labels, const char *asks)
{
    peers_note(v->peers,
        node(v, name, labels, ""),
        asks ? json_fixture(v->arena, str_format(v->arena, "[%s]", asks)) : NULL,
        v->now_ms);
}

/* A node id out of one letter. */
static const char *id_of(Village *v, char letter)
{
    char *id = arena_alloc(v->arena, 41);

    memset(id, letter, 40);
    return id;
}

static void name(Village *v, const char *who, char letter)
{
    peers_name(v->peers, key_of(who), "pod", id_of(v, letter), v->now_ms);
}

/* The names of all who are told within so long, in order. */
static const char *told(Village *v, int64_t ms)
{
    int64_t end = v->now_ms + ms;
    const char *names = "";
    Key *keys;

    while (peers_due_ms(v->peers) <= end) {
        v->now_ms = peers_due_ms(v->peers) > v->now_ms ? peers_due_ms(v->peers) : v->now_ms;
        size_t count = peers_take_due(v->peers, v->arena, v->now_ms, &keys);
        for (size_t i = 0; i < count; i++)
            names = str_format(v->arena, "%s%s%s", names, *names ? " " : "", keys[i].name);
    }
    v->now_ms = end;
    return names;
}

static const Json *found(Village *v, const char *who, const char *before)
{
    return peers_resolve(
        v->peers, v->arena, key_of(who), before ? json_fixture(v->arena, before) : NULL)
        .resolved;
}

#define A_ID         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B_ID         "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C_ID         "cccccccccccccccccccccccccccccccccccccccc"
#define AT(id, node) id "@" node "-0." node ".sei.svc.cluster.local:26656"

/* --- who is found ------------------------------------------------------------------------------
 */

TEST(selected_peers_are_sorted_and_exclude_the_node_itself)
{
    SCOPED_VILLAGE v = village_open();

    fill(v);
    note(v, "one", "{fleet: 'rpc'}", RPC);
    note(v, "two", "{fleet: 'rpc', x: 'y'}", NULL);
    note(v, "three", "{fleet: 'rpc'}", NULL);
    note(v, "four", "{fleet: 'other'}", NULL);
    note(v, "five", "{x: 'y'}", NULL);
    name(v, "one", 'd');
    name(v, "two", 'b');
    name(v, "three", 'a');
    name(v, "four", 'c');
    then_json(found(v, "one", NULL), "['" AT(A_ID, "three") "', '" AT(B_ID, "two") "']");
}

TEST(a_peer_must_have_all_labels_of_the_selector)
{
    SCOPED_VILLAGE v = village_open();

    fill(v);
    note(v, "one", "{}", "{label: {selector: {fleet: 'rpc', tier: '1'}}}");
    note(v, "two", "{fleet: 'rpc'}", NULL);
    note(v, "three", "{tier: '1'}", NULL);
    note(v, "four", "{fleet: 'rpc', tier: '1', more: 'x'}", NULL);
    name(v, "two", 'a');
    name(v, "three", 'b');
    name(v, "four", 'c');
    then_json(found(v, "one", NULL), "['" AT(C_ID, "four") "']");
}

TEST(overlapping_peer_sources_return_each_peer_once)
{
    SCOPED_VILLAGE v = village_open();

    fill(v);
    note(v, "one", "{}", RPC ", {label: {selector: {x: 'y'}}}, " RPC ", {static: {addresses: []}}");
    note(v, "two", "{fleet: 'rpc', x: 'y'}", NULL);
    name(v, "two", 'a');
    then_json(found(v, "one", NULL), "['" AT(A_ID, "two") "']");
    then_int((int)peers_figures(v->peers).groups, 2);
}

TEST(a_peer_source_selects_in_the_namespace_of_the_node_unless_it_names_another)
{
    SCOPED_VILLAGE v = village_open();
    const Json *far = json_fixture(
        v->arena, "{metadata: {namespace: 'far', name: 'seed', labels: {fleet: 'rpc'}}}");

    fill(v);
    peers_note(v->peers, far, NULL, v->now_ms);
    peers_name(v->peers, (Key){"far", "seed"}, "pod", id_of(v, 'a'), v->now_ms);
    note(v, "near", "{}", RPC);
    note(v, "wide", "{}", "{label: {namespace: 'far', selector: {fleet: 'rpc'}}}");
    then_json(found(v, "near", NULL), NULL);
    then_json(found(v, "wide", NULL), "['" A_ID "@seed-0.seed.far.svc.cluster.local:26656']");
}

TEST(a_valid_external_address_of_a_peer_is_used_unchanged)
{
    static const struct {
        const char *name, *address, *found;
    } cases[] = {
        {"a host and a port", "p2p.example.io:1", "['" A_ID "@p2p.example.io:1']"},
        {"IPv6", "[2001:db8::1]:26656", "['" A_ID "@[2001:db8::1]:26656']"},
        {"empty means none", "", "['" AT(A_ID, "two") "']"},
        {"a comma", "a:1,b:2", NULL},
        {"a second name", "x@a:1", NULL},
        {"a space", "a: 1", NULL},
        {"a line feed", "a:1\\n", NULL},
    };

    each_case(i, cases) {
        SCOPED_VILLAGE v = village_open();
        const Json *two = node(v,
            "two",
            "{fleet: 'rpc'}",
            str_format(v->arena, "externalAddress: '%s'", cases[i].address));

        fill(v);
        note(v, "one", "{}", RPC);
        peers_note(v->peers, two, NULL, v->now_ms);
        name(v, "two", 'a');
        then_json(found(v, "one", NULL), cases[i].found);
    }
}

TEST(a_peer_without_a_known_id_keeps_the_stored_entry_of_its_address)
{
    SCOPED_VILLAGE v = village_open();

    fill(v);
    note(v, "one", "{}", RPC);
    note(v, "two", "{fleet: 'rpc'}", NULL);
    note(v, "three", "{fleet: 'rpc'}", NULL);
    then_json(found(v, "one", "['" AT(B_ID, "two") "', '" AT(C_ID, "gone") "', 'odd']"),
        "['" AT(B_ID, "two") "']");
    name(v, "two", 'a');
    then_str(told(v, 10000), "one three");
    then_json(found(v, "one", "['" AT(B_ID, "two") "']"), "['" AT(A_ID, "two") "']");
}

TEST(an_unchanged_peer_list_is_returned_as_it_was_stored)
{
    SCOPED_VILLAGE v = village_open();
    const Json *before = json_fixture(v->arena, "['" AT(A_ID, "two") "']");

    fill(v);
    note(v, "one", "{}", RPC);
    note(v, "two", "{fleet: 'rpc'}", NULL);
    name(v, "two", 'a');
    then_true(peers_resolve(v->peers, v->arena, key_of("one"), before).resolved == before);
    uint64_t work = peers_figures(v->peers).work;
    then_true(peers_resolve(v->peers, v->arena, key_of("one"), before).resolved == before);
    then_int((int)(peers_figures(v->peers).work - work), 0);
    /* Somebody edited the status: it is looked at again. */
    then_json(found(v, "one", "['edited']"), "['" AT(A_ID, "two") "']");
}

TEST(a_peer_without_an_id_is_named_while_no_peer_is_known)
{
    SCOPED_VILLAGE v = village_open();

    fill(v);
    note(v, "one", "{}", RPC);
    PeersFound nobody = peers_resolve(v->peers, v->arena, key_of("one"), NULL);
    then_true(nobody.is_known && nobody.matched == 0 && !nobody.silent);
    note(v, "two", "{fleet: 'rpc'}", NULL);
    PeersFound silent = peers_resolve(v->peers, v->arena, key_of("one"), NULL);
    then_int((int)silent.matched, 1);
    then_str(silent.silent, "sei/two");
}

TEST(an_unreadable_node_id_is_retried_with_growing_delays_and_at_once_for_a_new_pod)
{
    static const int64_t pauses[] = {5000, 10000, 20000, 40000, 80000, 160000, 300000, 300000};
    SCOPED_VILLAGE v = village_open();
    Key two = key_of("two");

    fill(v);
    note(v, "one", "{}", RPC);
    note(v, "two", "{fleet: 'rpc'}", NULL);
    for (size_t i = 0; i < array_count(pauses); i++) {
        then_int(peers_name_pause_ms(v->peers, two, "pod", v->now_ms), 0);
        then_int(peers_name_failed(v->peers, two, "pod", "no key", v->now_ms), pauses[i]);
        then_int(peers_name_pause_ms(v->peers, two, "pod", v->now_ms), pauses[i]);
        v->now_ms += pauses[i];
    }
    then_str(peers_resolve(v->peers, v->arena, key_of("one"), NULL).silent_why, "no key");
    then_int(peers_name_failed(v->peers, two, "new", "no key", v->now_ms), 5000);
    then_int(peers_name_pause_ms(v->peers, two, "pod", v->now_ms), 0);
    peers_name(v->peers, two, "new", id_of(v, 'a'), v->now_ms);
    then_int(peers_name_pause_ms(v->peers, two, "new", v->now_ms), 0);
}

TEST(a_peer_list_that_is_too_long_is_cut_in_its_order)
{
    SCOPED_VILLAGE v = village_open();

    fill(v);
    note(v, "one", "{}", RPC);
    for (int i = 0; i < 2000; i++) {
        const char *who = str_format(v->arena, "n-%04d", i);
        note(v, who, "{fleet: 'rpc'}", NULL);
        peers_name(
            v->peers, key_of(who), "pod", str_format(v->arena, "%040d", 2000 - i), v->now_ms);
    }
    const Json *list = found(v, "one", NULL);
    then_true(json_count(list) > 300 && json_count(list) < 500);
    then_true(json_write(v->arena, list).len < PEERS_TEXT_MAX + PEERS_ADDRESS_MAX);
    then_true(str_has_prefix(json_str(list, "[0]"), str_format(v->arena, "%040d", 1)));
}

/* --- who is wanted -----------------------------------------------------------------------------
 */

TEST(a_node_id_is_requested_once_per_pod_and_only_if_other_nodes_need_it)
{
    SCOPED_VILLAGE v = village_open();

    then_true(!peers_want_name(v->peers, key_of("two"), "pod"));
    fill(v);
    note(v, "two", "{fleet: 'rpc'}", RPC);
    then_true(!peers_want_name(v->peers, key_of("two"), "pod")); /* only it asks itself */
    note(v, "one", "{}", RPC);
    then_true(peers_want_name(v->peers, key_of("two"), "pod"));
    then_true(!peers_want_name(v->peers, key_of("one"), "pod"));
    name(v, "two", 'a');
    then_true(!peers_want_name(v->peers, key_of("two"), "pod"));
    then_true(peers_want_name(v->peers, key_of("two"), "other pod"));
    note(v, "one", "{}", NULL);
    then_true(!peers_want_name(v->peers, key_of("two"), "other pod"));
}

TEST(the_first_node_that_selects_peers_enqueues_the_peers_without_an_id)
{
    SCOPED_VILLAGE v = village_open();

    fill(v);
    note(v, "two", "{fleet: 'rpc'}", NULL);
    note(v, "three", "{fleet: 'rpc'}", NULL);
    then_str(told(v, 10000), "");
    note(v, "one", "{}", RPC);
    then_str(told(v, 0), "one two three");
    then_str(told(v, 100000), "");
}

/* --- who is told of a change -------------------------------------------------------------------
 */

static void given_pair(Village *v)
{
    fill(v);
    note(v, "one", "{}", RPC);
    note(v, "two", "{fleet: 'rpc'}", NULL);
    name(v, "two", 'a');
    told(v, 1000000);
}

TEST(a_peer_change_enqueues_only_the_nodes_that_select_the_peer)
{
    SCOPED_VILLAGE v = village_open();

    given_pair(v);
    note(v, "two", "{fleet: 'rpc'}", NULL);
    then_str(told(v, 100000), ""); /* nothing has changed */
    note(v, "two", "{fleet: 'rpc', more: 'labels'}", NULL);
    then_str(told(v, 100000), "one"); /* that is looked at, and found to be the same */
    note(v, "far", "{fleet: 'other'}", NULL);
    then_str(told(v, 100000), "");
    name(v, "two", 'b');
    then_str(told(v, 100000), "one");
    note(v, "two", "{}", NULL);
    then_str(told(v, 100000), "one");
    name(v, "two", 'c');
    then_str(told(v, 100000), "");
    note(v, "two", "{fleet: 'rpc'}", NULL);
    then_str(told(v, 100000), "one");
    peers_forget(v->peers, key_of("two"), v->now_ms);
    then_str(told(v, 100000), "one");
    then_json(found(v, "one", NULL), NULL);
}

TEST(several_peer_changes_are_reported_once_and_frequent_changes_less_and_less_often)
{
    SCOPED_VILLAGE v = village_open();
    int tellings = 0;

    given_pair(v);
    for (const char *letter = "bcdef"; *letter; letter++)
        name(v, "two", *letter);
    then_str(told(v, PEERS_PAUSE_MS - 1), "");
    then_str(told(v, 1), "one");
    for (int second = 0; second < 300; second++) {
        name(v, "two", second % 2 ? 'a' : 'b');
        tellings += *told(v, 1000) != '\0';
    }
    print_message("# 300 changes in 300 s are told %d times\n", tellings);
    then_true(tellings >= 9 && tellings <= 14);
    told(v, PEERS_CALM_MS + PEERS_PAUSE_MAX_MS);
    name(v, "two", 'c');
    then_str(told(v, PEERS_PAUSE_MS), "one");
}

TEST(a_node_that_selects_no_peers_any_more_is_not_enqueued)
{
    SCOPED_VILLAGE v = village_open();

    given_pair(v);
    note(v, "one", "{}", NULL);
    name(v, "two", 'b');
    then_str(told(v, 100000), "");
    then_int((int)peers_figures(v->peers).groups, 0);
}

TEST(a_node_that_is_deleted_while_a_peer_change_is_pending_is_not_enqueued)
{
    SCOPED_VILLAGE v = village_open();

    given_pair(v);
    name(v, "two", 'b');
    peers_forget(v->peers, key_of("one"), v->now_ms);
    then_str(told(v, 100000), "");
    then_int((int)peers_figures(v->peers).nodes, 1);
}

/* --- filling -----------------------------------------------------------------------------------
 */

TEST(peers_are_not_reported_as_gone_before_the_index_is_filled)
{
    SCOPED_VILLAGE v = village_open();
    const Json *before = json_fixture(v->arena, "['" AT(A_ID, "two") "']");

    then_true(peers_resolve(v->peers, v->arena, key_of("one"), before).resolved == before);
    then_true(peers_must_be_filled(v->peers));
    then_true(!peers_must_be_filled(v->peers)); /* one does it */
    note(v, "one", "{}", RPC);
    PeersFound found_yet = peers_resolve(v->peers, v->arena, key_of("one"), before);
    then_true(!found_yet.is_known && found_yet.resolved == before);
    peers_see(v->peers, node(v, "two", "{fleet: 'rpc'}", ""));
    peers_filled(v->peers, true, v->now_ms);
    then_str(told(v, 0), "one two");
    then_true(peers_resolve(v->peers, v->arena, key_of("one"), before).resolved == before);
}

TEST(a_change_during_the_filling_of_the_peer_index_takes_precedence_over_the_list)
{
    SCOPED_VILLAGE v = village_open();

    then_true(peers_must_be_filled(v->peers));
    note(v, "one", "{}", RPC);
    note(v, "relabelled", "{fleet: 'gone'}", NULL);
    peers_forget(v->peers, key_of("deleted"), v->now_ms);
    peers_see(v->peers, node(v, "relabelled", "{fleet: 'rpc'}", ""));
    peers_see(v->peers, node(v, "deleted", "{fleet: 'rpc'}", ""));
    peers_see(v->peers,
        json_fixture(v->arena,
            "{metadata: {namespace: 'sei', name: 'going', labels: {fleet: 'rpc'},"
            " deletionTimestamp: '2026-01-01T00:00:00Z'}}"));
    peers_filled(v->peers, true, v->now_ms);
    then_int((int)peers_resolve(v->peers, v->arena, key_of("one"), NULL).matched, 0);
    then_int((int)peers_figures(v->peers).nodes, 2);
}

TEST(filling_the_peer_index_is_repeated_after_a_failure)
{
    SCOPED_VILLAGE v = village_open();

    then_true(peers_must_be_filled(v->peers));
    note(v, "one", "{}", RPC);
    peers_filled(v->peers, false, v->now_ms);
    then_true(!peers_resolve(v->peers, v->arena, key_of("one"), NULL).is_known);
    then_int((int)peers_figures(v->peers).nodes, 0);
    fill(v);
    note(v, "one", "{}", RPC);
    then_true(peers_resolve(v->peers, v->arena, key_of("one"), NULL).is_known);
}

/* --- what it costs -----------------------------------------------------------------------------
 */

/* So many nodes in fleets of so many, each of which asks for its own fleet. */
static void given_fleets(Village *v, int nodes, int members)
{
    fill(v);
    for (int i = 0; i < nodes; i++) {
        const char *who = str_format(v->arena, "n-%d", i);
        note(v,
            who,
            str_format(v->arena, "{all: 'same', fleet: 'f-%d'}", i / members),
            str_format(v->arena, "{label: {selector: {all: 'same', fleet: 'f-%d'}}}", i / members));
        peers_name(v->peers, key_of(who), "pod", str_format(v->arena, "%040d", i), v->now_ms);
    }
    told(v, 1000000);
}

/* Everybody who is told looks for its peers. */
static int look_all(Village *v, int64_t ms)
{
    int64_t end = v->now_ms + ms;
    int looks = 0;
    Key *keys;

    while (peers_due_ms(v->peers) <= end) {
        v->now_ms = peers_due_ms(v->peers);
        size_t count = peers_take_due(v->peers, v->arena, v->now_ms, &keys);
        for (size_t i = 0; i < count; i++, looks++)
            peers_resolve(v->peers, v->arena, keys[i], NULL);
    }
    v->now_ms = end;
    return looks;
}

TEST(a_peer_change_costs_at_most_the_square_of_its_fleet_and_nothing_for_other_fleets)
{
    static const struct {
        const char *name;
        int nodes, members;
    } cases[] = {
        {"10 in one fleet", 10, 10},
        {"100 nodes in fleets of 10", 100, 10},
        {"10,000 nodes in fleets of 10", 10000, 10},
        {"10,000 nodes in fleets of 100", 10000, 100},
        {"1,000 nodes in one fleet", 1000, 1000},
    };

    each_case(i, cases) {
        SCOPED_VILLAGE v = village_open();
        given_fleets(v, cases[i].nodes, cases[i].members);
        uint64_t before = peers_figures(v->peers).work;
        int members = cases[i].members;

        peers_name(v->peers, key_of("n-0"), "pod", id_of(v, 'f'), v->now_ms);
        then_int(look_all(v, 100000), members); /* each is told once */
        uint64_t work = peers_figures(v->peers).work - before;
        print_message("# %s: %llu\n", cases[i].name, (unsigned long long)work);
        /* Its group, those who are told, and the members that each of them looks at. */
        then_int((int)work, 1 + members + members * members);
    }
}

TEST(the_creation_of_a_thousand_peers_enqueues_each_node_a_few_times)
{
    SCOPED_VILLAGE v = village_open();
    int looks = 0;

    fill(v);
    for (int i = 0; i < 1000; i++) {
        const char *who = str_format(v->arena, "n-%d", i);
        note(v, who, "{fleet: 'rpc'}", RPC);
        v->now_ms += 10;
    }
    for (int i = 0; i < 1000; i++) { /* their pods come up within five minutes */
        peers_name(v->peers,
            key_of(str_format(v->arena, "n-%d", i)),
            "pod",
            str_format(v->arena, "%040d", i),
            v->now_ms);
        looks += look_all(v, 300);
    }
    looks += look_all(v, 100000);
    print_message("# a fleet of 1,000 is born with %d looks\n", looks);
    then_true(looks <= 1000 * 20);
}

TEST(the_peer_index_frees_everything_when_its_nodes_are_deleted)
{
    SCOPED_VILLAGE v = village_open();

    given_fleets(v, 1000, 10);
    for (int i = 0; i < 1000; i++)
        peers_forget(v->peers, key_of(str_format(v->arena, "n-%d", i)), v->now_ms);
    then_int((int)peers_figures(v->peers).nodes, 0);
    then_int((int)peers_figures(v->peers).groups, 0);
    then_true(peers_due_ms(v->peers) == INT64_MAX);
}
