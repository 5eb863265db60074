/* Quantities: the amounts and the texts that a Kubernetes 1.34 server has for them. */
#include "kube/quantity.h"
#include "tests/test.h"

static const struct {
    const char *name, *stored;
} texts[] = {
    {"0", "0"},
    {"0.0", "0"},
    {"00", "0"},
    {"-0", "0"},
    {"0Ki", "0"},
    {"0n", "0"},
    {"4", "4"},
    {"-4", "-4"},
    {"100m", "100m"},
    {"1000m", "1"},
    {"1500m", "1500m"},
    {"0.5", "500m"},
    {".5", "500m"},
    {"5.", "5."}, /* the server's quick look lets it pass */
    {"1.5", "1500m"},
    {"1.500", "1.500"}, /* a whole number of thousandths: left as it was written */
    {"+7", "+7"},
    {"007", "007"},
    {"1.000000001", "1.000000001"},
    {"1.0000000000001", "1000000001n"},
    {"+123456789012345678", "+123456789012345678"},
    {"+1234567890123456789", "1234567890123456789"},
    {"10", "10"},
    {"1000", "1k"},
    {"1000k", "1M"},
    {"123456", "123456"},
    {"1e3", "1e3"},
    {"1E3", "1E3"},
    {"10e2", "1e3"},
    {"1e-3", "1e-3"},
    {"1.5e3", "1500"},
    {"100e-4", "10e-3"},
    {"1e+6", "1e+6"},
    {"1E", "1E"},
    {"1Ei", "1Ei"},
    {"32Gi", "32Gi"},
    {"1024Mi", "1Gi"},
    {"1024Ki", "1Mi"},
    {"1536Mi", "1536Mi"},
    {"1Ki", "1Ki"},
    {"1.0Ki", "1Ki"},
    {"+99999999999Ki", "+99999999999Ki"},
    {"+999999999999Ki", "999999999999Ki"},
    {"0.5Ki", "512"},
    {"1.5Gi", "1536Mi"},
    {"1.1Ki", "1126400m"},
    {"0.0001Ki", "102400u"},
    {"-1.5Gi", "-1536Mi"},
    {"1n", "1n"},
    {"0.1n", "1n"},
    {"-0.1n", "-1n"},
    {"1.00000000000000000000000001", "1000000001n"},
    {"1e-100", "1e-9"},
    {"1.00000000000000000000000001Ki", "1024000000001n"},
    {"9223372036854775807", "9223372036854775807"},
    {"9223372036854775808", "9223372036854775808"},
    {"100E", "100E"},
    {"8Ei", "9223372036854775807"},
    {"100Ei", "9223372036854775807"},
    {"-100Ei", "-9223372036854775807"},
    {"99999999999999999999999999999999999999Ki", "9223372036854775807"},
    /* From here on the server forgets the suffix: it stores "1". */
    {"1000E", "1000E"},
    {"10000000000000000000000000000", "10000000000E"},
};

TEST(a_quantity_is_formatted_as_the_api_server_stores_it)
{
    each_case(i, texts) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Quantity q;

        then_ok(quantity_parse(a, texts[i].name, &q));
        then_str(quantity_text(a, q), texts[i].stored);
    }
}

TEST(the_stored_text_of_a_quantity_is_the_same_amount)
{
    each_case(i, texts) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Quantity q, stored;

        then_ok(quantity_parse(a, texts[i].name, &q));
        then_ok(quantity_parse(a, texts[i].stored, &stored));
        then_int(quantity_compare(q, stored), 0);
    }
}

static const struct {
    const char *name;
    Want want;
} faults[] = {
    {"", TERMINAL("\"\" is not a quantity")},
    {"+", TERMINAL("is not a quantity")},
    {".", TERMINAL("is not a quantity")},
    {"k", TERMINAL("is not a quantity")},
    {"Ki", TERMINAL("is not a quantity")},
    {"1K", TERMINAL("\"1K\" is not a quantity")},
    {"1ki", TERMINAL("is not a quantity")},
    {"1mm", TERMINAL("is not a quantity")},
    {"1 Gi", TERMINAL("is not a quantity")},
    {" 1", TERMINAL("is not a quantity")},
    {"1\n", TERMINAL("is not a quantity")},
    {"1e", TERMINAL("is not a quantity")},
    {"1e+", TERMINAL("is not a quantity")},
    {"1e3.5", TERMINAL("is not a quantity")},
    {"1e3k", TERMINAL("is not a quantity")},
    {"1.2.3", TERMINAL("is not a quantity")},
    {"--1", TERMINAL("is not a quantity")},
    {"0x10", TERMINAL("is not a quantity")},
    {"one", TERMINAL("is not a quantity")},
    {"1e29", TERMINAL("1e29 is too large")},
    {"1e999999999999999999999", TERMINAL("too large")},
    {"100000000000000000000000000000", TERMINAL("too large")},
    {"10000000000000000000000000000.0000000001", TERMINAL("too large")},
    {"9999999999999999999999999999999999999999", TERMINAL("too large")},
};

TEST(an_invalid_quantity_is_refused)
{
    each_case(i, faults) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Quantity q;

        then_err(quantity_parse(a, faults[i].name, &q), faults[i].want);
    }
    SCOPED_ARENA a = arena_open(1 << 16);
    Quantity q;
    then_err(quantity_parse(a, NULL, &q), TERMINAL("is not a quantity"));
}

static const struct {
    const char *name, *left, *right;
    int order;
} pairs[] = {
    {"one is a thousand thousandths", "1", "1000m", 0},
    {"binary and decimal meet", "1Ki", "1024", 0},
    {"an exponent is a suffix", "1e3", "1k", 0},
    {"binary is more than decimal", "1Gi", "1G", 1},
    {"a nano is more than nothing", "1n", "0", 1},
    {"nothing finer than a nano is lost", "0.0000000001", "0", 1},
    {"nearly the same", "9223372036854775806", "9223372036854775807", -1},
    {"below zero is below", "-1Gi", "1n", -1},
    {"more below is less", "-2", "-1", -1},
};

TEST(quantities_are_compared_by_amount)
{
    each_case(i, pairs) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Quantity left, right;

        then_ok(quantity_parse(a, pairs[i].left, &left));
        then_ok(quantity_parse(a, pairs[i].right, &right));
        then_int(quantity_compare(left, right), pairs[i].order);
        then_int(quantity_compare(right, left), -pairs[i].order);
    }
}

TEST(a_constructed_quantity_has_its_canonical_text)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Quantity gib = {.nanos = (Nanos)1000000000 << 30, .format = QUANTITY_BINARY_SI};

    then_str(quantity_text(a, gib), "1Gi");
    gib.format = QUANTITY_DECIMAL_SI;
    then_str(quantity_text(a, gib), "1073741824");
    gib.nanos = 0;
    then_str(quantity_text(a, gib), "0");
    gib = (Quantity){.nanos = (Nanos)1000000000 << 90, .format = QUANTITY_BINARY_SI};
    then_str(quantity_text(a, gib), "1073741824Ei");
}

static const struct {
    const char *name, *text, *want;
} resources[] = {
    {"a whole number", "4", "4"},
    {"thousandths", "100m", "100m"},
    {"as it was written", "1.500", "1.500"},
    {"millionths are rounded up", "100u", "1m"},
    {"and so is what lies between", "1001u", "2m"},
    {"a nano", "1n", "1m"},
    {"up to a whole number", "999999u", "1"},
    {"away from zero", "-1u", "-1m"},
};

TEST(resource_quantities_are_rounded_up_to_thousandths)
{
    each_case(i, resources) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Quantity q;

        then_ok(quantity_parse(a, resources[i].text, &q));
        then_str(quantity_resource_text(a, q), resources[i].want);
    }
}
