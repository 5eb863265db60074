/* What is refused before the API server would, and in which words. */
#include "tests/sei/nodes.h"
#include "tests/sei/render/cases.h"

#include "sei/render/pod.h"

#define LETTERS_50 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwx"

static const struct {
    const char *name, *patch;
    Want want;
} cases[] = {
    {"the sample", NULL},
    {"a name of 52 characters", "{metadata: {name: '" LETTERS_50 "-0'}}"},
    {"a name of 53",
        "{metadata: {name: '" LETTERS_50 "--0'}}",
        TERMINAL("metadata.name: \"" LETTERS_50 "--0\" has 53 characters")},
    {"a name with a dot",
        "{metadata: {name: 'a.b'}}",
        TERMINAL("metadata.name: \"a.b\" cannot name a Service")},
    {"a name that begins with a digit",
        "{metadata: {name: '0-rpc'}}",
        TERMINAL("metadata.name: \"0-rpc\" cannot name a Service")},
    {"a name that ends with a dash",
        "{metadata: {name: 'rpc-'}}",
        TERMINAL("metadata.name: \"rpc-\" cannot name a Service")},
    {"a chain of 63", "{spec: {chainId: '" LETTERS_50 "abcdefghijklm'}}"},
    {"a chain of 64",
        "{spec: {chainId: '" LETTERS_50 "abcdefghijklmn'}}",
        TERMINAL("spec.chainId: \"" LETTERS_50)},
    {"a chain that is a shell's",
        "{spec: {chainId: 'a;reboot'}}",
        TERMINAL("spec.chainId: \"a;reboot\" cannot be a label")},
    {"an image with a space",
        "{spec: {image: 'seid:v1 '}}",
        TERMINAL("spec.image: \"seid:v1 \" has a space")},
    {"an image with an invisible character",
        "{spec: {image: 'seid:v1\\u007f'}}",
        TERMINAL("spec.image: ")},
    {"a sidecar's image with a line break",
        "{spec: {sidecar: {image: 'a\\nb'}}}",
        TERMINAL("spec.sidecar.image: ")},
    {"an empty sidecar image is the platform's", "{spec: {sidecar: {image: ''}}}"},
    {"port 1", "{spec: {sidecar: {port: 1}}}"},
    {"port 65535", "{spec: {sidecar: {port: 65535}}}"},
    {"the proxy's port",
        "{spec: {sidecar: {port: 8443}}}",
        TERMINAL("spec.sidecar.port: 8443 is taken by kube-rbac-proxy")},
    {"the exporter's port",
        "{spec: {sidecar: {port: 9300}}}",
        TERMINAL("spec.sidecar.port: 9300 is taken by cosmos-exporter")},
    {"a port of seid",
        "{spec: {sidecar: {port: 26657}}}",
        TERMINAL("spec.sidecar.port: 26657 is taken by seid")},
    {"a label without a name",
        "{spec: {podLabels: {'example.com/': 'x'}}}",
        TERMINAL("spec.podLabels: \"example.com/\" is not a label's key")},
    {"a label with a space",
        "{spec: {podLabels: {team: 'a b'}}}",
        TERMINAL("spec.podLabels['team']: \"a b\" is not a label's value")},
    {"a label of 64 characters",
        "{spec: {podLabels: {team: '" LETTERS_50 "abcdefghijklmn'}}}",
        TERMINAL("spec.podLabels['team']: ")},
};

static Err *rendered(Arena *a, const char *patch, const Settings *settings)
{
    SeiNode node = sample_node(a, patch);
    Subject s = subject_of(a, &node, settings, REPLICAS_ONE);
    Wanted wanted;

    return render_node(a, &s, &wanted);
}

TEST(a_value_that_the_api_server_would_refuse_is_refused_with_its_spec_path)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(16 << 20);
        then_err(rendered(a, cases[i].patch, sample_settings()), cases[i].want);
    }
}

TEST(a_node_is_not_rendered_without_its_helper_images)
{
    static const struct {
        const char *name;
        size_t offset;
    } images[] = {
        {"SEI_SIDECAR_IMAGE", offsetof(Settings, sidecar_image)},
        {"SEI_KUBE_RBAC_PROXY_IMAGE", offsetof(Settings, proxy_image)},
        {"SEI_COSMOS_EXPORTER_IMAGE", offsetof(Settings, exporter_image)},
    };

    each_case(i, images) {
        SCOPED_ARENA a = arena_open(16 << 20);
        Settings settings = sample_settings_with(images[i].offset, "");
        Err *err = rendered(a, NULL, &settings);
        then_true(err_is(err, ERR_TERMINAL));
        then_str(err_text(a, err), str_format(a, "%s: no image", images[i].name));
    }
}

TEST(a_node_without_a_mode_is_refused)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    SeiNode node = sample_node(a, NULL);
    Subject s = subject_of(a, &node, sample_settings(), REPLICAS_ONE);

    s.mode = MODE_NONE;
    then_err(render_check(a, &s), TERMINAL("spec: one of fullNode, archive, replayer"));
}

TEST(a_validator_whose_spec_block_was_removed_is_not_rendered_without_keys)
{
    SCOPED_ARENA a = arena_open(16 << 20);

    then_err(rendered(a,
                 "{status: {phase: 'Running', identity: {chainId: 'c', mode: 'validator'}}}",
                 sample_settings()),
        TERMINAL("spec.validator: the node was set up as a validator"));
}

static const struct {
    const char *name;
    int64_t port;
    Want want;
} ports[] = {
    {"the first", 1},
    {"the last", 65535},
    {"one more", 65536, TERMINAL("spec.sidecar.port: 65536 is not between 1 and 65535")},
    {"none", 0, TERMINAL("spec.sidecar.port: 0 is not between 1 and 65535")},
    {"less than none", -1, TERMINAL("spec.sidecar.port: -1 is not between 1 and 65535")},
};

TEST(a_sidecar_port_must_be_a_port_that_can_be_listened_on)
{
    each_case(i, ports) {
        SCOPED_ARENA a = arena_open(16 << 20);
        SeiNode node = sample_node(a, NULL);
        Subject s = subject_of(a, &node, sample_settings(), REPLICAS_ONE);

        node.spec.sidecar_port = ports[i].port;
        then_err(render_check(a, &s), ports[i].want);
    }
}
