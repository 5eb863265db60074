/* SeidStatus: what seid says of itself by GET /status on its RPC port. Pure. The answer comes from
 * a pod, so nothing of it is believed that is not well formed, and every other answer is turned
 * into words for people. */
#ifndef SEI_SIDECAR_SEID_STATUS_H
#define SEI_SIDECAR_SEID_STATUS_H

#include "kube/http.h"

enum {
    SEID_CHAIN_ID_MAX = 128, /* bytes; Tendermint allows 50 */
    SEID_TROUBLE_MAX = 200,  /* bytes of an answer or an error that are passed on */
};

/* Either chain_id or trouble; both are in the arena. */
typedef struct SeidStatus {
    const char *chain_id; /* node_info.network: it comes from genesis.json on the data volume */
    const char *trouble;  /* why the answer is of no use, such as "it answers 500" */
} SeidStatus;

/* The bare result, which Sei sends, and the same in a JSON-RPC envelope. */
SeidStatus seid_status_read(Arena *a, const HttpAnswer *answer);

/* No answer came. */
SeidStatus seid_status_of_silence(Arena *a, const Err *why);

#endif
