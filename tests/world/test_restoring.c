/* Objects of an earlier server put into a new one. */
#include "world/restoring.h"

#include "kube/meta.h"
#include "tests/world/desk.h"

static const Json *read_one(Desk *d, const Kind *kind, Key key)
{
    Answer answer;

    server_call(d->server,
        d->arena,
        "test",
        &(Request){.verb = VERB_GET, .kind = kind, .key = key},
        &answer);
    return answer.status == 200 ? answer.body : NULL;
}

TEST(a_restored_object_is_unchanged)
{
    SCOPED_DESK d = desk_open();
    const Json *object = json_fixture(d->arena,
        "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'x', namespace: 'default',"
        " uid: 'u-1', resourceVersion: '900'}, data: {a: 'b'}}");

    then_true(server_restore(d->server, d->arena, kind_configmap, object));
    server_restored(d->server, 950);
    then_true(json_equal(read_one(d, kind_configmap, (Key){"default", "x"}), object));
    then_int(server_version(d->server), 950);
    create(d, kind_configmap, "{metadata: {name: 'y'}}");
    then_str(meta_resource_version(read_one(d, kind_configmap, (Key){"default", "y"})), "951");
}

TEST(a_watch_from_before_the_restore_must_list_again)
{
    SCOPED_DESK d = desk_open();
    Answer answer;
    Bytes line;
    bool has_ended;

    server_restored(d->server, 1000);
    Request watch = {.verb = VERB_WATCH, .kind = kind_configmap, .resource_version = "999"};
    ServerWatch *w = server_open_watch(d->server, d->arena, &watch, &answer);
    then_true(server_next_event(w, d->arena, &line, &has_ended));
    then_true(strstr(line.data, "\"code\":410") != NULL);
    server_close_watch(w);
    watch.resource_version = "1000";
    w = server_open_watch(d->server, d->arena, &watch, &answer);
    then_true(!server_next_event(w, d->arena, &line, &has_ended) && !has_ended);
    server_close_watch(w);
}

TEST(a_restored_crd_serves_its_kind_again)
{
    SCOPED_DESK d = desk_open();
    SCOPED_DESK old = desk_open();
    const Json *crd, *widget;

    create(old, kind_crd, widget_crd);
    create(old, kind_widget, "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'w'}}");
    crd = read_one(old, kind_crd, (Key){NULL, "widgets.test.io"});
    widget = read_one(old, kind_widget, (Key){"default", "w"});
    then_true(!server_restore(d->server, d->arena, kind_widget, widget)); /* not served yet */
    then_true(server_restore(d->server, d->arena, kind_crd, crd));
    then_true(server_restore(d->server, d->arena, kind_widget, widget));
    then_true(json_equal(read_one(d, kind_widget, (Key){"default", "w"}), widget));
}

TEST(cluster_ips_of_restored_services_are_not_assigned_again)
{
    SCOPED_DESK d = desk_open();
    const char *ports = "spec: {ports: [{port: 80}]";

    then_true(server_restore(d->server,
        d->arena,
        kind_service,
        json_fixture(d->arena,
            "{apiVersion: 'v1', kind: 'Service', metadata: {name: 'a', namespace: 'default',"
            " resourceVersion: '50'}, spec: {clusterIP: '10.96.0.9'}}")));
    server_restored(d->server, 50);
    create(d, kind_service, str_format(d->arena, "{metadata: {name: 'b'}, %s}}", ports));
    then_str(json_str(read_one(d, kind_service, (Key){"default", "b"}), ".spec.clusterIP"),
        "10.96.0.10");
}

TEST(an_invalid_object_is_not_restored)
{
    static const struct {
        const char *name, *object;
    } cases[] = {
        {"without a name", "{metadata: {resourceVersion: '5'}}"},
        {"without a version", "{metadata: {name: 'x', namespace: 'default'}}"},
        {"of a version that is none",
            "{metadata: {name: 'x', namespace: 'default', resourceVersion: 'abc'}}"},
    };

    each_case(i, cases) {
        SCOPED_DESK d = desk_open();
        then_true(!server_restore(
            d->server, d->arena, kind_configmap, json_fixture(d->arena, cases[i].object)));
    }
}
