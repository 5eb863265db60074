/* What a cache makes of lists and objects that are large, many, or odd. */
#include "kube/meta.h"
#include "tests/kube/runtime/rig.h"

static const Watch watches[] = {{kind_configmap, .manager = "m"}, {0}};

/* A ConfigMap with so many bytes of data. */
static const Json *fat_object(Arena *a, int number, size_t bytes)
{
    char *data = arena_array(a, char, bytes + 1);

    memset(data, 'd', bytes);
    return json_fixture(a,
        str_format(a,
            "{kind: 'ConfigMap', metadata: {namespace: 'ns', name: 'o%d', uid: 'u%d',"
            " resourceVersion: '6'}, data: {k: '%s'}}",
            number,
            number,
            data));
}

static void feed_many(Rig *r, int count, size_t bytes)
{
    Feed *feed = &r->manager->caches[0].feed;

    rig_list(r, 0, "5", "[]");
    rig_watch(r);
    for (int i = 0; i < count; i++) {
        SCOPED_ARENA a = arena_open(64 << 20);
        feed->put(feed, fat_object(a, i, bytes));
    }
    then_int(store_count(r->manager->caches[0].store), count);
}

TEST(a_list_whose_objects_are_not_kept_takes_no_more_memory_than_one_object)
{
    static const struct {
        const char *name;
        int count;
        size_t bytes;
    } cases[] = {
        {"a hundred of 900 KB", 100, 900 << 10},
        {"twenty thousand of 2 KB", 20000, 2 << 10},
    };

    each_case(i, cases) {
        SCOPED_RIG r = rig_open(watches);
        feed_many(r, cases[i].count, cases[i].bytes);
        rig_list(r, 0, "9", "[]");
        then_int(store_count(r->manager->caches[0].store), 0);
        then_int(queue_counts(r->manager->queue, 0).ready, cases[i].count);
    }
}

static Err *delete_all(Ctx *c, Key key, Reconciled *ret)
{
    (void)key, (void)ret;
    for (int i = 0; i < 12; i++) {
        const Json *object;
        TRY(kube_find(c, kind_configmap, (Key){"ns", str_format(c->arena, "o%d", i)}, &object));
        TRY(kube_delete(c, kind_configmap, object, (DeleteOptions){0}));
    }
    return OK;
}

TEST(a_delete_at_the_maximum_of_the_arena_is_an_error_and_no_abort)
{
    SCOPED_RIG r = rig_open(watches);

    feed_many(r, 12, 1400 << 10); /* together more than the arena of a reconcile takes */
    for (int i = 0; i < 12; i++)
        rig_answer(r, "{kind: 'Status', status: 'Success'}");
    then_err(rig_reconcile(r, (Key){"ns", "o0"}, delete_all), TERMINAL("memory limit"));
}

/* An object whose owned part is more than can be reckoned: 700,000 numbers in a list that is ours.
 */
static const Json *unreckonable_object(Arena *a)
{
    enum { NUMBERS = 700000 };
    char *numbers = arena_array(a, char, 2 * NUMBERS + 1);
    const Json *object = NULL;

    for (size_t i = 0; i < NUMBERS; i++)
        memcpy(numbers + 2 * i, "1,", 2);
    numbers[2 * NUMBERS - 1] = '\0';
    then_ok(json_parse(a,
        bytes_of(str_format(a,
            "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"o0\",\"uid\":\"u0\","
            "\"resourceVersion\":\"8\",\"managedFields\":[{\"manager\":\"m\",\"operation\":"
            "\"Apply\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:data\":{}}}]},"
            "\"data\":[%s]}",
            numbers)),
        &object));
    return object;
}

TEST(an_object_that_cannot_be_cached_is_not_deleted_by_the_list_that_contains_it)
{
    SCOPED_RIG r = rig_open(watches);
    SCOPED_ARENA a = arena_open(SIZE_MAX);
    Feed *feed = &r->manager->caches[0].feed;

    feed_many(r, 1, 10);
    feed->list_begin(feed);
    feed->list_put(feed, unreckonable_object(a));
    feed->list_end(feed, "9");
    then_int(store_count(r->manager->caches[0].store), 1);
}
