/* clusterrole-aggregation-controller: the rules of a ClusterRole with an aggregationRule are those
 * of all ClusterRoles that its selectors pick, in the order of their names, each rule once. A role
 * that is picked may itself be a sum: the one above follows when it changes. */
#include "base/str.h"
#include "kube/meta.h"
#include "kube/selector.h"
#include "world/controller.h"
#include "world/object.h"

#include <stdlib.h>

static const Kind *const kinds[] = {kind_clusterrole, NULL};

static void tag(Arena *a, const Kind *kind, const Json *object, ViewTags *ret)
{
    (void)a;
    (void)kind;
    view_tag(ret, "role");
    view_tag(ret, json_member(object, "aggregationRule") ? "sum" : NULL);
}

/* Any role may be picked by any sum, before or after the change. */
static void notice(Controller *c, const Change *change)
{
    ViewList sums = view_tagged(c->view, change->arena, "sum");

    for (size_t i = 0; i < sums.count; i++)
        controller_want(c, meta_name(sums.items[i]), change->now_ms);
}

static int compare_names(const void *left, const void *right)
{
    return str_compare(
        meta_name(*(const Json *const *)left), meta_name(*(const Json *const *)right));
}

static bool is_picked(Arena *a, const Json *sum, const Json *role)
{
    const Json *each;

    json_each(each, json_find(sum, ".aggregationRule.clusterRoleSelectors")) {
        const Selector *selector;
        /* An empty selector picks everything. */
        if (json_count(each) == 0
            || (!selector_decode(a, each, &selector) && selector_matches(selector, role)))
            return true;
    }
    return false;
}

static bool is_listed(const Json *const *rules, size_t count, const Json *rule)
{
    for (size_t i = 0; i < count; i++)
        if (json_equal(rules[i], rule))
            return true;
    return false;
}

static const Json *summed(Arena *a, const Json *sum, ViewList roles)
{
    size_t most = 0, count = 0;
    const Json **rules, *rule;
    Draft *list = draft_array(a);

    for (size_t i = 0; i < roles.count; i++)
        most += json_count(json_member(roles.items[i], "rules"));
    rules = arena_array(a, const Json *, most + 1);
    qsort(roles.items, roles.count, sizeof *roles.items, compare_names);
    for (size_t i = 0; i < roles.count; i++) {
        if (str_eq(meta_name(roles.items[i]), meta_name(sum)) || !is_picked(a, sum, roles.items[i]))
            continue;
        json_each(rule, json_member(roles.items[i], "rules")) {
            if (is_listed(rules, count, rule))
                continue;
            rules[count++] = rule;
            draft_push_json(list, rule);
        }
    }
    return count > 0 ? json_seal(a, list) : NULL;
}

static Err *sync(Sync *s)
{
    const View *view = s->controller->view;
    const Json *sum = view_find(view, s->arena, kind_clusterrole, (Key){NULL, s->errand});
    const Json *rules;

    if (!sum || !json_member(sum, "aggregationRule"))
        return OK;
    rules = summed(s->arena, sum, view_tagged(view, s->arena, "role"));
    if (!rules && json_count(json_member(sum, "rules")) == 0)
        return OK;
    return sync_update(s, kind_clusterrole, sum, object_with(s->arena, sum, "rules", rules), NULL);
}

Actor *role_aggregation_open(const ControllerOptions *options)
{
    static const ControllerTraits traits = {
        .name = "clusterrole-aggregation-controller",
        .kinds = kinds,
        .tag = tag,
        .size = sizeof(Controller),
        .notice = notice,
        .sync = sync,
    };

    return &controller_open(&traits, options)->actor;
}
