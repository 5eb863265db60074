/* The caller's side of the Api port: a caller that does not care for the answer may say so. */
#include "kube/api.h"

#include <assert.h>

Err *api_call(Api *api, Arena *a, const Request *request, const Json **ret)
{
    const Json *answer = NULL;

    assert(request->verb != VERB_WATCH);
    TRY(api->call(api, a, request, &answer));
    if (ret)
        *ret = answer;
    return OK;
}
