/* What actors tell people: each thing once, counted, and not too often. */
#include "world/event_teller.h"

#include "tests/world/sei_pod.h"
#include "tests/world/stage.h"
#include "world/kubelet.h"

static const EventSaid hello = {
    .kind = kind_configmap,
    .key = {"default", "it"},
    .uid = "u",
    .reason = "Greeted",
    .message = "hello",
    .component = "tester",
};

static void test_phrase(const char *got, const char *want)
{
    if (!strstr(got, want))
        test_fail(__FILE__, __LINE__, "got:  %s\nwant: ...%s...", got, want);
}

static const Json *events(Stage *s)
{
    const Json *list = told(s, (Request){.verb = VERB_LIST, .kind = kind_core_event});

    return json_find(list, ".items");
}

/* "Reason Reason": those about an object, in the order of their names. */
static const char *reasons(Stage *s, const char *name, const char *part)
{
    const Json *list = events(s), *event;
    const char *all = "";

    json_each(event, list) {
        const char *path = json_str(event, ".involvedObject.fieldPath");
        if (str_eq(json_str(event, ".involvedObject.name"), name)
            && (part ? path && strstr(path, part) != NULL : !path))
            all = str_format(s->arena, "%s%s%s", all, *all ? " " : "", json_str(event, ".reason"));
    }
    return all;
}

TEST(a_repeated_event_of_an_actor_increments_its_count)
{
    SCOPED_STAGE s = stage_open();
    EventTeller *t = event_teller_open(world_clock(s->world));
    event_tell(t, s->arena, s->api, &hello);
    pass(s, 10);
    event_tell(t, s->arena, s->api, &hello);
    EventSaid other = hello;
    other.message = "good bye";
    other.is_warning = true;
    event_tell(t, s->arena, s->api, &other);
    then_int(json_count(events(s)), 2);
    const Json *first = json_first(events(s));
    then_int(json_int(first, ".count", 0), 2);
    then_str(json_str(first, ".type"), "Normal");
    then_str(json_str(first, ".message"), "hello");
    then_str(json_str(first, ".source.component"), "tester");
    then_str(json_str(first, ".involvedObject.kind"), "ConfigMap");
    then_true(!str_eq(json_str(first, ".firstTimestamp"), json_str(first, ".lastTimestamp")));
    event_teller_close(t);
}

TEST(an_event_that_was_deleted_is_created_again)
{
    SCOPED_STAGE s = stage_open();
    EventTeller *t = event_teller_open(world_clock(s->world));
    event_tell(t, s->arena, s->api, &hello);
    drop(s, kind_core_event, meta_name(json_first(events(s))), PROPAGATION_DEFAULT);
    event_tell(t, s->arena, s->api, &hello);
    then_int(json_count(events(s)), 1);
    then_int(json_int(json_first(events(s)), ".count", 0), 1);
    event_teller_close(t);
}

TEST(an_actor_that_sends_too_many_events_is_limited_for_a_time)
{
    SCOPED_STAGE s = stage_open();
    EventTeller *t = event_teller_open(world_clock(s->world));
    for (int i = 0; i < 2 * TELLER_BURST; i++)
        event_tell(t, s->arena, s->api, &hello);
    then_int(json_int(json_first(events(s)), ".count", 0), TELLER_BURST);
    pass(s, TELLER_REFILL_S);
    event_tell(t, s->arena, s->api, &hello);
    event_tell(t, s->arena, s->api, &hello);
    then_int(json_int(json_first(events(s)), ".count", 0), TELLER_BURST + 1);
    EventSaid other = hello;
    other.uid = "v";
    event_tell(t, s->arena, s->api, &other);
    then_int(json_count(events(s)), 2);
    event_teller_close(t);
}

TEST(an_actor_without_an_event_recorder_sends_no_events)
{
    SCOPED_STAGE s = stage_open();
    event_tell(NULL, s->arena, s->api, &hello);
    then_int(json_count(events(s)), 0);
}

TEST(an_actor_can_send_more_events_than_its_recorder_remembers)
{
    SCOPED_STAGE s = stage_open();
    EventTeller *t = event_teller_open(world_clock(s->world));
    for (int i = 0; i < TELLER_MEMORY + 10; i++) {
        SCOPED_ARENA a = arena_open(1 << 20);
        EventSaid one = hello;
        one.uid = str_format(a, "u%d", i);
        event_tell(t, a, s->api, &one);
    }
    then_int(json_count(events(s)), TELLER_MEMORY + 10);
    event_teller_close(t);
}

/* --- the actors --- */

static Kubelet *with_kubelet(Stage *s, bool tells)
{
    Kubelet *k = kubelet_open(&(KubeletOptions){
        .clock = world_clock(s->world), .rng = world_rng(s->world), .tells_events = tells});

    world_add(s->world, kubelet_actor(k));
    return k;
}

static const char pod[] =
    "{metadata: {name: 'p'}, spec: {containers: [{name: 'c', image: 'i:1'}]}}";

TEST(a_kubelet_sends_events_for_the_start_and_the_end_of_a_pod)
{
    SCOPED_STAGE s = stage_open();
    with_kubelet(s, true);
    create(s, kind_pod, pod);
    pass(s, 10);
    then_str(reasons(s, "p", NULL), "Scheduled");
    then_str(reasons(s, "p", "spec.containers{c}"), "Pulling Pulled Created Started");
    drop(s, kind_pod, "p", PROPAGATION_DEFAULT);
    pass(s, 60);
    then_str(reasons(s, "p", "spec.containers{c}"), "Pulling Pulled Created Started Killing");
}

TEST(a_kubelet_sends_events_for_an_image_that_cannot_be_pulled)
{
    SCOPED_STAGE s = stage_open();
    Kubelet *k = with_kubelet(s, true);
    then_true(kubelet_order(k, &(KubeletOrder){.deed = DEED_BAD_IMAGE, .text = "i:1"}, 0));
    create(s, kind_pod, pod);
    pass(s, 5);
    then_str(reasons(s, "p", "spec.containers{c}"), "Pulling Failed Failed BackOff Failed");
    pass(s, 60);
    then_str(reasons(s, "p", "spec.containers{c}"), "Pulling Failed Failed BackOff Failed");
}

TEST(a_scheduler_sends_an_event_for_a_pod_that_cannot_be_scheduled)
{
    SCOPED_STAGE s = stage_open();
    with_kubelet(s, true);
    create(s,
        kind_pod,
        "{metadata: {name: 'p'}, spec: {containers: [{name: 'c', image: 'i:1'}],"
        " volumes: [{name: 'v', persistentVolumeClaim: {claimName: 'none'}}]}}");
    pass(s, 10);
    then_str(reasons(s, "p", NULL), "FailedScheduling");
    then_str(json_str(json_first(events(s)), ".message"),
        "0/3 nodes are available: persistentvolumeclaim \"none\" not found.");
}

TEST(a_kubelet_counts_the_failures_of_a_probe_up_to_its_threshold)
{
    SCOPED_STAGE s = stage_open();
    with_kubelet(s, true);
    create(s,
        kind_pod,
        "{metadata: {name: 'p'}, spec: {containers: [{name: 'seid', image: 'i:1',"
        " readinessProbe: {httpGet: {path: '/lag_status', port: 26657}, periodSeconds: 5}}]}}");
    pass(s, 120);
    then_str(reasons(s, "p", "{seid}"), "Pulling Pulled Created Started Unhealthy");
    const Json *list = events(s), *event;
    json_each(event, list)
        if (str_eq(json_str(event, ".reason"), "Unhealthy")) {
            then_int(json_int(event, ".count", 0), 3);
            then_str(json_str(event, ".type"), "Warning");
        }
}

TEST(a_kubelet_sends_events_for_a_container_in_a_crash_loop)
{
    SCOPED_STAGE s = stage_open();
    Kubelet *k = with_kubelet(s, true);
    KubeletOrder kill = {.deed = DEED_KILL_SIDECAR, .pod = {"default", "p"}};
    create(s,
        kind_pod,
        "{metadata: {name: 'p'}, spec: {"
        " initContainers: [{name: 'sei-sidecar', image: 'i:1', restartPolicy: 'Always'}],"
        " containers: [{name: 'c', image: 'i:1'}]}}");
    for (int i = 0; i < 3; i++) {
        pass(s, 20);
        then_true(kubelet_order(k, &kill, world_now_ms(s->world)));
        world_wake(s->world, kubelet_actor(k));
    }
    pass(s, 5);
    then_str(reasons(s, "p", "spec.initContainers{sei-sidecar}"),
        "Pulling Pulled Created Started Pulled BackOff");
    const Json *list = events(s), *event;
    json_each(event, list)
        if (str_eq(json_str(event, ".reason"), "BackOff"))
            test_phrase(json_str(event, ".message"),
                "Back-off restarting failed container sei-sidecar in pod p_default(");
}

TEST(a_kubelet_without_event_recording_sends_no_events)
{
    SCOPED_STAGE s = stage_open();
    with_kubelet(s, false);
    create(s, kind_pod, pod);
    pass(s, 10);
    then_int(json_count(events(s)), 0);
}

TEST(workload_controllers_send_events_for_their_pods)
{
    SCOPED_STAGE s = stage_open();
    ControllerOptions options = stage_options(s);
    options.tells_events = true;
    world_add(
        s->world, statefulset_controller_open(&(StatefulSetControllerOptions){.base = options}));
    world_add(s->world, job_controller_open(&options));
    create(s,
        kind_statefulset,
        "{metadata: {name: 'web'}, spec: {serviceName: 'web', selector: {matchLabels: {a: 'b'}},"
        " template: {metadata: {labels: {a: 'b'}},"
        "  spec: {containers: [{name: 'c', image: 'i:1'}]}}}}");
    create(s,
        kind_job,
        "{metadata: {name: 'job'}, spec: {template: {spec: {restartPolicy: 'Never',"
        " containers: [{name: 'c', image: 'i:1'}]}}}}");
    pass(s, 10);
    then_str(reasons(s, "web", NULL), "SuccessfulCreate");
    then_str(reasons(s, "job", NULL), "SuccessfulCreate");
    const Json *list = events(s), *event;
    json_each(event, list)
        if (str_eq(json_str(event, ".involvedObject.name"), "web"))
            then_str(json_str(event, ".message"), "create Pod web-0 in StatefulSet web successful");
    patch(s, kind_statefulset, "web", "{spec: {replicas: 0}}");
    run_pod(s, "web-0");
    pass(s, 10);
    then_str(reasons(s, "web", NULL), "SuccessfulCreate SuccessfulDelete");
}
