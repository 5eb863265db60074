/* Packing: texts that resemble each other, such as the objects of one kind, kept as what they
 * differ in.
 *
 * A packer has a model: one of the texts, in full. Another is written down as stretches of the
 * model, stretches of itself, and the few bytes that stand in neither. When texts have changed so
 * much that the model costs more than a new one would, the next text becomes the model; an old one
 * stays for as long as something is packed by it. */
#ifndef WORLD_PACKING_H
#define WORLD_PACKING_H

#include "base/bytes.h"
#include "base/slab.h"

#include <stddef.h>
#include <stdint.h>

typedef struct Packer Packer;
typedef struct Model Model;

/* A text that was packed. */
typedef struct Packed {
    Model *model; /* NULL: none is needed */
    Bytes bytes;  /* the text itself when they are as many as it has */
    size_t len;   /* of the text */
} Packed;

/* A packer without a model. Models are in the slab; the arena, which must outlive it, is emptied
 * with every text. */
Packer *packer_open(Slab *slab, Arena *work);
void packer_close(Packer *p);

/* Packs a text of less than 2 GiB; the bytes are valid until the next one is packed. The caller
 * holds the model. Without a packer (NULL) the text stays as it is. */
Packed packer_pack(Packer *p, Bytes text);

/* Lets a model go. Accepts NULL. */
void model_drop(Slab *slab, Model *m);

/* The first bytes of the text, all of them or fewer, in the arena, or where the packed bytes are
 * when they are the text. */
Bytes packed_text(const Packed *packed, Arena *a, size_t len);

#endif
