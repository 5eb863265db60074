/* What names, labels and images may look like. */
#include "sei/api/setting_text.h"
#include "tests/test.h"

#define HEX32 "0123456789abcdef0123456789abcdef"
#define HEX64 HEX32 HEX32

static const struct {
    const char *name;
    SettingType type;
    const char *good[8], *bad[11];
} cases[] = {
    {"text", SETTING_TEXT, {"shadow-results/", "us-east-2"}, {"a b", "a\tb", "a\x7f"}},
    {"a name",
        SETTING_NAME,
        {"seid-node", "gp3", "prod.platform.sei.io", "0a"},
        {"Seid", "seid_node", "-a", "a-", "a..b", ".a", "a.", "a b"}},
    {"a namespace", SETTING_NAMESPACE, {"gateway", "a-1"}, {"a.b", "A", "-a", ""}},
    {"the key of a taint",
        SETTING_LABEL_KEY,
        {"sei.io/workload", "workload"},
        {"sei.io/", "/x", "a b", "a/b/c", ""}},
    {"the value of a label",
        SETTING_LABEL_VALUE,
        {"sei-node", "Sei_Node.1"},
        {"sei node", "-a", "a-", "a/b", ""}},
    {"an image",
        SETTING_IMAGE,
        {"seictl",
            "seictl:v1",
            "ghcr.io/example/seictl:v0.0.50",
            "localhost:5000/a/b_c:X",
            "example/seictl@sha256:" HEX64,
            "registry:5000/a:t@sha256:" HEX64,
            "a@sha512:" HEX64 HEX64,
            "a@md+5:" HEX32},
        {"ghcr.io/Example/seictl",
            "seictl:",
            "seictl:a b",
            "a//b",
            "ghcr.io/",
            "host:99999/a",
            "a@sha256:12",
            "a@sha256:" HEX32,
            "a@sha256:" HEX64 "0",
            "a@sha512:" HEX64,
            ":v1"}},
    {"an image of a registry that is an address",
        SETTING_IMAGE,
        {"[::1]:5000/sei:v1",
            "[2001:db8::1]/sei-protocol/sei@sha256:" HEX64,
            "[2001:DB8::1]:443/sei",
            "10.0.0.1:5000/sei:v1"},
        {"[::1]:5000",
            "[::1]",
            "[::1]:v1/sei",
            "[::1]5000/sei",
            "[::1/sei",
            "[]/sei",
            "[::g]/sei",
            "[10.0.0.1]/sei",
            "[::ffff:10.0.0.1]/sei",
            "[::1%eth0]/sei",
            "::1/sei"}},
    {"a quantity is not checked here", SETTING_QUANTITY, {"a lot"}},
};

TEST(a_setting_value_must_match_the_format_of_its_type)
{
    each_case(i, cases) {
        for (size_t k = 0; k < array_count(cases[i].good) && cases[i].good[k]; k++)
            if (setting_text_fault(cases[i].type, cases[i].good[k]))
                then_str(cases[i].good[k], "be accepted");
        for (size_t k = 0; k < array_count(cases[i].bad) && cases[i].bad[k]; k++)
            if (!setting_text_fault(cases[i].type, cases[i].bad[k]))
                then_str(cases[i].bad[k], "be refused");
    }
}

TEST(a_setting_value_above_the_maximum_length_is_refused)
{
    char text[300];

    memset(text, 'a', sizeof text);
    text[64] = 0;
    then_true(setting_text_fault(SETTING_NAMESPACE, text));
    then_true(setting_text_fault(SETTING_NAME, text)); /* a part of it */
    text[63] = 0;
    then_true(!setting_text_fault(SETTING_NAMESPACE, text));
    memset(text, 'a', sizeof text);
    text[256] = 0;
    then_true(setting_text_fault(SETTING_IMAGE, text));
}
