/* Messages: the table of what the numbers in protobuf bodies mean.
 *
 * A message is a name and a text of fields, each "number=name:type" and, without spaces,
 *
 *     []   behind it, when there may be many,
 *     {}   when it is a map from texts,
 *     !    when it is told even if it is zero: "", 0 or false.
 *
 * Types in small letters are values (int, flag, bytes, time, micro, quantity, either for an
 * IntOrString, raw for JSON, items for a list in a message of its own; none: text), others are
 * messages. A field without a name is a message whose fields belong to this one. No message
 * contains itself. */
#ifndef SRC_SANDBOX_PROTOBUF_MESSAGES_H
#define SRC_SANDBOX_PROTOBUF_MESSAGES_H

#include <stddef.h>

typedef struct ProtobufMessage {
    const char *name, *fields;
} ProtobufMessage;

/* In the order of names. */
extern const ProtobufMessage protobuf_messages[];
extern const size_t protobuf_message_count;

#endif
