/* Redact: a secret is planted in every form that configurations, commands and logs have for one,
 * with every letter in it that could be taken for its end; each form bare, behind the prefixes of
 * logs, and as a text within JSON. No part of it may survive. */
#include "base/rng.h"
#include "base/str.h"
#include "cli/report/redact.h"
#include "tests/test.h"

#define BLANKS " \t"

/* How a form writes what would end the secret. */
typedef enum Coding {
    RAW,
    JSON_CODED, /* also of YAML, TOML and shells in double quotes */
    DOUBLED,    /* ' is '' */
    SHELL,      /* ' is '\'' */
} Coding;

/* {N} is the name and {S} the secret. `without`: what a secret in this form cannot have in it. */
typedef struct Form {
    const char *name, *text;
    Coding coding;
    const char *without;
    enum { ANYWHERE, WITHOUT_BLANKS, NOWHERE } behind_words; /* of a log: where it can stand */
} Form;

static const Form forms[] = {
    {"YAML", "{N}: {S}", RAW, "", ANYWHERE},
    {"YAML in a map", "a:\n  {N}: {S}\n  user: me", RAW, "", ANYWHERE},
    {"YAML in a list", "- {N}: {S}\n- x", RAW, "", ANYWHERE},
    {"YAML in double quotes", "{N}: \"{S}\"", JSON_CODED, "", ANYWHERE},
    {"YAML in single quotes", "  {N}: '{S}'", DOUBLED, "", ANYWHERE},
    {"YAML on the next line", "{N}:\n  {S}\nuser: me", RAW, "", ANYWHERE},
    {"YAML of a list", "{N}:\n  - {S}\n  - {S}", RAW, "", ANYWHERE},
    {"YAML of a list that is not indented", "{N}:\n- {S}\nuser: me", RAW, "", ANYWHERE},
    {"YAML of a map", "{N}:\n  user: me\n  k: {S}", RAW, "", ANYWHERE},
    {"a block of YAML", "{N}: |\n  {S}\n\n  {S}\nuser: me", RAW, "", ANYWHERE},
    {"a block with a tag", "{N}: !!binary |\n  {S}", RAW, "", ANYWHERE},
    {"a block with a note", "{N}: |- # note\n  {S}", RAW, "", ANYWHERE},
    {"a block that is folded", "a:\n  {N}: >+2\n    {S}", RAW, "", ANYWHERE},
    {"YAML over lines", "{N}: {S}\n  {S}", RAW, "", NOWHERE},
    {"YAML in a comment", "# {N}: {S}", RAW, "", ANYWHERE},
    {"behind a colon in a line", "the {N}: {S}", RAW, "", ANYWHERE},
    {"a word behind a colon", "the {N}:{S} x", RAW, BLANKS, ANYWHERE},
    {"TOML", "{N} = \"{S}\"\nport = 1", JSON_CODED, "", ANYWHERE},
    {"TOML in single quotes", "{N} = '{S}'", RAW, "'", ANYWHERE},
    {"TOML over lines", "{N} = \"\"\"\n{S}\n{S}\n\"\"\"\nport = 1", JSON_CODED, "", ANYWHERE},
    {"TOML over lines in single quotes", "{N} = '''\n{S}'''", RAW, "'", ANYWHERE},
    {"a list of TOML", "{N} = [\n  \"{S}\",\n  \"{S}\"\n]", JSON_CODED, "", ANYWHERE},
    {"properties", "{N} = {S}", RAW, "", WITHOUT_BLANKS},
    {"Go", "{N} := {S}", RAW, "", WITHOUT_BLANKS},
    {"Ruby", "x {N} => {S}", RAW, BLANKS, ANYWHERE},
    {"XML", "<{N}>{S}</{N}>", RAW, BLANKS, ANYWHERE},
    {"a variable", "{N}={S}", RAW, "", WITHOUT_BLANKS},
    {"a variable that is exported", "export {N}='{S}'", SHELL, "", ANYWHERE},
    {"a variable of a command", "run {N}={S} seid", RAW, BLANKS, ANYWHERE},
    {"a variable in single quotes", "run {N}='{S}' seid", SHELL, "", ANYWHERE},
    {"a variable in double quotes", "run {N}=\"{S}\" seid", JSON_CODED, "", ANYWHERE},
    {"a trace of a shell", "+ {N}={S}", RAW, BLANKS, ANYWHERE},
    {"Java", "Config({N}={S}, user=x)", RAW, BLANKS, ANYWHERE},
    {"Go's map", "map[{N}:{S} user:x]", RAW, BLANKS "{[\"'`", ANYWHERE},
    {"a query", "https://h/p?a=1&{N}={S}&b=2", RAW, BLANKS "&#", ANYWHERE},
    {"a query that is coded", "q={N}%3D{S}", RAW, BLANKS, ANYWHERE},
    {"HTML", "{&quot;{N}&quot;:&quot;{S}&quot;}", RAW, BLANKS, ANYWHERE},
    {"SQL", "ALTER USER x PASSWORD '{S}'", DOUBLED, "", ANYWHERE},
    {"JSON", "{\"{N}\":\"{S}\",\"x\":1}", JSON_CODED, "", ANYWHERE},
    {"JSON with blanks", "{\n  \"{N}\": \"{S}\",\n  \"x\": 1\n}", JSON_CODED, "", ANYWHERE},
    {"JSON of an object",
        "{\"{N}\":{\"a\":\"{S}\",\"b\":{\"c\":[\"{S}\"]}},\"x\":1}",
        JSON_CODED,
        "",
        ANYWHERE},
    {"JSON of a list", "{\"{N}\":[\"{S}\",\"{S}\"]}", JSON_CODED, "", ANYWHERE},
    {"a pair", "{\"name\":\"{N}\",\"value\":\"{S}\"}", JSON_CODED, "", ANYWHERE},
    {"a pair the other way round",
        "{\"value\":\"{S}\",\"name\":\"{N}\"}",
        JSON_CODED,
        "",
        ANYWHERE},
    {"a pair among others",
        "[{\"name\":\"A\",\"value\":\"b\"},{\"name\":\"{N}\",\"value\":\"{S}\"}]",
        JSON_CODED,
        "",
        ANYWHERE},
    {"a pair of key and value", "{\"Key\": \"{N}\", \"Value\": \"{S}\"}", JSON_CODED, "", ANYWHERE},
    {"a pair over lines",
        "{\n  \"name\": \"{N}\",\n  \"value\": \"{S}\"\n}",
        JSON_CODED,
        "",
        ANYWHERE},
    {"a pair of an object",
        "{\"name\":\"{N}\",\"value\":{\"a\":\"{S}\"}}",
        JSON_CODED,
        "",
        ANYWHERE},
    {"a pair of YAML", "- name: {N}\n  value: {S}\n- name: A", RAW, "", ANYWHERE},
    {"a pair of YAML the other way round", "- value: {S}\n  name: {N}", RAW, "", ANYWHERE},
    {"a pair of YAML in quotes", "name: '{N}'\nvalue: '{S}'", DOUBLED, "", ANYWHERE},
    {"a pair of YAML in braces", "- {name: {N}, value: \"{S}\"}", JSON_CODED, "", ANYWHERE},
    {"a pair of XML", "<p name=\"{N}\" value=\"{S}\"/>", RAW, "\"", ANYWHERE},
    {"a flag with =", "seid --{N}={S} x", RAW, BLANKS, ANYWHERE},
    {"a flag and its value", "seid --{N} {S} x", RAW, BLANKS, ANYWHERE},
    {"a flag and its value in quotes", "seid --{N} '{S}' x", SHELL, "", ANYWHERE},
    {"a flag in JSON", "[\"x\",\"--{N}\",\"{S}\",\"y\"]", JSON_CODED, "", ANYWHERE},
    {"a flag with = in JSON", "[\"--{N}={S}\",\"y\"]", JSON_CODED, BLANKS, ANYWHERE},
    {"curl -u", "curl -u me:{S} https://h", RAW, BLANKS, ANYWHERE},
    {"curl -u in quotes", "curl -u 'me:{S}' https://h", SHELL, "", ANYWHERE},
    {"curl -u without a blank", "curl -ume:{S} https://h", RAW, BLANKS, ANYWHERE},
    {"curl --user", "curl --user=me:{S} https://h", RAW, BLANKS, ANYWHERE},
    {"curl -u in JSON", "[\"curl\",\"-u\",\"me:{S}\",\"h\"]", JSON_CODED, "", ANYWHERE},
    {"sshpass", "sshpass -p {S} ssh h", RAW, BLANKS, ANYWHERE},
    {"a user of a URL", "dial postgres://me:{S}@db:5432/x failed", RAW, BLANKS, ANYWHERE},
    {"a user of a URL in quotes", "dial \"amqp://me:{S}@h\": refused", RAW, BLANKS "\"", ANYWHERE},
    {"a user of a URL in JSON", "{\"url\":\"https://me:{S}@h/p\"}", JSON_CODED, BLANKS, ANYWHERE},
    {"a user of a URL in a variable", "DATABASE_URL=mysql://me:{S}@db/x", RAW, BLANKS, ANYWHERE},
    {"a user without a scheme", "me:{S}@tcp(db:3306)/x", RAW, BLANKS, ANYWHERE},
    {"a header", "Authorization: Bearer {S}", RAW, "", ANYWHERE},
    {"a header of another scheme", "> Proxy-Authorization: Token {S}", RAW, "", ANYWHERE},
    {"a digest", "Authorization: Digest user=\"me\", x=\"{S}\"", JSON_CODED, "", ANYWHERE},
    {"a header of a command", "curl -H 'X-{N}: {S}' h", SHELL, "'", ANYWHERE},
    {"a header of a command in double quotes",
        "curl -H \"X-{N}: {S}\" h",
        JSON_CODED,
        "",
        ANYWHERE},
    {"headers in JSON", "{\"Authorization\":[\"Bearer {S}\"],\"x\":1}", JSON_CODED, "", ANYWHERE},
    {"cookies", "Set-Cookie: a=b; sid={S}; Secure", RAW, "", ANYWHERE},
    {"colours", "\x1b[36m{N}\x1b[0m=\x1b[1m{S}\x1b[0m x", RAW, BLANKS, ANYWHERE},
};

static const char *const names[] = {
    "password", "DB_PASSWORD", "api_key", "apiToken", "client-secret", "PASSPHRASE"};

/* Each stands between the parts of a secret. */
static const char letters[] = "_ \t@/,;&=:'\"\\{}[]()<>#%$!|`?*+~^.-";

static const char *const parts[] = {"zQ7aX", "kW3bY", "vJ9cZ", "uH5dV"};

typedef struct Place {
    const char *name, *each_line, *first_line;
    int in_json; /* how deep */
} Place;

static const Place places[] = {
    {"alone", "", "", 0},
    {"with times", "2026-01-01T00:00:00.123456789Z ", "", 0},
    {"with a level", "2026-01-01T00:00:00Z ", "10:00AM INF ", 0},
    {"of klog", "2026-01-01T00:00:00Z ", "I0101 00:00:00.000000       1 main.go:12] ", 0},
    {"within JSON", "2026-01-01T00:00:00Z ", "{\"level\":\"info\",\"msg\":\"{T}\",\"x\":1}", 1},
    {"within JSON within JSON", "", "{\"msg\":\"{T}\"}", 2},
    {"within it once more", "", "{\"msg\":\"{T}\"}", 3},
};

/* --- writing */

static void put(Buf *b, const char *text)
{
    then_true(buf_append(b, text, strlen(text)));
}

static const char *taken(Arena *a, Buf *b)
{
    const char *text = str_slice(a, b->data ? b->data : "", b->len);

    buf_close(b);
    return text;
}

static const char *json_coded(Arena *a, const char *text)
{
    Buf b = {.ceiling = 1 << 20};

    for (; *text; text++) {
        if (strchr("\"\\\n\t", *text))
            put(&b, "\\");
        put(&b, *text == '\n' ? "n" : *text == '\t' ? "t" : (char[]){*text, '\0'});
    }
    return taken(a, &b);
}

static const char *replaced(Arena *a, const char *text, const char *what, const char *with)
{
    Buf b = {.ceiling = 1 << 20};

    for (const char *at; (at = strstr(text, what)); text = at + strlen(what)) {
        put(&b, str_slice(a, text, (size_t)(at - text)));
        put(&b, with);
    }
    put(&b, text);
    return taken(a, &b);
}

static const char *coded(Arena *a, Coding coding, const char *text)
{
    switch (coding) {
    case RAW:
        return text;
    case JSON_CODED:
        return json_coded(a, text);
    case DOUBLED:
        return replaced(a, text, "'", "''");
    case SHELL:
        return replaced(a, text, "'", "'\\''");
    }
    return NULL;
}

static const char *placed(Arena *a, const Place *place, const char *text)
{
    for (int i = 0; i < place->in_json; i++)
        text = replaced(a, place->first_line, "{T}", json_coded(a, text));
    if (!place->in_json)
        text = str_format(a, "%s%s", place->first_line, text);
    return str_format(a,
        "%s%s",
        place->each_line,
        replaced(a, text, "\n", str_format(a, "\n%s", place->each_line)));
}

/* --- looking */

static void then_gone(const char *text)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Redactor r = {.arena = a};
    const char *clean = redact_text(&r, text);

    for (size_t i = 0; i < array_count(parts); i++)
        if (strstr(clean, parts[i]))
            test_fail(__FILE__, __LINE__, "of\n%s\nthis is left:\n%s", text, clean);
    then_str(redact_text(&r, clean), clean);
}

static bool can_have(const Form *form, const Place *place, char letter)
{
    bool is_behind_words = *place->first_line && !place->in_json;

    if (strchr(form->without, letter))
        return false;
    if (!is_behind_words || form->behind_words == ANYWHERE)
        return true;
    return form->behind_words == WITHOUT_BLANKS && !strchr(BLANKS, letter);
}

/* Which name it has is left to where it stands. */
static void then_gone_from(const Form *form, const Place *place)
{
    size_t name = (size_t)(place - places);

    for (const char *letter = letters; *letter; letter++, name++) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *glue = (char[]){*letter, '\0'};
        if (!can_have(form, place, *letter))
            continue;
        const char *secret = str_format(
            a, "%s%s%s%s%s%s%s", parts[0], glue, parts[1], glue, parts[2], glue, parts[3]);
        const char *text = replaced(a, form->text, "{N}", names[name % array_count(names)]);
        then_gone(placed(a, place, replaced(a, text, "{S}", coded(a, form->coding, secret))));
    }
}

TEST(no_part_of_a_secret_survives_redaction_in_any_form)
{
    each_case(i, forms)
        for (size_t place = 0; place < array_count(places); place++)
            then_gone_from(&forms[i], &places[place]);
}

/* --- keys and mnemonics, which need no name */

static const struct {
    const char *name, *text;
} keys[] = {
    {"alone", "-----BEGIN {K}-----\n{S}\n{S}\n-----END {K}-----\nuser: me"},
    {"cut off at its end", "a: b\n-----BEGIN {K}-----\n{S}\n{S}"},
    {"cut off at its beginning", "{S}\n{S}\n-----END {K}-----\nx"},
    {"in a block of YAML",
        "tls:\n  key: |\n    -----BEGIN {K}-----\n    {S}\n    -----END {K}-----"},
    {"in a variable", "TLS_KEY=\"-----BEGIN {K}-----\n{S}\n-----END {K}-----\""},
    {"behind a secret name", "private_key: -----BEGIN {K}-----\n{S}\n-----END {K}-----"},
    {"of a secret variable", "run API_SECRET=\"-----BEGIN {K}-----\n{S}\n-----END {K}-----\" x"},
    {"in JSON", "{\"pem\":\"-----BEGIN {K}-----\\n{S}\\n-----END {K}-----\\n\",\"x\":1}"},
};

TEST(no_line_of_a_private_key_survives_redaction)
{
    static const char *const kinds[] = {"PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "TENDERMINT PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK"};

    each_case(i, keys)
        for (size_t place = 0; place < array_count(places); place++)
            for (size_t kind = 0; kind < array_count(kinds); kind++) {
                SCOPED_ARENA a = arena_open(1 << 20);
                const char *text = replaced(a, keys[i].text, "{K}", kinds[kind]);
                then_gone(placed(a, &places[place], replaced(a, text, "{S}", "zQ7aXkW3bYvJ9c=")));
            }
}

/* The words end in letters that no prefix has. */
static const char *const words[] = {"abandon",
    "ability",
    "zebra",
    "youth",
    "wrong",
    "worry",
    "world",
    "wool",
    "wolf",
    "voyage",
    "vital",
    "vessel"};

static const struct {
    const char *name, *before, *between, *behind;
} lists[] = {
    {"blanks", "made: ", " ", "."},
    {"two blanks", "", "  ", ""},
    {"tabs", "", "\t", "\n"},
    {"commas", "(", ",", ")"},
    {"commas and blanks", "the words are ", ", ", ""},
    {"lines", "ok:\n", "\n", "\n"},
    {"lines of a list", "ok:\n- ", "\n- ", "\n"},
    {"JSON", "[\"", "\",\"", "\"]"},
    {"JSON with blanks", "[\n  \"", "\",\n  \"", "\"\n]"},
    {"Python", "['", "', '", "']"},
    {"numbers", "1. ", " 7. ", ""},
    {"numbers of lines", "1) ", "\n12) ", "\n"},
    {"a name", "mnemonic: ", " ", ""},
    {"a name and lines", "mnemonic: ", "\n", ""},
    {"a variable", "run MNEMONIC=\"", " ", "\" x"},
};

static const char *listed(Arena *a, size_t i, bool is_capital)
{
    const char *text = lists[i].before;

    for (size_t n = 0; n < array_count(words); n++) {
        char *word = arena_array(a, char, strlen(words[n]) + 1);
        for (size_t c = 0; words[n][c]; c++)
            word[c] = (char)(is_capital ? words[n][c] - 'a' + 'A' : words[n][c]);
        text = str_format(a, "%s%s%s", text, n ? lists[i].between : "", word);
    }
    return str_format(a, "%s%s", text, lists[i].behind);
}

TEST(no_word_of_a_mnemonic_survives_redaction)
{
    each_case(i, lists)
        for (size_t place = 0; place < array_count(places); place++)
            for (int is_capital = 0; is_capital < 2; is_capital++) {
                SCOPED_ARENA a = arena_open(1 << 20);
                Redactor r = {.arena = a};
                const char *text = placed(a, &places[place], listed(a, i, is_capital));
                const char *clean = redact_text(&r, text);
                for (size_t n = 0; n < array_count(words); n++)
                    if (strcasestr(clean, words[n]))
                        test_fail(__FILE__, __LINE__, "of\n%s\nis left:\n%s", text, clean);
            }
}

/* --- what stands around */

static const char *const pieces[] = {"password",
    "token",
    "value",
    "name: DB_PASSWORD",
    ":",
    "=",
    " ",
    "\n",
    "  ",
    "- ",
    "\"",
    "'",
    "`",
    "\\",
    "\\\"",
    "\\n",
    "{",
    "}",
    "[",
    "]",
    "|",
    "#",
    "!!x",
    "&",
    "@",
    "://",
    "-u",
    "--",
    "a",
    "b1",
    "\n2026-01-01T00:00:00Z ",
    "-----BEGIN PRIVATE KEY",
    "-----END ",
    "-----",
    "\"\"\"",
    "'''",
    "abandon ability zebra youth wrong worry world wool wolf voyage vital vessel ",
    "zebra",
    "\t",
    "\r\n",
    "\x1b[3",
    "%3D",
    "&quot;",
    ",",
    "[redacted]",
    "eyJabc",
    "basic ",
    "true"};

static const char *const lines[] = {"password: zQ7aX_kW3bY",
    "DB_PASSWORD=zQ7aX,kW3bY",
    "  - api_key: \"zQ7aX\\\"kW3bY\"",
    "{\"client-secret\":\"zQ7aX}kW3bY\"}",
    "- name: DB_PASSWORD\n  value: zQ7aX kW3bY",
    "postgres://me:zQ7aX@kW3bY@db/x",
    "Authorization: Bearer zQ7aX kW3bY"};

static const char *chosen(Arena *a, Rng *chance)
{
    const char *text = "";

    for (uint64_t i = rng_below(chance, 9); i > 0; i--)
        text = str_format(a, "%s%s", text, pieces[rng_below(chance, array_count(pieces))]);
    return text;
}

/* A quote that nobody closes, or half a key, may not hide where a secret begins. */
TEST(a_secret_is_redacted_whatever_text_surrounds_it)
{
    SeededRng seeded;

    rng_seed(&seeded, 7);
    for (size_t i = 0; i < 4000; i++) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *before = chosen(a, &seeded.port), *behind = chosen(a, &seeded.port);
        const char *text =
            str_format(a, "%s\n%s\n%s", before, lines[i % array_count(lines)], behind);
        Redactor r = {.arena = a};
        const char *clean = redact_text(&r, text);
        for (size_t n = 0; n < array_count(parts); n++)
            if (strstr(clean, parts[n]))
                test_fail(__FILE__, __LINE__, "of\n%s\nthis is left:\n%s", text, clean);
    }
}
