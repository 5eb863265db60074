/* The checks of the doctor, each by a change of a cluster in which all is well: exactly that check
 * finds something, and says what to type. */
#include "cli/doctor/need.h"
#include "kube/client/yaml.h"
#include "kube/hash.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "tests/cli/doctor/written.h"
#include "tests/cli/understood.h"
#include "tests/sei/golden.h"

#define CASES "tests/cli/doctor/cases.json5"
#define CALM  "tests/cli/doctor/calm.json5"

enum { ARENA_MAX = 64 << 20 };

static const Json *healthy_but(Arena *a, const char *patch)
{
    return json_merge(a, written_healthy(a), json_fixture(a, patch));
}

static const char *codes_of(const Exam *exam)
{
    const char *codes = "";

    for (size_t i = 0; i < exam->count; i++)
        codes = str_format(exam->arena,
            "%s%s %s/%s: %s\n",
            codes,
            exam->findings[i].check->code,
            exam->findings[i].object.namespace,
            exam->findings[i].object.name,
            exam->findings[i].message);
    return codes;
}

TEST(doctor_finds_nothing_in_a_healthy_cluster)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Exam *exam = exam_run(a, written_chart(a, written_healthy(a)));

    then_str(codes_of(exam), "");
}

TEST(doctor_finds_nothing_in_a_cluster_before_the_installation)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *bare = healthy_but(a,
        "{pre: true, definitions: null, deployments: null, leases: null, nodes: null, fleets: "
        "null, reviews: null}");

    then_str(codes_of(exam_run(a, written_chart(a, bare))), "");
}

/* --- the cases */

/* Sets one condition of an object of the document. */
static const Json *with_condition(Arena *a, const Json *document, const Json *set)
{
    const char *at = json_str(set, ".at"), *blank = at ? strchr(at, ' ') : NULL;
    const char *since = json_str(set, ".since");

    if (!set)
        return document;
    const char *list = str_slice(a, at, (size_t)(blank - at));
    const Json *object = json_member(json_member(document, list), blank + 1);
    const Json *cond, *conditions = json_find(object, ".status.conditions");
    Draft *all = draft_array(a);
    json_each(cond, conditions)
        if (!str_eq(json_str(cond, ".type"), json_str(set, ".type")))
            draft_push_json(all, cond);
    draft_push(all,
        draft(a,
            str("type", json_str(set, ".type")),
            str("status", json_str(set, ".status")),
            str("reason", json_str(set, ".reason")),
            str("message", json_str(set, ".message")),
            str("lastTransitionTime", since ? since : "2026-11-16T11:00:00Z")));
    Draft *named = draft(a, obj(blank + 1, obj("status", sub("conditions", all))));
    return json_merge(a, document, json_seal(a, draft(a, sub(list, named))));
}

/* With another operator in a namespace: all that sei-system has is there, too. */
static const Json *with_operator(Arena *a, const Json *document, const char *namespace)
{
    static const char home[] = "sei-system/";
    Draft *more = draft_object(a);
    const Json *list, *object;

    json_each(list, document) {
        Draft *named = draft_object(a);
        if (json_type(list) != JSON_OBJECT)
            continue;
        json_each(object, list)
            if (str_has_prefix(json_key(object), home))
                draft_add(named,
                    draft_json(str_format(a, "%s/%s", namespace, json_key(object) + strlen(home)),
                        object));
        draft_add(more, sub(json_key(list), named));
    }
    return json_merge(a, document, json_seal(a, more));
}

static const Json *changed(Arena *a, const Json *healthy, const Json *row)
{
    const Json *patch = json_find(row, ".patch"), *ret = healthy, *also;

    json_each(also, json_find(row, ".also"))
        ret = with_operator(a, ret, json_text(also));
    if (json_type(patch) == JSON_ARRAY)
        then_ok(json_patch(a, ret, patch, &ret));
    else if (patch)
        ret = json_merge(a, ret, patch);
    ret = with_condition(a, ret, json_find(row, ".condition"));
    return json_merge(a, ret, json_seal(a, draft(a, flag("pre", json_bool(row, ".pre", false)))));
}

TEST(each_doctor_check_finds_its_problem_and_no_other_check_does)
{
    SCOPED_ARENA whole = arena_open(ARENA_MAX);
    const Json *row, *rows = table_load(whole, CASES), *healthy = written_healthy(whole);

    json_each(row, rows) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const char *code = json_str(row, ".code");
        Exam *exam = exam_run(a, written_chart(a, changed(a, healthy, row)));
        bool is_said = false;
        if (exam->count == 0)
            test_fail(__FILE__, __LINE__, "%s: nothing was found", code);
        for (size_t i = 0; i < exam->count; i++) {
            const Finding *f = &exam->findings[i];
            if (!str_eq(f->check->code, code))
                test_fail(__FILE__, __LINE__, "%s: found\n%s", code, codes_of(exam));
            is_said |= strstr(f->message, json_str(row, ".says")) != NULL
                && str_eq(f->fix, json_str(row, ".fix"));
        }
        if (!is_said)
            test_fail(__FILE__,
                __LINE__,
                "%s: not as expected:\n%s%s",
                code,
                codes_of(exam),
                exam->findings[0].fix);
    }
}

TEST(doctor_does_not_report_a_situation_that_is_not_a_problem)
{
    SCOPED_ARENA whole = arena_open(ARENA_MAX);
    const Json *row, *rows = table_load(whole, CALM), *healthy = written_healthy(whole);

    json_each(row, rows) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Exam *exam = exam_run(a, written_chart(a, changed(a, healthy, row)));
        if (exam->count > 0)
            test_fail(__FILE__, __LINE__, "%s: found\n%s", json_str(row, ".name"), codes_of(exam));
    }
}

TEST(every_doctor_check_has_a_test_case)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *row, *rows = table_load(a, CASES);

    for (size_t i = 0; i < check_count(); i++) {
        bool is_there = false;
        json_each(row, rows)
            is_there |= str_eq(json_str(row, ".code"), check_at(i)->code);
        if (!is_there)
            test_fail(__FILE__, __LINE__, "no case for %s", check_at(i)->code);
    }
}

/* --- the tables */

TEST(every_doctor_check_has_a_unique_code_and_complete_fields)
{
    for (size_t i = 0; i < check_count(); i++) {
        const Check *check = check_at(i);
        then_true(check_find(check->code) == check);
        then_int(strlen(check->code), strlen("SEI1234"));
        then_true(check->title && check->about && check->fix);
        then_true(!check->run != !check->run_of_operator);
        then_true(!str_has_suffix(check->title, "."));
        then_true(str_has_suffix(check->about, "."));
        then_true(!check->is_pre_alone || check->is_pre);
    }
    then_true(check_count() >= 60);
    then_true(check_find("sei2104") == check_find("SEI2104"));
    then_true(check_find("SEI0000") == NULL);
}

TEST(every_fix_of_a_doctor_check_is_a_valid_command_of_kubectl_or_kubectl_sei)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    static const char ours[] = "kubectl sei ";

    for (size_t i = 0; i < check_count(); i++) {
        const char *fix = check_at(i)->fix;
        if (str_has_prefix(fix, ours))
            then_understood(a, fix + strlen(ours));
        else
            then_true(str_has_prefix(fix, "kubectl ") || str_has_prefix(fix, "timedatectl "));
    }
}

static const struct {
    const char *name, *part, *unless; /* unless: of this check */
} harmful[] = {
    {"sets the platform's settings back", "deploy/install.yaml", "SEI1101"},
    {"sets other settings in their place", "samples/", NULL},
    {"takes nodes and their volumes away", "scale seinodedeployment", NULL},
    {"deletes nodes", "delete seinode", NULL},
    {"deletes data", "delete persistentvolume", NULL},
    {"deletes keys", "delete secret", NULL},
    {"lets another autoscaler scale down, and volumes go", "delete horizontalpodautoscaler", NULL},
    {"takes a level of security off", "--overwrite", NULL},
    {"starts seid while another pod uses its volume", "scale statefulset", "SEI3206"},
};

TEST(no_fix_of_a_doctor_check_deletes_data_or_settings)
{
    for (size_t i = 0; i < check_count(); i++)
        each_case(n, harmful)
            if (strstr(check_at(i)->fix, harmful[n].part)
                && !str_eq(check_at(i)->code, harmful[n].unless))
                test_fail(__FILE__,
                    __LINE__,
                    "%s %s: %s",
                    check_at(i)->code,
                    harmful[n].name,
                    check_at(i)->fix);
}

static const struct {
    const char *name, *text, *want;
} words[] = {
    {"a name", "rpc-0", "rpc-0"},
    {"nothing", "", "''"},
    {"a command behind a name", "x; rm -rf /", "'x; rm -rf /'"},
    {"a substitution", "$(id)", "'$(id)'"},
    {"a quote", "it's", "'it'\\''s'"},
    {"a line end", "a\nb", "'a\nb'"},
};

TEST(every_name_in_a_fix_is_quoted_as_one_word_for_the_shell)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    each_case(i, words)
        then_str(exam_shell_word(a, words[i].text), words[i].want);
}

/* --- what is fine */

TEST(every_doctor_check_has_a_text_for_its_success)
{
    for (size_t i = 0; check_at(i); i++) {
        const Check *check = check_at(i);
        if (str_empty(check->fine) || str_eq(check->fine, check->title))
            test_fail(
                __FILE__, __LINE__, "%s does not say what is true when it passes", check->code);
    }
}

/* --- what could not be read */

TEST(a_doctor_check_whose_list_is_forbidden_is_skipped_and_the_others_run)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *document = healthy_but(a,
        "{forbidden: ['volumes'], volumes: {'pv-val-0': {spec: {persistentVolumeReclaimPolicy: "
        "'Delete'}}}, revisions: null}");
    Exam *exam = exam_run(a, written_chart(a, document));

    then_int(exam->count, 1);
    then_str(exam->findings[0].check->code, "SEI4007");
    for (size_t i = 0; i < check_count(); i++)
        if (check_at(i) == check_find("SEI2104"))
            then_str(exam->outcomes[i].skipped, "may not list persistent volumes");
}

static const char *skipped_of(const Exam *exam, const char *code)
{
    for (size_t i = 0; i < check_count(); i++)
        if (check_at(i) == check_find(code))
            return exam->outcomes[i].skipped;
    test_fail(__FILE__, __LINE__, "there is no %s", code);
}

#define OUTSIDE                                                                                    \
    "deployments: null, operatorPods: null, settings: null, leases: "                              \
    "{'sei-system/bc1f5b0a.sei.io': {spec: {holderIdentity: 'laptop_1'}}}"

static const struct {
    const char *name, *patch, *code, *why; /* why NULL: it is asked */
} unknowns[] = {
    {"pods of which nothing names the account",
        "{" OUTSIDE ", statefulSets: null, accounts: null}",
        "SEI3401",
        "it is not known as which account the pods of nodes run"},
    {"pods whose StatefulSets name the account", "{" OUTSIDE "}", "SEI3401", NULL},
    {"pods of another namespace than the one asked about",
        "{" OUTSIDE ", namespace: 'sei', statefulSets: {'other/val-1': null}}",
        "SEI3401",
        NULL},
    {"an operator with a Deployment", "{}", "SEI1102", NULL},
    {"the age of a server without a version",
        "{version: null}",
        "SEI1001",
        "the version of the server is not known"},
    {"the clock of a server that does not say its time",
        "{isTimeless: true}",
        "SEI1003",
        "the server does not say its time"},
    {"pods of an operator that has none",
        "{operatorPods: null}",
        "SEI1113",
        "there is no pod of an operator"},
    {"pods of an operator outside of the cluster",
        "{" OUTSIDE "}",
        "SEI1113",
        "there is no pod of an operator"},
    {"spare replicas where none is available",
        "{deployments: {'sei-system/sei-operator': {status: null}}}",
        "SEI1104",
        "no replica is available"},
    {"the release of an operator whose image has no version",
        "{deployments: {'sei-system/sei-operator': {spec: {template: {spec: {containers: [{name: "
        "'operator', image: 'sei-operator:latest'}]}}}}}}",
        "SEI1110",
        "its image does not say of which release it is"},
    {"settings that are missing", "{settings: null}", "SEI1112", "a ConfigMap of it is missing"},
    {"settings that come from elsewhere",
        "{deployments: {'sei-system/sei-operator': {spec: {template: {spec: {containers: [{name: "
        "'operator', image: 'sei-operator:v0.1.0', envFrom: [{secretRef: {name: 's'}}]}]}}}}}}",
        "SEI1112",
        "some settings of the operator come from elsewhere"},
    {"classes of settings that are missing",
        "{settings: null}",
        "SEI2001",
        "the settings of an operator are not known"},
    {"limits beside settings that are missing",
        "{settings: null, limits: {'sei/small': {}}}",
        "SEI3404",
        "the settings of an operator are not known"},
    {"scraping of metrics without a Service",
        "{services: {'sei-system/" METRICS_SERVICE "': null}}",
        "SEI1103",
        "there is no Service of its metrics"},
    {"renewals where there is no Lease", "{leases: null}", "SEI1106", "there is no Lease"},
    {"what a definition says that is missing",
        "{definitions: {'seinodes.sei.io': null}}",
        "SEI1202",
        "a definition is missing"},
    {"the schema of a version that is missing",
        "{definitions: {'seinodes.sei.io': {spec: {versions: []}}}}",
        "SEI1204",
        "a definition has no v1alpha1"},
    {"what is asked of a Deployment", "{" OUTSIDE "}", "SEI1102", "no operator has a Deployment"},
    {"what the settings say", "{" OUTSIDE "}", "SEI2001", "no operator has a Deployment"},
    {"permissions of an account that is not found",
        "{" OUTSIDE ", reviews: null}",
        "SEI1301",
        "no operator has a Deployment"},
    {"an alert on metrics that no program has",
        "{" OUTSIDE "}",
        "SEI6102",
        "no operator has a Deployment"},
    {"whether two operators are there", "{" OUTSIDE "}", "SEI1108", NULL},
    {"scraping without monitors",
        "{monitors: null, unserved: ['monitors']}",
        "SEI1103",
        "the server has no service monitors"},
    {"alerts without rules",
        "{rules: null, unserved: ['rules']}",
        "SEI6102",
        "the server has no Prometheus rules"},
    {"routes without the Gateway API", "{unserved: ['routes']}", "SEI1005", NULL},
};

TEST(a_doctor_check_without_enough_information_is_skipped_and_not_passed)
{
    each_case(i, unknowns) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Exam *exam = exam_run(a, written_chart(a, healthy_but(a, unknowns[i].patch)));
        then_str(skipped_of(exam, unknowns[i].code), unknowns[i].why);
    }
}

TEST(for_other_namespaces_doctor_reports_only_the_operator_and_signing_keys)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *document = healthy_but(a,
        "{namespace: 'other', claims: {'sei/data-rpc-0': null}, accounts: "
        "{'sei-system/sei-operator': null}, secrets: {'other/val-1-signing': {files: "
        "{'priv_validator_key.json': 'hash-val-0-signing'}}}}");
    Exam *exam = exam_run(a, written_chart(a, document));

    then_int(exam->count, 2);
    then_str(exam->findings[0].check->code, "SEI1115");
    then_str(exam->findings[1].check->code, "SEI5002");
}

TEST(doctor_findings_beyond_the_maximum_are_counted)
{
    SCOPED_ARENA a = arena_open(512 << 20);
    enum { MANY = FINDINGS_MAX + 7 };
    Draft *sets = draft_object(a);

    for (int i = 0; i < MANY; i++)
        draft_add(sets,
            sub(str_format(a, "sei/gone-%d", i),
                draft(a, obj("metadata", obj("labels", str(LABEL_NODE, "gone"))))));
    const Json *document =
        json_merge(a, written_healthy(a), json_seal(a, draft(a, sub("statefulSets", sets))));
    Exam *exam = exam_run(a, written_chart(a, document));
    then_int(exam->count, FINDINGS_MAX);
    then_int(exam->dropped, 7);
}

/* --- deploy/rbac */

/* Whose rights are written down where, and for what they are asked about. */
static const struct {
    const char *name, *file, *kind;
    const char *purposes; /* separated by blanks */
} roles[] = {
    {"sei-operator",
        "deploy/rbac/operator.yaml",
        "ClusterRole",
        NEED_OPERATOR " " NEED_METRICS " " NEED_ROUTES},
    {"sei-operator-leader", "deploy/rbac/operator.yaml", "Role", NEED_LEASE},
    {"sei-sidecar-client-token", "deploy/rbac/sidecar-client.yaml", "Role", NEED_TOKEN},
    {"sei-sidecar-client", "deploy/rbac/sidecar-client.yaml", "ClusterRole", NEED_SIDECAR},
    {"sei-rbac-proxy", "deploy/rbac/nodes.yaml", "ClusterRole", NEED_PROXY},
};

/* A role as it is installed. */
static const Json *role_at(Arena *a, size_t place)
{
    const char *text = table_source(a, roles[place].file);

    while (text) {
        const char *end = strstr(text, "\n---\n");
        const Json *object = NULL;
        then_ok(yaml_parse(a, end ? str_slice(a, text, (size_t)(end - text)) : text, &object));
        if (str_eq(json_str(object, ".kind"), roles[place].kind)
            && str_eq(meta_name(object), roles[place].name))
            return object;
        text = end ? end + strlen("\n---\n") : NULL;
    }
    test_fail(__FILE__, __LINE__, "there is no %s %s", roles[place].kind, roles[place].name);
}

static bool is_word_of(Arena *a, const char *word, const char *list)
{
    return strstr(str_format(a, " %s ", list), str_format(a, " %s ", word)) != NULL;
}

static bool has_text(const Json *list, const char *text)
{
    const Json *element;

    json_each(element, list)
        if (str_eq(json_text(element), text))
            return true;
    return false;
}

/* "seinodes/status" */
static const char *resource_of(Arena *a, const Need *need)
{
    return need->subresource ? str_format(a, "%s/%s", need->resource, need->subresource)
                             : need->resource;
}

static bool is_granted(Arena *a, const Json *role, const Need *need, const char *verb)
{
    const Json *rule;

    json_each(rule, json_find(role, ".rules"))
        if (has_text(json_find(rule, ".apiGroups"), need->group)
            && has_text(json_find(rule, ".resources"), resource_of(a, need))
            && has_text(json_find(rule, ".verbs"), verb)
            && (!json_find(rule, ".resourceNames")
                || has_text(json_find(rule, ".resourceNames"), need->name)))
            return true;
    return false;
}

static void then_granted(Arena *a, const Json *role, const Need *need)
{
    for (const char *verbs = need->verbs; *verbs; verbs += strspn(verbs, " ")) {
        const char *verb = str_slice(a, verbs, strcspn(verbs, " "));
        if (!is_granted(a, role, need, verb))
            test_fail(__FILE__, __LINE__, "%s %s is not given", verb, resource_of(a, need));
        verbs += strlen(verb);
    }
}

TEST(every_permission_that_doctor_requires_is_granted_by_the_roles)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    each_case(i, roles)
        for (const Need *need = needs; need->purpose; need++)
            if (is_word_of(a, need->purpose, roles[i].purposes))
                then_granted(a, role_at(a, i), need);
}

/* For clusters that check the deletion of owners: the operator itself does without. */
static bool is_dispensable(const char *resource)
{
    return str_has_suffix(resource, "/finalizers");
}

static bool is_needed(Arena *a, const char *purposes, const Need *right)
{
    for (const Need *need = needs; need->purpose; need++)
        if (is_word_of(a, need->purpose, purposes) && str_eq(need->group, right->group)
            && str_eq(resource_of(a, need), right->resource)
            && is_word_of(a, right->verbs, need->verbs))
            return true;
    return is_dispensable(right->resource);
}

TEST(every_permission_that_the_roles_grant_is_required_by_doctor)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *rule, *resource, *verb;

    each_case(i, roles) {
        const Json *rules = json_find(role_at(a, i), ".rules");
        json_each(rule, rules)
            json_each(resource, json_find(rule, ".resources"))
                json_each(verb, json_find(rule, ".verbs")) {
                    Need right = {.group = json_str(rule, ".apiGroups[0]"),
                        .resource = json_text(resource),
                        .verbs = json_text(verb)};
                    if (!is_needed(a, roles[i].purposes, &right))
                        test_fail(__FILE__,
                            __LINE__,
                            "%s: %s %s is not asked about",
                            roles[i].name,
                            right.verbs,
                            right.resource);
                }
    }
}

/* --- deploy/crds */

static const char *hash_line(Arena *a, const Kind *kind, const char *what, const char *path)
{
    const char *plural = kind_eq(kind, kind_seinode) ? "SEINODES" : "SEINODEDEPLOYMENTS";
    const Json *version = json_find(crd_load(a, kind), ".spec.versions[0]");
    const char *name = str_format(a, "%s_%s_HASH", plural, what);

    return str_format(a, "#define %-30s \"%s\"\n", name, hash_json(a, json_find(version, path)));
}

TEST(the_crd_hashes_of_doctor_equal_those_of_deploy_crds)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const char *text =
        "/* DefinitionHashes: what deploy/crds holds, in a few digits. Made by "
        "tests/cli/test_doctor.c: run\n * it with SEI_GOLDEN=write after an edit there. */\n"
        "#ifndef CLI_DOCTOR_DEFINITION_HASHES_H\n#define CLI_DOCTOR_DEFINITION_HASHES_H\n\n";

    for (int i = 0; i < 2; i++) {
        const Kind *kind = i ? kind_seinodedeployment : kind_seinode;
        text = str_format(a,
            "%s%s%s",
            text,
            hash_line(a, kind, "SCHEMA", ".schema"),
            hash_line(a, kind, "COLUMN", ".additionalPrinterColumns"));
    }
    then_golden_text(
        a, str_format(a, "%s\n#endif\n", text), "../../src/cli/doctor/definition_hashes.h");
}
