/* Redact, of names: which of them say that what follows is a secret. Spelling does not matter: in
 * variables, flags, fields and files one word is written in many ways. */
#include "base/str.h"
#include "cli/report/redact.h"

#include <string.h>

enum { NAME_MAX = 512 };

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
        || (str_has_suffix(text, "pwd") && !str_eq(text, "pwd") && !str_eq(text, "oldpwd"));
}

bool redact_is_secret_name(const char *name)
{
    static const char *const secret[] = {"password",
        "passwd",
        "passphrase",
        "secret",
        "token",
        "apikey",
        "accesskey",
        "privkey",
        "privatekey",
        "signingkey",
        "privvalidatorkey",
        "nodekey",
        "mnemonic",
        "credential",
        "authorization",
        "seedphrase",
        "signature",
        "cookie",
        "dockerconfigjson",
        "keyring"};
    /* They say where a secret is, or how it is handled, and not what it is. */
    static const char *const about[] = {
        "name", "ref", "path", "file", "dir", "seconds", "audience", "account", "image"};
    char text[NAME_MAX];

    squeeze(name ? name : "", text);
    for (size_t i = 0; i < sizeof about / sizeof about[0]; i++)
        if (str_has_suffix(text, about[i]))
            return false;
    for (size_t i = 0; i < sizeof secret / sizeof secret[0]; i++)
        if (strstr(text, secret[i]))
            return true;
    return ends_in_secret(text);
}
