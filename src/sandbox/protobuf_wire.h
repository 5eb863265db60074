/* The wire of protobuf: fields by number, each a number or a length and bytes. What they mean is
 * not known here. */
#ifndef SRC_SANDBOX_PROTOBUF_WIRE_H
#define SRC_SANDBOX_PROTOBUF_WIRE_H

#include "base/bytes.h"
#include "base/err.h"

#include <stdint.h>

/* Of one body: each costs far more memory than it may cost to send. */
enum { PROTOBUF_PIECES_MAX = 50000 };

typedef enum ProtobufWire {
    PROTOBUF_VARINT = 0,
    PROTOBUF_FIXED64 = 1,
    PROTOBUF_BYTES = 2,
    PROTOBUF_FIXED32 = 5,
} ProtobufWire;

/* One field as it stands there. */
typedef struct ProtobufPiece {
    uint64_t number;
    ProtobufWire wire;
    uint64_t value; /* of a varint */
    Bytes bytes;    /* of the others, borrowed */
} ProtobufPiece;

/* One body being read. */
typedef struct ProtobufDecoder {
    Arena *arena;
    size_t pieces; /* so far */
} ProtobufDecoder;

/* Takes the next field off what is left. ERR_TERMINAL, naming where, when it is malformed, or one
 * too many. */
Err *protobuf_next(
    ProtobufDecoder *d, Bytes *rest, const char *where, ProtobufPiece *ret) MUST_CHECK;

#endif
