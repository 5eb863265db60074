/* The finders: each says whether a secret begins where the scan is. */
#ifndef CLI_REPORT_REDACT_FIND_H
#define CLI_REPORT_REDACT_FIND_H

#include "cli/report/redact_scan.h"

#include <stdbool.h>
#include <stddef.h>

/* By how it looks: a key, a token, credentials in an address, a mnemonic. */
Found redact_find_shape(const Scan *s);

/* By what it is called: the value of a secret name, flag or variable. */
Found redact_find_named(Scan *s);

/* Goes on over what was found. What goes may name what follows it. */
void redact_pass_over(Scan *s, size_t len);

/* So many words make a mnemonic. */
enum { REDACT_WORDS_MIN = 12 };

/* The text is one word, as a mnemonic has them. */
bool redact_is_word(const char *text);

/* A value that so much is known of may be more: a key in PEM, or a mnemonic, goes over lines. */
size_t redact_shape_reach(const char *value, size_t len);

/* --- more about names --- */

/* What has such a name may be several words: a phrase, or a header of HTTP. */
bool redact_is_of_words(const char *name);

/* The two halves of a pair: {name: DB_PASSWORD, value: ...}. */
bool redact_names_another(const char *name);
bool redact_is_value_name(const char *name);

#endif
