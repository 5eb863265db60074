/* How far the nodes of a list are. */
#include "cli/heights.h"

#include "tests/cli/cast.h"

/* Seids at heights by their names; everything else is the world's. */
static Err *seid_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);
    const char *answer = "{sync_info: {latest_block_height: '100', max_peer_block_height: '120'}}";

    if (request->verb != VERB_RAW_GET)
        return t->api->call(t->api, a, request, ret);
    t->calls++;
    if (t->fault)
        return err_copy(a, t->fault);
    if (strstr(request->raw_path, "/slow-0:"))
        return err_retry(a, "no answer");
    *ret = json_fixture(a,
        strstr(request->raw_path, "/other-0:") ? "{sync_info: {latest_block_height: '7'}}"
                                               : answer);
    return OK;
}

static Terminal *open_with_seids(void)
{
    Terminal *t = terminal_open();

    t->faulty.call = seid_call;
    given_node(t, "near", "{}");
    given_node(t, "other", "{spec: {chainId: 'atlantic-2'}}");
    given_node(t, "slow", "{}");
    return t;
}

/* The line of a name. */
static const char *line_of(Terminal *t, const char *name)
{
    const char *at = strstr(said(t), str_format(t->arena, "\n%s ", name));

    then_true(at != NULL);
    return str_slice(t->arena, at + 1, strcspn(at + 1, "\n"));
}

TEST(each_node_is_listed_with_its_height_and_its_lag_on_its_chain)
{
    SCOPED_TERMINAL t = open_with_seids();

    then_int(type(t, "get nodes -o wide"), EXIT_FINE);
    then_said(t, "HEIGHT  LAG");
    then_true(strstr(line_of(t, "near"), " 100     20 ") != NULL);
    then_true(strstr(line_of(t, "other"), " 7       0 ") != NULL);
    then_true(strstr(line_of(t, "slow"), " ?       ? ") != NULL);
    then_str(talked(t), "the height of 1 node is not known: seid does not answer in time\n");
    then_int(t->calls, 3);
}

TEST(heights_are_requested_only_for_wide_output)
{
    SCOPED_TERMINAL t = open_with_seids();

    then_int(type(t, "get nodes"), EXIT_FINE);
    then_int(type(t, "get nodes -o json"), EXIT_FINE);
    then_int(t->calls, 0);
    then_str(talked(t), "");
    then_true(strstr(said(t), "\"seen\"") == NULL);
}

TEST(after_a_refused_height_request_no_other_node_is_asked)
{
    SCOPED_TERMINAL t = open_with_seids();

    t->fault = err_retry(t->arena, "forbidden");
    t->fault->status = 403;
    then_int(type(t, "get nodes -o wide"), EXIT_FINE);
    then_int(t->calls, 1);
    then_talked(t, "the height of 3 nodes is not known: asking seid needs the right");
}

TEST(all_columns_of_wide_output_fit_with_namespaces)
{
    SCOPED_TERMINAL t = open_with_seids();

    then_int(type(t, "get nodes -A -o wide"), EXIT_FINE);
    then_true(str_has_prefix(said(t), "NAMESPACE"));
    then_said(t, "WAITING");
}

TEST(of_very_many_nodes_only_the_first_are_asked_for_their_height)
{
    SCOPED_TERMINAL t = terminal_open();

    t->faulty.call = seid_call;
    for (int i = 0; i < HEIGHTS_NODES_MAX + 5; i++)
        given_node(t, str_format(t->arena, "n-%d", i), "{}");
    then_int(type(t, "get nodes -o wide"), EXIT_FINE);
    then_int(t->calls, HEIGHTS_NODES_MAX);
    then_talked(t, "of 5 nodes is not known: so many are not asked: choose with --selector");
}
