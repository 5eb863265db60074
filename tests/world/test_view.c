/* The view of an actor: what it keeps, how it finds it, what it forgets. */
#include "kube/meta.h"
#include "tests/test.h"
#include "world/view.h"

static void tag_by_color(Arena *a, const Kind *kind, const Json *object, ViewTags *ret)
{
    const Json *color;

    (void)a;
    (void)kind;
    json_each(color, json_find(object, ".spec.colors"))
        view_tag(ret, json_text(color));
}

static void see(View *v, Arena *a, const Kind *kind, const char *name, const char *json5)
{
    Sight sight = {.kind = kind, .key = {.namespace = "d", .name = name}};

    sight.object = json5 ? json_fixture(a, json5) : NULL;
    view_see(v, a, &sight);
}

/* "a b c": the names of the objects of a tag. */
static const char *tagged(const View *v, Arena *a, const char *tag)
{
    ViewList list = view_tagged(v, a, tag);
    const char *text = "";

    then_int(list.count, view_count_tagged(v, tag));
    for (size_t i = 0; i < list.count; i++)
        text = str_format(a, "%s%s%s", text, *text ? " " : "", meta_name(list.items[i]));
    return text;
}

static View *colors_open(Arena *a)
{
    View *v = view_open(&(ViewOptions){.tag = tag_by_color, .is_compact = true});

    see(v, a, kind_pod, "a", "{metadata: {name: 'a', uid: 'u'}, spec: {colors: ['red', 'blue']}}");
    see(v, a, kind_pod, "b", "{metadata: {name: 'b'}, spec: {colors: ['red', 'red']}}");
    see(v, a, kind_secret, "a", "{metadata: {name: 'c'}, spec: {colors: ['blue']}}");
    return v;
}

TEST(an_indexer_finds_objects_by_kind_and_key)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    View *v = colors_open(a);

    then_str(meta_name(view_find(v, a, kind_pod, (Key){"d", "a"})), "a");
    then_str(meta_name(view_find(v, a, kind_secret, (Key){"d", "a"})), "c");
    then_true(!view_find(v, a, kind_pod, (Key){"d", "c"}));
    then_true(!view_find(v, a, kind_pod, (Key){"e", "a"}));
    view_close(v);
}

TEST(an_indexer_finds_objects_by_their_current_tags)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    View *v = colors_open(a);

    then_str(tagged(v, a, "red"), "a b");
    then_str(tagged(v, a, "blue"), "a c");
    then_str(tagged(v, a, "green"), "");
    see(v, a, kind_pod, "a", "{metadata: {name: 'a'}, spec: {colors: ['green']}}");
    then_str(tagged(v, a, "red"), "b");
    then_str(tagged(v, a, "green"), "a");
    see(v, a, kind_pod, "b", NULL);
    then_str(tagged(v, a, "red"), "");
    then_true(!view_find(v, a, kind_pod, (Key){"d", "b"}));
    see(v, a, kind_pod, "b", NULL);
    view_close(v);
}

TEST(an_indexer_drops_managed_fields_and_optionally_all_but_metadata)
{
    static const char object[] =
        "{apiVersion: 'v1', kind: 'Pod', metadata: {name: 'a', labels: {l: 'm'},"
        " managedFields: [{}]}, spec: {x: 1}, status: {y: 2}}";
    SCOPED_ARENA a = arena_open(1 << 20);
    View *all = view_open(&(ViewOptions){0});
    View *some = view_open(&(ViewOptions){.metadata_only = true});

    see(all, a, kind_pod, "a", object);
    see(some, a, kind_pod, "a", object);
    then_json(view_find(all, a, kind_pod, (Key){"d", "a"}),
        "{apiVersion: 'v1', kind: 'Pod', metadata: {name: 'a', labels: {l: 'm'}},"
        " spec: {x: 1}, status: {y: 2}}");
    then_json(view_find(some, a, kind_pod, (Key){"d", "a"}),
        "{apiVersion: 'v1', kind: 'Pod', metadata: {name: 'a', labels: {l: 'm'}}}");
    view_close(all);
    view_close(some);
}

TEST(an_indexer_reads_names_and_versions_without_parsing_the_object)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    View *v = view_open(&(ViewOptions){0});
    char identity[VIEW_IDENTITY_SIZE];
    ViewGlance glance;

    see(v,
        a,
        kind_statefulset,
        "a",
        "{metadata: {name: 'a', uid: 'u', resourceVersion: '7', deletionTimestamp: 'now'}}");
    then_str(view_identity(kind_statefulset, (Key){"d", "a"}, identity), "statefulsets.apps/d/a");
    then_true(view_glance(v, identity, &glance));
    then_str(glance.uid, "u");
    then_str(glance.version, "7");
    then_true(glance.deleting);
    then_true(!view_glance(v, "statefulsets.apps/d/b", &glance));
    view_close(v);
}

TEST(an_indexer_above_its_maximum_is_a_bug)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    View *v = view_open(&(ViewOptions){.objects_max = 1});

    see(v, a, kind_pod, "a", "{}");
    see(v, a, kind_pod, "a", "{}");
    then_bug("more objects than it may", see(v, a, kind_pod, "b", "{}"));
    view_close(v);
}

TEST(the_number_of_tags_of_an_object_is_limited)
{
    ViewTags tags = {.count = 0};
    char texts[VIEW_TAGS_MAX + 1][8];

    view_tag(&tags, NULL);
    then_int(tags.count, 0);
    for (size_t i = 0; i <= VIEW_TAGS_MAX; i++) {
        snprintf(texts[i], sizeof texts[i], "%zu", i);
        view_tag(&tags, texts[i]);
        view_tag(&tags, texts[i]);
    }
    then_int(tags.count, VIEW_TAGS_MAX);
}
