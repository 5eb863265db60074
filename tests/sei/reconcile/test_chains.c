/* Chains: who the last node of a chain is. */
#include "sei/reconcile/chains.h"

#include "base/str.h"
#include "tests/test.h"

static const Key a = {"sei", "a"}, b = {"sei", "b"}, elsewhere = {"other", "a"};

/* The chain that a move leaves without nodes, or "none". */
static const char *left_by(Chains *c, Key node, const char *chain, char name[CHAINS_NAME_SIZE])
{
    return chains_move(c, node, chain, name) ? name : "none";
}

TEST(a_chain_is_known_while_it_has_a_node)
{
    Chains *c = chains_open();
    char name[CHAINS_NAME_SIZE];

    then_str(left_by(c, a, "one", name), "none");
    then_str(left_by(c, a, "one", name), "none");
    then_str(left_by(c, b, "one", name), "none");
    then_true(chains_has(c, "sei", "one"));
    then_true(!chains_has(c, "other", "one"));
    then_str(left_by(c, a, NULL, name), "none");
    then_true(chains_has(c, "sei", "one"));
    then_str(left_by(c, b, "two", name), "one");
    then_true(!chains_has(c, "sei", "one"));
    then_str(left_by(c, b, NULL, name), "two");
    then_str(left_by(c, b, NULL, name), "none");
    chains_close(c);
}

TEST(each_namespace_has_its_own_chains)
{
    Chains *c = chains_open();
    char name[CHAINS_NAME_SIZE];

    then_str(left_by(c, a, "one", name), "none");
    then_str(left_by(c, elsewhere, "one", name), "none");
    then_str(left_by(c, a, NULL, name), "one");
    then_true(chains_has(c, "other", "one"));
    then_true(chains_has_any(c, "other") && !chains_has_any(c, "sei"));
    then_true(!chains_has_any(c, "oth")); /* a part of its name */
    chains_close(c);
}

TEST(a_long_chain_name_is_cut_like_its_metric_label)
{
    Chains *c = chains_open();
    SCOPED_ARENA arena = arena_open(1 << 16);
    const char *kept = str_format(arena, "%0*d", METRIC_VALUE_MAX - 1, 0);
    char name[CHAINS_NAME_SIZE];

    then_str(left_by(c, a, str_format(arena, "%s\xc3\xa9 and more", kept), name), "none");
    then_str(left_by(c, a, NULL, name), kept);
    chains_close(c);
}

TEST(a_node_beyond_the_maximum_belongs_to_no_chain)
{
    Chains *c = chains_open();
    SCOPED_ARENA arena = arena_open(32 << 20);
    char name[CHAINS_NAME_SIZE];

    for (int i = 0; i < CHAINS_NODES_MAX; i++)
        then_true(!chains_move(c, (Key){"sei", str_format(arena, "n%d", i)}, "one", name));
    then_str(left_by(c, a, "two", name), "none");
    then_true(!chains_has(c, "sei", "two"));
    then_str(left_by(c, a, NULL, name), "none");
    chains_close(c);
}
