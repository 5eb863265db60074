/* The Api port: a call reaches the implementation, and the answer is optional. */
#include "kube/api.h"
#include "tests/test.h"

typedef struct FakeApi {
    Api port;
    const Request *called_with;
    Err *fails_with;
} FakeApi;

static Err *fake_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    FakeApi *fake = (FakeApi *)self;

    fake->called_with = request;
    TRY(fake->fails_with);
    *ret = json_fixture(a, "{kind: 'Pod'}");
    return OK;
}

static const Request request = {.verb = VERB_GET, .key = {"ns", "x"}};

TEST(an_api_call_returns_its_answer)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    FakeApi fake = {.port.call = fake_call};
    const Json *answer = NULL;

    then_ok(api_call(&fake.port, a, &request, &answer));
    then_str(json_str(answer, ".kind"), "Pod");
    then_true(fake.called_with == &request);
}

TEST(the_answer_of_an_api_call_may_be_ignored)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    FakeApi fake = {.port.call = fake_call};

    then_ok(api_call(&fake.port, a, &request, NULL));
    then_true(fake.called_with == &request);
}

TEST(a_failed_api_call_leaves_the_answer_unchanged)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    FakeApi fake = {.port.call = fake_call, .fails_with = err_retry(a, "connection refused")};
    const Json *before = json_fixture(a, "{}"), *answer = before;

    then_err(api_call(&fake.port, a, &request, &answer), RETRY("connection refused"));
    then_true(answer == before);
}
