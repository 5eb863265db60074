/* Redact: takes secrets out of what leaves the cluster: of texts by how secrets look and by what
 * they are called, of objects also by where they stand.
 *
 * It errs on the side of silence: a hash that is taken for a key costs a question, a key that is
 * taken for a hash costs a validator. */
#ifndef CLI_REPORT_REDACT_H
#define CLI_REPORT_REDACT_H

#include "base/bytes.h"
#include "base/json.h"

#include <stdbool.h>

#define REDACTED "[redacted]"

typedef struct Redactor {
    Arena *arena;
    size_t count; /* of what was taken out */
} Redactor;

/* A name of a field, variable, flag or file says that its value is a secret. */
bool redact_is_secret_name(const char *name);

/* The text, where these are replaced: private keys in PEM, credentials in URLs, bearer and basic
 * credentials, tokens (JWT), values that a name announces (also those of pairs as of variables, and
 * the user and password behind -u), long runs of base64 and of hexadecimal digits that are not said
 * to be a hash, and twelve or more words as of a mnemonic. The colours of a terminal are left out.
 */
const char *redact_text(Redactor *r, const char *text);

/* The object, where all texts are redacted; whole are: values of variables and members with secret
 * names, what follows a flag with such a name, files of keys, the last applied configuration, and
 * everything below such a member. managedFields are left out. */
const Json *redact_object(Redactor *r, const Json *object);

#endif
