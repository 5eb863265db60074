/* All objects of a node, for every mode and option: as the golden files say, and by the rules that
 * hold for whatever is rendered. */
#include "sei/render/pod.h"

#include "base/draft.h"
#include "kube/hash.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "tests/sei/golden.h"
#include "tests/sei/render/cases.h"

enum { ARENA_MAX = 64 << 20 };

static const Json *all_objects(Arena *a, const Wanted *w)
{
    return json_seal(a,
        draft(a,
            draft_json("statefulSet", w->statefulset),
            draft_json("service", w->service),
            draft_json("proxyConfig", w->proxy_config),
            draft_json("volume", w->volume),
            draft_json("bootstrapJob", w->bootstrap_job),
            draft_json("bootstrapService", w->bootstrap_service)));
}

TEST(rendered_objects_of_every_mode_equal_their_golden_files)
{
    each_case(i, render_cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Wanted w = render_case(a, &render_cases[i]);
        then_golden(a, all_objects(a, &w), str_format(a, "nodes/%s.json", render_cases[i].name));
    }
}

/* reference.json is what the operator that we take over from makes of the sample node. Its users'
 * pods, alerts and tools know those objects: ours differ in these places and in no other. */
TEST(a_full_node_equals_that_of_the_go_operator_except_for_the_listed_additions)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Wanted w = render_case(a, &render_cases[0]);
    const char *additions = str_format(a,
        "[{op: 'add', path: '/statefulSet/spec/template/spec/terminationGracePeriodSeconds',"
        "  value: 600},"
        " {op: 'add', path: '/statefulSet/spec/template/spec/initContainers/2/args/-',"
        "  value: '--auth-token-audiences=sei-sidecar.sei'},"
        " {op: 'add', path: '/statefulSet/spec/template/metadata/annotations/"
        "kubectl.kubernetes.io~1default-container', value: 'seid'},"
        " {op: 'add', path: '/statefulSet/spec/template/metadata/annotations/"
        "sei.io~1config-hash', value: '%s'},"
        " {op: 'add', path: '/statefulSet/spec/template/metadata/annotations/"
        "sei.io~1template-hash', value: '%s'}]",
        w.config_hash,
        w.template_hash);
    const Json *want = NULL;

    then_ok(json_patch(a,
        json_fixture(a, golden_read(a, "nodes/reference.json")),
        json_fixture(a, additions),
        &want));
    then_json(all_objects(a, &w), json_write(a, want).data);
}

/* A difference here restarts pods in production, under the permit of platform drift. */
TEST(template_hashes_of_all_modes_equal_their_golden_file)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const char *text = "";

    each_case(i, render_cases)
        text = str_format(a,
            "%s%-16s %s\n",
            text,
            render_cases[i].name,
            render_case(a, &render_cases[i]).template_hash);
    then_golden_text(a, text, "template-hashes.txt");
}

TEST(rendering_the_same_node_twice_gives_the_same_bytes)
{
    each_case(i, render_cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Wanted first = render_case(a, &render_cases[i]), second = render_case(a, &render_cases[i]);
        then_str(json_write(a, all_objects(a, &first)).data,
            json_write(a, all_objects(a, &second)).data);
    }
}

static void then_contained(const Json *part, const Json *whole)
{
    const Json *member;

    then_true(json_count(part) > 0);
    json_each(member, part)
        then_str(json_text(json_member(whole, json_key(member))), json_text(member));
}

TEST(selectors_match_the_labels_of_the_pod_template)
{
    each_case(i, render_cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Wanted w = render_case(a, &render_cases[i]);
        const Json *labels = json_find(w.statefulset, ".spec.template.metadata.labels");
        then_contained(json_find(w.statefulset, ".spec.selector.matchLabels"), labels);
        then_contained(json_find(w.service, ".spec.selector"), labels);
        then_int(json_count(json_find(w.service, ".spec.selector")), 1);
    }
}

/* What a server fills in by itself would be owned by us for nothing, and some day another server
 * fills in something else. Spelt out all the same: protocol and replicas, which are keys or
 * decisions; and the times of probes and the targets of ports, which are one table with others. */
static const struct {
    const char *name;
} defaults[] = {
    {"'apiGroup':'apps'"},
    {"'dnsPolicy':'ClusterFirst'"},
    {"'enableServiceLinks':true"},
    {"'imagePullPolicy':'IfNotPresent'"},
    {"'imagePullPolicy':'Always'"},
    {"'initialDelaySeconds':0"},
    {"'internalTrafficPolicy':'Cluster'"},
    {"'ipFamilyPolicy':'SingleStack'"},
    {"'minReadySeconds':0"},
    {"'optional':false"},
    {"'persistentVolumeClaimRetentionPolicy'"},
    {"'podManagementPolicy':'OrderedReady'"},
    {"'privileged':false"},
    {"'procMount':'Default'"},
    {"'readOnly':false"},
    {"'revisionHistoryLimit':10"},
    {"'schedulerName':'default-scheduler'"},
    {"'scheme':'HTTP'"},
    {"'sessionAffinity':'None'"},
    {"'successThreshold':1"},
    {"'terminationMessagePath':'/dev/termination-log'"},
    {"'terminationMessagePolicy':'File'"},
    {"'timeoutSeconds':1"},
    {"'type':'ClusterIP'"},
    {"'type':'RollingUpdate'"},
    {"'volumeMode':'Filesystem'"},
    {"'defaultMode':420"},
    {"'defaultMode':511"},
    {"'resources':{}"},
    {"'securityContext':{}"},
    {"'status'"},
    {":null"},
    {":[]"},
};

/* The fixture's quotes as JSON has them; then the value must end, or there is no value. */
static bool has_field(Arena *a, const char *text, const char *field)
{
    char *pattern = arena_array(a, char, strlen(field) + 1);

    for (size_t i = 0; field[i]; i++)
        pattern[i] = field[i] == '\'' ? '"' : field[i];
    for (const char *hit = strstr(text, pattern); hit; hit = strstr(hit + 1, pattern))
        if (strchr(",}]:", hit[strlen(pattern)]))
            return true;
    return false;
}

TEST(rendered_objects_contain_no_field_that_the_api_server_defaults)
{
    for (size_t c = 0; c < array_count(render_cases); c++) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Wanted w = render_case(a, &render_cases[c]);
        const char *text = json_canonical(a, all_objects(a, &w)).data;

        then_true(has_field(a, text, "'protocol':'TCP'"));
        then_str(json_str(w.statefulset, ".spec.template.spec.restartPolicy"), NULL);
        each_case(i, defaults)
            then_true(!has_field(a, text, defaults[i].name));
    }
}

TEST(every_rendered_object_is_owned_by_the_node_and_has_its_name)
{
    each_case(i, render_cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Wanted w = render_case(a, &render_cases[i]);
        SeiNode node = sample_node(a, render_cases[i].patch);

        then_true(meta_controlled_by(w.statefulset, node.object));
        then_true(meta_controlled_by(w.service, node.object));
        then_true(meta_controlled_by(w.proxy_config, node.object));
        then_str(meta_name(w.statefulset), node.key.name);
        then_str(meta_name(w.service), node.key.name);
        then_str(meta_name(w.proxy_config), name_proxy_config(a, node.key.name));
        then_str(json_str(w.statefulset, ".spec.serviceName"), meta_name(w.service));
        then_str(meta_label(w.statefulset, LABEL_NODE), node.key.name);
        then_str(meta_label(w.service, LABEL_ROLE), node_role_text(node.spec.mode));
    }
}

TEST(rendered_objects_carry_the_hashes_of_their_content)
{
    each_case(i, render_cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Wanted w = render_case(a, &render_cases[i]);
        const Json *template = json_find(w.statefulset, ".spec.template");

        then_str(w.template_hash, render_template_hash(a, template));
        then_str(meta_annotation(template, ANNOTATION_TEMPLATE_HASH), w.template_hash);
        then_str(meta_annotation(template, ANNOTATION_CONFIG_HASH), w.config_hash);
        then_str(w.config_hash, hash_json(a, json_find(w.proxy_config, ".data")));
        then_str(w.statefulset_owned, hash_owned_of_rendered(a, w.statefulset));
        then_str(w.service_owned, hash_owned_of_rendered(a, w.service));
        then_str(w.proxy_config_owned, hash_owned_of_rendered(a, w.proxy_config));
        then_str(w.image, "ghcr.io/example/seid:v6.4.1");
        then_str(w.claim, json_str(template, ".spec.volumes[0].persistentVolumeClaim.claimName"));
    }
}

TEST(an_imported_pvc_is_mounted_and_not_rendered)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Wanted w = render_case(
        a, &(RenderCase){"imported", "{spec: {dataVolume: {import: {pvcName: 'old-disk'}}}}"});

    then_str(w.claim, "old-disk");
    then_true(w.volume == NULL);
}

/* --- the subject --- */

static const struct {
    const char *name, *patch;
    const char *chain_id, *claim, *restarted_at;
    NodeMode mode;
    bool imported;
} subjects[] = {
    {"a new node is what its spec says", NULL, "pacific-1", "data-rpc-0", NULL, MODE_FULL, false},
    {"a new node with an imported claim",
        "{spec: {dataVolume: {import: {pvcName: 'old-disk'}}}}",
        "pacific-1",
        "old-disk",
        NULL,
        MODE_FULL,
        true},
    {"an edit moves no node that is recorded",
        "{spec: {chainId: 'other', fullNode: null, archive: {},"
        " dataVolume: {import: {pvcName: 'old-disk'}}},"
        " status: {phase: 'Running', identity: {chainId: 'pacific-1', mode: 'fullNode'},"
        "  dataVolume: {name: 'data-rpc-0', uid: 'u', imported: false}}}",
        "pacific-1",
        "data-rpc-0",
        NULL,
        MODE_FULL,
        false},
    {"a recorded import stays one",
        "{status: {phase: 'Running', identity: {chainId: 'pacific-1', mode: 'fullNode'},"
        "  dataVolume: {name: 'old-disk', uid: 'u', imported: true}}}",
        "pacific-1",
        "old-disk",
        NULL,
        MODE_FULL,
        true},
    {"a restart that was honoured is remembered",
        "{status: {phase: 'Running', restartedAt: '2026-11-15T12:00:00Z'}}",
        "pacific-1",
        "data-rpc-0",
        "2026-11-15T12:00:00Z",
        MODE_FULL,
        false},
};

TEST(the_recorded_identity_takes_precedence_over_the_spec)
{
    each_case(i, subjects) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        SeiNode node = sample_node(a, subjects[i].patch);
        Subject s = subject_of(a, &node, sample_settings(), REPLICAS_ONE);

        then_str(s.chain_id, subjects[i].chain_id);
        then_str(s.claim, subjects[i].claim);
        then_str(s.restarted_at, subjects[i].restarted_at);
        then_int(s.mode, subjects[i].mode);
        then_int(s.imported, subjects[i].imported);
    }
}
