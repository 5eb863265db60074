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
    {"a variable of a command", "run DB_PASSWORD=hunter2 seid", "run DB_PASSWORD=[redacted] seid"},
    {"a variable with a line for itself", "DB_PASSWORD=correct horse", "DB_PASSWORD=[redacted]"},
    {"a flag with =", "--auth-token=abc,x y", "--auth-token=[redacted] y"},
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
        "accident\nok",
        "words: [redacted]\nok"},
    {"eleven words are none",
        "one two three four five six seven eight nine ten ten",
        "one two three four five six seven eight nine ten ten"},
    {"a mnemonic of a name, all of its words",
        "mnemonic: abandon ability able about above absent absorb abstract absurd abuse access "
        "accident\nok",
        "mnemonic: [redacted]\nok"},
    {"a mnemonic of a name within a line",
        "1 made mnemonic=abandon ability able about above absent absorb abstract absurd abuse "
        "access accident, x",
        "1 made mnemonic=[redacted]"},
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
        "- x DB_PASS=a MYSQL_PWD=b PWD=/home Cookie: s=1",
        "- x DB_PASS=[redacted] MYSQL_PWD=[redacted] PWD=/home Cookie: [redacted]"},
    {"a plural", "a client_secrets=abc x", "a client_secrets=[redacted] x"},
    {"credentials of a registry", "{\"auth\":\"eDp5\"}", "{\"auth\":\"[redacted]\"}"},
    {"a header of another scheme",
        "curl -H 'Authorization: Token abc, d=e' host",
        "curl -H 'Authorization: [redacted]' host"},
    {"all cookies", "got Set-Cookie: a=b; c=d\nnext", "got Set-Cookie: [redacted]\nnext"},
    {"a signed URL",
        "https://h/p?sv=1&sig=a%2Fb%3D&X-Goog-Signature=0a&x=1",
        "https://h/p?sv=1&sig=[redacted]&X-Goog-Signature=[redacted]&x=1"},
    {"the path of a secret is kept",
        "secretName: signing tokenPath: /var/x",
        "secretName: signing tokenPath: /var/x"},
    {"whether there is one, too",
        "automountServiceAccountToken: false",
        "automountServiceAccountToken: false"},
    {"an image stays", "sei:v1@sha256:" HEX64, "sei:v1@sha256:" HEX64},
    {"a path stays", "mkdir -p build/x", "mkdir -p build/x"},
    {"a user without a password stays", "curl -u me host", "curl -u me host"},
    {"peers stay", "peers=id@a:26656,id@b:26656", "peers=id@a:26656,id@b:26656"},
    {"other pairs stay",
        "[{\"name\":\"A\",\"value\":\"b\"},{\"name\":\"TOKEN\",\"value\":\"c\"}]",
        "[{\"name\":\"A\",\"value\":\"b\"},{\"name\":\"TOKEN\",\"value\":\"[redacted]\"}]"},
    {"prose stays, however long",
        "The fleet cannot make its node, and does not take over one that was made before, with or "
        "without the keys, volumes and Services which another fleet made from the same template",
        "The fleet cannot make its node, and does not take over one that was made before, with or "
        "without the keys, volumes and Services which another fleet made from the same template"},
    {"what a task says stays",
        "validate-signing-key: Secret sei/signing does not exist",
        "validate-signing-key: Secret sei/signing does not exist"},
    {"what an event says stays",
        "SigningKeyNotReady: Secret sei/signing does not exist",
        "SigningKeyNotReady: Secret sei/signing does not exist"},
    {"what a kubelet says of a token stays",
        "failed to fetch token: serviceaccounts \"seid-node\" not found",
        "failed to fetch token: serviceaccounts \"seid-node\" not found"},
    {"a block behind a quote that nothing follows",
        "password=\"\n  token: |\n    abc\nx",
        "password=\"\n  token: [redacted]\nx"},
    {"a key behind half of another",
        "-----BEGIN PRIVATE KEY-----\n-----END \n-----BEGIN PRIVATE KEY-----\nMHc=",
        "[redacted]\n[redacted]"},
    {"tokens that say what they are",
        "got AKIAIOSFODNN7EXAMPLE and ghp_0123456789abcdef.",
        "got [redacted] and [redacted]"},
    {"what a program redacted itself", "x token=[redacted] y", "x token=[redacted] y"},
    {"a member of YAML in a log",
        "2026-01-01T00:00:00Z passphrase: correct horse\n2026-01-01T00:00:01Z user: me",
        "2026-01-01T00:00:00Z passphrase: [redacted]\n2026-01-01T00:00:01Z user: me"},
    {"one of a list in a log, indented",
        "2026-01-01T00:00:00.123456789Z   - passphrase: correct horse\n2026-01-01T00:00:01Z x",
        "2026-01-01T00:00:00.123456789Z   - passphrase: [redacted]\n2026-01-01T00:00:01Z x"},
    {"a text of several lines in TOML",
        "api_key = \"\"\"\nabc\n\"\"\"\nport = 1",
        "api_key = \"[redacted]\"\"\"\nport = 1"},
    {"one in single quotes", "a\ntoken = '''x\ny''' z", "a\ntoken = '[redacted]''' z"},
    {"one that was cut off", "token = \"\"\"\nabc", "token = \"[redacted]"},
    {"a value on the next line",
        "a:\n  password:\n    hunter2\n  user: me",
        "a:\n  password:[redacted]\n  user: me"},
    {"a value that goes on there",
        "password: hunter2\n  and more\nuser: me",
        "password: [redacted]\nuser: me"},
    {"one in quotes that goes on there",
        "password: \"hunter2\n  and more\"\nuser: me",
        "password: \"[redacted]\nuser: me"},
    {"a list below", "tokens:\n- abc\n- def\nuser: me", "tokens:[redacted]\nuser: me"},
    {"a list below, indented",
        "tokens: # of all\n  - abc\nuser: me",
        "tokens: [redacted]\nuser: me"},
    {"a map below",
        "\"credentials\":\n  user: x\n  key: hunter2\n\nport: 1\n",
        "\"credentials\":[redacted]\n\nport: 1\n"},
    {"a map below in a log",
        "2026-01-01T00:00:00Z credentials:\n2026-01-01T00:00:00Z   key: abc\n2026-01-01T00:00:00Z "
        "x",
        "2026-01-01T00:00:00Z credentials:[redacted]\n2026-01-01T00:00:00Z x"},
    {"nothing below", "passwords:\nuser: me", "passwords:\nuser: me"},
    {"a block with a tag", "token: !!binary |\n  YWJj\nuser: me", "token: [redacted]\nuser: me"},
    {"a block with a note", "token: | # mine\n  abc\nuser: me", "token: [redacted]\nuser: me"},
    {"a URL with @ in the password", "postgres://u:p@ss@db/x", "postgres://[redacted]@db/x"},
    {"a URL with / in the password", "https://u:ab/cd@host/x", "https://[redacted]@host/x"},
    {"a URL with both", "https://u:a@b/c@host/x", "https://[redacted]@host/x"},
    {"a URL with a port and @ in its path", "http://host:8080/p@2", "http://host:8080/p@2"},
    {"a URL with a token", "https://abc@host/p@2", "https://[redacted]@host/p@2"},
    {"a URL with a user, a port and @ in its path",
        "http://me@host:80/p@2",
        "http://[redacted]@host:80/p@2"},
    {"a URL without a port", "http://host:/p@2", "http://host:/p@2"},
    {"a URL of IPv6", "http://[::1]:80/p@2", "http://[::1]:80/p@2"},
    {"JSON within JSON within a text",
        "{\\\\\\\"password\\\\\\\":\\\\\\\"abc\\\\\\\",\\\\\\\"x\\\\\\\":1}",
        "{\\\\\\\"password\\\\\\\":\\\\\\\"[redacted]\\\\\\\",\\\\\\\"x\\\\\\\":1}"},
    {"a quote in JSON within a text",
        "{\\\"password\\\":\\\"a\\\\\\\"b\\\",\\\"x\\\":1}",
        "{\\\"password\\\":\\\"[redacted]\\\",\\\"x\\\":1}"},
    {"a backslash at the end of a value",
        "{\"token\":\"a\\\\\",\"x\":\"y\"}",
        "{\"token\":\"[redacted]\",\"x\":\"y\"}"},
    {"braces within a text",
        "{\"secrets\":{\"db\":\"p}w0rd\"},\"a\":1}",
        "{\"secrets\":[redacted]},\"a\":1}"},
    {"an apostrophe in braces",
        "secrets: {a: it's, b: c}\nuser: me",
        "secrets: [redacted]}\nuser: me"},
    {"two quotes in YAML", "password: 'ab''cd'\nuser: me", "password: '[redacted]'\nuser: me"},
    {"a quote for a shell", "TOKEN='ab'\\''cd' x", "TOKEN='[redacted]' x"},
    {"two words in quotes", "A_TOKEN='a' B_TOKEN='b'", "A_TOKEN='[redacted]' B_TOKEN='[redacted]'"},
    {"a pair in JSON",
        "[{\"name\":\"DB_PASSWORD\",\"value\":\"hunter2\"},{\"name\":\"A\",\"value\":\"b\"}]",
        "[{\"name\":\"DB_PASSWORD\",\"value\":\"[redacted]\"},{\"name\":\"A\",\"value\":\"b\"}]"},
    {"a pair in JSON within a text",
        "{\\\"name\\\":\\\"DB_PASSWORD\\\",\\\"value\\\":\\\"hunter2\\\"}",
        "{\\\"name\\\":\\\"DB_PASSWORD\\\",\\\"value\\\":\\\"[redacted]\\\"}"},
    {"a pair the other way round",
        "{\"value\":\"hunter2\",\"name\":\"DB_PASSWORD\"}",
        "{\"value\":\"[redacted]\",\"name\":\"DB_PASSWORD\"}"},
    {"a pair in YAML",
        "- name: DB_PASSWORD\n  value: hunter2 and more\n- name: A\n  value: b",
        "- name: DB_PASSWORD\n  value: [redacted]\n- name: A\n  value: b"},
    {"a pair in a log",
        "2026-01-01T00:00:00Z - name: DB_PASSWORD\n2026-01-01T00:00:01Z   value: \"hunter2\"\n",
        "2026-01-01T00:00:00Z - name: DB_PASSWORD\n2026-01-01T00:00:01Z   value: \"[redacted]\"\n"},
    {"a user with a password", "curl -u me:hunter2 host", "curl -u [redacted] host"},
    {"one in JSON",
        "[\"curl\",\"--user\",\"me:hunter2\",\"host\"]",
        "[\"curl\",\"--user\",\"[redacted]\",\"host\"]"},
    {"a user alone", "ssh -u me host:22", "ssh -u me host:22"},
    {"an empty value", "password: \"\"", "password: \"\""},
    {"nothing", "", ""},
};

TEST(secrets_are_redacted_from_text_and_the_rest_is_kept)
{
    each_case(i, texts) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Redactor r = {.arena = a};

        then_str(redact_text(&r, texts[i].text), texts[i].want);
        then_true((r.count > 0) == !str_eq(texts[i].text, texts[i].want));
    }
}

TEST(redacting_a_redacted_text_changes_nothing)
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
    {"all of a word", "{args: ['--db-password=a,b;c d']}", "{args: ['--db-password=[redacted]']}"},
    {"a variable in a word",
        "{Env: ['DB_PASSWORD=a b', 'HOME=/x']}",
        "{Env: ['DB_PASSWORD=[redacted]', 'HOME=/x']}"},
    {"a user and a password",
        "{command: ['curl', '-u', 'me:hunter2', '-u', 'me']}",
        "{command: ['curl', '-u', '[redacted]', '-u', 'me']}"},
    {"a pair of key and value",
        "{key: 'api-token', value: 'x'}",
        "{key: 'api-token', value: '[redacted]'}"},
    {"a mnemonic in words",
        "{args: ['add', 'zebra', 'youth', 'year', 'wrong', 'write', 'worth', 'worry', 'world',"
        " 'work', 'word', 'wool']}",
        "{args: ['[redacted]', '[redacted]', '[redacted]', '[redacted]', '[redacted]',"
        " '[redacted]', '[redacted]', '[redacted]', '[redacted]', '[redacted]', '[redacted]',"
        " '[redacted]']}"},
    {"files that are no text",
        "{binaryData: {x: 'cGFzc3dvcmQ='}}",
        "{binaryData: {x: '[redacted]'}}"},
    {"a flag with what would end it in a line",
        "{args: ['--db-password=ab,cd;ef', 'DB_PASSWORD=a b', '--home=/x,y']}",
        "{args: ['--db-password=[redacted]', 'DB_PASSWORD=[redacted]', '--home=/x,y']}"},
    {"a user with a password",
        "{command: ['curl', '-u', 'me:hunter2', '--user', 'me', 'host:22']}",
        "{command: ['curl', '-u', '[redacted]', '--user', 'me', 'host:22']}"},
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

TEST(secrets_are_redacted_from_objects_by_their_field)
{
    each_case(i, objects) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Redactor r = {.arena = a};

        then_json(redact_object(&r, json_fixture(a, objects[i].object)), objects[i].want);
    }
}

TEST(a_secret_of_any_length_is_redacted_as_one)
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

/* --- lines that were written to stop it */

static const struct {
    const char *name, *unit;
    bool is_secret; /* in each unit there is one */
} hostile[] = {
    {"flags of users, all in one word", "-u=", false},
    {"the same, each with a quote", "-u=x\"", false},
    {"the same, each with a brace", "-u={", false},
    {"switches in one line", "token: true,", false},
    {"switches with a quote that nothing closes", "token=\"true,", false},
    {"members in one line", "{x\"token\":x,", true},
    {"anchors in strings", "\"/token:&a\"", true},
    {"anchors in lines of strings", "\"/\\ntoken: &a&\"", true},
    {"a name of many words", "abc-", false},
};

#ifdef __SANITIZE_ADDRESS__ /* measures the whole text whenever a part of it is scanned */
enum { HOSTILE_LONG = 8 << 10 };
#else
enum { HOSTILE_LONG = 512 << 10 };
#endif

/* Where each place looks at all that follows, one of these takes minutes, and the runner ends it.
 */
TEST(redacting_hostile_text_takes_linear_time)
{
    each_case(i, hostile) {
        SCOPED_ARENA a = arena_open(64 << 20);
        Redactor r = {.arena = a};
        size_t unit = strlen(hostile[i].unit), count = HOSTILE_LONG / unit;
        char *text = arena_array(a, char, HOSTILE_LONG + 1);

        for (size_t n = 0; n < count; n++)
            memcpy(text + n * unit, hostile[i].unit, unit);
        const char *clean = redact_text(&r, text);
        then_true(str_eq(clean, text) != hostile[i].is_secret);
        then_int((int)r.count, hostile[i].is_secret ? (int)count : 0);
    }
}
