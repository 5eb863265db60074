/* Redact, by names. What a name is given reaches as far as it may: to the end of its quotes or
 * braces; else, of a member that has its line for itself, over the line and those that are indented
 * below it; else to the end of the line behind a colon, and of the word behind an equals sign. */
#include "base/str.h"
#include "cli/report/redact.h"
#include "cli/report/redact_find.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

enum {
    NAME_MAX = 256,
    PAIR_MAX = 2 << 10,  /* from one half of a pair to the other */
    VALUE_MAX = 4 << 10, /* of one that stands before its name */
    LOGIN_MAX = 1 << 10, /* of a user's name, with the colon behind it */
};

static const char name_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";

typedef struct Name {
    size_t len;
    char text[NAME_MAX];
} Name;

/* What a name is given, and how. */
typedef struct Given {
    const char *value; /* NULL: nothing */
    bool is_flag, is_key_quoted, has_colon;
    Quote inside; /* the string that both are in */
} Given;

static bool read_name(const char *at, Name *ret)
{
    ret->len = strspn(at, name_letters);
    if (ret->len == 0 || ret->len >= NAME_MAX)
        return false;
    memcpy(ret->text, at, ret->len);
    ret->text[ret->len] = '\0';
    return true;
}

/* --- from the name to the value */

static size_t skip_one_of(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncasecmp(text, words[i], strlen(words[i])) == 0)
            return strlen(words[i]);
    return 0;
}

/* Quotes, also as URLs, HTML and careful writers of JSON have them. */
static size_t quotes_len(const char *text)
{
    static const char *const coded[] = {"%22", "%27", "%5C", "&quot;", "&#34;", "&#39;", "\\u0022"};
    size_t len = 0, more;

    do {
        more = skip_one_of(text + len, coded, sizeof coded / sizeof coded[0]);
        more = more ? more : strspn(text + len, "\\\"'`");
        len += more;
    } while (more);
    return len;
}

/* :, =, :=, =>, -> or, of an element of XML, >. */
static size_t sign_len(const char *text)
{
    static const char *const coded[] = {"%3A", "%3D", "->", "\\u003d"};
    size_t len = skip_one_of(text, coded, sizeof coded / sizeof coded[0]);

    return len ? len : strspn(text, ":=>");
}

/* A password may follow its name without any sign, in quotes; what a table has may do so behind
 * many blanks. */
static bool needs_no_sign(const Scan *s, const Name *name, const char *blanks, size_t count)
{
    bool is_password = strcasestr(name->text, "passw") || redact_is_of_words(name->text);

    if (s->at[0] == '-')
        return count > 0;
    if (count > 1 || *blanks == '\t')
        return scan_begins_line(s);
    return count == 1 && is_password && scan_quote(blanks + count).mark;
}

/* A key in quotes is in a string of its own: what follows is in none, or in one around that. */
static Quote quote_around(const Scan *s, const char *behind_name)
{
    Quote quote = scan_quote(behind_name);

    return quote.mark && quote.mark == s->inside.mark && quote.escapes == s->inside.escapes
        ? (Quote){0}
        : s->inside;
}

static Given given_to(const Scan *s, const Name *name)
{
    const char *behind = s->at + name->len;
    size_t quotes = quotes_len(behind);
    const char *c = behind + quotes;
    size_t blanks = strspn(c, " \t"), sign = sign_len(c + blanks);
    Given g = {
        .is_flag = s->at[0] == '-' && !(sign && c[blanks] == ':'),
        .is_key_quoted = scan_quote(behind).mark && sign > 0 && c[blanks] == ':',
        .has_colon = sign > 0 && c[blanks] == ':',
        .inside = quote_around(s, behind),
    };

    if (!sign && c[blanks] == ',' && g.is_flag && quotes)
        sign = 1;
    else if (!sign && !needs_no_sign(s, name, c, blanks))
        return g;
    c += blanks + sign;
    g.value = c + strspn(c, " \t");
    return g;
}

/* --- from the value to its end */

/* A tag or an anchor of YAML, as far as anybody makes them long. */
static size_t property_len(const char *text)
{
    size_t len = 0;

    while (text[len] && !strchr(" \t\r\n", text[len]) && len < NAME_MAX)
        len++;
    return len;
}

/* Nothing stands in the line but, it may be, what announces a block of YAML: not more than one of
 * each. */
static bool is_head(const char *value)
{
    for (int i = 0; i < 2 && (*value == '!' || *value == '&'); i++) {
        value += property_len(value);
        value += strspn(value, " \t");
    }
    if (*value == '|' || *value == '>')
        value += 1 + strspn(value + 1, "+-0123456789");
    value += strspn(value, " \t");
    return !*value || strchr("#\r\n", *value);
}

/* Where the line is indented to, with the quote of a key in quotes. */
static size_t column_of(const Scan *s)
{
    size_t column = s->line < s->at ? (size_t)(s->at - s->line) : 0;

    return column && strchr("\"'", s->at[-1]) ? column - 1 : column;
}

static bool has_line(const Scan *s, Quote inside)
{
    return scan_begins_line(
        &(Scan){.begin = s->begin, .at = s->at, .line = s->line, .inside = inside});
}

static size_t lines_len(const Scan *s, const char *value, Quote inside)
{
    bool is_alone = has_line(s, inside), is_empty = is_head(value);

    if (inside.mark || (!is_alone && !is_empty))
        return scan_line_rest(value, inside);
    size_t len = scan_block(value, is_alone ? column_of(s) : 0, is_empty);
    return len && value[len - 1] == '\r' ? len - 1 : len;
}

static size_t bare_len(const Scan *s, const Name *name, const Given *g)
{
    const char *value = g->value;
    bool is_spaced = value > s->at + name->len + 1 && strchr(" \t", value[-1]);
    bool is_escaped_line = value[0] == '\\' && value[1] && strchr("nrt\\", value[1]);
    bool in_query = s->at > s->begin && strchr("?&", s->at[-1]);

    if (g->is_flag)
        return scan_word(value, g->inside, "", SIZE_MAX);
    if (has_line(s, g->inside) && !(g->is_key_quoted && g->inside.mark))
        return lines_len(s, value, g->inside);
    if (g->is_key_quoted)
        return scan_until(value, g->inside, ",}]\r\n");
    if ((g->has_colon && (is_spaced || is_escaped_line || is_head(value)))
        || redact_is_of_words(name->text))
        return lines_len(s, value, g->inside);
    return scan_word(value, g->inside, in_query ? "&#" : "", SIZE_MAX);
}

/* The length of a value that tells nothing; 0: it is another. */
static size_t plain_len(const char *value)
{
    static const char *const words[] = {"true", "false", "null"};
    size_t len = strspn(value, name_letters);

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == len && strncmp(value, words[i], len) == 0)
            return len;
    return 0;
}

/* The whole of what is found, from the name on. What is seen to be plain by what stands behind it
 * is not measured: it may reach far, and would be measured again from the next name on. */
static Found found_at(const Scan *s, const Name *name, const Given *g)
{
    Quote quote = scan_quote(g->value);
    const char *value = quote.mark ? g->value + quote.escapes + 1 : g->value;
    bool is_nested = *value && strchr("{[", *value);
    size_t len, plain = plain_len(value);

    if (str_has_prefix(value, REDACTED)) /* by the program itself, or by a pass before */
        return (Found){0};
    if (plain && strchr(",}]", value[plain]))
        return (Found){0};
    if (quote.mark)
        len = scan_quoted(value, quote, g->inside);
    else if (is_nested)
        len = scan_nested(value, g->inside);
    else
        len = bare_len(s, name, g);
    if (len == 0 || len == plain)
        return (Found){0};
    len = redact_shape_reach(value, len);
    return (Found){.len = (size_t)(value - s->at) + len, .kept = (size_t)(value - s->at)};
}

/* --- pairs: {name: DB_PASSWORD, value: ...} */

/* A half of the pair that begins here, and names a secret. */
static bool is_naming_half(const char *at)
{
    Name half, other;

    if (!strchr("nNkK", *at) || !read_name(at, &half) || !redact_names_another(half.text))
        return false;
    at += half.len;
    at += quotes_len(at);
    at += strspn(at, " \t");
    size_t sign = sign_len(at);
    at += sign + strspn(at + sign, " \t");
    at += quotes_len(at);
    return sign && read_name(at, &other) && redact_is_secret_name(other.text);
}

static bool names_begin(const char *begin, const char *at)
{
    return at == begin || !strchr(name_letters, at[-1])
        || scan_is_behind_break(&(Scan){.begin = begin, .at = at});
}

/* An item of a list begins in this line, or one ends. */
static bool parts_items(const char *line)
{
    const char *words = scan_behind_time(line);

    words += strspn(words, " \t");
    return *words == '-' || *words == '\n' || !*words;
}

/* The two are of different items, or in different braces. */
static bool are_parted(const char *from, const char *to)
{
    size_t depth = 0;

    for (const char *c = from; c < to; c++) {
        depth += *c == '{';
        if ((*c == '}' && depth-- == 0) || (*c == '\n' && parts_items(c + 1)))
            return true;
    }
    return false;
}

/* Where the next naming half is, if it is near. Each place is looked at once. */
static const char *naming_behind(Scan *s)
{
    const char *c = s->looked > s->at ? s->looked : s->at;

    if (s->naming_behind && s->naming_behind >= s->at)
        return s->naming_behind;
    s->naming_behind = NULL;
    for (; *c && c - s->at < VALUE_MAX && !s->naming_behind; c++)
        if (names_begin(s->begin, c) && is_naming_half(c))
            s->naming_behind = c;
    s->looked = c;
    return s->naming_behind;
}

static Found find_pair(Scan *s, const Name *name, const Given *g)
{
    const char *before = s->naming_before;

    if (before && s->at - before < PAIR_MAX && !are_parted(before, s->at))
        return found_at(s, name, g);
    const char *behind = naming_behind(s);
    if (!behind || behind - s->at >= VALUE_MAX || strchr("{[", *g->value))
        return (Found){0};
    /* What reaches over lines may reach over the other half. */
    Found found = found_at(s, name, g);
    const char *end = s->at + found.len;
    bool is_named = behind < end || (behind - end < PAIR_MAX && !are_parted(end, behind));
    return is_named ? found : (Found){0};
}

/* --- flags that have short names: curl -u me:password, sshpass -p password */

/* Of others, -p has a port, or a path. */
static bool is_of_login(const Scan *s)
{
    enum { BEFORE = 256 };
    size_t len = s->line < s->at ? (size_t)(s->at - s->line) : 0;
    const char *from = s->at - (len < BEFORE ? len : BEFORE);

    len = (size_t)(s->at - from);
    return memmem(from, len, "sshpass", 7) || memmem(from, len, "login", 5)
        || memmem(from, len, "mysql", 5);
}

static bool is_user_flag(const char *name)
{
    static const char *const users[] = {"-u", "-U", "--user", "--proxy-user"};

    for (size_t i = 0; i < sizeof users / sizeof users[0]; i++)
        if (str_eq(name, users[i]))
            return true;
    return false;
}

/* A user alone is no secret. Where no colon is near, nothing is measured: a word may reach far, and
 * would be measured again from each flag that is in it. */
static Found find_login(const Scan *s, const Name *name, const Given *g)
{
    if (!memchr(g->value, ':', strnlen(g->value, LOGIN_MAX)))
        return (Found){0};
    Found found = found_at(s, name, g);
    bool has_password = memchr(s->at + found.kept, ':', found.len - found.kept) != NULL;
    return has_password ? found : (Found){0};
}

static Found find_short_flag(const Scan *s, const Name *name, const Given *g)
{
    if (g->value && str_eq(name->text, "-p") && is_of_login(s))
        return found_at(s, name, g);
    if (g->value && is_user_flag(name->text))
        return find_login(s, name, g);
    /* -ume:password */
    bool is_glued = str_has_prefix(name->text, "-u") && s->at[name->len] == ':';
    return is_glued ? (Found){.len = scan_word(s->at, s->inside, "", SIZE_MAX), .kept = 2}
                    : (Found){0};
}

/* Most words are given nothing: they need no further look. */
static bool may_be_given(const char *at)
{
    static const char signs[] = ":=>%&,\\\"'`";
    const char *behind = at + strspn(at, name_letters);
    size_t blanks = strspn(behind, " \t");

    if (*at == '-' || blanks > 1 || *behind == '\t')
        return true;
    return behind[blanks] && strchr(signs, behind[blanks]);
}

/* What follows is the reason why there is none. */
static bool is_missed(const Scan *s)
{
    static const char words[] = "failed to fetch ";
    size_t len = strlen(words);

    return (size_t)(s->at - s->begin) >= len && strncmp(s->at - len, words, len) == 0;
}

Found redact_find_named(Scan *s)
{
    Name name;

    if (!strchr(name_letters, *s->at) || !names_begin(s->begin, s->at) || !may_be_given(s->at)
        || !read_name(s->at, &name))
        return (Found){0};
    if (is_naming_half(s->at))
        s->naming_before = s->at;
    bool is_secret = redact_is_secret_name(name.text) && !is_missed(s);
    bool is_value = redact_is_value_name(name.text);
    if (!is_secret && !is_value && name.text[0] != '-')
        return (Found){0};
    Given g = given_to(s, &name);
    if (!is_secret && !is_value)
        return find_short_flag(s, &name, &g);
    if (!g.value)
        return (Found){0};
    return is_secret ? found_at(s, &name, &g) : find_pair(s, &name, &g);
}

void redact_pass_over(Scan *s, size_t len)
{
    const char *end = s->at + len;

    for (const char *c = len > PAIR_MAX ? end - PAIR_MAX : s->at; c < end; c++)
        if (names_begin(s->begin, c) && is_naming_half(c))
            s->naming_before = c;
    scan_step(s, len);
}
