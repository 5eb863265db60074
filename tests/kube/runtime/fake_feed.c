/* FakeFeed: see its header. */
#include "tests/kube/runtime/fake_feed.h"

#include "kube/meta.h"
#include "tests/test.h"

static FakeFeed *fake_of(Feed *feed)
{
    return (FakeFeed *)(void *)feed;
}

static void say(FakeFeed *f, const char *mark, const char *name, const char *version)
{
    if (!f->is_silent)
        then_true(buf_format(
            &f->said, "%s%s%s%s ", mark, name, version ? "@" : "", version ? version : ""));
}

static void put(Feed *feed, const Json *object)
{
    then_true(!fake_of(feed)->is_listing);
    say(fake_of(feed), "+", meta_name(object), meta_resource_version(object));
}

static void take_out(Feed *feed, const Json *object)
{
    then_true(!fake_of(feed)->is_listing);
    fake_of(feed)->removals++;
    say(fake_of(feed), "-", meta_name(object), meta_resource_version(object));
}

static void reach(Feed *feed, const char *version)
{
    then_true(!fake_of(feed)->is_listing);
    say(fake_of(feed), "^", version, NULL);
}

static void list_begin(Feed *feed)
{
    then_true(!fake_of(feed)->is_listing);
    fake_of(feed)->is_listing = true;
    say(fake_of(feed), "", "begin", NULL);
}

static void list_put(Feed *feed, const Json *object)
{
    then_true(fake_of(feed)->is_listing);
    say(fake_of(feed), "", meta_name(object), meta_resource_version(object));
}

static void list_end(Feed *feed, const char *version)
{
    then_true(fake_of(feed)->is_listing);
    fake_of(feed)->is_listing = false;
    fake_of(feed)->list_ends++;
    say(fake_of(feed), "", "end", version);
}

static void list_abort(Feed *feed)
{
    then_true(fake_of(feed)->is_listing);
    fake_of(feed)->is_listing = false;
    say(fake_of(feed), "", "abort", NULL);
}

void fake_feed_init(FakeFeed *f)
{
    *f = (FakeFeed){
        .port =
            {
                .put = put,
                .remove = take_out,
                .reach = reach,
                .list_begin = list_begin,
                .list_put = list_put,
                .list_end = list_end,
                .list_abort = list_abort,
            },
        .said = {.ceiling = 1 << 20},
    };
}

void fake_feed_close(FakeFeed *f)
{
    buf_close(&f->said);
}

const char *fake_feed_take(FakeFeed *f, Arena *a)
{
    const char *said = str_copy(a, buf_bytes(&f->said).data);
    buf_clear(&f->said, 1 << 20);
    return said;
}
