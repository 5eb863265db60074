/* Validator: what the spec of a validator says of its keys and of the founding of its chain. Names
 * of Secrets only: what is in them is nobody's business here. */
#ifndef SEI_API_VALIDATOR_H
#define SEI_API_VALIDATOR_H

#include <stdbool.h>

/* One Secret that holds a key of a validator. */
typedef struct KeySource {
    bool is_set;
    const char *secret; /* name of the Secret, or NULL */
} KeySource;

typedef struct KeyringSource {
    bool is_set;
    const char *secret;   /* name of the Secret, or NULL */
    const char *key_name; /* of the operator's key in it: node_admin unless it is said */
    const char *passphrase, *passphrase_key; /* the Secret with the passphrase, or NULL */
} KeyringSource;

typedef struct GenesisCeremony {
    bool is_set;
    const char *chain_id, *staking_amount, *account_balance;
} GenesisCeremony;

#endif
