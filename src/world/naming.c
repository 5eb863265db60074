/* Names, checked as the API server checks them and refused in its words. */
#include "world/naming.h"

#include "base/str.h"
#include "kube/core/label.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <string.h>

enum { SUBDOMAIN_MAX = 253, LABEL_MAX = 63, PORT_MAX = 15 };

#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define UPPER  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

static bool is_made_of(const char *text, const char *letters)
{
    return *text && !text[strspn(text, letters)];
}

static bool is_one_of(char c, const char *letters)
{
    return c && strchr(letters, c);
}

/* [a-z0-9]([-a-z0-9]*[a-z0-9])? of exactly this length. */
static bool is_label(const char *text, size_t len)
{
    return len > 0 && strspn(text, LOWER DIGITS "-") >= len && text[0] != '-'
        && text[len - 1] != '-';
}

static bool is_subdomain(const char *text)
{
    for (;;) {
        size_t len = strcspn(text, ".");
        if (!is_label(text, len))
            return false;
        if (!text[len])
            return true;
        text += len + 1;
    }
}

const char *naming_subdomain(const char *text)
{
    if (strlen(text) > SUBDOMAIN_MAX)
        return "must be no more than 253 characters";
    if (is_subdomain(text))
        return NULL;
    return "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
           "'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "
           "regex used for validation is "
           "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
}

const char *naming_label(const char *text)
{
    if (strlen(text) > LABEL_MAX)
        return "must be no more than 63 characters";
    if (is_label(text, strlen(text)))
        return NULL;
    if (is_subdomain(text))
        return "must not contain dots";
    return "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
           "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
           "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
}

const char *naming_label_1035(const char *text)
{
    if (strlen(text) > LABEL_MAX)
        return "must be no more than 63 characters";
    if (is_label(text, strlen(text)) && !is_one_of(*text, DIGITS))
        return NULL;
    return "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
           "an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
           "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
}

const char *naming_path_segment(const char *text)
{
    if (str_eq(text, "."))
        return "may not be '.'";
    if (str_eq(text, ".."))
        return "may not be '..'";
    if (strchr(text, '/'))
        return "may not contain '/'";
    return strchr(text, '%') ? "may not contain '%'" : NULL;
}

const char *naming_label_value(const char *text)
{
    if (label_is_value(text))
        return NULL;
    if (strlen(text) > LABEL_MAX)
        return "must be no more than 63 characters";
    return "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' "
           "or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
           "'my_value',  or '12345', regex used for validation is "
           "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
}

const char *naming_config_key(const char *text)
{
    if (strlen(text) > SUBDOMAIN_MAX)
        return "must be no more than 253 characters";
    if (!is_made_of(text, LOWER UPPER DIGITS "-._"))
        return "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
               "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
               "'[-._a-zA-Z0-9]+')";
    if (str_eq(text, "."))
        return "must not be '.'";
    if (str_eq(text, ".."))
        return "must not be '..'";
    return str_has_prefix(text, "..") ? "must not start with '..'" : NULL;
}

const char *naming_variable(const char *text)
{
    for (const char *at = text; *at; at++)
        if (*at < ' ' || *at > '~' || *at == '=')
            return "a valid environment variable name must consist only of printable ASCII "
                   "characters other than '='";
    return NULL;
}

const char *naming_header(const char *text)
{
    if (is_made_of(text, LOWER UPPER DIGITS "-"))
        return NULL;
    return "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. "
           "'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
}

const char *naming_address(const char *text)
{
    unsigned char address[sizeof(struct in6_addr)];

    if (inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1)
        return NULL;
    return "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
}

const char *naming_inner_path(const char *text)
{
    if (*text == '/')
        return "must be a relative path";
    for (const char *part = text;; part++) {
        size_t len = strcspn(part, "/");
        if (len == 2 && part[0] == '.' && part[1] == '.')
            return "must not contain '..'";
        part += len;
        if (!*part)
            return NULL;
    }
}

const char *naming_file_path(const char *text)
{
    const char *fault = naming_inner_path(text);

    return !fault && str_has_prefix(text, "..") ? "must not start with '..'" : fault;
}

/* --- where more than one thing may be wrong --- */

static void put(NamingFaults *f, bool wrong, const char *fault)
{
    if (wrong)
        f->list[f->count++] = fault;
}

#define NAME_PART                                                                                  \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "    \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "         \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

static bool is_name_part(const char *text)
{
    size_t len = strlen(text);

    return is_made_of(text, LOWER UPPER DIGITS "-_.") && !is_one_of(text[0], "-_.")
        && !is_one_of(text[len - 1], "-_.");
}

NamingFaults naming_key(Arena *a, const char *key)
{
    const char *slash = strchr(key, '/'), *name = slash ? slash + 1 : key;
    const char *prefix = slash ? str_slice(a, key, (size_t)(slash - key)) : NULL;
    NamingFaults f = {0};

    if (label_is_key(key))
        return f;
    if (strchr(name, '/')) {
        put(&f,
            true,
            "a qualified name " NAME_PART
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        return f;
    }
    if (prefix && !*prefix)
        put(&f, true, "prefix part must be non-empty");
    else if (prefix && naming_subdomain(prefix))
        put(&f, true, str_format(a, "prefix part %s", naming_subdomain(prefix)));
    put(&f, !*name, "name part must be non-empty");
    put(&f, strlen(name) > LABEL_MAX, "name part must be no more than 63 characters");
    put(&f, !is_name_part(name), "name part " NAME_PART);
    return f;
}

NamingFaults naming_port(const char *name)
{
    size_t len = strlen(name);
    NamingFaults f = {0};

    put(&f, len > PORT_MAX, "must be no more than 15 characters");
    put(&f,
        !is_made_of(name, LOWER DIGITS "-"),
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    put(&f, !strpbrk(name, LOWER), "must contain at least one letter (a-z)");
    put(&f, strstr(name, "--"), "must not contain consecutive hyphens");
    put(&f,
        len > 0 && (name[0] == '-' || name[len - 1] == '-'),
        "must not begin or end with a hyphen");
    return f;
}
