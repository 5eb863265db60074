/* maintain by people who may not do all that a run needs: they learn it before the node is stopped.
 */
#include "tests/cli/maintain_play.h"

/* What is refused: the verb that a person has no right to, or "policy". */
static const char *refused;

static const char *verb_of(const Request *request)
{
    switch (request->verb) {
    case VERB_CREATE:
        return "create";
    case VERB_MERGE_PATCH:
        return "patch";
    case VERB_DELETE:
        return "delete";
    default:
        return "get";
    }
}

static Err *status_of(Arena *a, int status, const char *reason)
{
    Err *err = err_terminal(a, "jobs: %s", reason);

    err->status = status;
    err->reason = reason;
    return err;
}

static Err *refuse(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);
    bool is_job = kind_eq(request->kind, kind_job), is_policy = str_eq(refused, "policy");
    const char *asked = json_str(request->body, ".spec.resourceAttributes.verb");

    if (is_job && str_eq(verb_of(request), refused))
        return status_of(a, 403, "Forbidden");
    if (is_job && request->dry_run && str_eq(refused, "dry runs"))
        return status_of(a, 400, "admission webhook \"x\" does not support dry run");
    if (is_job && is_policy && request->verb == VERB_CREATE)
        return status_of(a, 422, "Invalid");
    if (kind_eq(request->kind, kind_self_access_review) && str_eq(asked, refused)) {
        *ret = json_fixture(a, "{status: {allowed: false}}");
        return OK;
    }
    if (kind_eq(request->kind, kind_self_access_review) && str_eq(refused, "reviews"))
        return status_of(a, 403, "Forbidden");
    return t->api->call(t->api, a, request, ret);
}

static const struct {
    const char *name;
    int code;
    const char *talk;
} refusals[] = {
    {"create", EXIT_FORBIDDEN, "node/n was not touched: this Job would be refused: "},
    {"policy", EXIT_MISUSED, "node/n was not touched: this Job would be refused: "},
    {"patch",
        EXIT_FORBIDDEN,
        "node/n was not touched: you may not patch jobs in namespace default, which a run needs"},
    {"delete",
        EXIT_FORBIDDEN,
        "node/n was not touched: you may not delete jobs in namespace default, which a run needs"},
    {"dry runs", EXIT_FINE, "pauses the node"},
    {"reviews", EXIT_FINE, "pauses the node"},
};

TEST(missing_permissions_for_maintain_are_reported_before_the_node_is_stopped)
{
    each_case(i, refusals) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        stage(t, &s, "{}");
        const char *before = meta_resource_version(seen(t, kind_seinode, "n"));
        t->faulty.call = refuse;
        refused = refusals[i].name;

        then_int(type(t, MAINTAIN), refusals[i].code);
        then_talked(t, refusals[i].talk);
        then_true(!is_marked(&s) && !is_paused(&s));
        if (refusals[i].code != EXIT_FINE)
            then_str(meta_resource_version(seen(t, kind_seinode, "n")), before);
    }
}

TEST(aborting_maintenance_without_permission_names_the_command_for_another_user)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}")->starts_bad = true;
    then_int(type(t, "maintain n --timeout 20s --image tool:1"), EXIT_TIMED_OUT);
    t->faulty.call = refuse;
    refused = "delete";

    then_int(type(t, "maintain n --abort"), EXIT_FORBIDDEN);
    then_talked(t,
        str_format(t->arena,
            "somebody who may delete jobs has to do this: kubectl delete job %s -n default; then "
            "--abort again",
            meta_name(only_job(&s))));
    then_true(is_marked(&s) && is_paused(&s));
}
