/* Scripts: reading them, and playing their steps. A step that names an object that is not there is
 * played all the same: what the server says to it is compared like anything else. */
#include "tests/e2e/script.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/client/file.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "kube/timestamp.h"
#include "tests/crds/crds.h"
#include "tests/test.h"

enum { FILE_MAX = 1 << 20 };

const Kind *const script_kinds[] = {
    kind_statefulset,
    kind_controllerrevision,
    kind_pod,
    kind_pvc,
    kind_pv,
    kind_job,
    kind_pdb,
    kind_configmap,
    kind_secret,
    kind_namespace,
    crd_seinode,
    crd_seinodedeployment,
    NULL,
};

/* What scripts call them. */
static const char *const words[] = {
    "statefulset",
    "controllerrevision",
    "pod",
    "pvc",
    "pv",
    "job",
    "budget",
    "configmap",
    "secret",
    "namespace",
    "seinode",
    "seinodedeployment",
};

/* --- reading --- */

/* The last step when there are no more. */
static const Json *step_at(const Script *script, size_t step)
{
    const Json *at = json_first(script->steps), *next;

    while (step-- > 0 && (next = json_next(script->steps, at)))
        at = next;
    return at;
}

bool script_is_race(const Script *script, size_t step)
{
    return str_has_suffix(json_str(step_at(script, step), "[0]"), "?");
}

static const Json *read_file(Arena *a, const char *name)
{
    const char *root = getenv("SEI_SOURCE_ROOT");
    Buf text = {.ceiling = FILE_MAX};

    then_ok(file_read(
        a, str_format(a, "%s/tests/e2e/scripts/%s", root ? root : ".", name), &text, NULL));
    const Json *read = json_fixture(a, str_slice(a, text.data, text.len));
    buf_close(&text);
    return read;
}

static void add_scripts(Arena *a, Scripts *scripts, const Json *read, const char *part)
{
    const Json *steps;

    json_each(steps, read) {
        const char *name = json_key(steps);
        if (part && !strstr(name, part))
            continue;
        if (scripts->count == SCRIPTS_MAX)
            BUG("more scripts than fit");
        Script *script = &scripts->items[scripts->count];
        *script = (Script){
            .name = name,
            .namespace = str_format(a, "s%03zu", scripts->count++),
            .steps = steps,
            .count = json_count(steps),
        };
        if (script_is_race(script, script->count))
            fail_msg("%s: the end is not compared", name);
        if (script->count > scripts->steps_max)
            scripts->steps_max = script->count;
    }
}

Scripts *scripts_load(Arena *a, const char *part)
{
    static const char *const files[] = {
        "statefulset_pods.json5",
        "statefulset_updates.json5",
        "garbage.json5",
        "volumes.json5",
        "jobs.json5",
        "budgets.json5",
    };
    Scripts *scripts = arena_new(a, Scripts);

    scripts->objects = read_file(a, "objects.json5");
    for (size_t i = 0; i < array_count(files); i++)
        add_scripts(a, scripts, read_file(a, files[i]), part);
    return scripts;
}

const char *script_step_text(Arena *a, const Script *script, size_t step)
{
    return json_write(a, step_at(script, step)).data;
}

/* --- what a step speaks of --- */

typedef struct Subject {
    const Kind *kind;
    Key key;
    const char *word;
} Subject;

/* "kind/name", "kind/other/name" */
static Subject subject_of(Arena *a, const Script *script, const char *text)
{
    const char *slash = strchr(text, '/'), *name = slash ? slash + 1 : "";
    Subject subject = {.key.namespace = script->namespace};

    if (str_has_prefix(name, "other/")) {
        name += strlen("other/");
        subject.key.namespace = str_format(a, "%s-other", script->namespace);
    }
    for (size_t i = 0; slash && i < array_count(words); i++)
        if (str_eq(words[i], str_slice(a, text, (size_t)(slash - text)))) {
            subject.kind = script_kinds[i];
            subject.word = words[i];
        }
    if (!subject.kind)
        test_fail(__FILE__, __LINE__, "%s: '%s' is no object", script->name, text);
    subject.key.name = name;
    if (!subject.kind->namespaced) {
        subject.key.name = str_format(a, "%s-%s", script->namespace, name);
        subject.key.namespace = NULL;
    }
    return subject;
}

static const Json *find(Place *place, Arena *a, Subject subject)
{
    const Json *object = NULL;
    Request get = {.verb = VERB_GET, .kind = subject.kind, .key = subject.key};
    Err *err = api_call(place->api, a, &get, &object);

    if (!status_is_not_found(err))
        then_ok(err);
    return object;
}

static const char *uid_of(Place *place, Arena *a, const Script *script, const char *text)
{
    const char *uid = meta_uid(find(place, a, subject_of(a, script, text)));

    if (!uid)
        fail_msg("%s: there is no %s", script->name, text);
    return uid;
}

/* --- bodies --- */

static const char *replaced(Arena *a, const char *text, const char *what, const char *by)
{
    const char *at;

    while ((at = strstr(text, what)))
        text =
            str_format(a, "%s%s%s", str_slice(a, text, (size_t)(at - text)), by, at + strlen(what));
    return text;
}

/* With <ns> and <uid ...> filled in. */
static const Json *filled_in(Place *place, Arena *a, const Script *script, const Json *body)
{
    static const char sign[] = "<uid ";
    const char *text = replaced(a, json_write(a, body).data, "<ns>", script->namespace), *at;

    while ((at = strstr(text, sign))) {
        const char *end = strchr(at, '>');
        const char *named = str_slice(a, at, (size_t)(end - at) + 1);
        const char *object = str_slice(a, at + strlen(sign), (size_t)(end - at) - strlen(sign));
        text = replaced(a, text, named, uid_of(place, a, script, object));
    }
    return json_fixture(a, text);
}

static Draft *reference(Place *place, Arena *a, const Script *script, const char *owner)
{
    const char *text = str_slice(a, owner, strcspn(owner, " "));
    Subject subject = subject_of(a, script, text);
    char api_version[KIND_API_VERSION_SIZE];

    return draft(a,
        str("apiVersion", str_copy(a, kind_api_version(subject.kind, api_version))),
        str("kind", subject.kind->name),
        str("name", subject.key.name),
        str("uid", uid_of(place, a, script, text)),
        draft_flag_if("controller", strstr(owner, " controller") != NULL),
        draft_flag_if("blockOwnerDeletion", strstr(owner, " blocking") != NULL));
}

static const Json *with_owners(Place *place, Arena *a, const Script *script, const Json *body)
{
    const Json *owners = json_member(body, "owners"), *owner;
    Draft *references = draft_array(a);

    if (!owners)
        return body;
    json_each(owner, owners)
        draft_push(references, reference(place, a, script, json_text(owner)));
    body = json_merge(a, body, json_fixture(a, "{owners: null}"));
    return json_merge(
        a, body, json_seal(a, draft(a, obj("metadata", sub("ownerReferences", references)))));
}

static const Json *object_of(Arena *a, const Scripts *scripts, Subject subject, const Json *patch)
{
    char api_version[KIND_API_VERSION_SIZE];
    const Json *identity = json_seal(a,
        draft(a,
            str("apiVersion", str_copy(a, kind_api_version(subject.kind, api_version))),
            str("kind", subject.kind->name),
            obj("metadata",
                str("name", subject.key.name),
                str("namespace", subject.key.namespace))));

    return json_merge(
        a, json_merge(a, json_member(scripts->objects, subject.word), patch), identity);
}

/* --- the node's part --- */

/* The verb without its question mark. */
static const char *verb_of(Arena *a, const Json *step)
{
    const char *verb = json_str(step, "[0]");

    return str_slice(a, verb, strcspn(verb, "?"));
}

static const Json *pod_status(Place *place, Arena *a, const char *verb)
{
    static const char *const phases[][2] = {{"ready", "Running"},
        {"unready", "Running"},
        {"failed", "Failed"},
        {"succeeded", "Succeeded"}};
    char now[TIMESTAMP_SIZE];
    const char *phase = NULL;

    for (size_t i = 0; i < array_count(phases); i++)
        if (str_eq(verb, phases[i][0]))
            phase = phases[i][1];
    if (!phase)
        return NULL;
    return json_seal(a,
        draft(a,
            obj("status",
                str("phase", phase),
                list("conditions",
                    draft(a,
                        str("type", "Ready"),
                        str("status", str_eq(verb, "ready") ? "True" : "False"),
                        str("lastTransitionTime",
                            str_copy(a,
                                timestamp_format(place->clock->wall_ns(place->clock), now))))))));
}

static const Json *binding(Arena *a, Key pod)
{
    return json_seal(a,
        draft(a,
            str("apiVersion", "v1"),
            str("kind", "Binding"),
            obj("metadata", str("name", pod.name), str("namespace", pod.namespace)),
            obj("target", str("apiVersion", "v1"), str("kind", "Node"), str("name", "n"))));
}

/* "j-*" is some pod of the Job j that is not over. */
static const char *pod_name(Place *place, Arena *a, const Script *script, const char *name)
{
    const Json *answer = NULL, *pod;
    Request pods = {.verb = VERB_LIST, .kind = kind_pod, .key.namespace = script->namespace};

    if (!str_has_suffix(name, "-*"))
        return name;
    pods.labels = str_format(
        a, "batch.kubernetes.io/job-name=%s", str_slice(a, name, strlen(name) - strlen("-*")));
    then_ok(api_call(place->api, a, &pods, &answer));
    json_each(pod, json_find(answer, ".items")) {
        const char *phase = json_str(pod, ".status.phase");
        if (!meta_deleting(pod) && !str_eq(phase, "Succeeded") && !str_eq(phase, "Failed"))
            return meta_name(pod);
    }
    return "nobody";
}

static const Json *eviction(Arena *a, Key pod)
{
    return json_seal(a,
        draft(a,
            str("apiVersion", "policy/v1"),
            str("kind", "Eviction"),
            obj("metadata", str("name", pod.name), str("namespace", pod.namespace))));
}

static Err *play_pods(Place *place, Arena *a, const Script *script, const Json *step)
{
    const char *verb = verb_of(a, step);
    const Json *name;
    Request request = {.verb = VERB_DELETE, .kind = kind_pod, .has_grace = true};

    if (str_eq(verb, "bind"))
        request = (Request){.verb = VERB_CREATE, .kind = kind_pod, .subresource = "binding"};
    else if (str_eq(verb, "evict"))
        request = (Request){.verb = VERB_CREATE, .kind = kind_pod, .subresource = "eviction"};
    else if (!str_eq(verb, "bury"))
        request = (Request){.verb = VERB_MERGE_PATCH,
            .kind = kind_pod,
            .subresource = "status",
            .body = pod_status(place, a, verb)};
    if (request.verb == VERB_MERGE_PATCH && !request.body)
        fail_msg("%s: '%s' is no step", script->name, verb);
    for (name = json_next(step, json_first(step)); name; name = json_next(step, name)) {
        request.key = (Key){script->namespace, pod_name(place, a, script, json_text(name))};
        if (str_eq(verb, "bind"))
            request.body = binding(a, request.key);
        if (str_eq(verb, "evict"))
            request.body = eviction(a, request.key);
        TRY(api_call(place->api, a, &request, NULL));
    }
    return OK;
}

/* --- steps --- */

static Propagation propagation_of(const char *text)
{
    return str_eq(text, "background") ? PROPAGATION_BACKGROUND
        : str_eq(text, "foreground")  ? PROPAGATION_FOREGROUND
        : str_eq(text, "orphan")      ? PROPAGATION_ORPHAN
                                      : PROPAGATION_DEFAULT;
}

static bool has_subject(const char *verb)
{
    return str_eq(verb, "create") || str_eq(verb, "patch") || str_eq(verb, "status")
        || str_eq(verb, "scale") || str_eq(verb, "delete");
}

static Err *play_object(
    Place *place, Arena *a, const Scripts *scripts, const Script *script, const Json *step)
{
    const char *verb = verb_of(a, step);
    Subject subject = subject_of(a, script, json_str(step, "[1]"));
    const Json *third = json_find(step, "[2]");
    Request request = {.kind = subject.kind, .key = subject.key};

    if (str_eq(verb, "delete")) {
        request.verb = VERB_DELETE;
        request.propagation = propagation_of(json_text(third));
        return api_call(place->api, a, &request, NULL);
    }
    third = third ? third : json_seal(a, draft_object(a));
    request.verb = VERB_MERGE_PATCH;
    request.body = with_owners(place, a, script, filled_in(place, a, script, third));
    if (str_eq(verb, "create")) {
        request.verb = VERB_CREATE;
        request.body = object_of(a, scripts, subject, request.body);
    } else if (!str_eq(verb, "patch")) {
        request.subresource = verb;
    }
    return api_call(place->api, a, &request, NULL);
}

const char *script_play(Place *place, Arena *a, const Scripts *scripts, size_t at, size_t step)
{
    const Script *script = &scripts->items[at];
    const Json *played = step_at(script, step);
    const Err *err = has_subject(verb_of(a, played))
        ? play_object(place, a, scripts, script, played)
        : play_pods(place, a, script, played);

    if (!err)
        return "";
    return str_format(a, "%d %s", err->status, err->reason ? err->reason : err_text(a, err));
}

/* --- namespaces --- */

static bool has_other(Arena *a, const Script *script)
{
    return strstr(json_write(a, script->steps).data, "/other/") != NULL;
}

static void create_namespace(Place *place, Arena *a, const char *name)
{
    Request create = {.verb = VERB_CREATE,
        .kind = kind_namespace,
        .key.name = name,
        .body = json_seal(a,
            draft(a,
                str("apiVersion", "v1"),
                str("kind", "Namespace"),
                obj("metadata", str("name", name))))};

    then_ok(api_call(place->api, a, &create, NULL));
}

void script_begin(Place *place, Arena *a, const Script *script)
{
    create_namespace(place, a, script->namespace);
    if (has_other(a, script))
        create_namespace(place, a, str_format(a, "%s-other", script->namespace));
}

bool script_has_begun(Place *place, Arena *a, const Script *script)
{
    Subject account = {.kind = kind_serviceaccount, .key = {script->namespace, "default"}};
    bool one = find(place, a, account) != NULL;

    account.key.namespace = str_format(a, "%s-other", script->namespace);
    return one && (!has_other(a, script) || find(place, a, account));
}
