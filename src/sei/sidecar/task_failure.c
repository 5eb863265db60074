/* The phrases of the sidecar that name a permanent cause. "object ... not found" is not among them:
 * a genesis or a peers.json is not there before another node has uploaded it. */
#include "sei/sidecar/task_failure.h"

#include <stddef.h>
#include <string.h>

static const char *const permanent_phrases[] = {
    "no snapshot found", /* "at or below height N" in the bucket; in the local folder */
    "no snapshots found",
    "access denied to s3://",
    "does not exist in region", /* the bucket */
    "S3 error InvalidAccessKeyId",
    "S3 error SignatureDoesNotMatch",
    "S3 error InvalidBucketName",
    "S3 error PermanentRedirect",
    "SEI_GENESIS_BUCKET/SEI_GENESIS_REGION are not set",
    "verify-hash",
    "escapes destination directory", /* an entry of the archive */
    "points outside destination directory",
    "no gentx JSON file found",
    "no peers in config.toml",
    "could not extract RPC hosts from peers",
    "parsing params",
    "missing required",
};

bool task_failure_is_permanent(const char *error)
{
    for (size_t i = 0; error && i < sizeof permanent_phrases / sizeof permanent_phrases[0]; i++)
        if (strstr(error, permanent_phrases[i]))
            return true;
    return false;
}
