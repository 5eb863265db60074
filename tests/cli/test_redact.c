/* Redact: what goes, and what stays because a bug report is worth nothing without it. */
#include "cli/report/redact.h"

#include "base/str.h"
#include "tests/test.h"

#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define BASE64_88                                                                                  \
    "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODlBQkNERQ=="

#define PEM_LINE "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"

static const struct {
    const char *name, *text, *want;
} texts[] = {
    {"prose stays",
        "The node has no peers: is port 26656 open?",
        "The node has no peers: is port 26656 open?"},
    {"a variable", "DB_PASSWORD=hunter2 seid start", "DB_PASSWORD=[redacted] seid start"},
    {"a flag with =", "--auth-token=abc,x", "--auth-token=[redacted],x"},
    {"a flag and its value",
        "seid --keyring-password abc --home /x",
        "seid --keyring-password [redacted] --home /x"},
    {"YAML", "password: hunter2\nuser: me", "password: [redacted]\nuser: me"},
    {"TOML", "api_key = \"a b c\"\nport = 1", "api_key = \"[redacted]\"\nport = 1"},
    {"JSON", "{\"token\":\"a\\\"b\",\"x\":1}", "{\"token\":\"[redacted]\",\"x\":1}"},
    {"JSON within a text",
        "body={\\\"password\\\":\\\"abc\\\",\\\"x\\\":1}",
        "body={\\\"password\\\":\\\"[redacted]\\\",\\\"x\\\":1}"},
    {"a key of a validator",
        "{\"priv_key\":{\"type\":\"ed25519\",\"value\":\"abc\"},\"a\":1}",
        "{\"priv_key\":[redacted]},\"a\":1}"},
    {"a header", "Authorization: Bearer abcdef.ghi-jkl", "Authorization: [redacted]"},
    {"a scheme alone", "sent bearer abcdefgh1 and left", "sent bearer [redacted] and left"},
    {"basic credentials", "basic dXNlcjpwYXNz", "basic [redacted]"},
    {"a URL with a user", "https://me:pw@host/path?q=1", "https://[redacted]@host/path?q=1"},
    {"a URL without one", "https://host/path@2", "https://host/path@2"},
    {"a token", "got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln!", "got [redacted]!"},
    {"a private key",
        "a\n-----BEGIN EC PRIVATE KEY-----\nMHc=\n-----END EC PRIVATE KEY-----\nb",
        "a\n[redacted]\nb"},
    {"a certificate stays",
        "-----BEGIN CERTIFICATE-----\nMHc=\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\nMHc=\n-----END CERTIFICATE-----"},
    {"a private key that was cut off", "-----BEGIN PRIVATE KEY-----\nMHc=\nMHc", "[redacted]"},
    {"hexadecimal digits of a key", "key " HEX64 ".", "key [redacted]."},
    {"a hash stays", "hash=" HEX64, "hash=" HEX64},
    {"the digest of an image stays", "sei@sha256:" HEX64, "sei@sha256:" HEX64},
    {"long base64", "value " BASE64_88 " end", "value [redacted] end"},
    {"a mnemonic",
        "words: abandon ability able about above absent absorb abstract absurd abuse access "
        "accident\nnext",
        "words: [redacted]\nnext"},
    {"eleven words are none",
        "one two three four five six seven eight nine ten ten",
        "one two three four five six seven eight nine ten ten"},
    {"a mnemonic of a name, all of its words",
        "mnemonic: abandon ability able about above absent absorb abstract absurd abuse access "
        "accident\nnext",
        "mnemonic: [redacted]\nnext"},
    {"a mnemonic of a name within a line",
        "1 made mnemonic=abandon ability able about above absent absorb abstract absurd abuse "
        "access accident, x",
        "1 made mnemonic=[redacted], x"},
    {"YAML with blanks",
        "  passphrase: correct horse\n  user: me",
        "  passphrase: [redacted]\n  user: me"},
    {"a flag at the beginning of a line",
        "--api-token abc --home /x",
        "--api-token [redacted] --home /x"},
    {"a block of YAML",
        "a:\n  token: |-\n    one\n\n    two\n  user: me",
        "a:\n  token: [redacted]\n  user: me"},
    {"a block of YAML in a log",
        "2026-01-01T00:00:00Z token: |\n2026-01-01T00:00:01Z   one\n2026-01-01T00:00:02Z a: b",
        "2026-01-01T00:00:00Z token: [redacted]\n2026-01-01T00:00:02Z a: b"},
    {"a flag and its value in JSON",
        "{\"command\":[\"fix\",\"--api-token\",\"abc\",\"x\"]}",
        "{\"command\":[\"fix\",\"--api-token\",\"[redacted]\",\"x\"]}"},
    {"a flag and its value in JSON within a text",
        "[\\\"--api-token\\\",\\\"abc\\\"]",
        "[\\\"--api-token\\\",\\\"[redacted]\\\"]"},
    {"a flag that is the last word in JSON", "[\"--api-token\"] x", "[\"--api-token\"] x"},
    {"an object in an object of a key",
        "{\"priv_key\":{\"of\":{\"n\":1},\"value\":\"abc\"},\"a\":1}",
        "{\"priv_key\":[redacted]},\"a\":1}"},
    {"a log that begins within a private key",
        "10:00 " PEM_LINE "\n10:01 c2hvcnQ=\n10:02 -----END RSA PRIVATE KEY-----\n10:03 on",
        "[redacted]\n10:03 on"},
    {"a log that begins and ends within one",
        "1 " PEM_LINE "\n2 " PEM_LINE,
        "1 [redacted]\n2 [redacted]"},
    {"base64 for URLs",
        "x iTm9-Zz_iTm9Zz0iTm9-Zz_iTm9Zz0iTm9-Zz_iTm9Zz0iTm9-Zz_iTm9Zz0_a.",
        "x [redacted]."},
    {"a long path stays",
        "/apis/apps/v1/namespaces/a-long-name-of-a-namespace/statefulsets/a-long-name-of-a-node-0",
        "/apis/apps/v1/namespaces/a-long-name-of-a-namespace/statefulsets/a-long-name-of-a-node-0"},
    {"hexadecimal digits of a key behind 0x", "key 0x" HEX64 ".", "key [redacted]."},
    {"a hash behind 0x stays", "txHash: 0x" HEX64, "txHash: 0x" HEX64},
    {"short names",
        "DB_PASS=a MYSQL_PWD=b PWD=/home Cookie: s=1",
        "DB_PASS=[redacted] MYSQL_PWD=[redacted] PWD=/home Cookie: [redacted]"},
    {"a plural", "client_secrets=abc x", "client_secrets=[redacted] x"},
    {"credentials of a registry", "{\"auth\":\"eDp5\"}", "{\"auth\":\"[redacted]\"}"},
    {"a header of another scheme",
        "curl -H 'Authorization: Token abc, d=e' host",
        "curl -H 'Authorization: [redacted]' host"},
    {"all cookies", "got Set-Cookie: a=b; c=d\nnext", "got Set-Cookie: [redacted]\nnext"},
    {"a signed URL",
        "https://h/p?sv=1&sig=a%2Fb%3D&X-Goog-Signature=0a&x=1",
        "https://h/p?sv=1&sig=[redacted]&X-Goog-Signature=[redacted]&x=1"},
    {"where a secret is may be told",
        "secretName: signing tokenPath: /var/x",
        "secretName: signing tokenPath: /var/x"},
    {"whether there is one, too",
        "automountServiceAccountToken: false",
        "automountServiceAccountToken: false"},
    {"an empty value", "password: \"\"", "password: \"\""},
    {"nothing", "", ""},
};

TEST(secrets_go_and_the_rest_stays)
{
    each_case(i, texts) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Redactor r = {.arena = a};

        then_str(redact_text(&r, texts[i].text), texts[i].want);
        then_true((r.count > 0) == !str_eq(texts[i].text, texts[i].want));
    }
}

TEST(what_is_redacted_stays_as_it_is)
{
    each_case(i, texts) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Redactor r = {.arena = a};
        const char *once = redact_text(&r, texts[i].text);

        then_str(redact_text(&r, once), once);
    }
}

static const struct {
    const char *name, *object, *want;
} objects[] = {
    {"a variable by its name",
        "{env: [{name: 'DB_PASSWORD', value: 'x'}, {name: 'HOME', value: '/x'}]}",
        "{env: [{name: 'DB_PASSWORD', value: '[redacted]'}, {name: 'HOME', value: '/x'}]}"},
    {"a variable that refers to a Secret",
        "{env: [{name: 'T', valueFrom: {secretKeyRef: {name: 's', key: 'k'}}}]}",
        "{env: [{name: 'T', valueFrom: {secretKeyRef: {name: 's', key: 'k'}}}]}"},
    {"the word behind a flag",
        "{args: ['--api-token', 'x', '--home', '/x']}",
        "{args: ['--api-token', '[redacted]', '--home', '/x']}"},
    {"what was last applied",
        "{metadata: {annotations: {'kubectl.kubernetes.io/last-applied-configuration': '{}'}}}",
        "{metadata: {annotations: {'kubectl.kubernetes.io/last-applied-configuration': "
        "'[redacted]'}}}"},
    {"files of keys",
        "{data: {'priv_validator_key.json': '{}', 'tls.key': 'x', 'app.toml': 'a = 1'}}",
        "{data: {'priv_validator_key.json': '[redacted]', 'tls.key': '[redacted]', 'app.toml': "
        "'a = 1'}}"},
    {"all below a name",
        "{priv_key: {value: ['x', {y: 'z'}]}, n: 1}",
        "{priv_key: {value: ['[redacted]', {y: '[redacted]'}]}, n: 1}"},
    {"numbers, too",
        "{priv_key: [17, 4], pin_token: 5, n: 1}",
        "{priv_key: ['[redacted]', '[redacted]'], pin_token: '[redacted]', n: 1}"},
    {"the mark of a maintenance",
        "{metadata: {annotations: {m: '{\"command\":[\"fix\",\"--api-token\",\"abc\"]}'}}}",
        "{metadata: {annotations: {m: '{\"command\":[\"fix\",\"--api-token\",\"[redacted]\"]}'}}}"},
    {"volumes of Secrets keep their names",
        "{volumes: [{name: 'v', secret: {secretName: 's', optional: true}}]}",
        "{volumes: [{name: 'v', secret: {secretName: 's', optional: true}}]}"},
    {"so do lists of them",
        "{imagePullSecrets: [{name: 's'}], secrets: [{name: 't'}], client_secrets: [{name: 'x'}]}",
        "{imagePullSecrets: [{name: 's'}], secrets: [{name: 't'}],"
        " client_secrets: [{name: '[redacted]'}]}"},
    {"managedFields are left out",
        "{metadata: {name: 'a', managedFields: [{manager: 'x'}]}, n: null, b: true, l: []}",
        "{metadata: {name: 'a'}, n: null, b: true, l: []}"},
};

TEST(objects_lose_secrets_by_where_they_stand)
{
    each_case(i, objects) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Redactor r = {.arena = a};

        then_json(redact_object(&r, json_fixture(a, objects[i].object)), objects[i].want);
    }
}

TEST(a_run_of_any_length_is_one_thing)
{
    enum { LONG = 32 << 10 };
    SCOPED_ARENA a = arena_open(64 << 20);
    Redactor r = {.arena = a};
    char *text = arena_array(a, char, LONG + 1);

    memset(text, 'a', LONG);
    then_str(redact_text(&r, text), "[redacted]"); /* base64, as far as anybody can tell */
    memset(text, '-', LONG);
    then_int((int)strlen(redact_text(&r, text)), LONG);
}
