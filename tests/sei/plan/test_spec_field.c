/* Each field of the CRD schemas has one row in spec_field.c, and the row says what an edit does.
 * The schemas, the renderers and the planner are the judges: a new field needs no edit here, unless
 * its sample value must have a certain form. */
#include "sei/api/spec_field.h"

#include "sei/render/child_node.h"
#include "sei/render/render.h"
#include "tests/crds/crds.h"
#include "tests/sei/fleets.h"
#include "tests/sei/modes.h"
#include "tests/sei/nodes.h"
#include "tests/sei/plan/given.h"

enum { ARENA_MAX = 64 << 20, LEAVES_MAX = 200 };

/* A field of a schema, below .spec of a node: "validator.signingKey.secret.secretName". */
typedef struct Leaf {
    const char *path;
    const Json *schema;
    NodeMode mode;        /* in whose block it stands; MODE_NONE: in none */
    const char *in_block; /* ".signingKey.secret.secretName" */
} Leaf;

typedef struct Leaves {
    Leaf items[LEAVES_MAX];
    size_t count;
} Leaves;

/* --- fields and rows --- */

static void add_leaf(Arena *a, Leaves *leaves, const char *path, const Json *schema)
{
    const char *first = str_slice(a, path, strcspn(path, "."));
    NodeMode mode = node_mode_parse(first);

    then_true(leaves->count < LEAVES_MAX);
    leaves->items[leaves->count++] = (Leaf){
        .path = path,
        .schema = schema,
        .mode = mode,
        .in_block = mode == MODE_NONE ? str_format(a, ".%s", path) : path + strlen(first),
    };
}

/* The fields of a schema below `prefix` that have no fields of their own. */
static Leaves *leaves_of(Arena *a, const Kind *kind, const char *prefix)
{
    Leaves *leaves = arena_new(a, Leaves);
    CrdNodes nodes = crd_nodes(a, crd_load(a, kind));

    for (size_t i = 0; i < nodes.count; i++) {
        const CrdNode *node = &nodes.items[i];
        if (str_has_prefix(node->path, prefix) && !json_member(node->schema, "properties")
            && !strpbrk(node->path, "[*"))
            add_leaf(a, leaves, node->path + strlen(prefix), node->schema);
    }
    then_true(leaves->count > 0);
    return leaves;
}

static bool is_of_block(const SpecField *row, const Leaf *leaf)
{
    return leaf->mode == MODE_NONE ? row->modes == 0 : (row->modes & 1u << leaf->mode) != 0;
}

/* A row for an object or an array stands for everything in it. */
static bool covers(const SpecField *row, const Leaf *leaf)
{
    size_t len = strlen(row->path);

    if (!is_of_block(row, leaf) || !str_has_prefix(leaf->in_block, row->path))
        return false;
    return !leaf->in_block[len]
        || (leaf->in_block[len] == '.' && (row->form == SPEC_OBJECT || row->form == SPEC_ARRAY));
}

static const SpecField *row_of(const Leaf *leaf)
{
    const SpecField *found = NULL;

    for (const SpecField *row = spec_fields; row->path; row++)
        if (covers(row, leaf)) {
            if (found)
                fail_msg("spec.%s has two rows in spec_field.c", leaf->path);
            found = row;
        }
    if (!found)
        fail_msg("spec.%s has no row in spec_field.c", leaf->path);
    return found;
}

static const struct {
    const char *name;
    const Kind *kind;
    const char *prefix;
} schemas[] = {
    {"SeiNode", crd_seinode, "spec."},
    {"SeiNodeDeployment", crd_seinodedeployment, "spec.template.spec."},
};

TEST(each_field_of_the_crd_schemas_has_one_row)
{
    each_case(i, schemas) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Leaves *leaves = leaves_of(a, schemas[i].kind, schemas[i].prefix);

        for (size_t j = 0; j < leaves->count; j++)
            then_true(row_of(&leaves->items[j]) != NULL);
    }
}

static bool has_place(Arena *a, const SpecField *row, NodeMode mode)
{
    const Json *crd = crd_load(a, crd_seinode);
    CrdNodes nodes = crd_nodes(a, crd);
    const char *block = mode == MODE_NONE ? "" : str_format(a, ".%s", node_mode_text(mode));
    const char *path = str_format(a, "spec%s%s", block, row->path);

    for (size_t i = 0; i < nodes.count; i++)
        if (str_eq(nodes.items[i].path, path))
            return true;
    return false;
}

TEST(each_row_has_a_field_in_the_crd_schema)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    for (const SpecField *row = spec_fields; row->path; row++)
        for (int mode = MODE_NONE; mode <= MODE_VALIDATOR; mode++) {
            bool is_of_it = mode == MODE_NONE ? row->modes == 0 : (row->modes & 1u << mode) != 0;
            if (is_of_it && !has_place(a, row, (NodeMode)mode))
                fail_msg("the schema has no field %s of mode %d", row->path, mode);
        }
}

/* --- sample values --- */

/* Values of a field that the planner accepts, and the spec around it; absent: by the schema. */
typedef struct Sample {
    const char *path, *base, *one, *other;
    const char *without; /* patch of .spec in place of `one`: only the block that it is in counts */
    bool is_refused;     /* no value is accepted */
} Sample;

#define STATE_SYNC "snapshot: {stateSync: {}, trustPeriod: '24h'}"
#define ALL_KEYS   "validator: {" MODE_KEYS ", " MODE_KEYRING "}"

static const Sample samples[] = {
    {"chainId", .one = "'chain-a'", .other = "'chain-b'"},
    {"peers",
        .one = "[{static: {addresses: ['a@b:1']}}]",
        .other = "[{static: {addresses: ['c@d:2']}}]"},
    {"sidecar.resources.claims",
        .one = "[{name: 'a'}]",
        .other = "[{name: 'b'}]",
        .is_refused = true},
    {"sidecar.resources.limits", .one = "{cpu: '1'}", .other = "{cpu: '2'}"},
    {"sidecar.resources.requests", .one = "{cpu: '1'}", .other = "{cpu: '2'}"},
    {"fullNode.snapshot.stateSync", STATIC_PEERS, .without = "{fullNode: {snapshot: null}}"},
    {"fullNode.snapshot.trustPeriod",
        STATIC_PEERS ", fullNode: {" STATE_SYNC "}",
        "'24h0m0s'",
        "'48h0m0s'"},
    {"fullNode.snapshot.backfillBlocks", STATIC_PEERS ", fullNode: {" STATE_SYNC "}"},
    {"fullNode.snapshot.s3.targetHeight", STATIC_PEERS},
    {"fullNode.snapshot.bootstrapImage", STATIC_PEERS ", fullNode: {" FROM_S3 "}"},
    {"fullNode.snapshotGeneration.tendermint.publish", "fullNode: {" MAKES_SNAPSHOTS "}"},
    {"archive.snapshotGeneration.tendermint.publish", "archive: {" MAKES_SNAPSHOTS "}"},
    {"replayer.snapshot.stateSync", .is_refused = true}, /* a replayer begins from S3 */
    {"replayer.snapshot.trustPeriod",
        STATIC_PEERS ", replayer: {" FROM_S3 "}",
        "'24h0m0s'",
        "'48h0m0s'"},
    {"replayer.snapshot.backfillBlocks", STATIC_PEERS ", replayer: {" FROM_S3 "}"},
    {"replayer.snapshot.s3.targetHeight", STATIC_PEERS},
    {"replayer.snapshot.bootstrapImage", STATIC_PEERS ", replayer: {" FROM_S3 "}"},
    {"replayer.resultExport.shadowResult.canonicalRpc", STATIC_PEERS ", replayer: {" FROM_S3 "}"},
    {"validator.snapshot.stateSync", STATIC_PEERS, .without = "{validator: {snapshot: null}}"},
    {"validator.snapshot.trustPeriod",
        STATIC_PEERS ", validator: {" STATE_SYNC "}",
        "'24h0m0s'",
        "'48h0m0s'"},
    {"validator.snapshot.backfillBlocks", STATIC_PEERS ", validator: {" STATE_SYNC "}"},
    {"validator.snapshot.s3.targetHeight", STATIC_PEERS},
    {"validator.snapshot.bootstrapImage", STATIC_PEERS ", validator: {" FROM_S3 "}"},
    {"validator.genesisCeremony.chainId", "validator: {" CEREMONY "}"},
    {"validator.genesisCeremony.stakingAmount", "validator: {" CEREMONY "}", "'1usei'", "'2usei'"},
    {"validator.genesisCeremony.accountBalance", "validator: {" CEREMONY "}", "'1usei'", "'2usei'"},
    {"validator.genesisCeremony.index", "validator: {" CEREMONY "}"},
    {"validator.signingKey.secret.secretName", ALL_KEYS},
    {"validator.nodeKey.secret.secretName", ALL_KEYS},
    {"validator.operatorKeyring.secret.secretName", ALL_KEYS},
    {"validator.operatorKeyring.secret.keyName", ALL_KEYS},
    {"validator.operatorKeyring.secret.passphraseSecretRef.secretName", ALL_KEYS},
    {"validator.operatorKeyring.secret.passphraseSecretRef.key", ALL_KEYS},
};

static const struct {
    const char *type, *one, *other;
} by_type[] = {
    {"string", "'one'", "'other'"},
    {"integer", "1001", "1002"},
    {"boolean", "false", "true"},
};

static Sample by_schema(const Leaf *leaf)
{
    const char *type = json_str(leaf->schema, ".type");

    for (size_t i = 0; i < array_count(by_type); i++)
        if (str_eq(by_type[i].type, type))
            return (Sample){leaf->path, .one = by_type[i].one, .other = by_type[i].other};
    if (str_eq(type, "object") && json_member(leaf->schema, "additionalProperties"))
        return (Sample){leaf->path, NULL, "{a: 'b'}", "{a: 'c'}"};
    if (str_eq(type, "object"))
        return (Sample){leaf->path, NULL, "null", "{}"};
    fail_msg("spec.%s: name sample values in test_spec_field.c", leaf->path);
}

static Sample sample_of(const Leaf *leaf)
{
    for (size_t i = 0; i < array_count(samples); i++)
        if (str_eq(samples[i].path, leaf->path)) {
            Sample sample = samples[i];
            if (!sample.one) {
                sample.one = by_schema(leaf).one;
                sample.other = by_schema(leaf).other;
            }
            return sample;
        }
    return by_schema(leaf);
}

/* A patch of .spec with that value in the field. */
static const Json *spec_patch(Arena *a, const Leaf *leaf, const Sample *sample, const char *value)
{
    const char *text = value, *path = leaf->path;

    for (const char *dot; (dot = strrchr(path, '.'));
        path = str_slice(a, path, (size_t)(dot - path)))
        text = str_format(a, "{%s: %s}", dot + 1, text);
    text = str_format(a, "{%s: %s}", path, text);
    const Json *base = json_fixture(a,
        leaf->mode == MODE_NONE || leaf->mode == MODE_FULL
            ? "{}"
            : str_format(a, "{fullNode: null, %s: {}}", node_mode_text(leaf->mode)));
    if (sample->base)
        base = json_merge(a, base, json_fixture(a, str_format(a, "{%s}", sample->base)));
    if (sample->without && value == sample->one)
        text = sample->without;
    return json_merge(a, base, json_fixture(a, text));
}

static const Json *with_spec(Arena *a, const Json *object, const Json *patch)
{
    return json_merge(a, object, json_seal(a, draft(a, draft_json("spec", patch))));
}

/* --- what an edit does --- */

/* What follows from a spec for a node that is created from it. */
typedef struct Outcome {
    const char *pod_template; /* its hash */
    const Json *init;         /* tasks with their parameters, and the pod of a bootstrap Job */
} Outcome;

static const Json *init_of(Arena *a, const SeiNode *node, const Wanted *wanted)
{
    NodeDecision decision;
    NodeSnapshot snapshot = {
        .node = node,
        .settings = sample_settings(),
        .wanted = wanted,
        .plan_id = PLAN_ID,
        .now = NOW,
        .now_ms = NOW_MS,
    };

    then_ok(plan_node(a, &snapshot, &decision));
    if (!decision.status.has_plan && !node->spec.paused)
        fail_msg("no init is planned: %s", decision.stall.message ? decision.stall.message : "");
    const Json *plan = json_seal(a, plan_encode(a, &decision.status.plan));
    return json_seal(a,
        draft(a,
            draft_json("tasks", json_find(plan, ".tasks")),
            str("bootstrapPod", wanted->bootstrap_hash)));
}

static Outcome outcome_of(Arena *a, const Leaf *leaf, const Sample *sample, const char *value)
{
    SeiNode *node = arena_new(a, SeiNode);
    Wanted *wanted = arena_new(a, Wanted);
    const Json *object = with_spec(a, sample_object(a, NULL), spec_patch(a, leaf, sample, value));

    then_ok(node_decode(a, object, node));
    Subject subject = subject_of(a, node, sample_settings(), REPLICAS_ONE);
    then_ok(render_node(a, &subject, wanted));
    return (Outcome){
        .pod_template = wanted->template_hash,
        .init = node->spec.paused ? NULL : init_of(a, node, wanted),
    };
}

static const char *effect_text(bool replaces_pod, bool changes_init)
{
    return replaces_pod ? "it is in the pod template"
        : changes_init  ? "only an init reads it"
                        : "neither pod template nor init read it";
}

static const char *declared_text(SpecEffect effect)
{
    switch (effect) {
    case SPEC_IDENTITY:
    case SPEC_TEMPLATE:
        return effect_text(true, true);
    case SPEC_BOOTSTRAP:
    case SPEC_FIRST_INIT:
        return effect_text(false, true);
    case SPEC_LIVE:
    case SPEC_UNUSED:
        return effect_text(false, false);
    }
    BUG("an unknown effect");
}

TEST(the_effect_of_each_field_is_what_renderers_and_planner_make_of_it)
{
    SCOPED_ARENA home = arena_open(ARENA_MAX);
    const Leaves *leaves = leaves_of(home, crd_seinode, "spec.");

    for (size_t i = 0; i < leaves->count; i++) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Leaf *leaf = &leaves->items[i];
        Sample sample = sample_of(leaf);
        test_name_case(leaf->path);
        if (sample.is_refused)
            continue;

        Outcome one = outcome_of(a, leaf, &sample, sample.one);
        Outcome other = outcome_of(a, leaf, &sample, sample.other);
        bool replaces_pod = !str_eq(one.pod_template, other.pod_template);
        bool changes_init = one.init && other.init && !json_equal(one.init, other.init);

        then_str(declared_text(row_of(leaf)->effect), effect_text(replaces_pod, changes_init));
    }
    test_name_case(NULL);
}

/* --- fleets --- */

static const Json *value_in(Arena *a, const Json *spec, const Leaf *leaf)
{
    return json_find(spec, str_format(a, ".%s", leaf->path));
}

TEST(a_child_has_each_field_from_the_template_or_from_its_revision)
{
    SCOPED_ARENA home = arena_open(ARENA_MAX);
    const Leaves *leaves = leaves_of(home, crd_seinodedeployment, "spec.template.spec.");

    for (size_t i = 0; i < leaves->count; i++) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Leaf *leaf = &leaves->items[i];
        Sample sample = sample_of(leaf);
        SpecOrigin origin = row_of(leaf)->origin;
        test_name_case(leaf->path);

        const Json *before = sample_fleet_object(a, NULL);
        const Json *template = with_spec(
            a, json_find(before, ".spec.template"), spec_patch(a, leaf, &sample, sample.one));
        const Json *revision = with_spec(
            a, json_find(before, ".spec.template"), spec_patch(a, leaf, &sample, sample.other));
        Fleet *fleet = arena_new(a, Fleet);
        const Json *object = json_merge(
            a, before, json_seal(a, draft(a, obj("spec", draft_json("template", template)))));
        then_ok(fleet_decode(a, object, fleet));
        const Json *child =
            render_child_node(a, fleet, sample_settings(), &(ChildSource){.revision = revision});
        const Json *from = origin == SPEC_FROM_REVISION ? revision : template;
        if (origin != SPEC_FROM_FLEET)
            then_true(json_equal(value_in(a, json_find(child, ".spec"), leaf),
                value_in(a, json_find(from, ".spec"), leaf)));
    }
    test_name_case(NULL);
}

/* The first member of a path: ".sidecar" of ".sidecar.port". */
static bool has_member_of(const SpecField *one, const SpecField *other)
{
    size_t len = 1 + strcspn(one->path + 1, ".");

    return one->modes == other->modes && len == 1 + strcspn(other->path + 1, ".")
        && strncmp(one->path, other->path, len) == 0;
}

static bool stands_beside_a_template_field(const SpecField *row)
{
    for (const SpecField *other = spec_fields; other->path; other++)
        if (other->effect == SPEC_TEMPLATE && has_member_of(row, other))
            return true;
    return false;
}

TEST(a_member_comes_with_the_revision_only_if_it_replaces_pods)
{
    for (const SpecField *row = spec_fields; row->path; row++)
        if ((row->origin == SPEC_FROM_REVISION) != stands_beside_a_template_field(row))
            fail_msg("%s: a field that replaces pods must come with the revision, and no other; "
                     "else an edit reaches all children at once, or none",
                row->path);
}

TEST(no_other_field_than_these_is_set_by_the_fleet)
{
    static const char *const set_by_fleet[] = {
        ".paused", ".chainId", ".peers", ".podLabels", ".externalAddress", ".genesisCeremony"};

    for (const SpecField *row = spec_fields; row->path; row++) {
        bool is_listed = false;
        for (size_t i = 0; i < array_count(set_by_fleet); i++)
            is_listed |= str_has_prefix(row->path, set_by_fleet[i]);
        if (is_listed != (row->origin == SPEC_FROM_FLEET))
            fail_msg("%s: does the fleet set it, or copy it?", row->path);
    }
}

TEST(what_replaces_a_pod_is_in_the_hash_that_decides_about_it)
{
    for (const SpecField *row = spec_fields; row->path; row++)
        if (row->effect == SPEC_TEMPLATE && row->form != SPEC_IS_THERE && !row->key)
            fail_msg("%s replaces pods, and is in no hash", row->path);
}
