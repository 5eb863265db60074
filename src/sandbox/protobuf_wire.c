/* The wire of protobuf. */
#include "sandbox/protobuf_wire.h"

static bool take_varint(Bytes *rest, uint64_t *ret)
{
    *ret = 0;
    for (unsigned shift = 0; shift < 64 && rest->len > 0; shift += 7) {
        unsigned char byte = (unsigned char)*rest->data;
        rest->data++;
        rest->len--;
        *ret |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

static bool take_bytes(Bytes *rest, uint64_t len, Bytes *ret)
{
    if (len > rest->len)
        return false;
    *ret = (Bytes){rest->data, (size_t)len};
    rest->data += len;
    rest->len -= (size_t)len;
    return true;
}

static bool take_piece(Bytes *rest, ProtobufPiece *ret)
{
    uint64_t tag, len;

    if (!take_varint(rest, &tag))
        return false;
    *ret = (ProtobufPiece){.number = tag >> 3, .wire = (ProtobufWire)(tag & 7)};
    switch (ret->wire) {
    case PROTOBUF_VARINT:
        return take_varint(rest, &ret->value);
    case PROTOBUF_FIXED64:
        return take_bytes(rest, 8, &ret->bytes);
    case PROTOBUF_BYTES:
        return take_varint(rest, &len) && take_bytes(rest, len, &ret->bytes);
    case PROTOBUF_FIXED32:
        return take_bytes(rest, 4, &ret->bytes);
    }
    return false;
}

Err *protobuf_next(ProtobufDecoder *d, Bytes *rest, const char *where, ProtobufPiece *ret)
{
    if (d->pieces++ == PROTOBUF_PIECES_MAX)
        return err_terminal(
            d->arena, "a protobuf message of more than %d fields", PROTOBUF_PIECES_MAX);
    if (!take_piece(rest, ret))
        return err_terminal(d->arena, "a protobuf message ends or breaks inside %s", where);
    return OK;
}
