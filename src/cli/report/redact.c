/* Redact, of objects: a copy is made on the way through, with a stack in the place of recursion:
 * how deep an object goes is for whoever wrote it to decide. */
#include "cli/report/redact.h"
#include "cli/report/redact_find.h"

#include "base/draft.h"
#include "base/str.h"
#include "sei/api/names.h"

#include <string.h>

#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

/* One object or array on the way down. */
typedef struct Level {
    const Json *container, *element; /* the element that is next, or NULL */
    const Json *before;              /* of an array: the one that was last */
    Draft *out;
    const char *key; /* of the container in what holds it, or NULL */
    bool is_secret;  /* all that is below */
} Level;

static bool is_object(const Json *v)
{
    return json_type(v) == JSON_OBJECT;
}

static bool is_container(const Json *v)
{
    return is_object(v) || json_type(v) == JSON_ARRAY;
}

static bool is_secret_key(const char *key)
{
    return str_eq(key, LAST_APPLIED) || str_eq(key, "binaryData") || str_eq(key, KEY_FILE_SIGNING)
        || str_eq(key, KEY_FILE_NODE) || str_has_suffix(key, ".pem") || str_has_suffix(key, ".key")
        || redact_is_secret_name(key);
}

/* "--token" with its value in the word that follows; "-u" with that of a user. */
static bool announces(const Json *before, const char *text)
{
    const char *word = json_text(before);

    if (!word || word[0] != '-' || strchr(word, '='))
        return false;
    bool is_user = str_eq(word, "-u") || str_eq(word, "-U") || str_has_suffix(word, "-user");
    return redact_is_secret_name(word) || (is_user && text && strchr(text, ':'));
}

/* Of {name: DB_PASSWORD, value: ...}. */
static bool is_named_value(const Level *level, const char *key)
{
    static const char *const names[] = {".name", ".key", ".Name", ".Key"};

    if (!is_object(level->container) || !key || !redact_is_value_name(key))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (redact_is_secret_name(json_str(level->container, names[i])))
            return true;
    return false;
}

static bool is_secret_leaf(const Level *level, const char *key, const char *text)
{
    return level->is_secret || (key && is_secret_key(key)) || is_named_value(level, key)
        || (!key && announces(level->before, text));
}

/* A word of a command, or a variable, ends where its element does: all that is given to a secret
 * name in it goes. NULL: it is none such. */
static const char *redact_word(Redactor *r, const char *text)
{
    const char *sign = strchr(text, '=');
    const char *name = sign ? str_slice(r->arena, text, (size_t)(sign - text)) : NULL;

    if (!name || strpbrk(name, " \t\r\n:") || !sign[1] || !redact_is_secret_name(name)
        || str_eq(sign + 1, "true") || str_eq(sign + 1, "false"))
        return NULL;
    r->count++;
    return str_format(r->arena, "%s=" REDACTED, name);
}

/* What a leaf becomes; NULL: it stays as it is. Numbers can be bytes of a key, or a pin. */
static const char *text_of(Redactor *r, const Level *level, const char *key, const Json *leaf)
{
    const char *text = json_text(leaf);
    bool is_told = json_type(leaf) == JSON_NUMBER || !str_empty(text);

    if (!is_told || !is_secret_leaf(level, key, text)) {
        const char *word = text && !key ? redact_word(r, text) : NULL;
        return !text ? NULL : word ? word : redact_text(r, text);
    }
    r->count++;
    return REDACTED;
}

static void put(Level *level, const char *key, Draft *value)
{
    if (key)
        draft_add(level->out, sub(key, value));
    else
        draft_push(level->out, value);
}

static void put_leaf(Redactor *r, Level *level, const char *key, const Json *leaf)
{
    const char *text = text_of(r, level, key, leaf);

    if (text && key)
        draft_add(level->out, str(key, text));
    else if (text)
        draft_push_str(level->out, text);
    else if (key)
        draft_add(level->out, draft_json(key, leaf));
    else
        draft_push_json(level->out, leaf);
}

/* A mnemonic, each word of which is an element. */
static bool holds_mnemonic(const Json *container)
{
    const Json *element;
    size_t words = 0;

    if (is_object(container))
        return false;
    json_each(element, container) {
        const char *word = json_text(element);
        words = word && redact_is_word(word) ? words + 1 : 0;
        if (words == REDACT_WORDS_MIN)
            return true;
    }
    return false;
}

static Level level_of(Redactor *r, const Json *container, const char *key, bool is_secret)
{
    return (Level){
        .container = container,
        .element = json_first(container),
        .out = is_object(container) ? draft_object(r->arena) : draft_array(r->arena),
        .key = key,
        .is_secret = is_secret || holds_mnemonic(container),
    };
}

/* Names that Kubernetes gives to what only refers to Secrets. */
static bool holds_references(const char *key)
{
    return str_eq(key, "secret") || str_eq(key, "secrets") || str_eq(key, "imagePullSecrets");
}

static bool is_secret_below(const Level *level, const char *key)
{
    return level->is_secret || (key && is_secret_key(key) && !holds_references(key));
}

const Json *redact_object(Redactor *r, const Json *object)
{
    Level levels[JSON_DEPTH_MAX];
    size_t depth = 1;

    if (!is_container(object))
        return NULL;
    levels[0] = level_of(r, object, NULL, false);
    for (;;) {
        Level *top = &levels[depth - 1];
        const Json *element = top->element;
        if (!element && depth == 1)
            return json_seal(r->arena, top->out);
        if (!element) {
            depth--;
            put(&levels[depth - 1], top->key, top->out);
            continue;
        }
        const char *key = is_object(top->container) ? json_key(element) : NULL;
        top->element = json_next(top->container, element);
        if (str_eq(key, "managedFields") || (is_container(element) && depth == JSON_DEPTH_MAX))
            continue;
        if (is_container(element))
            levels[depth++] = level_of(r, element, key, is_secret_below(top, key));
        else
            put_leaf(r, top, key, element);
        top->before = element;
    }
}
