/* SimTransport: the port, and what both of its parts need. */
#include "sim/sim_transport.h"

#include "base/str.h"

void sim_transport_init(SimTransport *t, Sim *sim, Process *process, const char *user)
{
    *t = (SimTransport){
        .port =
            {
                .host = "world",
                .open_api = sim_api_open,
                .close_api = sim_api_close,
                .open_streams = sim_streams_open,
                .close_streams = sim_streams_close,
            },
        .sim = sim,
        .process = process,
        .user = user,
    };
}

Request sim_request_copy(Arena *a, const Request *request)
{
    Request copy = *request;

    copy.key = key_copy(a, request->key);
    copy.subresource = str_copy(a, request->subresource);
    copy.raw_path = str_copy(a, request->raw_path);
    copy.body = json_copy(a, request->body);
    copy.manager = str_copy(a, request->manager);
    copy.uid = str_copy(a, request->uid);
    copy.resource_version = str_copy(a, request->resource_version);
    copy.labels = str_copy(a, request->labels);
    copy.fields = str_copy(a, request->fields);
    copy.continue_key = str_copy(a, request->continue_key);
    return copy;
}

Err *sim_err_dead(Arena *a)
{
    return err_retry(a, "this process is dead");
}
