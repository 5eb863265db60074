/* Token: the bearer token of one Api or Streams, read again when its file changes. One caller at a
 * time. */
#ifndef KUBE_CLIENT_TOKEN_H
#define KUBE_CLIENT_TOKEN_H

#include "base/bytes.h"
#include "base/err.h"
#include "kube/client/file.h"
#include "kube/config.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TOKEN_BYTES_MAX = 32 << 10,  /* those of service accounts have about 1,000 */
    TOKEN_CHECK_EVERY_MS = 1000, /* how often the file is looked at, at most */
};

typedef struct Token {
    const char *path; /* NULL: the text never changes */
    Buf text;         /* empty: there is no token */
    FileStamp stamp;
    int64_t checked_ms;
    uint64_t generation; /* counts the texts that there were */
} Token;

/* True when the text can stand in a header: not empty, and printable ASCII without spaces. */
bool token_is_clean(const char *text);

/* Takes the token of the config and reads its file. Where both are given the file wins, and the
 * inline text serves while the file cannot be read. The path must outlive the token. ERR_TERMINAL
 * names file or field. Close with token_close. */
Err *token_open(Arena *a, const Config *config, Token *ret) MUST_CHECK;
void token_close(Token *t);

/* A token of one's own that starts as `from` is now. Close with token_close. */
Token token_copy(const Token *from);

/* Reads the file again when it changed, looking at most every TOKEN_CHECK_EVERY_MS; with `force`
 * now and in any case. A file that cannot be read, or holds nothing usable, changes nothing: it may
 * be half-way through being replaced. */
void token_refresh(Token *t, int64_t now_ms, bool force);

#endif
