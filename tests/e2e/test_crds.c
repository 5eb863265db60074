/* The CRDs on a real API server: what it says of each rule, fills in, prunes, prints and scales.
 * Most cases are asked as dry runs, so nothing is left behind; only what is about a change of a
 * stored object stores one. */
#include "kube/meta.h"
#include "tests/crds/crds.h"
#include "tests/e2e/live.h"
#include "tests/e2e/scene.h"

#define NS "crds"

static const Kind *const kinds[] = {crd_seinode, crd_seinodedeployment};

/* --- the world: a control plane with both CRDs and a namespace */

static bool has_condition(const Json *crd, const char *type)
{
    const Json *condition;

    json_each(condition, json_find(crd, ".status.conditions")) {
        if (str_eq(json_str(condition, ".type"), type))
            return str_eq(json_str(condition, ".status"), "True");
    }
    return false;
}

static const Json *installed(Controlplane *cp, Arena *a, const Kind *kind)
{
    return scene_get(cp,
        a,
        str_format(
            a, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/%s.sei.io", kind->plural));
}

static void install(Live *live, const Json *crd)
{
    then_ok(kube_apply(&live->ctx, kind_crd, crd, (ApplyOptions){"test", .force = true}, NULL));
}

static Live *given_crds(Controlplane *cp, Arena *a)
{
    Live *live = live_open(a, controlplane_admin(cp));

    scene_namespaces(cp, a, NS);
    for (size_t k = 0; k < array_count(kinds); k++) {
        install(live, crd_load(a, kinds[k]));
        eventually(has_condition(installed(cp, a, kinds[k]), "Established"));
        eventually(scene_has(
            cp, str_format(a, "/apis/sei.io/v1alpha1/namespaces/" NS "/%s", kinds[k]->plural)));
    }
    /* What a failed test left behind is no concern of the next. */
    kubectl(cp, a, "delete", "seinodes,seinodedeployments", "--all", "-n", NS);
    return live;
}

/* An object of our namespace: the minimal one of its kind, with a name and a merge patch. */
static const Json *object_of(Arena *a, const Kind *kind, const char *name, const char *patch)
{
    const Json *object = json_merge(a, crd_minimal(a, kind), json_fixture(a, patch));

    return json_merge(a,
        object,
        json_fixture(a, str_format(a, "{metadata: {name: '%s', namespace: '" NS "'}}", name)));
}

static const Json *create(Live *live, const Kind *kind, const char *name, const char *patch)
{
    const Json *stored = NULL;

    then_ok(kube_create(&live->ctx, kind, object_of(live->ctx.arena, kind, name, patch), &stored));
    return stored;
}

static void set_status(Live *live, const Kind *kind, const Json **object, const char *status)
{
    then_ok(kube_patch_status(
        &live->ctx, kind, *object, json_fixture(live->ctx.arena, status), object));
}

static void drop(Live *live, const Kind *kind, const Json *object)
{
    then_ok(kube_delete(&live->ctx, kind, object, (DeleteOptions){0}));
}

/* --- rules */

/* Everything of `part` is in `whole`. */
static bool holds(Arena *a, const Json *whole, const Json *part)
{
    return json_equal(json_merge(a, whole, part), whole);
}

static const Json *body_of(Arena *a, const Json *object)
{
    return json_project(a, object, (const char *const[]){".spec", ".status", NULL});
}

/* Where the server says that a rule was broken: the first element, whatever the key. */
static const char *place_of(Arena *a, const char *at)
{
    const char *star = strstr(at, ".*"), *list;

    at = star ? str_slice(a, at, (size_t)(star - at)) : at;
    while ((list = strstr(at, "[]")) != NULL)
        at = str_format(a, "%.*s[0]%s", (int)(list - at), at, list + 2);
    return at;
}

static void then_case(Arena *a, const CrdCase *one, const Err *err, const Json *answer)
{
    if (one->accepted) {
        then_ok(err);
        if (!holds(a, answer, body_of(a, one->object)))
            test_fail(
                __FILE__, __LINE__, "the server kept of it only %s", json_write(a, answer).data);
        return;
    }
    const char *text = err_text(a, err);
    if (!err_has_status(err, 422) || !strstr(text, crd_says(one->rule))
        || !strstr(text, place_of(a, one->rule.at)))
        test_fail(__FILE__,
            __LINE__,
            "got:  %s\nwant: %s: %s",
            text,
            place_of(a, one->rule.at),
            crd_says(one->rule));
}

/* Asks for the object of a case in place of what is stored; as a dry run. */
static void then_update(Live *live, const Kind *kind, const CrdCase *one, const Json *stored)
{
    Arena *a = live->ctx.arena;
    const Json *metadata = json_project(a,
        stored,
        (const char *const[]){
            ".metadata.name", ".metadata.namespace", ".metadata.resourceVersion", NULL});
    const Json *answer = NULL;
    bool status = str_has_prefix(one->rule.at, "status");

    Err *err = kube_call(&live->ctx,
        &(Request){.verb = VERB_UPDATE,
            .kind = kind,
            .key = meta_key(stored),
            .subresource = status ? "status" : NULL,
            .body = json_merge(a, one->object, metadata),
            .dry_run = true},
        &answer);
    then_case(a, one, err, answer);
}

static void then_create(Live *live, const Kind *kind, const CrdCase *one)
{
    Arena *a = live->ctx.arena;
    const Json *answer = NULL;

    Err *err = kube_call(&live->ctx,
        &(Request){.verb = VERB_CREATE,
            .kind = kind,
            .key = {NS, "minimal"},
            .body = one->object,
            .dry_run = true},
        &answer);
    then_case(a, one, err, answer);
}

static void then_transition(Live *live, const Kind *kind, const CrdCase *one)
{
    const Json *stored = NULL;

    then_ok(kube_create(&live->ctx,
        kind,
        json_merge(live->ctx.arena,
            one->old,
            json_fixture(live->ctx.arena, "{metadata: {name: 'old', namespace: '" NS "'}}")),
        &stored));
    then_update(live, kind, one, stored);
    drop(live, kind, stored);
}

static void then_every_rule(Live *live, const Kind *kind)
{
    CrdCases cases = crd_cases(live->ctx.arena, kind);
    CrdRules rules = crd_rules(live->ctx.arena, crd_load(live->ctx.arena, kind));
    const Json *stored = create(live, kind, "of-status", "{}");
    size_t cel = 0, accepted = 0, transitions = 0;

    then_true(cases.count > 0);
    for (size_t i = 0; test_case(i < cases.count, cases.items[i % cases.count].name); i++) {
        const CrdCase *one = &cases.items[i];
        if (one->old)
            then_transition(live, kind, one);
        else if (str_has_prefix(one->rule.at, "status"))
            then_update(live, kind, one, stored);
        else
            then_create(live, kind, one);
        accepted += one->accepted;
        transitions += one->old != NULL;
    }
    drop(live, kind, stored);
    for (size_t i = 0; i < rules.count; i++)
        cel += rules.items[i].cel;
    printf("# %s: %zu rules, %zu in CEL; %zu cases: %zu accepted, %zu refused, %zu are changes\n",
        kind->name,
        rules.count,
        cel,
        cases.count,
        accepted,
        cases.count - accepted,
        transitions);
}

TEST(both_crds_are_established_and_structural)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Live *live = given_crds(cp, a);

    for (size_t k = 0; k < array_count(kinds); k++) {
        then_true(has_condition(installed(cp, a, kinds[k]), "NamesAccepted"));
        then_true(!has_condition(installed(cp, a, kinds[k]), "NonStructuralSchema"));
    }
    live_close(live);
}

TEST(every_crd_rule_of_a_node_accepts_and_refuses_its_cases)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Live *live = given_crds(scene_begin(controlplane_shared()), a);

    then_every_rule(live, crd_seinode);
    live_close(live);
}

TEST(every_crd_rule_of_a_fleet_accepts_and_refuses_its_cases)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Live *live = given_crds(scene_begin(controlplane_shared()), a);

    then_every_rule(live, crd_seinodedeployment);
    live_close(live);
}

/* Nobody can be helped by refusing what the reference let in. */
TEST(an_object_without_a_spec_is_accepted)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Live *live = given_crds(scene_begin(controlplane_shared()), a);

    for (size_t k = 0; k < array_count(kinds); k++)
        drop(live, kinds[k], create(live, kinds[k], "empty", "{spec: null}"));
    live_close(live);
}

static const char two_signers[] =
    "{spec: {replicas: 2, template: {spec: {fullNode: null, validator: {"
    " signingKey: {secret: {secretName: 's'}}, nodeKey: {secret: {secretName: 'n'}}}}}}}";

static Err *try_two_signers(Live *live)
{
    Arena *a = live->ctx.arena;

    return kube_call(&live->ctx,
        &(Request){.verb = VERB_CREATE,
            .kind = crd_seinodedeployment,
            .key = {NS, "tried"},
            .body = object_of(a, crd_seinodedeployment, "tried", two_signers),
            .dry_run = true},
        NULL);
}

/* A fleet that our rules would refuse may come from the reference. It must stay possible to report
 * on it and to cure it; only keeping the fault in an edit is not. */
TEST(a_fleet_from_before_the_crd_rules_can_get_a_status_and_be_corrected)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Live *live = given_crds(scene_begin(controlplane_shared()), a);
    const Json *lax = NULL, *strict = crd_load(a, crd_seinodedeployment);

    then_ok(json_patch(a,
        strict,
        json_fixture(a,
            "[{op: 'remove', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec"
            "/x-kubernetes-validations'}]"),
        &lax));
    install(live, lax);
    eventually(try_two_signers(live) == OK);
    const Json *fleet = create(live, crd_seinodedeployment, "before", two_signers);
    install(live, strict);
    eventually(try_two_signers(live) != OK);

    set_status(live, crd_seinodedeployment, &fleet, "{status: {phase: 'Degraded'}}");
    then_ok(kube_merge_patch(&live->ctx,
        crd_seinodedeployment,
        fleet,
        json_fixture(a, "{metadata: {labels: {a: 'b'}}}"),
        &fleet));
    then_err(kube_merge_patch(&live->ctx,
                 crd_seinodedeployment,
                 fleet,
                 json_fixture(a, "{spec: {replicas: 3}}"),
                 &fleet),
        TERMINAL("replicas must be 1 when the template has a signingKey"));
    then_ok(kube_merge_patch(&live->ctx,
        crd_seinodedeployment,
        fleet,
        json_fixture(a, "{spec: {replicas: 1}}"),
        &fleet));
    drop(live, crd_seinodedeployment, fleet);
    live_close(live);
}

/* --- what the server adds and takes away */

static const struct {
    const char *name;
    const Kind *kind;
    const char *patch, *path, *want;
} defaults[] = {
    {"no sidecar stays no sidecar",
        crd_seinode,
        "{}",
        ".spec",
        "{chainId: 'pacific-1', image: 'seid:1', fullNode: {}}"},
    {"the port of a sidecar",
        crd_seinode,
        "{spec: {sidecar: {}}}",
        ".spec.sidecar",
        "{port: 7777}"},
    {"the key of a keyring",
        crd_seinode,
        "{spec: {fullNode: null, validator: {operatorKeyring: {secret: {secretName: 'o',"
        " passphraseSecretRef: {secretName: 'p', key: 'k'}}}}}}",
        ".spec.validator.operatorKeyring.secret.keyName",
        "'node_admin'"},
    {"a node that was not reconciled yet",
        crd_seinode,
        "{}",
        ".status",
        "{observedGeneration: -1}"},
    {"a fleet that was not reconciled yet",
        crd_seinodedeployment,
        "{}",
        ".status",
        "{observedGeneration: -1}"},
    {"a fleet of one, deleted with its nodes",
        crd_seinodedeployment,
        "{}",
        ".spec",
        "{replicas: 1, deletionPolicy: 'Delete', updateStrategy: {type: 'InPlace'},"
        " template: {spec: {chainId: 'pacific-1', image: 'seid:1', fullNode: {}}}}"},
    {"the sidecar of a template",
        crd_seinodedeployment,
        "{spec: {template: {spec: {sidecar: {image: 'i'}}}}}",
        ".spec.template.spec.sidecar",
        "{image: 'i', port: 7777}"},
    {"what genesis validators have",
        crd_seinodedeployment,
        "{spec: {genesis: {chainId: 'c'}, template: {spec: {fullNode: null, validator: {}}}}}",
        ".spec.genesis",
        "{chainId: 'c', stakingAmount: '10000000usei', accountBalance: '1000000000000000000000usei,"
        "1000000000000000000000uusdc,1000000000000000000000uatom'}"},
};

TEST(crd_defaults_are_filled_in)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Live *live = given_crds(scene_begin(controlplane_shared()), a);

    each_case(i, defaults) {
        const Json *got = NULL;
        const Json *stored = create(live, defaults[i].kind, "default", defaults[i].patch);
        then_json(json_find(stored, defaults[i].path), defaults[i].want);
        then_ok(kube_get(&live->ctx, defaults[i].kind, meta_key(stored), &got));
        then_json(json_find(got, defaults[i].path), defaults[i].want);
        drop(live, defaults[i].kind, stored);
    }
    live_close(live);
}

TEST(spec_and_status_are_written_separately)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Live *live = given_crds(scene_begin(controlplane_shared()), a);

    for (size_t k = 0; k < array_count(kinds); k++) {
        const Json *object = create(live, kinds[k], "apart", "{status: {phase: 'Failed'}}");
        then_json(json_find(object, ".status"), "{observedGeneration: -1}");

        set_status(live,
            kinds[k],
            &object,
            "{status: {observedGeneration: 1, phase: 'Pending'}, spec: {paused: true}}");
        then_json(json_find(object, ".status"), "{observedGeneration: 1, phase: 'Pending'}");
        then_true(!json_find(object, ".spec.paused"));
        then_int(json_int(object, ".metadata.generation", 0), 1);

        then_ok(kube_merge_patch(&live->ctx,
            kinds[k],
            object,
            json_fixture(a, "{status: {phase: 'Failed'}, spec: {paused: true}}"),
            &object));
        then_str(json_str(object, ".status.phase"), "Pending");
        then_true(json_bool(object, ".spec.paused", false));
        then_int(json_int(object, ".metadata.generation", 0), 2);
        drop(live, kinds[k], object);
    }
    live_close(live);
}

TEST(unknown_fields_are_pruned_and_kubectl_reports_them)
{
    static const struct {
        const char *name;
        const Kind *kind;
        const char *patch, *unknown;
    } cases[] = {
        {"of a node", crd_seinode, "{spec: {imgae: 'x'}}", "spec.imgae"},
        {"deep in a node", crd_seinode, "{spec: {sidecar: {prot: 1}}}", "spec.sidecar.prot"},
        {"of a fleet",
            crd_seinodedeployment,
            "{spec: {updateStrategy: {order: 'x'}}}",
            "spec.updateStrategy.order"},
        {"of a template",
            crd_seinodedeployment,
            "{spec: {template: {spec: {imgae: 'x'}}}}",
            "spec.template.spec.imgae"},
    };
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Live *live = given_crds(cp, a);

    each_case(i, cases) {
        const char *printed;
        const Json *pruned = create(live, cases[i].kind, "unknown", cases[i].patch);
        then_true(!strstr(
            json_write(a, json_find(pruned, ".spec")).data, strrchr(cases[i].unknown, '.') + 1));

        Err *err = controlplane_kubectl(cp,
            a,
            &(Kubectl){.args = PROCESS_ARGS("create", "--dry-run=server", "-f", "-"),
                .input = json_write(a, object_of(a, cases[i].kind, "strict", cases[i].patch)).data},
            &printed);
        then_err(err, FAILED("unknown field"));
        then_true(strstr(err_text(a, err), cases[i].unknown) != NULL);
        drop(live, cases[i].kind, pruned);
    }
    live_close(live);
}

/* --- what people see */

/* The words of the first line, or of the second. */
static const char *words_of(Arena *a, const char *table, int line)
{
    const char *words = "";

    for (; line > 0 && *table; line--)
        table += strcspn(table, "\n") + 1;
    for (size_t len = strcspn(table, "\n"), at = 0; at < len;) {
        size_t word = strcspn(table + at, " \n");
        if (word > 0)
            words = str_format(a, "%s%s%.*s", words, *words ? " " : "", (int)word, table + at);
        at += word ? word : 1;
    }
    return words;
}

static const char now_status[] =
    "{status: {phase: '%s', state: 'Serving', statefulSet: {name: 'shown', uid: 'u'}, "
    "currentImage: 'seid:0',"
    " identity: {chainId: 'pacific-1', mode: 'fullNode'}, readyReplicas: 3, replicas: 4,"
    " updatedReplicas: 2, availableReplicas: 1,"
    " rollout: {targetHash: 'abcd', startedAt: '2026-01-02T03:04:05Z'},"
    " plan: {phase: 'Active', tasks: [], kind: 'NodeUpdate', waiting: 'seid-0'}, conditions: ["
    " {type: 'UpToDate', status: 'False', reason: 'SpecDrift', message: '',"
    "  lastTransitionTime: '2026-01-02T03:04:05Z'},"
    " {type: 'Ready', status: 'True', reason: 'Serving', message: '',"
    "  lastTransitionTime: '2026-01-02T03:04:05Z'}]}}";

TEST(kubectl_get_prints_the_printer_columns)
{
    static const struct {
        const char *name;
        const Kind *kind;
        const char *short_name, *phase, *head, *wide_head, *wide_row;
    } cases[] = {
        {"a node",
            crd_seinode,
            "snode",
            "Running",
            "NAME PHASE AGE READY STATE",
            "NAME PHASE STATEFULSET AGE READY REASON UPTODATE CHAIN MODE IMAGE PLAN WAITING STATE",
            "shown Running shown * True Serving False pacific-1 fullNode seid:0 NodeUpdate seid-0 "
            "Serving"},
        {"a fleet",
            crd_seinodedeployment,
            "snd",
            "Upgrading",
            "NAME READY REPLICAS PHASE PAUSED AGE AVAILABLE STATE",
            "NAME READY REPLICAS PHASE PAUSED TARGET AGE UPDATED AVAILABLE REASON HOLD IMAGE "
            "WAITING STATE",
            "shown 3 4 Upgrading false abcd * 2 1 Serving true seid:1 seid-0 Serving"},
    };
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Live *live = given_crds(cp, a);

    each_case(i, cases) {
        bool fleet = kind_eq(cases[i].kind, crd_seinodedeployment);
        const Json *object = create(live,
            cases[i].kind,
            "shown",
            fleet ? "{spec: {paused: false, updateStrategy: {hold: true}}}" : "{}");
        set_status(live, cases[i].kind, &object, str_format(a, now_status, cases[i].phase));

        const char *plain = kubectl(cp, a, "get", cases[i].short_name, "-n", NS);
        then_str(words_of(a, plain, 0), cases[i].head);
        const char *wide = kubectl(cp, a, "get", cases[i].short_name, "-n", NS, "-o", "wide");
        then_str(words_of(a, wide, 0), cases[i].wide_head);
        const char *row = words_of(a, wide, 1), *age = strchr(cases[i].wide_row, '*');
        then_true(str_has_prefix(
            row, str_slice(a, cases[i].wide_row, (size_t)(age - cases[i].wide_row))));
        then_true(str_has_suffix(row, age + 1));
        drop(live, cases[i].kind, object);
    }
    live_close(live);
}

TEST(kubectl_finds_both_kinds_by_category_and_field)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Live *live = given_crds(cp, a);
    const Json *node = create(live, crd_seinode, "found", "{spec: {chainId: 'atlantic-2'}}");
    const Json *other = create(live, crd_seinode, "other", "{}");
    const Json *fleet = create(live, crd_seinodedeployment, "fleet", "{}");

    set_status(live, crd_seinode, &other, "{status: {phase: 'Running'}}");
    eventually(str_eq(kubectl(cp, a, "get", "sei", "-n", NS, "-o", "name"),
        "seinodedeployment.sei.io/fleet\nseinode.sei.io/found\nseinode.sei.io/other\n"));
    then_str(kubectl(cp,
                 a,
                 "get",
                 "seinode",
                 "-n",
                 NS,
                 "-o",
                 "name",
                 "--field-selector",
                 "spec.chainId=atlantic-2"),
        "seinode.sei.io/found\n");
    then_str(kubectl(cp,
                 a,
                 "get",
                 "snode",
                 "-n",
                 NS,
                 "-o",
                 "name",
                 "--field-selector",
                 "status.phase=Running"),
        "seinode.sei.io/other\n");
    drop(live, crd_seinode, node);
    drop(live, crd_seinode, other);
    drop(live, crd_seinodedeployment, fleet);
    live_close(live);
}

static bool explains(Controlplane *cp, Arena *a, const char *what, const char *phrase)
{
    const char *text = NULL;
    Err *err =
        controlplane_kubectl(cp, a, &(Kubectl){.args = PROCESS_ARGS("explain", what)}, &text);

    return !err && strstr(text, phrase);
}

TEST(kubectl_explain_describes_every_field)
{
    static const struct {
        const char *name, *phrase;
    } cases[] = {
        {"seinode", "A SeiNode is one node of a Sei chain"},
        {"seinode.spec", "What the node is to be."},
        {"seinode.spec.peers.label.selector", "a SeiNode must carry all of them"},
        {"seinode.spec.validator.signingKey", "never sign in two places"},
        {"seinode.status.drift.fields.want", "The wanted value"},
        {"seinode.status.plan.waiting", "What it waits for right now"},
        {"snd", "A SeiNodeDeployment is a fleet of SeiNodes"},
        {"snd.spec.template.spec.image", "Image of seid"},
        {"snd.spec.updateStrategy.maxUnavailable", "rounded down but at least 1"},
        {"snd.status.completeRevision", "every node has reached"},
        {"snd.status.conditions.reason", "out of a closed set"},
    };
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Live *live = given_crds(cp, a);

    /* The server publishes a schema a moment after it serves the kind. */
    each_case(i, cases) {
        eventually(explains(cp, a, cases[i].name, cases[i].phrase));
    }
    then_true(!strstr(kubectl(cp, a, "explain", "snd.spec.template.spec"), "<no description>"));
    live_close(live);
}

/* --- scaling */

static Err *scale_to(Controlplane *cp, Arena *a, const char *fleet, const char *replicas)
{
    const char *printed;

    return controlplane_kubectl(
        cp, a, &(Kubectl){.args = PROCESS_ARGS("scale", "-n", NS, fleet, replicas)}, &printed);
}

TEST(kubectl_scale_works_within_the_crd_rules)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Live *live = given_crds(cp, a);
    const Json *scale = NULL, *fleet = create(live, crd_seinodedeployment, "scaled", "{}");
    const Json *founders = create(live,
        crd_seinodedeployment,
        "founders",
        "{spec: {replicas: 4, genesis: {chainId: 'c'},"
        " template: {spec: {fullNode: null, validator: {}}}}}");

    set_status(live,
        crd_seinodedeployment,
        &fleet,
        "{status: {replicas: 1, selector: 'sei.io/nodedeployment=scaled'}}");
    then_ok(scale_to(cp, a, "snd/scaled", "--replicas=7"));
    then_ok(kube_call(&live->ctx,
        &(Request){.verb = VERB_GET,
            .kind = crd_seinodedeployment,
            .key = meta_key(fleet),
            .subresource = "scale"},
        &scale));
    then_json(json_find(scale, ".spec"), "{replicas: 7}");
    then_json(
        json_find(scale, ".status"), "{replicas: 1, selector: 'sei.io/nodedeployment=scaled'}");

    then_err(scale_to(cp, a, "snd/scaled", "--replicas=0"), FAILED("greater than or equal to 1"));
    then_err(scale_to(cp, a, "snd/scaled", "--replicas=101"), FAILED("less than or equal to 100"));
    then_err(scale_to(cp, a, "snd/founders", "--replicas=5"),
        FAILED("replicas cannot be changed once spec.genesis is set"));
    drop(live, crd_seinodedeployment, fleet);
    drop(live, crd_seinodedeployment, founders);
    live_close(live);
}
