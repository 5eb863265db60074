/* Decode tables: what goes where, what is left alone, and what an error says. */
#include "base/json.h"

#include "tests/test.h"

typedef struct Sample {
    const char *chain;
    int64_t replicas;
    bool paused;
    double ratio;
    const Json *any;
    const Json *labels;
    const Json *peers;
} Sample;

static const JsonField fields[] = {
    {".spec.chainId", JSON_FIELD_STR, offsetof(Sample, chain), .required = true},
    {".spec.replicas", JSON_FIELD_INT, offsetof(Sample, replicas)},
    {".spec.paused", JSON_FIELD_BOOL, offsetof(Sample, paused)},
    {".spec.ratio", JSON_FIELD_NUMBER, offsetof(Sample, ratio)},
    {".spec.any", JSON_FIELD_VALUE, offsetof(Sample, any)},
    {".metadata.labels", JSON_FIELD_OBJECT, offsetof(Sample, labels)},
    {".spec.peers", JSON_FIELD_ARRAY, offsetof(Sample, peers)},
    {0},
};

TEST(a_decode_table_fills_present_fields_and_leaves_the_others_unchanged)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *full = json_fixture(a,
        "{metadata: {labels: {x: 'y'}}, spec: {chainId: 'pacific-1', replicas: 4, paused: true,"
        " ratio: 0.5, any: 'thing', peers: [1]}}");
    Sample got = {0}, left = {.replicas = 1, .ratio = 2, .chain = "old"};

    then_ok(json_decode(a, full, fields, &got));
    then_str(got.chain, "pacific-1");
    then_int(got.replicas, 4);
    then_true(got.paused && got.ratio == 0.5);
    then_json(got.any, "'thing'");
    then_json(got.labels, "{x: 'y'}");
    then_json(got.peers, "[1]");

    then_ok(
        json_decode(a, json_fixture(a, "{spec: {chainId: 'c', replicas: null}}"), fields, &left));
    then_str(left.chain, "c");
    then_int(left.replicas, 1);
    then_true(left.ratio == 2 && !left.any && !left.labels && !left.peers);
}

TEST(a_decode_table_names_the_path_of_an_invalid_field)
{
    static const struct {
        const char *name, *text;
        Want want;
    } cases[] = {
        {"a required field is absent", "{spec: {}}", TERMINAL(".spec.chainId is missing")},
        {"a required field is null",
            "{spec: {chainId: null}}",
            TERMINAL(".spec.chainId is missing")},
        {"nothing at all", "1", TERMINAL(".spec.chainId is missing")},
        {"a number for text",
            "{spec: {chainId: 1}}",
            TERMINAL(".spec.chainId: expected a string, found a number")},
        {"text with NUL",
            "{spec: {chainId: 'a\\u0000b'}}",
            TERMINAL(".spec.chainId: expected a string")},
        {"text for a number",
            "{spec: {chainId: 'c', replicas: '3'}}",
            TERMINAL(".spec.replicas: expected a whole number of 64 bits, found a string")},
        {"a fraction for an integer",
            "{spec: {chainId: 'c', replicas: 1.5}}",
            TERMINAL(".spec.replicas: expected a whole number")},
        {"an integer out of range",
            "{spec: {chainId: 'c', replicas: 9223372036854775808}}",
            TERMINAL(".spec.replicas: expected a whole number of 64 bits")},
        {"text for a boolean",
            "{spec: {chainId: 'c', paused: 'true'}}",
            TERMINAL(".spec.paused: expected a boolean, found a string")},
        {"a boolean for a number",
            "{spec: {chainId: 'c', ratio: true}}",
            TERMINAL(".spec.ratio: expected a number, found a boolean")},
        {"an array for an object",
            "{spec: {chainId: 'c'}, metadata: {labels: []}}",
            TERMINAL(".metadata.labels: expected an object, found an array")},
        {"an object for an array",
            "{spec: {chainId: 'c', peers: {}}}",
            TERMINAL(".spec.peers: expected an array, found an object")},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Sample got = {.replicas = 7};
        then_err(json_decode(a, json_fixture(a, cases[i].text), fields, &got), cases[i].want);
        then_int(got.replicas, 7);
    }
}
