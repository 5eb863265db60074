/* Whoever asks for a rendering gets what the renderers would give, whatever was asked before. */
#include "sei/reconcile/renderings.h"

#include "base/str.h"
#include "tests/sei/nodes.h"

typedef struct Desk {
    Arena *arena;
    Renderings *renderings;
} Desk;

static Desk open_desk(Arena *a)
{
    return (Desk){.arena = a, .renderings = renderings_open()};
}

static const char *text_of(Arena *a, const Wanted *w)
{
    const Json *const objects[] = {
        w->statefulset,
        w->service,
        w->proxy_config,
        w->volume,
        w->bootstrap_job,
        w->bootstrap_service,
    };
    const char *const words[] = {
        w->claim,
        w->image,
        w->template_hash,
        w->config_hash,
        w->bootstrap_hash,
        w->statefulset_owned,
        w->service_owned,
        w->proxy_config_owned,
    };
    const char *text = "";

    for (size_t i = 0; i < array_count(objects); i++)
        text = str_format(a, "%s\n%s", text, json_write(a, objects[i]).data);
    for (size_t i = 0; i < array_count(words); i++)
        text = str_format(a, "%s\n%s", text, words[i] ? words[i] : "(none)");
    return text;
}

static const char *asked(Desk *d, const Subject *subject)
{
    Wanted wanted = {0};

    then_ok(renderings_ask(d->renderings, guard_none(), d->arena, subject, &wanted));
    return text_of(d->arena, &wanted);
}

static const char *rendered(Arena *a, const Subject *subject)
{
    Wanted wanted = {0};

    then_ok(render_node(a, subject, &wanted));
    return text_of(a, &wanted);
}

static Subject subject_with(Arena *a, const char *patch, ReplicaRule replicas)
{
    SeiNode *node = arena_new(a, SeiNode);

    *node = sample_node(a, patch);
    return subject_of(a, node, sample_settings(), replicas);
}

/* The server gives what was edited another version. */
static const char *edited(Arena *a, const char *patch)
{
    const Json *version = json_fixture(a, "{metadata: {resourceVersion: '11'}}");

    return json_write(a, json_merge(a, json_fixture(a, patch), version)).data;
}

#define TWO_STAGES(image)                                                                          \
    "{spec: {fullNode: {snapshot: {s3: {targetHeight: 9}, bootstrapImage: '" image "'}}}"

static const struct {
    const char *name, *before, *after;
    ReplicaRule replicas;
} edits[] = {
    {"the image", "{}", "{spec: {image: 'seid:v2'}}"},
    {"the chain", "{}", "{spec: {chainId: 'atlantic-2'}}"},
    {"the mode", "{}", "{spec: {fullNode: null, archive: {}}}"},
    {"labels of pods", "{}", "{spec: {podLabels: {a: 'b'}}}"},
    {"labels of pods that go", "{spec: {podLabels: {a: 'b'}}}", "{}"},
    {"the sidecar", "{}", "{spec: {sidecar: {image: 's:2'}}}"},
    {"the sidecar's port", "{}", "{spec: {sidecar: {port: 7001}}}"},
    {"a claim that is imported", "{}", "{spec: {dataVolume: {import: {pvcName: 'mine'}}}}"},
    {"a restart that is asked for",
        "{}",
        "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z'}}}"},
    {"the policy of the volume",
        "{}",
        "{metadata: {annotations: {'sei.io/volume-policy': 'Retain'}}}"},
    {"another node of its name", "{}", "{metadata: {uid: 'another'}}"},
    {"a recorded identity", "{}", "{status: {identity: {chainId: 'other-1', mode: 'archive'}}}"},
    {"a recorded volume", "{}", "{status: {dataVolume: {name: 'old', uid: 'v1'}}}"},
    {"the image of a first stage", TWO_STAGES("b:1") "}", TWO_STAGES("b:2") "}"},
    {"the end of a first stage",
        TWO_STAGES("b:1") "}",
        TWO_STAGES("b:1") ", status: {phase: 'Running'}}"},
    {"its replicas", "{}", "{}", .replicas = REPLICAS_ZERO},
    {"the owner of the replicas", "{}", "{}", .replicas = REPLICAS_LEFT_OUT},
};

TEST(an_edit_of_any_rendered_field_gives_a_new_rendering)
{
    each_case(i, edits) {
        SCOPED_ARENA a = arena_open(64 << 20);
        Desk d = open_desk(a);
        Subject before = subject_with(a, edits[i].before, REPLICAS_ONE);
        bool is_edited = !str_eq(edits[i].before, edits[i].after);
        const char *patch = is_edited ? edited(a, edits[i].after) : edits[i].after;
        Subject after = subject_with(a, patch, edits[i].replicas);

        then_str(asked(&d, &before), rendered(a, &before));
        then_str(asked(&d, &after), rendered(a, &after));
        then_str(asked(&d, &before), rendered(a, &before));
        then_true(!str_eq(asked(&d, &before), asked(&d, &after)));
        renderings_close(d.renderings);
    }
}

TEST(an_edit_of_a_field_that_is_not_rendered_gives_the_cached_rendering)
{
    static const struct {
        const char *name, *patch;
    } cases[] = {
        {"its version", "{metadata: {resourceVersion: '99'}}"},
        {"its managed fields", "{metadata: {managedFields: [{manager: 'me'}]}}"},
        {"what a cache notes of it", "{'$ownedHash': 'e3e75b779d45be2e', '$ownsReplicas': true}"},
        {"its conditions", "{status: {conditions: [{type: 'Ready', status: 'True'}]}}"},
        {"a plan",
            "{status: {plan: {id: '11111111-2222-4333-8444-555555555555', phase: 'Active',"
            " tasks: []}}}"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(64 << 20);
        Desk d = open_desk(a);
        Subject before = subject_with(a, NULL, REPLICAS_ONE);
        Subject after = subject_with(a, edited(a, cases[i].patch), REPLICAS_ONE);

        then_str(rendered(a, &before), rendered(a, &after));
        then_str(asked(&d, &before), asked(&d, &after));
        then_int(renderings_made(d.renderings), 1);
        renderings_close(d.renderings);
    }
}

/* A version that was seen is not looked into: what is found under it must be about all else that
 * the subject has. */
TEST(one_version_of_a_node_with_different_subjects_gives_different_renderings)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    Subject plain = subject_with(a, NULL, REPLICAS_ONE);
    Subject others[] = {plain, plain, plain, plain, plain};

    others[0].chain_id = "atlantic-2";
    others[1].mode = MODE_ARCHIVE;
    others[2].claim = "another";
    others[3].imported = true;
    others[4].restarted_at = "2026-01-01T00:00:00Z";
    for (size_t i = 0; i < array_count(others); i++) {
        Desk d = open_desk(a);
        then_str(asked(&d, &plain), rendered(a, &plain));
        then_str(asked(&d, &others[i]), rendered(a, &others[i]));
        then_int(renderings_made(d.renderings), 2);
        then_str(asked(&d, &others[i]), rendered(a, &others[i]));
        then_int(renderings_made(d.renderings), 2);
        renderings_close(d.renderings);
    }
}

TEST(a_node_that_cannot_be_rendered_is_an_error_each_time)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    Desk d = open_desk(a);
    Subject bad = subject_with(a, "{spec: {podLabels: {'not a label': 'x'}}}", REPLICAS_ONE);
    Wanted wanted;

    for (int i = 0; i < 2; i++)
        then_err(
            renderings_ask(d.renderings, guard_none(), a, &bad, &wanted), TERMINAL("podLabels"));
    renderings_close(d.renderings);
}

/* --- how many */

static Subject numbered(Arena *a, int number)
{
    return subject_with(a, str_format(a, "{metadata: {name: 'n%d'}}", number), REPLICAS_ONE);
}

TEST(the_least_recently_used_rendering_is_evicted)
{
    SCOPED_ARENA a = arena_open(256 << 20);
    Desk d = open_desk(a);
    Subject first = numbered(a, 0), second = numbered(a, 1), one_more = numbered(a, RENDERINGS_MAX);

    for (int i = 0; i < RENDERINGS_MAX; i++) {
        Subject subject = numbered(a, i);
        asked(&d, &subject);
    }
    asked(&d, &first);
    then_int(renderings_made(d.renderings), RENDERINGS_MAX);
    asked(&d, &one_more);
    asked(&d, &first);
    then_int(renderings_made(d.renderings), RENDERINGS_MAX + 1);
    asked(&d, &second);
    then_int(renderings_made(d.renderings), RENDERINGS_MAX + 2);
    renderings_close(d.renderings);
}

TEST(the_rendering_of_a_deleted_node_is_removed)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    Desk d = open_desk(a);
    Subject subject = subject_with(a, NULL, REPLICAS_ONE);

    asked(&d, &subject);
    renderings_forget(d.renderings, subject.node->key);
    renderings_forget(d.renderings, subject.node->key);
    asked(&d, &subject);
    then_int(renderings_made(d.renderings), 2);
    renderings_close(d.renderings);
}
