/* SHA-256 by OpenSSL. Its newer interface looks the algorithm up by its name for each text, which
 * takes longer than to hash a short one; the older one has nothing to look up, and no state to be
 * kept between two texts. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/sha256.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

void sha256_hex(Bytes data, char ret[SHA256_HEX_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char hash[SHA256_DIGEST_LENGTH];
    SHA256_CTX ctx;

    if (!SHA256_Init(&ctx) || !SHA256_Update(&ctx, data.data, data.len)
        || !SHA256_Final(hash, &ctx))
        BUG("OpenSSL has no SHA-256");
    for (size_t i = 0; i < sizeof hash; i++) {
        ret[2 * i] = digits[hash[i] >> 4];
        ret[2 * i + 1] = digits[hash[i] & 0x0F];
    }
    ret[SHA256_HEX_SIZE - 1] = '\0';
}

void sha256_hmac(Bytes key, Bytes data, unsigned char ret[SHA256_HMAC_SIZE])
{
    unsigned int len = SHA256_HMAC_SIZE;

    if (!HMAC(EVP_sha256(),
            key.data,
            (int)key.len,
            (const unsigned char *)data.data,
            data.len,
            ret,
            &len)
        || len != SHA256_HMAC_SIZE)
        BUG("OpenSSL has no HMAC of SHA-256");
}
