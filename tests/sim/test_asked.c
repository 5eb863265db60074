/* What the judge of the operator's statuses knows of specs and pods: each part of a spec that a pod
 * shows is missed when the pod does not show it. */
#include "tests/sim/asked.h"

#include "base/arena.h"
#include "tests/test.h"

#define MADE_BY_US "annotations: {'sei.io/template-hash': 'h'}"

#define POD(labels, inside)                                                                        \
    "{metadata: {" MADE_BY_US ", labels: {'sei.io/node': 'rpc-0', " labels "}}, spec: {" inside "}}"
#define SEID        "containers: [{name: 'kube-rbac-proxy'}, {name: 'seid', image: 'mirror/seid:v1'}]"
#define SIDECAR(is) SEID ", initContainers: [{name: 'seid-init'}, {name: 'sei-sidecar', " is "}]"
#define ASKS        "image: 'ghcr.io/example/seid:v1'"

#define AT           "'kubectl.kubernetes.io/restartedAt': "
#define RESTART(day) "{metadata: {annotations: {" AT "'" day "'}}, spec: {" ASKS "}}"
#define RESTARTED(day)                                                                             \
    "{metadata: {annotations: {'sei.io/template-hash': 'h', " AT "'" day "'}}, spec: {" SEID "}}"

static const struct {
    const char *name, *template, *pod;
    bool is_shown;
} cases[] = {
    {"the image, wherever it is mirrored", "{spec: {" ASKS "}}", POD("", SEID), true},
    {"another image", "{spec: {image: 'ghcr.io/example/seid:v2'}}", POD("", SEID), false},
    {"no seid", "{spec: {" ASKS "}}", POD("", "containers: []"), false},
    {"the image of the sidecar",
        "{spec: {" ASKS ", sidecar: {image: 'seictl:v9'}}}",
        POD("", SIDECAR("image: 'ghcr.io/example/seictl:v9'")),
        true},
    {"another image of the sidecar",
        "{spec: {" ASKS ", sidecar: {image: 'seictl:v9'}}}",
        POD("", SIDECAR("image: 'seictl:v1'")),
        false},
    {"the port of the sidecar",
        "{spec: {" ASKS ", sidecar: {port: 7778}}}",
        POD("", SIDECAR("ports: [{name: 'sidecar', containerPort: 7778}]")),
        true},
    {"another port of the sidecar",
        "{spec: {" ASKS ", sidecar: {port: 7778}}}",
        POD("", SIDECAR("ports: [{name: 'sidecar', containerPort: 7777}]")),
        false},
    {"the resources of the sidecar",
        "{spec: {" ASKS ", sidecar: {resources: {requests: {cpu: '1'}}}}}",
        POD("", SIDECAR("resources: {requests: {cpu: '1'}}")),
        true},
    {"a limit that was taken away",
        "{spec: {" ASKS ", sidecar: {resources: {requests: {cpu: '1'}}}}}",
        POD("", SIDECAR("resources: {requests: {cpu: '1'}, limits: {cpu: '2'}}")),
        false},
    {"a label",
        "{spec: {" ASKS ", podLabels: {team: 'blue'}}}",
        POD("team: 'blue', tier: 'gold'", SEID),
        true},
    {"another value of a label",
        "{spec: {" ASKS ", podLabels: {team: 'blue'}}}",
        POD("team: 'red'", SEID),
        false},
    {"a label that is the operator's",
        "{spec: {" ASKS ", podLabels: {'sei.io/revision': '2'}}}",
        POD("'sei.io/revision': '1'", SEID),
        true},
    {"the Secret of a key",
        "{spec: {" ASKS ", validator: {signingKey: {secret: {secretName: 'a'}}}}}",
        POD("", SEID ", volumes: [{name: 'signing-key', secret: {secretName: 'a'}}]"),
        true},
    {"another Secret",
        "{spec: {" ASKS ", validator: {signingKey: {secret: {secretName: 'a'}}}}}",
        POD("", SEID ", volumes: [{name: 'signing-key', secret: {secretName: 'b'}}]"),
        false},
    {"a restart that was not made", RESTART("2026-02-02"), POD("", SEID), false},
    {"an older restart", RESTART("2026-02-02"), RESTARTED("2026-02-01"), false},
    {"the restart", RESTART("2026-02-02"), RESTARTED("2026-02-02"), true},
    {"a later restart", RESTART("2026-02-02"), RESTARTED("2026-02-03"), true},
    {"a pod of another operator",
        "{spec: {" ASKS ", sidecar: {image: 'seictl:v9'}, podLabels: {team: 'blue'}}}",
        "{metadata: {}, spec: {" SEID "}}",
        true},
    {"a pod of another operator with another image",
        "{spec: {image: 'seid:v2'}}",
        "{metadata: {}, spec: {" SEID "}}",
        false},
};

TEST(a_requested_field_is_missed_if_the_pod_does_not_show_it)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *asked = asked_of(a, json_fixture(a, cases[i].template));
        const Json *shown = asked_shown(a, json_fixture(a, cases[i].pod));

        then_true(asked_is_shown(asked, shown) == cases[i].is_shown);
    }
}
