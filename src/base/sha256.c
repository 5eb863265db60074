/* SHA-256 by OpenSSL. */
#include "base/sha256.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

void sha256_hex(Bytes data, char ret[SHA256_HEX_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned int len = 0;

    if (!EVP_Digest(data.data, data.len, hash, &len, EVP_sha256(), NULL) || len != 32)
        BUG("OpenSSL has no SHA-256");
    for (size_t i = 0; i < len; i++) {
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
