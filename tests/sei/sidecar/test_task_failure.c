/* Which failures of sidecar tasks have a cause that no retry removes. The texts are those of the
 * real sidecar. */
#include "sei/sidecar/task_failure.h"

#include "tests/test.h"

static const struct {
    const char *name; /* the text */
    bool is_permanent;
} texts[] = {
    {"no snapshot found at or below height 95 in s3://snap/pacific-1/state-sync/", true},
    {"no snapshots found in s3://snap/pacific-1/state-sync/", true},
    {"configure-state-sync: discovering local snapshot height: no snapshot found in /sei/data",
        true},
    {"configure-state-sync: no peers in config.toml", true},
    {"configure-state-sync: no reachable RPC witness among [10.0.0.1:26657]", false},
    {"configure-state-sync: querying latest height: Get \"http://a:26657/status\": EOF", false},
    {"snapshot-restore: S3: bucket \"b\" does not exist in region us-east-1 [hint: x]", true},
    {"snapshot-restore: S3: access denied to s3://b/k in region us-east-1 [hint: x]", true},
    {"snapshot-restore: S3: S3 throttled request to s3://b/k [hint: transient]", false},
    {"snapshot-restore: S3: S3 error InternalError on s3://b/k", false},
    {"snapshot-restore: S3: S3 error InvalidAccessKeyId on s3://b/k", true},
    {"snapshot-restore: S3: network error accessing s3://b/k [hint: check VPC endpoints]", false},
    {"snapshot-restore: S3: unexpected error accessing s3://b/k: context canceled", false},
    {"configure-genesis: S3: object \"c/genesis.json\" not found in s3://g [hint: x]", false},
    {"configure-genesis: verify-hash: downloaded genesis.json has SHA-256 1, expected 2", true},
    {"set-genesis-peers: S3: object \"c/peers.json\" not found in s3://g", false},
    {"extracting snapshot: writing file: no space left on device", false},
    {"extracting snapshot: tar entry \"../x\" escapes destination directory", true},
    {"parsing params: json: cannot unmarshal string", true},
    {"a text of a later version", false},
    {"", false},
};

TEST(only_task_errors_with_a_known_permanent_cause_are_permanent)
{
    each_case(i, texts)
        then_int(task_failure_is_permanent(texts[i].name), texts[i].is_permanent);
    then_int(task_failure_is_permanent(NULL), false);
}
