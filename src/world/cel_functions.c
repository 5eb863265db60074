/* The functions and operators of CEL that are known here. Rows of one name stand together; the
 * first whose letters fit the arguments is the one that is meant. */
#include "base/str.h"
#include "kube/core/text.h"
#include "world/cel_program.h"
#include "world/schema_faults.h"
#include "world/schema_rules.h"

#include <stdlib.h>
#include <string.h>

enum { NANOSECONDS = 1000000000, CHARACTERS_PER_COST = 10 };

static CelValue real_value(double real)
{
    return (CelValue){.kind = CEL_DOUBLE, .real = real};
}

/* --- numbers --- */

static CelValue whole_or_overflow(bool overflows, int64_t number)
{
    return overflows ? cel_error("integer overflow") : cel_number(number);
}

static CelValue add_whole(CelRun *run, const CelValue *v)
{
    int64_t sum = 0;
    bool overflows = __builtin_add_overflow(v[0].number, v[1].number, &sum);

    (void)run;
    return whole_or_overflow(overflows, sum);
}

static CelValue subtract_whole(CelRun *run, const CelValue *v)
{
    int64_t rest = 0;
    bool overflows = __builtin_sub_overflow(v[0].number, v[1].number, &rest);

    (void)run;
    return whole_or_overflow(overflows, rest);
}

static CelValue multiply_whole(CelRun *run, const CelValue *v)
{
    int64_t product = 0;
    bool overflows = __builtin_mul_overflow(v[0].number, v[1].number, &product);

    (void)run;
    return whole_or_overflow(overflows, product);
}

static CelValue divide_whole(CelRun *run, const CelValue *v)
{
    (void)run;
    if (v[1].number == 0)
        return cel_error("division by zero");
    if (v[0].number == INT64_MIN && v[1].number == -1)
        return cel_error("integer overflow");
    return cel_number(v[0].number / v[1].number);
}

static CelValue rest_whole(CelRun *run, const CelValue *v)
{
    (void)run;
    if (v[1].number == 0)
        return cel_error("modulus by zero");
    if (v[0].number == INT64_MIN && v[1].number == -1)
        return cel_error("integer overflow");
    return cel_number(v[0].number % v[1].number);
}

static CelValue negate_whole(CelRun *run, const CelValue *v)
{
    (void)run;
    return whole_or_overflow(v[0].number == INT64_MIN, v[0].number == INT64_MIN ? 0 : -v[0].number);
}

static CelValue add_real(CelRun *run, const CelValue *v)
{
    (void)run;
    return real_value(v[0].real + v[1].real);
}

static CelValue subtract_real(CelRun *run, const CelValue *v)
{
    (void)run;
    return real_value(v[0].real - v[1].real);
}

static CelValue multiply_real(CelRun *run, const CelValue *v)
{
    (void)run;
    return real_value(v[0].real * v[1].real);
}

static CelValue divide_real(CelRun *run, const CelValue *v)
{
    (void)run;
    return real_value(v[0].real / v[1].real);
}

static CelValue negate_real(CelRun *run, const CelValue *v)
{
    (void)run;
    return real_value(-v[0].real);
}

/* --- comparing --- */

static double real_of(const CelValue *v)
{
    return v->kind == CEL_INT ? (double)v->number : v->real;
}

/* Below 0, 0 or above 0; what is no number is neither. */
static int order_of(const CelValue *v)
{
    if (v[0].kind == CEL_TEXT)
        return strcmp(v[0].text, v[1].text);
    if (v[0].kind == CEL_BOOL)
        return (int)v[0].flag - (int)v[1].flag;
    if (v[0].kind == CEL_DOUBLE || v[1].kind == CEL_DOUBLE)
        return real_of(&v[0]) < real_of(&v[1]) ? -1 : real_of(&v[0]) > real_of(&v[1]);
    return v[0].number < v[1].number ? -1 : v[0].number > v[1].number;
}

static CelValue is_less(CelRun *run, const CelValue *v)
{
    (void)run;
    return cel_flag(order_of(v) < 0);
}

static CelValue is_less_or_equal(CelRun *run, const CelValue *v)
{
    (void)run;
    return cel_flag(order_of(v) <= 0);
}

static CelValue is_greater(CelRun *run, const CelValue *v)
{
    (void)run;
    return cel_flag(order_of(v) > 0);
}

static CelValue is_greater_or_equal(CelRun *run, const CelValue *v)
{
    (void)run;
    return cel_flag(order_of(v) >= 0);
}

static CelValue is_equal(CelRun *run, const CelValue *v)
{
    return cel_flag(cel_equal(run, &v[0], &v[1]));
}

static CelValue is_unequal(CelRun *run, const CelValue *v)
{
    return cel_flag(!cel_equal(run, &v[0], &v[1]));
}

static CelValue negate_flag(CelRun *run, const CelValue *v)
{
    (void)run;
    return cel_flag(!v[0].flag);
}

/* --- lists and maps --- */

static CelValue element_of(const CelValue *list, size_t index)
{
    const Json *element;

    if (!list->json)
        return list->items[index];
    json_each(element, list->json)
        if (index-- == 0)
            return cel_value_of(element, shape_of_element(list->shape));
    return cel_error("index out of bounds");
}

static CelValue at_index(CelRun *run, const CelValue *v)
{
    size_t count = cel_size(&v[0]);

    cel_charge(run, count);
    if (v[1].number < 0 || (size_t)v[1].number >= count)
        return cel_error(
            str_format(cel_arena(run), "index out of bounds: %lld", (long long)v[1].number));
    return element_of(&v[0], (size_t)v[1].number);
}

static CelValue at_key(CelRun *run, const CelValue *v)
{
    const Json *member = json_member(v[0].json, v[1].text);
    bool declared;

    cel_charge(run, cel_size(&v[0]));
    if (!member)
        return cel_error(str_format(cel_arena(run), "no such key: %s", v[1].text));
    return cel_value_of(
        member, v[0].shape ? shape_of_field(v[0].shape, v[1].text, &declared) : NULL);
}

static CelValue is_in_list(CelRun *run, const CelValue *v)
{
    const Json *element = v[1].json ? json_first(v[1].json) : NULL;

    for (size_t i = 0, count = cel_size(&v[1]); i < count; i++) {
        CelValue each =
            v[1].json ? cel_value_of(element, shape_of_element(v[1].shape)) : v[1].items[i];
        cel_charge(run, 1);
        if (cel_equal(run, &v[0], &each))
            return cel_flag(true);
        element = element ? json_next(v[1].json, element) : NULL;
    }
    return cel_flag(false);
}

static CelValue is_in_map(CelRun *run, const CelValue *v)
{
    cel_charge(run, cel_size(&v[1]));
    return cel_flag(json_member(v[1].json, v[0].text) != NULL);
}

static CelValue add_lists(CelRun *run, const CelValue *v)
{
    size_t first = cel_size(&v[0]), second = cel_size(&v[1]), count = 0;
    CelValue *items = arena_array(cel_arena(run), CelValue, first + second);

    cel_charge(run, CEL_ELEMENT_COST * (first + second));
    for (size_t i = 0; i < 2; i++) {
        const Json *element = v[i].json ? json_first(v[i].json) : NULL;
        for (size_t k = 0; k < cel_size(&v[i]); k++) {
            items[count++] =
                v[i].json ? cel_value_of(element, shape_of_element(v[i].shape)) : v[i].items[k];
            element = element ? json_next(v[i].json, element) : NULL;
        }
    }
    return (CelValue){.kind = CEL_LIST, .items = items, .count = count};
}

static CelValue size_of(CelRun *run, const CelValue *v)
{
    (void)run;
    return cel_number((int64_t)cel_size(&v[0]));
}

/* --- texts --- */

static void charge_texts(CelRun *run, const CelValue *v, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cel_charge(run, strlen(v[i].text) / CHARACTERS_PER_COST);
}

static CelValue add_texts(CelRun *run, const CelValue *v)
{
    charge_texts(run, v, 2);
    return cel_text(str_format(cel_arena(run), "%s%s", v[0].text, v[1].text));
}

static CelValue starts_with(CelRun *run, const CelValue *v)
{
    charge_texts(run, v, 2);
    return cel_flag(str_has_prefix(v[0].text, v[1].text));
}

static CelValue ends_with(CelRun *run, const CelValue *v)
{
    charge_texts(run, v, 2);
    return cel_flag(str_has_suffix(v[0].text, v[1].text));
}

static CelValue contains(CelRun *run, const CelValue *v)
{
    charge_texts(run, v, 2);
    cel_charge(run, strlen(v[0].text) * strlen(v[1].text) / 100);
    return cel_flag(strstr(v[0].text, v[1].text) != NULL);
}

static CelValue matches(CelRun *run, const CelValue *v)
{
    SCOPED_ARENA own = arena_open(1 << 20);
    const Pattern *pattern = pattern_new(own, v[1].text);

    charge_texts(run, v, 2);
    cel_charge(run, strlen(v[0].text) * strlen(v[1].text) / 40);
    if (!pattern)
        return cel_error(str_format(
            cel_arena(run), "error parsing regexp: `%s` is not understood here", v[1].text));
    return cel_flag(pattern_matches(pattern, v[0].text));
}

static CelValue in_case(CelRun *run, const char *text, char from, char shift)
{
    Text t = {.arena = cel_arena(run)};

    for (; *text; text++)
        text_add_byte(&t, *text >= from && *text <= from + 25 ? (char)(*text + shift) : *text);
    return cel_text(str_copy(cel_arena(run), text_seen(&t)));
}

static CelValue lower(CelRun *run, const CelValue *v)
{
    charge_texts(run, v, 1);
    return in_case(run, v[0].text, 'A', 'a' - 'A');
}

static CelValue upper(CelRun *run, const CelValue *v)
{
    charge_texts(run, v, 1);
    return in_case(run, v[0].text, 'a', 'A' - 'a');
}

static CelValue trimmed(CelRun *run, const CelValue *v)
{
    static const char spaces[] = " \t\r\n\f\v";
    const char *begin = v[0].text + strspn(v[0].text, spaces);
    size_t len = strlen(begin);

    charge_texts(run, v, 1);
    while (len > 0 && strchr(spaces, begin[len - 1]))
        len--;
    return cel_text(str_slice(cel_arena(run), begin, len));
}

/* --- types --- */

static CelValue itself(CelRun *run, const CelValue *v)
{
    (void)run;
    return v[0];
}

static CelValue type_of(CelRun *run, const CelValue *v)
{
    (void)run;
    return (CelValue){.kind = CEL_TYPE, .number = (int64_t)v[0].kind};
}

static CelValue whole_of_real(CelRun *run, const CelValue *v)
{
    (void)run;
    if (!(v[0].real > -0x1p63 && v[0].real < 0x1p63))
        return cel_error("integer overflow");
    return cel_number((int64_t)v[0].real);
}

static CelValue whole_of_text(CelRun *run, const CelValue *v)
{
    int64_t number;

    (void)run;
    if (!str_to_int(v[0].text, &number))
        return cel_error("type conversion error from 'string' to 'int'");
    return cel_number(number);
}

static CelValue whole_of_time(CelRun *run, const CelValue *v)
{
    (void)run;
    return cel_number(v[0].number / NANOSECONDS);
}

static CelValue real_of_whole(CelRun *run, const CelValue *v)
{
    (void)run;
    return real_value((double)v[0].number);
}

static CelValue real_of_text(CelRun *run, const CelValue *v)
{
    char *end;
    double real = strtod(v[0].text, &end);

    (void)run;
    return *end || end == v[0].text ? cel_error("type conversion error from 'string' to 'double'")
                                    : real_value(real);
}

static CelValue text_of_whole(CelRun *run, const CelValue *v)
{
    return cel_text(str_format(cel_arena(run), "%lld", (long long)v[0].number));
}

static CelValue text_of_real(CelRun *run, const CelValue *v)
{
    return cel_text(faults_number(cel_arena(run), v[0].real));
}

static CelValue text_of_flag(CelRun *run, const CelValue *v)
{
    (void)run;
    return cel_text(v[0].flag ? "true" : "false");
}

static CelValue text_of_time(CelRun *run, const CelValue *v)
{
    (void)run;
    return cel_text(v[0].text);
}

const CelFunction cel_functions[] = {
    {"_||_", "bb", 'b', false, NULL},
    {"_&&_", "bb", 'b', false, NULL},
    {"!_", "b", 'b', false, negate_flag},
    {"-_", "i", 'i', false, negate_whole},
    {"-_", "d", 'd', false, negate_real},
    {"_==_", "**", 'b', false, is_equal},
    {"_!=_", "**", 'b', false, is_unequal},
    {"_+_", "ii", 'i', false, add_whole},
    {"_+_", "dd", 'd', false, add_real},
    {"_+_", "ss", 's', false, add_texts},
    {"_+_", "ll", '0', false, add_lists},
    {"_-_", "ii", 'i', false, subtract_whole},
    {"_-_", "dd", 'd', false, subtract_real},
    {"_*_", "ii", 'i', false, multiply_whole},
    {"_*_", "dd", 'd', false, multiply_real},
    {"_/_", "ii", 'i', false, divide_whole},
    {"_/_", "dd", 'd', false, divide_real},
    {"_%_", "ii", 'i', false, rest_whole},
    {"_[_]", "li", 'e', false, at_index},
    {"_[_]", "ms", 'e', false, at_key},
    {"@in", "*l", 'b', false, is_in_list},
    {"@in", "sm", 'b', false, is_in_map},
    {"_<_", "bb", 'b', false, is_less},
    {"_<_", "nn", 'b', false, is_less},
    {"_<_", "ss", 'b', false, is_less},
    {"_<_", "tt", 'b', false, is_less},
    {"_<=_", "bb", 'b', false, is_less_or_equal},
    {"_<=_", "nn", 'b', false, is_less_or_equal},
    {"_<=_", "ss", 'b', false, is_less_or_equal},
    {"_<=_", "tt", 'b', false, is_less_or_equal},
    {"_>_", "bb", 'b', false, is_greater},
    {"_>_", "nn", 'b', false, is_greater},
    {"_>_", "ss", 'b', false, is_greater},
    {"_>_", "tt", 'b', false, is_greater},
    {"_>=_", "bb", 'b', false, is_greater_or_equal},
    {"_>=_", "nn", 'b', false, is_greater_or_equal},
    {"_>=_", "ss", 'b', false, is_greater_or_equal},
    {"_>=_", "tt", 'b', false, is_greater_or_equal},
    {"size", "s", 'i', false, size_of},
    {"size", "l", 'i', false, size_of},
    {"size", "m", 'i', false, size_of},
    {"size", "s", 'i', true, size_of},
    {"size", "l", 'i', true, size_of},
    {"size", "m", 'i', true, size_of},
    {"startsWith", "ss", 'b', true, starts_with},
    {"endsWith", "ss", 'b', true, ends_with},
    {"contains", "ss", 'b', true, contains},
    {"matches", "ss", 'b', true, matches},
    {"matches", "ss", 'b', false, matches},
    {"lowerAscii", "s", 's', true, lower},
    {"upperAscii", "s", 's', true, upper},
    {"trim", "s", 's', true, trimmed},
    {"dyn", "*", '?', false, itself},
    {"type", "*", 'T', false, type_of},
    {"bool", "b", 'b', false, itself},
    {"int", "i", 'i', false, itself},
    {"int", "d", 'i', false, whole_of_real},
    {"int", "s", 'i', false, whole_of_text},
    {"int", "t", 'i', false, whole_of_time},
    {"double", "d", 'd', false, itself},
    {"double", "i", 'd', false, real_of_whole},
    {"double", "s", 'd', false, real_of_text},
    {"string", "s", 's', false, itself},
    {"string", "i", 's', false, text_of_whole},
    {"string", "d", 's', false, text_of_real},
    {"string", "b", 's', false, text_of_flag},
    {"string", "t", 's', false, text_of_time},
    {0},
};
