/* Reviews: kinds that are questions. A create carries the question and answers it; nothing is
 * stored, and there is nothing else that could be asked of them. */
#include "world/reviews.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "world/object.h"
#include "world/refusal.h"
#include "world/rights.h"
#include "world/token.h"

static const char group[] = ".authorization.k8s.io"; /* the real server forgets the kind */

/* What was asked, with what is answered. */
static Err *answer(Call *c, const Json *status)
{
    const Kind *kind = c->request->kind;
    const Json *metadata = json_member(c->request->body, "metadata");
    char version[KIND_API_VERSION_SIZE];

    c->status = 201;
    c->body = json_copy(c->arena,
        json_seal(c->arena,
            draft(c->arena,
                str("kind", kind->name),
                str("apiVersion", kind_api_version(kind, version)),
                draft_json("metadata", metadata ? metadata : json_fixture(c->arena, "{}")),
                draft_json("spec", json_member(c->request->body, "spec")),
                draft_json("status", status))));
    return OK;
}

static Draft *texts(Arena *a, const char *const *all)
{
    Draft *list = draft_array(a);

    for (; all && *all; all++)
        draft_push_str(list, *all);
    return list;
}

static Draft *user_info(Arena *a, const Caller *caller, const char *token_id)
{
    Draft *user = draft(a,
        str("username", caller->user),
        str("uid", str_empty(caller->uid) ? NULL : caller->uid),
        sub("groups", caller->groups && *caller->groups ? texts(a, caller->groups) : NULL));

    if (token_id)
        draft_set(user,
            obj("extra",
                strs("authentication.kubernetes.io/credential-id",
                    str_format(a, "JTI=%s", token_id))));
    return user;
}

/* --- who --- */

static Err *review_token(Call *c)
{
    const char *token = json_str(c->request->body, ".spec.token"), *fault;
    TokenHolder holder;
    Draft *status = draft_object(c->arena);

    if (str_empty(token))
        return refuse_bad_request(c, "token is required for TokenReview in authentication");
    fault = token_find(
        c->server, c->arena, token, json_find(c->request->body, ".spec.audiences"), &holder);
    if (fault) {
        draft_set(status, sub("user", draft_object(c->arena)));
        draft_set(status, str("error", fault));
    } else {
        draft_set(status, flag("authenticated", true));
        draft_set(status, sub("user", user_info(c->arena, &holder.caller, holder.id)));
        draft_set(status, draft_json("audiences", holder.audiences));
    }
    return answer(c, json_seal(c->arena, status));
}

static Err *review_self(Call *c)
{
    c->status = 201;
    c->body = json_copy(c->arena,
        json_seal(c->arena,
            draft(c->arena,
                str("kind", "SelfSubjectReview"),
                str("apiVersion", "authentication.k8s.io/v1"),
                obj("metadata", str("creationTimestamp", c->now)),
                obj("status", sub("userInfo", user_info(c->arena, c->caller, NULL))))));
    return OK;
}

/* --- what --- */

static const char *const *group_texts(Arena *a, const Json *list)
{
    const char **all = arena_array(a, const char *, json_count(list) + 1);
    const Json *each;
    size_t count = 0;

    json_each(each, list)
        if (json_text(each))
            all[count++] = json_text(each);
    return all;
}

static RightsQuestion question_of(Call *c, const Json *spec, bool is_self)
{
    const Json *what = json_find(spec, ".resourceAttributes");
    const Json *where = json_find(spec, ".nonResourceAttributes");
    const char *path = json_str(where, ".path");

    return (RightsQuestion){
        .user = is_self ? c->user : json_str(spec, ".user"),
        .groups = is_self ? c->caller->groups : group_texts(c->arena, json_find(spec, ".groups")),
        .verb = json_str(what ? what : where, ".verb"),
        .group = json_str(what, ".group"),
        .resource = json_str(what, ".resource"),
        .subresource = json_str(what, ".subresource"),
        .namespace = json_str(what, ".namespace"),
        .name = json_str(what, ".name"),
        .path = what ? NULL
            : path   ? path
                     : "",
    };
}

static void add_fault(Faults *f, const char *field, const char *shown, const char *why)
{
    faults_add(f, "FieldValueInvalid", field, "Invalid value: %s: %s", shown, why);
}

/* As the real server prints it: by the names of its own fields. */
static const char *shown_path(Arena *a, const Json *where)
{
    const char *path = json_str(where, ".path"), *verb = json_str(where, ".verb");
    Draft *shown = draft(a, str("Path", path ? path : ""), str("Verb", verb ? verb : ""));

    return json_write(a, json_seal(a, shown)).data;
}

static void check_subject(const Json *spec, Faults *f)
{
    if (str_empty(json_str(spec, ".user")) && json_count(json_find(spec, ".groups")) == 0)
        add_fault(f, "spec.user", "\"\"", "at least one of user or group must be specified");
}

static void check_metadata(const Call *c, bool is_local, Faults *f)
{
    const Json *metadata = json_member(c->request->body, "metadata");

    if (is_local)
        metadata = object_with(f->arena, metadata, "namespace", NULL);
    if (json_count(object_with(f->arena, metadata, "creationTimestamp", NULL)) > 0)
        add_fault(f,
            "metadata",
            json_write(f->arena, metadata).data,
            is_local ? "must be empty except for namespace" : "must be empty");
}

static void check_local(const Call *c, const Json *spec, Faults *f)
{
    const Json *what = json_find(spec, ".resourceAttributes");
    const Json *where = json_find(spec, ".nonResourceAttributes");
    const char *namespace = json_str(what, ".namespace");

    if (what && !str_eq(namespace ? namespace : "", c->request->key.namespace))
        add_fault(f,
            "spec.resourceAttributes.namespace",
            str_format(f->arena, "\"%s\"", namespace ? namespace : ""),
            "must match metadata.namespace");
    if (where)
        add_fault(f,
            "spec.nonResourceAttributes",
            shown_path(f->arena, where),
            "disallowed on this kind of request");
}

static Err *review_access(Call *c)
{
    bool is_self = kind_eq(c->request->kind, kind_self_access_review);
    bool is_local = kind_eq(c->request->kind, kind_local_access_review);
    const Json *spec = json_find(c->request->body, ".spec");
    const Json *what = json_find(spec, ".resourceAttributes");
    const Json *where = json_find(spec, ".nonResourceAttributes");
    Faults f = {.arena = c->arena};
    const char *reason;

    if (what && where)
        add_fault(&f,
            "spec.nonResourceAttributes",
            shown_path(c->arena, where),
            "cannot be specified in combination with resourceAttributes");
    if (!what && !where)
        add_fault(&f,
            "spec.resourceAttributes",
            "null",
            "exactly one of nonResourceAttributes or resourceAttributes must be specified");
    if (!is_self)
        check_subject(spec, &f);
    check_metadata(c, is_local, &f);
    if (is_local)
        check_local(c, spec, &f);
    TRY(refuse_faults(c, group, "", &f));
    RightsQuestion question = question_of(c, spec, is_self);
    bool allowed = rights_allow(c->server, c->arena, &question, &reason);
    return answer(c,
        json_seal(c->arena,
            draft(c->arena,
                flag("allowed", allowed),
                str("reason", str_empty(reason) ? NULL : reason))));
}

/* --- all of it --- */

typedef struct Rules {
    Arena *arena;
    Draft *of_resources, *of_paths;
} Rules;

static void add_rule(void *self, const Json *rule)
{
    static const char *const members[] = {
        "verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"};
    Rules *rules = self;
    bool is_path = json_member(rule, "nonResourceURLs") != NULL;
    Draft *shown = draft_object(rules->arena);

    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        draft_add(
            shown, draft_json(members[i], json_copy(rules->arena, json_member(rule, members[i]))));
    draft_push(is_path ? rules->of_paths : rules->of_resources, shown);
}

static Err *review_rules(Call *c)
{
    const char *namespace = json_str(c->request->body, ".spec.namespace");
    Rules rules = {c->arena, draft_array(c->arena), draft_array(c->arena)};

    if (str_empty(namespace))
        return refuse_bad_request(c, "no namespace on request");
    rights_each(c->server, c->caller, namespace, add_rule, &rules);
    c->status = 201;
    c->body = json_seal(c->arena,
        draft(c->arena,
            str("kind", "SelfSubjectRulesReview"),
            str("apiVersion", "authorization.k8s.io/v1"),
            sub("metadata", draft_object(c->arena)),
            sub("spec", draft_object(c->arena)),
            obj("status",
                sub("resourceRules", rules.of_resources),
                sub("nonResourceRules", rules.of_paths),
                flag("incomplete", false))));
    return OK;
}

/* --- the table --- */

static const struct {
    const Kind *kind;
    Err *(*review)(Call *c);
} reviews[] = {
    {kind_access_review, review_access},
    {kind_local_access_review, review_access},
    {kind_self_access_review, review_access},
    {kind_self_review, review_self},
    {kind_self_rules_review, review_rules},
    {kind_token_review, review_token},
};

const Kind *review_kind(size_t row)
{
    return row < sizeof reviews / sizeof *reviews ? reviews[row].kind : NULL;
}

bool review_is(const Kind *kind)
{
    for (size_t i = 0; i < sizeof reviews / sizeof *reviews; i++)
        if (kind_eq(reviews[i].kind, kind))
            return true;
    return false;
}

Err *call_review(Call *c)
{
    if (c->request->key.name || c->request->subresource)
        return refuse_path(c);
    if (c->request->verb != VERB_CREATE)
        return refuse_method(c);
    if (json_type(c->request->body) != JSON_OBJECT)
        return refuse_bad_request(
            c, "the body of the request was in an unknown format - an object was expected");
    for (size_t i = 0; i < sizeof reviews / sizeof *reviews; i++)
        if (kind_eq(reviews[i].kind, c->request->kind))
            return reviews[i].review(c);
    BUG("a review of no kind");
}
