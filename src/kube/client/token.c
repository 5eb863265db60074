/* Token: re-read by looking at the file's stamp. The kubelet replaces the token of a pod some time
 * before it expires, by switching a symbolic link; so the inode changes even where the time stamp
 * would not show it. */
#include "kube/client/token.h"

#include "base/str.h"

#include <string.h>

bool token_is_clean(const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c <= ' ' || *c > '~')
            return false;
    return *text != '\0';
}

/* Reads the file into an empty buffer, without the line break that editors and echo leave. */
static Err *read_token(Arena *a, const char *path, Buf *ret, FileStamp *ret_stamp)
{
    TRY(file_read(a, path, ret, ret_stamp));
    while (ret->len > 0 && strchr(" \t\r\n", ret->data[ret->len - 1]))
        ret->data[--ret->len] = '\0';
    if (ret->len == 0)
        return err_terminal(a, "%s is empty", path);
    if (strlen(ret->data) != ret->len || !token_is_clean(ret->data))
        return err_terminal(a, "%s holds something else than one token", path);
    return OK;
}

Err *token_open(Arena *a, const Config *config, Token *ret)
{
    Token token = {.path = config->token_file, .text = {.ceiling = TOKEN_BYTES_MAX}};
    Err *err = OK;

    if (token.path)
        err = read_token(a, token.path, &token.text, &token.stamp);
    if (config->token && (err || !token.path)) {
        buf_clear(&token.text, 0);
        err = !token_is_clean(config->token)
            ? err_terminal(a, "has a space or another character that no token has")
            : !buf_append(&token.text, config->token, strlen(config->token))
            ? err_terminal(a, "is longer than %d bytes", TOKEN_BYTES_MAX)
            : OK;
    }
    if (err) {
        buf_close(&token.text);
        return err_wrap(a, err, "%s: token", config->origin);
    }
    *ret = token;
    return OK;
}

void token_close(Token *t)
{
    buf_close(&t->text);
}

Token token_copy(const Token *from)
{
    Token token = *from;

    token.text = (Buf){.ceiling = TOKEN_BYTES_MAX};
    if (!buf_append(&token.text, from->text.data, from->text.len))
        BUG("a token that fitted one buffer does not fit another");
    return token;
}

static bool is_due(Token *t, int64_t now_ms)
{
    if (now_ms - t->checked_ms < TOKEN_CHECK_EVERY_MS)
        return false;
    t->checked_ms = now_ms;
    return !file_stamp_eq(t->stamp, file_stamp(t->path));
}

void token_refresh(Token *t, int64_t now_ms, bool force)
{
    if (!t->path || (!is_due(t, now_ms) && !force))
        return;
    SCOPED_ARENA scratch = arena_open(16 << 10);
    Buf fresh = {.ceiling = TOKEN_BYTES_MAX};
    FileStamp stamp;

    if (read_token(scratch, t->path, &fresh, &stamp)) {
        buf_close(&fresh);
        return;
    }
    if (!bytes_equal(buf_bytes(&t->text), buf_bytes(&fresh)))
        t->generation++;
    buf_close(&t->text);
    t->text = fresh;
    t->stamp = stamp;
}
