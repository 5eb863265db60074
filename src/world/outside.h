/* Outside: what seids and sidecars find beyond their cluster: chains that grow, and buckets.
 *
 * A chain's head is a function of time alone, so nobody has to step it. The buckets are one set of
 * keys: a genesis ceremony meets there. */
#ifndef WORLD_OUTSIDE_H
#define WORLD_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Outside Outside;

enum {
    CHAINS_MAX = 32,
    CHAIN_ID_SIZE = 64,
    CHAIN_UPGRADES_MAX = 8,
    CHAIN_IMAGE_SIZE = 256,
    OUTSIDE_OBJECTS_MAX = 10000,
};

/* From this height on only a seid goes on whose image's name has this text in it. */
typedef struct ChainUpgrade {
    int64_t height;
    char image[CHAIN_IMAGE_SIZE];
} ChainUpgrade;

/* All of it may be changed by whoever scripts the world. */
typedef struct Chain {
    char id[CHAIN_ID_SIZE];
    int64_t height;          /* of the head at time 0; 1,000 */
    int64_t block_ms;        /* 400 */
    int64_t catch_up_per_s;  /* blocks that a seid which is behind makes in a second; 500 */
    int64_t lag_max;         /* behind by more, a seid is not ready; 300 */
    int64_t snapshot_height; /* of the newest snapshot in the bucket; 0: there is none; 900 */
    bool has_genesis;        /* known to the sidecar itself: pacific-1, atlantic-2, arctic-1 */
    int halt_height_code;    /* with which seid ends at its --halt-height: 0 or 143; 0 */
    bool halt_exits;         /* a seid halted by an upgrade ends instead of sitting there */
    bool witnesses_down;     /* nobody answers who asks for a height to trust */
    ChainUpgrade upgrades[CHAIN_UPGRADES_MAX]; /* in the order of heights */
    size_t upgrade_count;
} Chain;

/* An empty outside. */
Outside *outside_open(void);
void outside_close(Outside *o);

/* The chain of an id, made at its first mention. Past CHAINS_MAX all newcomers are one chain. */
Chain *outside_chain(Outside *o, const char *id);

/* The height of its head. */
int64_t chain_head(const Chain *chain, int64_t now_ms);

/* When the head reaches a height; INT64_MAX beyond reckoning. */
int64_t chain_when(const Chain *chain, int64_t height);

/* Adds an upgrade, heights rising; false when there are too many. */
bool chain_schedule_upgrade(Chain *chain, int64_t height, const char *image);

/* The last block that a seid of this image can commit, when it has committed `height` by now:
 * INT64_MAX when no upgrade stops it. */
int64_t chain_limit(const Chain *chain, const char *image, int64_t height);

/* Puts an object into the buckets, replacing one of the same key. False when they are full. */
bool outside_put(Outside *o, const char *key, const char *value);

/* Who is told of every object that is put, from now on; NULL: nobody. */
typedef void OutsideListener(void *self, const char *key, const char *value);
void outside_listen(Outside *o, OutsideListener *listener, void *self);

/* The next object, and the next chain that was mentioned: start with *cursor 0; false and NULL at
 * the end. */
bool outside_next(const Outside *o, size_t *cursor, const char **ret_key, const char **ret_value);
const Chain *outside_next_chain(const Outside *o, size_t *cursor);

/* The object of a key, or NULL; borrowed until the key is put again. */
const char *outside_find(const Outside *o, const char *key);

#endif
