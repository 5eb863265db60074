/* Caller: names and groups as the real server gives them. */
#include "sandbox/caller.h"

#include "base/str.h"
#include "world/rights.h"
#include "world/token.h"

#include <string.h>

static const char account_prefix[] = "system:serviceaccount:";
static const char authenticated[] = "system:authenticated";

/* In a time that does not tell how much of it was right. */
static bool is_secret(const char *given, const char *secret)
{
    size_t len = strlen(secret);
    unsigned char differences = strlen(given) != len;

    for (size_t i = 0; i < len && !(i > 0 && !given[i - 1]); i++)
        differences |= (unsigned char)(given[i] ^ secret[i]);
    return differences == 0;
}

/* The groups that an account is in by its name. */
static const char *const *account_groups(Arena *a, const char *user)
{
    const char *namespace = user + strlen(account_prefix);
    const char **groups = arena_array(a, const char *, 4);

    groups[0] = "system:serviceaccounts";
    groups[1] =
        str_format(a, "system:serviceaccounts:%.*s", (int)strcspn(namespace, ":"), namespace);
    groups[2] = authenticated;
    return groups;
}

static bool read_account(Arena *a, World *w, const char *bearer, Caller *ret)
{
    TokenHolder holder;

    if (token_find(world_server(w), a, bearer, NULL, &holder))
        return false;
    *ret = holder.caller;
    return true;
}

/* Whom a certificate names. */
static Caller caller_of(Arena *a, const HallPeer *peer)
{
    const char **groups = arena_array(a, const char *, HALL_GROUPS_MAX + 2);
    size_t count = 0;

    for (; peer->groups[count]; count++)
        groups[count] = str_copy(a, peer->groups[count]);
    groups[count] = authenticated;
    return (Caller){.user = str_copy(a, peer->user), .groups = groups};
}

bool caller_read(Arena *a, World *w, const char *admin_token, const HallRequest *in, Caller *ret)
{
    static const char *const nobodies[] = {"system:unauthenticated", NULL};
    static const char *const masters[] = {"system:masters", authenticated, NULL};

    if (!str_empty(in->peer.user))
        *ret = caller_of(a, &in->peer);
    else if (!in->bearer && in->peer.is_refused)
        return false;
    else if (!in->bearer)
        *ret = (Caller){.user = "system:anonymous", .groups = nobodies};
    else if (is_secret(in->bearer, admin_token))
        *ret = (Caller){.user = "kubernetes-admin", .groups = masters};
    else
        return read_account(a, w, in->bearer, ret);
    return true;
}

/* --- being somebody else */

static const char *const *groups_of(Arena *a, const HallRequest *in)
{
    const char **groups = arena_array(a, const char *, HALL_GROUPS_MAX + 2);
    size_t count = 0;

    for (; in->as_groups[count]; count++)
        groups[count] = str_copy(a, in->as_groups[count]);
    if (count == 0 && str_has_prefix(in->as_user, account_prefix))
        return account_groups(a, in->as_user);
    groups[count] = authenticated;
    return groups;
}

static bool may_be(Arena *a, World *w, const RightsQuestion *question, const Json **ret_refusal)
{
    const char *reason = "";

    if (rights_allow(world_server(w), a, question, &reason))
        return true;
    *ret_refusal = rights_refusal(a, question, reason);
    return false;
}

bool caller_become(
    Arena *a, World *w, const HallRequest *in, Caller *caller, const Json **ret_refusal)
{
    RightsQuestion question = {.user = caller->user,
        .groups = caller->groups,
        .verb = "impersonate",
        .resource = "users",
        .name = in->as_user};

    if (!*in->as_user)
        return true;
    if (str_has_prefix(in->as_user, account_prefix)) {
        const char *namespace = in->as_user + strlen(account_prefix);
        size_t len = strcspn(namespace, ":");
        question.resource = "serviceaccounts";
        question.namespace = str_slice(a, namespace, len);
        question.name = namespace[len] ? namespace + len + 1 : "";
    }
    if (!may_be(a, w, &question, ret_refusal))
        return false;
    question.resource = "groups";
    question.namespace = NULL;
    for (size_t i = 0; in->as_groups[i]; i++) {
        question.name = in->as_groups[i];
        if (!may_be(a, w, &question, ret_refusal))
            return false;
    }
    *caller = (Caller){.user = str_copy(a, in->as_user), .groups = groups_of(a, in)};
    return true;
}
