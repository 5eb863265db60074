/* Peer: who a client is by the certificate that it showed. */
#ifndef KUBE_SERVE_PEER_H
#define KUBE_SERVE_PEER_H

#include "base/arena.h"
#include "kube/serve/hall.h"

#include <gnutls/gnutls.h>

/* Reads it of a session whose handshake is over. A certificate that none of the authorities of
 * clients has signed for a client, or that is out of its time, is nobody's. Texts are in the arena.
 */
HallPeer peer_read(Arena *a, gnutls_session_t session);

#endif
