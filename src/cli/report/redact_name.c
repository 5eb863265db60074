/* Redact, of names: which of them say that what they are given is a secret. */
#include "base/str.h"
#include "cli/report/redact.h"
#include "cli/report/redact_find.h"

#include <string.h>

enum { NAME_MAX = 256 };

static char small_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* In small letters, without what separates words. */
static void squeeze(const char *name, char ret[NAME_MAX])
{
    size_t len = 0;

    for (; *name && len + 1 < NAME_MAX; name++)
        if (!strchr("-_. ", *name))
            ret[len++] = small_letter(*name);
    ret[len] = '\0';
}

/* They are secret as a whole, or as the last word: PWD is where one is. */
static bool ends_in_secret(const char *text)
{
    return str_eq(text, "sig") || str_has_suffix(text, "pass") || str_has_suffix(text, "auth")
        || str_has_suffix(text, "pw")
        || (str_has_suffix(text, "pwd") && !str_eq(text, "pwd") && !str_eq(text, "oldpwd"));
}

static bool holds_one_of(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

/* They say where a secret is, or how it is handled, and not what it is: names of fields, reasons of
 * events, and tasks of ours. */
static bool is_about_secret(const char *text)
{
    static const char *const about[] = {"name",
        "ref",
        "path",
        "file",
        "dir",
        "seconds",
        "audience",
        "account",
        "image",
        "keyready",
        "keynotready",
        "keyvalidated",
        "keyinvalid",
        "keyringready",
        "keyringnotready",
        "keyringvalidated",
        "keyringinvalid"};

    for (size_t i = 0; i < sizeof about / sizeof about[0]; i++)
        if (str_has_suffix(text, about[i]))
            return true;
    return str_eq(text, "validatesigningkey") || str_eq(text, "validatenodekey")
        || str_eq(text, "validateoperatorkeyring");
}

bool redact_is_secret_name(const char *name)
{
    static const char *const secret[] = {"password",
        "passwd",
        "passphrase",
        "passcode",
        "secret",
        "token",
        "apikey",
        "accesskey",
        "privkey",
        "privatekey",
        "signingkey",
        "masterkey",
        "encryptionkey",
        "sharedkey",
        "sessionkey",
        "sessionid",
        "privvalidatorkey",
        "nodekey",
        "mnemonic",
        "credential",
        "creds",
        "authorization",
        "seedphrase",
        "recoveryphrase",
        "signature",
        "cookie",
        "jwt",
        "xprv",
        "dockerconfigjson",
        "keyring"};
    char text[NAME_MAX];

    squeeze(name ? name : "", text);
    if (is_about_secret(text))
        return false;
    return holds_one_of(text, secret, sizeof secret / sizeof secret[0]) || ends_in_secret(text);
}

bool redact_is_of_words(const char *name)
{
    static const char *const of_words[] = {"phrase", "mnemonic", "authorization", "cookie"};
    char text[NAME_MAX];

    squeeze(name, text);
    return holds_one_of(text, of_words, sizeof of_words / sizeof of_words[0]);
}

bool redact_is_value_name(const char *name)
{
    char text[NAME_MAX];

    squeeze(name, text);
    return str_eq(text, "value") || str_eq(text, "val");
}

bool redact_names_another(const char *name)
{
    char text[NAME_MAX];

    squeeze(name, text);
    return str_eq(text, "name") || str_eq(text, "key");
}
