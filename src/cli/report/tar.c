/* Tar: a header of one block, then the content, filled up to whole blocks. Numbers are octal texts,
 * and the checksum is taken with blanks in its own place. */
#include "cli/report/tar.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 512 };

typedef struct Header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100],
        magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
} Header;

_Static_assert(sizeof(Header) == BLOCK, "a header is one block");

static size_t padding_of(size_t len)
{
    return (BLOCK - len % BLOCK) % BLOCK;
}

static void set_checksum(Header *h)
{
    unsigned sum = 0;
    const unsigned char *bytes = (const unsigned char *)h;

    memset(h->checksum, ' ', sizeof h->checksum);
    for (size_t i = 0; i < sizeof *h; i++)
        sum += bytes[i];
    snprintf(h->checksum, sizeof h->checksum, "%06o", sum);
}

bool tar_add(Buf *tar, const char *name, Bytes content, int64_t modified_s)
{
    static const char zeros[BLOCK];
    Header h = {.mode = "0000600", .uid = "0000000", .gid = "0000000", .type = '0'};
    size_t before = tar->len;

    if (strlen(name) > TAR_NAME_MAX)
        return false;
    memcpy(h.name, name, strlen(name));
    snprintf(h.size, sizeof h.size, "%011llo", (unsigned long long)content.len);
    snprintf(h.mtime, sizeof h.mtime, "%011llo", (unsigned long long)modified_s);
    memcpy(h.magic, "ustar", sizeof "ustar");
    memcpy(h.version, "00", sizeof h.version);
    set_checksum(&h);
    if (buf_append(tar, &h, sizeof h) && buf_append(tar, content.data, content.len)
        && buf_append(tar, zeros, padding_of(content.len)))
        return true;
    tar->len = before;
    return false;
}

bool tar_end(Buf *tar)
{
    static const char zeros[2 * BLOCK];

    return buf_append(tar, zeros, sizeof zeros);
}
