/* Certificate: GnuTLS' credentials, a few generations of them: a connection that began with one
 * holds it until it ends, so a change of files disturbs nobody.
 *
 * What surprises: two files cannot be changed at once. A certificate whose key has not come yet is
 * not used, and both are read again at the next connection. */
#include "kube/serve/certificate.h"

#include "base/arena.h"
#include "base/str.h"
#include "kube/serve/issue.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

enum { GENERATIONS = 4 };

struct CertificatePair {
    gnutls_certificate_credentials_t credentials; /* NULL: free */
    unsigned users;
    bool is_current;
};

/* By what a change of a file is seen. */
typedef struct FileMark {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
} FileMark;

typedef struct FileMarks {
    FileMark certificate, key;
} FileMarks;

struct Certificate {
    Arena *own;
    ServeTls files; /* both NULL: made here */
    FileMarks marks;
    bool asks_clients; /* for theirs */
    CertificatePair pairs[GENERATIONS];
    CertificatePair *current;
};

/* --- pairs -------------------------------------------------------------------------------------
 */

static void drop_if_unused(CertificatePair *pair)
{
    if (pair->users > 0 || pair->is_current || !pair->credentials)
        return;
    gnutls_certificate_free_credentials(pair->credentials);
    pair->credentials = NULL;
}

static CertificatePair *find_free(Certificate *c)
{
    for (size_t i = 0; i < GENERATIONS; i++)
        if (!c->pairs[i].credentials)
            return &c->pairs[i];
    return NULL;
}

/* From now on this is shown. */
static void set_current(
    Certificate *c, CertificatePair *pair, gnutls_certificate_credentials_t credentials)
{
    CertificatePair *before = c->current;

    *pair = (CertificatePair){.credentials = credentials, .is_current = true};
    c->current = pair;
    if (before) {
        before->is_current = false;
        drop_if_unused(before);
    }
}

/* --- from files --------------------------------------------------------------------------------
 */

static bool mark_file(const char *path, FileMark *ret)
{
    struct stat seen;

    if (stat(path, &seen) != 0)
        return false;
    *ret = (FileMark){seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtim};
    return true;
}

static bool mark_files(const Certificate *c, FileMarks *ret)
{
    return mark_file(c->files.certificate_file, &ret->certificate)
        && mark_file(c->files.key_file, &ret->key);
}

static bool marks_are_equal(const FileMark *left, const FileMark *right)
{
    return left->device == right->device && left->inode == right->inode && left->size == right->size
        && left->changed.tv_sec == right->changed.tv_sec
        && left->changed.tv_nsec == right->changed.tv_nsec;
}

/* New credentials of two PEM texts; a negative error of GnuTLS, or 0. */
static int read_texts(const gnutls_datum_t *certificate, const gnutls_datum_t *key,
    gnutls_certificate_credentials_t *ret)
{
    gnutls_certificate_credentials_t credentials = NULL;
    int error = gnutls_certificate_allocate_credentials(&credentials);

    if (!error)
        error = gnutls_certificate_set_x509_key_mem2(
            credentials, certificate, key, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (error < 0 && credentials)
        gnutls_certificate_free_credentials(credentials);
    else
        *ret = credentials;
    return error < 0 ? error : 0;
}

/* Reads both files into new credentials; a negative error of GnuTLS, or 0. */
static int read_files(const ServeTls *files, gnutls_certificate_credentials_t *ret)
{
    gnutls_datum_t certificate = {0}, key = {0};

    int error = gnutls_load_file(files->certificate_file, &certificate);
    if (!error)
        error = gnutls_load_file(files->key_file, &key);
    if (!error)
        error = read_texts(&certificate, &key, ret);
    gnutls_free(certificate.data);
    if (key.data)
        gnutls_memset(key.data, 0, key.size);
    gnutls_free(key.data);
    return error < 0 ? error : 0;
}

/* Reads the files again if they have changed since. */
static void refresh(Certificate *c)
{
    gnutls_certificate_credentials_t credentials = NULL;
    CertificatePair *pair = find_free(c);
    FileMarks marks;

    if (!c->files.certificate_file || !pair || !mark_files(c, &marks))
        return;
    if (marks_are_equal(&marks.certificate, &c->marks.certificate)
        && marks_are_equal(&marks.key, &c->marks.key))
        return;
    if (read_files(&c->files, &credentials) != 0 || !credentials)
        return;
    c->marks = marks;
    set_current(c, pair, credentials);
}

static Err *open_files(Arena *a, Certificate *c)
{
    gnutls_certificate_credentials_t credentials = NULL;
    bool are_there = mark_files(c, &c->marks);
    const char *why = are_there ? NULL : strerror(errno);
    int error = are_there ? read_files(&c->files, &credentials) : 0;
    if (error)
        why = gnutls_strerror(error);
    if (why)
        return err_terminal(a,
            "cannot serve TLS with the certificate %s and the key %s: %s",
            c->files.certificate_file,
            c->files.key_file,
            why);
    set_current(c, &c->pairs[0], credentials);
    return OK;
}

/* --- signed by itself --------------------------------------------------------------------------
 */

static int make_credentials(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key,
    gnutls_certificate_credentials_t credentials)
{
    int error = issue_key(key);

    error = error ? error : issue_server(certificate, key, (Issuer){0});
    return error ? error : gnutls_certificate_set_x509_key(credentials, &certificate, 1, key);
}

static Err *open_own(Arena *a, Certificate *c)
{
    gnutls_x509_crt_t certificate;
    gnutls_x509_privkey_t key;
    gnutls_certificate_credentials_t credentials;

    if (gnutls_x509_crt_init(&certificate) || gnutls_x509_privkey_init(&key)
        || gnutls_certificate_allocate_credentials(&credentials))
        BUG("GnuTLS has no memory");
    int error = make_credentials(certificate, key, credentials);
    gnutls_x509_crt_deinit(certificate);
    gnutls_x509_privkey_deinit(key);
    if (error < 0) {
        gnutls_certificate_free_credentials(credentials);
        return err_terminal(a, "cannot make a certificate for TLS: %s", gnutls_strerror(error));
    }
    set_current(c, &c->pairs[0], credentials);
    return OK;
}

/* --- opening, closing and showing --------------------------------------------------------------
 */

static Certificate *certificate_new(void)
{
    Arena *own = arena_open(1 << 16);
    Certificate *c = arena_new(own, Certificate);

    c->own = own;
    return c;
}

Err *certificate_open(Arena *a, const ServeTls *tls, Certificate **ret)
{
    Certificate *c = certificate_new();
    Arena *own = c->own;

    c->files = (ServeTls){
        .certificate_file = str_copy(own, tls->certificate_file),
        .key_file = str_copy(own, tls->key_file),
    };
    Err *err = tls->certificate_file ? open_files(a, c) : open_own(a, c);
    if (err) {
        arena_close(own);
        return err;
    }
    *ret = c;
    return OK;
}

static gnutls_datum_t datum_of(const char *text)
{
    /* GnuTLS only reads it. */
    return (gnutls_datum_t){(unsigned char *)(uintptr_t)text, (unsigned)strlen(text)};
}

/* Lets clients be verified by an authority; frees the credentials when it is none. */
static int trust(gnutls_certificate_credentials_t credentials, const char *authority)
{
    gnutls_datum_t text = datum_of(authority);
    int count = gnutls_certificate_set_x509_trust_mem(credentials, &text, GNUTLS_X509_FMT_PEM);

    if (count > 0)
        return 0;
    gnutls_certificate_free_credentials(credentials);
    return count < 0 ? count : GNUTLS_E_NO_CERTIFICATE_FOUND;
}

Err *certificate_open_texts(Arena *a, const CertificateTexts *texts, Certificate **ret)
{
    gnutls_datum_t certificate = datum_of(texts->certificate), key = datum_of(texts->key);
    gnutls_certificate_credentials_t credentials = NULL;
    int error = read_texts(&certificate, &key, &credentials);

    if (!error && texts->clients)
        error = trust(credentials, texts->clients);
    if (error)
        return err_terminal(
            a, "cannot serve TLS with the certificate that was given: %s", gnutls_strerror(error));
    *ret = certificate_new();
    (*ret)->asks_clients = texts->clients != NULL;
    set_current(*ret, &(*ret)->pairs[0], credentials);
    return OK;
}

void certificate_close(Certificate *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < GENERATIONS; i++)
        if (c->pairs[i].credentials)
            gnutls_certificate_free_credentials(c->pairs[i].credentials);
    arena_close(c->own);
}

CertificatePair *certificate_show(Certificate *c, gnutls_session_t session)
{
    refresh(c);
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, c->current->credentials);
    if (c->asks_clients)
        gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUEST);
    c->current->users++;
    return c->current;
}

void certificate_give_back(CertificatePair *pair)
{
    if (!pair)
        return;
    pair->users--;
    drop_if_unused(pair);
}

/* NOLINTNEXTLINE(readability-function-size): the signature is GnuTLS'. */
static int no_certificate(gnutls_session_t session, const gnutls_datum_t *authorities, int count,
    const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **ret,
    unsigned *ret_count, gnutls_privkey_t *ret_key)
{
    (void)session, (void)authorities, (void)count, (void)algorithms, (void)algorithm_count;
    (void)ret, (void)ret_count, (void)ret_key;
    return -1;
}

void *certificate_none(void)
{
    gnutls_certificate_retrieve_function2 *none = no_certificate;

    return (void *)(intptr_t)none;
}
