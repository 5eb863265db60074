/* The token: where it comes from, and when it is read again. */
#include "kube/client/token.h"
#include "tests/kube/client/scratch.h"
#include "tests/test.h"

#include <unistd.h>

/* A token file in a folder of its own. */
typedef struct World {
    Arena *arena;
    const char *folder;
    Config config;
    Token token;
} World;

static void open_world(World *w, Arena *a, const char *text)
{
    *w = (World){.arena = a, .folder = scratch_folder(a)};
    w->config.token_file = scratch_write(a, w->folder, "token", text);
    w->config.origin = "test";
    then_ok(token_open(a, &w->config, &w->token));
}

static void write_token(World *w, const char *text)
{
    scratch_write(w->arena, w->folder, "token", text);
}

TEST(an_inline_token_is_used_unchanged)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Config config = {.token = "abc", .origin = "test"};
    Token token;

    then_ok(token_open(a, &config, &token));
    then_str(token.text.data, "abc");
    token_refresh(&token, 5000, true);
    then_int(token.generation, 0);
    token_close(&token);
}

TEST(a_configuration_without_a_token_has_no_token)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Config config = {.origin = "test"};
    Token token;

    then_ok(token_open(a, &config, &token));
    then_int(token.text.len, 0);
    token_close(&token);
}

TEST(a_token_file_is_read_without_its_last_line_break)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    World w;

    open_world(&w, a, "abc\n");
    then_str(w.token.text.data, "abc");
    token_close(&w.token);
}

TEST(a_token_file_takes_precedence_over_the_inline_token_while_it_is_readable)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *path = scratch_write(a, scratch_folder(a), "token", "of-file");
    Config config = {.token = "inline", .token_file = path, .origin = "test"};
    Token token;

    then_ok(token_open(a, &config, &token));
    then_str(token.text.data, "of-file");
    token_close(&token);

    config.token_file = "/nowhere/token";
    then_ok(token_open(a, &config, &token));
    then_str(token.text.data, "inline");
    token_close(&token);
}

static const struct {
    const char *name, *text;
    Want want;
} unusable[] = {
    {"an empty file", "", .want = TERMINAL("is empty")},
    {"a blank file", " \n\n", .want = TERMINAL("is empty")},
    {"two lines", "abc\nX-Evil: yes\n", .want = TERMINAL("something else than one token")},
    {"a space", "abc def", .want = TERMINAL("something else than one token")},
    {"bytes beyond ASCII", "abc\xc3\xa9", .want = TERMINAL("something else than one token")},
};

TEST(an_invalid_token_file_is_reported_without_its_content)
{
    each_case(i, unusable) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *path = scratch_write(a, scratch_folder(a), "token", unusable[i].text);
        Config config = {.token_file = path, .origin = "in-cluster"};
        Token token;
        Err *err = token_open(a, &config, &token);

        then_err(err, unusable[i].want);
        then_err(err, TERMINAL("in-cluster: token: /tmp/"));
        then_true(!strstr(err_text(a, err), "abc"));
    }
}

TEST(an_inline_token_that_no_header_can_carry_is_refused)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Config config = {.token = "a\r\nb", .origin = "test"};
    char *longest = arena_alloc(a, TOKEN_BYTES_MAX + 2);
    Token token;

    then_err(token_open(a, &config, &token), TERMINAL("has a space"));
    memset(longest, 'x', TOKEN_BYTES_MAX + 1);
    config.token = longest;
    then_err(token_open(a, &config, &token), TERMINAL("longer than"));
    then_true(!token_is_clean(""));
    then_true(token_is_clean("!~"));
}

TEST(a_replaced_token_file_is_read_within_a_second)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    World w;

    open_world(&w, a, "old");
    token_refresh(&w.token, 10000, false);
    write_token(&w, "new");
    token_refresh(&w.token, 10999, false);
    then_str(w.token.text.data, "old");
    token_refresh(&w.token, 11000, false);
    then_str(w.token.text.data, "new");
    then_int(w.token.generation, 1);
    token_close(&w.token);
}

TEST(an_unchanged_token_file_keeps_the_token_generation)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    World w;

    open_world(&w, a, "same");
    token_refresh(&w.token, 10000, false);
    token_refresh(&w.token, 20000, true);
    write_token(&w, "same");
    token_refresh(&w.token, 30000, false);
    then_int(w.token.generation, 0);
    token_close(&w.token);
}

TEST(a_forced_refresh_reads_the_token_file_at_once)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    World w;

    open_world(&w, a, "old");
    token_refresh(&w.token, 10000, false);
    write_token(&w, "new");
    token_refresh(&w.token, 10001, true);
    then_str(w.token.text.data, "new");
    token_close(&w.token);
}

TEST(a_token_file_that_is_being_replaced_keeps_the_old_token)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    World w;

    open_world(&w, a, "old");
    write_token(&w, "");
    token_refresh(&w.token, 10000, true);
    unlink(w.config.token_file);
    token_refresh(&w.token, 20000, true);
    then_str(w.token.text.data, "old");
    then_int(w.token.generation, 0);
    write_token(&w, "new");
    token_refresh(&w.token, 30000, false);
    then_str(w.token.text.data, "new");
    token_close(&w.token);
}

TEST(a_copy_of_a_token_is_refreshed_independently)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    World w;

    open_world(&w, a, "old");
    Token copy = token_copy(&w.token);
    write_token(&w, "new");
    token_refresh(&copy, 10000, true);
    then_str(w.token.text.data, "old");
    then_str(copy.text.data, "new");
    token_close(&copy);
    token_close(&w.token);
}
