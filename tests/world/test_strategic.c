/* Strategic merge patches: lists with keys, lists of scalars, and the directives. What comes out is
 * what a Kubernetes 1.34 server made of the same. */
#include "tests/test.h"
#include "tests/world/desk.h"
#include "world/schema.h"
#include "world/strategic.h"

#define SPEC(of) "{spec: {" of "}}"

static const struct {
    const char *name, *original, *patch, *patched;
} cases[] = {
    {"fields are merged",
        SPEC("a: 1, b: {c: 2, d: 3}"),
        SPEC("b: {c: 9, e: 4}"),
        SPEC("a: 1, b: {c: 9, d: 3, e: 4}")},
    {"null removes", SPEC("a: 1, b: 2"), SPEC("a: null, c: null"), SPEC("b: 2")},
    {"null inside of what is new is nothing",
        "{}",
        SPEC("b: {c: null, d: [{e: null, f: 1}]}"),
        SPEC("b: {d: [{f: 1}]}")},
    {"another type is taken",
        SPEC("a: 1, b: {c: 1}"),
        SPEC("a: {x: 1}, b: 2"),
        SPEC("a: {x: 1}, b: 2")},
    {"elements with keys are merged",
        SPEC("containers: [{name: 'a', image: 'x'}, {name: 'b'}]"),
        SPEC("containers: [{name: 'a', image: 'y'}]"),
        SPEC("containers: [{name: 'a', image: 'y'}, {name: 'b'}]")},
    {"new elements come first",
        SPEC("containers: [{name: 'a'}]"),
        SPEC("containers: [{name: 'n'}]"),
        SPEC("containers: [{name: 'n'}, {name: 'a'}]")},
    {"deep inside, too",
        SPEC("containers: [{name: 'a', env: [{name: 'X', value: '1'}, {name: 'Y', value: '2'}]}]"),
        SPEC("containers: [{name: 'a', env: [{name: 'Y', value: '3'}]}]"),
        SPEC("containers: [{name: 'a', env: [{name: 'X', value: '1'}, {name: 'Y', value: '3'}]}]")},
    {"ports by their number",
        SPEC("containers: [{name: 'a', ports: [{containerPort: 1}]}]"),
        SPEC("containers: [{name: 'a', ports: [{containerPort: 1, name: 'x'}]}]"),
        SPEC("containers: [{name: 'a', ports: [{containerPort: 1, name: 'x'}]}]")},
    {"mounts by their path",
        SPEC("containers: [{name: 'a', volumeMounts: [{mountPath: '/a', name: 'v'}]}]"),
        SPEC("containers: [{name: 'a', volumeMounts: [{mountPath: '/b', name: 'v'}]}]"),
        SPEC("containers: [{name: 'a', volumeMounts: [{mountPath: '/b', name: 'v'},"
             " {mountPath: '/a', name: 'v'}]}]")},
    {"a list without keys is replaced",
        SPEC("tolerations: [{key: 'a'}, {key: 'b'}]"),
        SPEC("tolerations: [{key: 'c'}]"),
        SPEC("tolerations: [{key: 'c'}]")},
    {"scalars are put together",
        "{metadata: {finalizers: ['a', 'b']}}",
        "{metadata: {finalizers: ['c', 'a']}}",
        "{metadata: {finalizers: ['c', 'a', 'b']}}"},
    {"scalars are taken out",
        "{metadata: {finalizers: ['a', 'b', 'c']}}",
        "{metadata: {'$deleteFromPrimitiveList/finalizers': ['b', 'x']}}",
        "{metadata: {finalizers: ['a', 'c']}}"},
    {"owners by their uid",
        "{metadata: {ownerReferences: [{uid: 'u', name: 'a'}]}}",
        "{metadata: {ownerReferences: [{uid: 'u', controller: true}, {uid: 'w', name: 'b'}]}}",
        "{metadata: {ownerReferences: [{uid: 'u', name: 'a', controller: true},"
        " {uid: 'w', name: 'b'}]}}"},
    {"conditions by their type",
        "{status: {conditions: [{type: 'A', status: 'x'}]}}",
        "{status: {conditions: [{type: 'A', status: 'y'}]}}",
        "{status: {conditions: [{type: 'A', status: 'y'}]}}"},
    {"$patch: delete takes an element",
        SPEC("containers: [{name: 'a'}, {name: 'b'}]"),
        SPEC("containers: [{name: 'a', '$patch': 'delete'}]"),
        SPEC("containers: [{name: 'b'}]")},
    {"$patch: replace replaces a list",
        SPEC("containers: [{name: 'a', image: 'x'}, {name: 'b'}]"),
        SPEC("containers: [{name: 'c'}, {'$patch': 'replace'}, {name: 'a'}]"),
        SPEC("containers: [{name: 'c'}, {name: 'a'}]")},
    {"$patch: replace replaces an object",
        SPEC("s: {a: 1, b: 2}"),
        SPEC("s: {'$patch': 'replace', c: 3}"),
        SPEC("s: {c: 3}")},
    {"$patch: delete empties an object",
        SPEC("s: {a: 1}"),
        SPEC("s: {'$patch': 'delete'}"),
        SPEC("s: {}")},
    {"a directive for what is not there is nothing",
        "{}",
        SPEC("s: {'$patch': 'delete'}, containers: [{name: 'a', '$patch': 'delete'}, {name: 'b'}]"),
        SPEC("containers: [{name: 'b'}]")},
    {"$retainKeys keeps and takes no more",
        SPEC("volumes: [{name: 'v', emptyDir: {}}]"),
        SPEC("volumes: [{name: 'v', '$retainKeys': ['name', 'secret'], secret: {x: 1}}]"),
        SPEC("volumes: [{name: 'v', secret: {x: 1}}]")},
    {"$setElementOrder orders",
        SPEC("containers: [{name: 'a'}, {name: 'b'}, {name: 'c'}]"),
        SPEC("'$setElementOrder/containers': [{name: 'c'}, {name: 'a'}]"),
        SPEC("containers: [{name: 'b'}, {name: 'c'}, {name: 'a'}]")},
    {"$setElementOrder orders what is merged",
        SPEC("containers: [{name: 'a'}, {name: 'b'}]"),
        SPEC("'$setElementOrder/containers': [{name: 'b'}, {name: 'n'}, {name: 'a'}],"
             " containers: [{name: 'n'}]"),
        SPEC("containers: [{name: 'b'}, {name: 'n'}, {name: 'a'}]")},
    {"$setElementOrder orders scalars",
        "{metadata: {finalizers: ['a', 'b']}}",
        "{metadata: {'$setElementOrder/finalizers': ['b', 'c', 'a'], finalizers: ['c']}}",
        "{metadata: {finalizers: ['b', 'c', 'a']}}"},
};

TEST(a_strategic_merge_patch_gives_the_result_of_the_real_server)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        const Json *patched = NULL;

        then_ok(strategic_patched(a,
            schema_of_kind(kind_pod)->root,
            json_fixture(a, cases[i].original),
            json_fixture(a, cases[i].patch),
            &patched));
        then_json(patched, cases[i].patched);
    }
}

TEST(an_invalid_strategic_merge_patch_is_refused)
{
    static const struct {
        const char *name, *patch;
        int status;
        const char *says;
    } refusals[] = {
        {"an element without its key",
            SPEC("containers: [{image: 'x'}]"),
            500,
            "does not contain declared merge key: name"},
        {"an element that is no object", SPEC("containers: ['x']"), 500, "merge key"},
        {"a directive that is none",
            SPEC("containers: [{name: 'a', '$patch': 'odd'}]"),
            500,
            "unknown patch type: odd"},
        {"a directive for elements",
            SPEC("containers: [{name: 'a', '$patch': 'merge'}]"),
            500,
            "merging lists cannot yet be specified in the patch"},
        {"a directive of an object", SPEC("'$patch': 'odd'"), 500, "unknown patch type: odd"},
        {"keys to retain that are no list",
            SPEC("'$retainKeys': 'x'"),
            400,
            "invalid patch format of retainKeys"},
        {"a field that is not retained",
            SPEC("'$retainKeys': ['a'], b: 1"),
            400,
            "invalid patch format of retainKeys"},
        {"an order that is another",
            SPEC("'$setElementOrder/containers': [{name: 'x'}, {name: 'y'}],"
                 " containers: [{name: 'y'}, {name: 'x'}]"),
            500,
            "doesn't match $setElementOrder"},
    };

    each_case(i, refusals) {
        SCOPED_ARENA a = arena_open(4 << 20);
        const Json *patched = NULL;
        Err *err = strategic_patched(a,
            schema_of_kind(kind_pod)->root,
            json_fixture(a, SPEC("containers: [{name: 'a'}]")),
            json_fixture(a, refusals[i].patch),
            &patched);

        then_true(err_has_status(err, refusals[i].status));
        then_true(strstr(err->message, refusals[i].says) != NULL);
    }
}

TEST(a_strategic_merge_patch_of_thousands_of_fields_is_applied)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    Draft *original = draft_object(a), *patch = draft_object(a), *list = draft_array(a);
    const Json *patched = NULL;

    for (int i = 0; i < 3000; i++) {
        draft_add(original, num(str_format(a, "k%d", i), i));
        draft_add(patch, num(str_format(a, "k%d", i + 1), 0));
        draft_push_str(list, str_format(a, "f%d", i));
    }
    const Json *data = json_seal(a, draft(a, sub("data", original)));
    then_ok(strategic_patched(a,
        schema_of_kind(kind_configmap)->root,
        data,
        json_seal(a, draft(a, sub("data", patch))),
        &patched));
    then_int(json_count(json_find(patched, ".data")), 3001);

    const Json *finalizers = json_seal(a, draft(a, obj("metadata", sub("finalizers", list))));
    then_true(err_has_status(
        strategic_patched(
            a, schema_of_kind(kind_configmap)->root, finalizers, finalizers, &patched),
        422));
}

TEST(the_number_of_retained_keys_in_a_strategic_patch_is_limited)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Draft *keys = draft_array(a);
    const Json *patched = NULL;

    for (int i = 0; i <= 1000; i++)
        draft_push_str(keys, str_format(a, "k%d", i));
    Err *err = strategic_patched(a,
        schema_of_kind(kind_pod)->root,
        json_fixture(a, "{spec: {k1: 1}}"),
        json_seal(a, draft(a, obj("spec", sub("$retainKeys", keys)))),
        &patched);
    then_true(err_has_status(err, 422));
}

TEST(the_longest_list_can_be_reordered_by_a_strategic_patch)
{
    enum { ELEMENTS = 1000 };
    SCOPED_ARENA a = arena_open(64 << 20);
    Draft *list = draft_array(a), *order = draft_array(a);
    const Json *patched = NULL, *element;
    int next = ELEMENTS - 1;

    for (int i = 0; i < ELEMENTS; i++) {
        draft_push_str(list, str_format(a, "x/%d", i));
        draft_push_str(order, str_format(a, "x/%d", ELEMENTS - 1 - i));
    }
    then_ok(strategic_patched(a,
        schema_of_kind(kind_pod)->root,
        json_seal(a, draft(a, obj("metadata", sub("finalizers", list)))),
        json_seal(a, draft(a, obj("metadata", sub("$setElementOrder/finalizers", order)))),
        &patched));
    json_each(element, json_find(patched, ".metadata.finalizers"))
        then_str(json_text(element), str_format(a, "x/%d", next--));
    then_int(next, -1);
}

/* --- by the server --- */

static void strategic(Desk *d, const Kind *kind, const char *name, const char *json5)
{
    ask_body(d, (Request){.verb = VERB_STRATEGIC_PATCH, .kind = kind, .key.name = name}, json5);
}

TEST(built_in_kinds_accept_strategic_merge_patches)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_configmap, "{metadata: {name: 'c', finalizers: ['x/a']}, data: {k: '1'}}");
    strategic(d, kind_configmap, "c", "{metadata: {finalizers: ['x/b']}, data: {k: null, l: '2'}}");
    then_status(d, 200);
    then_json(json_find(d->answer.body, ".data"), "{l: '2'}");
    then_json(json_find(d->answer.body, ".metadata.finalizers"), "['x/b', 'x/a']");

    strategic(d, kind_configmap, "c", "{data: {'$patch': 'odd'}}");
    then_refused(d, 500, "unknown patch type: odd");
    strategic(d, kind_configmap, "c", "[]");
    then_refused(d, 400, "cannot unmarshal array");
    strategic(d, kind_configmap, "none", "{}");
    then_refused(d, 404, "not found");
}

TEST(custom_kinds_refuse_strategic_merge_patches)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    strategic(d, kind_widget, "w", "{}");
    then_refused(d,
        415,
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
}
