/* Sweep: a list, and then a delete of each, as the real server's store does. */
#include "sandbox/sweep.h"

#include "kube/meta.h"

void sweep(Server *s, Arena *a, const Caller *caller, const Request *request, Answer *ret)
{
    Request list = {
        .verb = VERB_LIST,
        .kind = request->kind,
        .key = {.namespace = request->key.namespace},
        .labels = request->labels,
        .fields = request->fields,
    };
    const Json *item;

    server_call_as(s, a, caller, &list, ret);
    if (ret->status != 200)
        return;
    json_each(item, json_find(ret->body, ".items")) {
        SCOPED_ARENA work = arena_open(JSON_BYTES_MAX);
        Request one = *request;
        Answer answer;
        one.labels = one.fields = NULL;
        one.key = meta_key(item);
        server_call_as(s, work, caller, &one, &answer);
        if (answer.status < 400 || answer.status == 404)
            continue;
        *ret = (Answer){.status = answer.status, .body = json_copy(a, answer.body)};
        return;
    }
}
