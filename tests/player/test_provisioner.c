/* Volumes for claims that have none. */
#include "player/provisioner.h"

#include "kube/meta.h"
#include "tests/test.h"

typedef struct Desk {
    Api port;
    Arena *arena;
    Actor *actor;
    const char *log;
    int refuse; /* the status of the next answers, or 0 */
    const Json *body;
} Desk;

static Err *call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Desk *d = (Desk *)(void *)self;
    (void)ret;
    d->log =
        str_format(d->arena, "%s%s %s;", d->log, request_verb_text(request), request->key.name);
    d->body = json_copy(d->arena, request->body);
    if (!d->refuse)
        return OK;
    Err *err = err_retry(a, "no");
    err->status = d->refuse;
    return err;
}

static void desk_open(Desk *d)
{
    *d = (Desk){.port = {call}, .arena = arena_open(16 << 20), .log = ""};
    d->actor = provisioner_open();
}

static void desk_close(Desk *d)
{
    d->actor->close(d->actor);
    arena_close(d->arena);
}

static void show(Desk *d, const Kind *kind, const char *name, const char *object)
{
    Sight sight = {.kind = kind,
        .key = {kind == kind_pvc ? "sei" : NULL, name},
        .object = object ? json_fixture(d->arena, object) : NULL};
    d->actor->see(d->actor, &sight, 0);
}

static int64_t step(Desk *d, int64_t now_ms)
{
    return d->actor->step(d->actor, d->arena, &d->port, now_ms);
}

static const char claim[] =
    "{metadata: {name: 'data', namespace: 'sei', uid: 'u1'}, spec: {storageClassName: 'fast',"
    " accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '10Gi'}}}}";

TEST(a_pvc_gets_a_persistent_volume_that_references_it)
{
    Desk d;
    desk_open(&d);
    then_true(step(&d, 0) == INT64_MAX);
    show(&d, kind_pvc, "data", claim);
    then_true(step(&d, 0) == INT64_MAX);
    then_str(d.log, "create pvc-u1;");
    then_json(d.body,
        "{apiVersion: 'v1', kind: 'PersistentVolume', metadata: {name: 'pvc-u1'}, spec: {"
        " capacity: {storage: '10Gi'}, accessModes: ['ReadWriteOnce'],"
        " persistentVolumeReclaimPolicy: 'Delete', storageClassName: 'fast',"
        " claimRef: {apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'sei',"
        "  name: 'data', uid: 'u1'},"
        " csi: {driver: 'player.sei.io', volumeHandle: 'pvc-u1'}}}");
    then_true(step(&d, 9999) == INT64_MAX);
    then_str(d.log, "create pvc-u1;");
    desk_close(&d);
}

static const struct {
    const char *name;
    const Kind *kind;
    const char *object, *log;
} cases[] = {
    {"a claim that has one", kind_pvc, "{metadata: {uid: 'u'}, spec: {volumeName: 'v'}}", ""},
    {"a claim on its way out", kind_pvc, "{metadata: {uid: 'u', deletionTimestamp: 'now'}}", ""},
    {"a volume in use",
        kind_pv,
        "{metadata: {name: 'v', uid: 'u'}, spec: {persistentVolumeReclaimPolicy: 'Delete'},"
        " status: {phase: 'Bound'}}",
        ""},
    {"a volume without a claim",
        kind_pv,
        "{metadata: {name: 'v', uid: 'u'}, spec: {persistentVolumeReclaimPolicy: 'Delete'},"
        " status: {phase: 'Released'}}",
        "delete v;"},
    {"a volume to be kept",
        kind_pv,
        "{metadata: {name: 'v', uid: 'u'}, spec: {persistentVolumeReclaimPolicy: 'Retain'},"
        " status: {phase: 'Released'}}",
        ""},
};

TEST(the_provisioner_ignores_objects_that_need_nothing)
{
    each_case(i, cases) {
        Desk d;
        desk_open(&d);
        show(&d, cases[i].kind, "v", cases[i].object);
        then_true(step(&d, 0) == INT64_MAX);
        then_str(d.log, cases[i].log);
        desk_close(&d);
    }
}

TEST(a_deleted_pvc_gets_no_volume)
{
    Desk d;
    desk_open(&d);
    show(&d, kind_pvc, "data", claim);
    show(&d, kind_pvc, "data", NULL);
    then_true(step(&d, 0) == INT64_MAX);
    then_str(d.log, "");
    desk_close(&d);
}

TEST(a_failed_volume_request_is_retried_later)
{
    Desk d;
    desk_open(&d);
    show(&d, kind_pvc, "data", claim);
    d.refuse = 503;
    then_int(step(&d, 100), 1100);
    then_int(step(&d, 200), 1100);
    then_str(d.log, "create pvc-u1;");
    d.refuse = 409;
    then_true(step(&d, 1100) == INT64_MAX);
    then_str(d.log, "create pvc-u1;create pvc-u1;");
    desk_close(&d);
}
