/* Token and TLS together: copies that go their own way. */
#include "kube/client/credentials.h"
#include "tests/kube/client/scratch.h"
#include "tests/pki.h"
#include "tests/test.h"

TEST(each_copy_of_the_credentials_reads_its_files_again)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *folder = scratch_folder(a);
    PkiCert old_ca, new_ca;
    then_ok(pki_new_ca(a, "old", &old_ca));
    then_ok(pki_new_ca(a, "new", &new_ca));
    Config config = {
        .origin = "test",
        .ca_file = scratch_write(a, folder, "ca.crt", old_ca.cert_pem),
        .token_file = scratch_write(a, folder, "token", "old"),
    };
    Credentials first;

    then_ok(client_credentials_open(a, &config, &(PluginTerms){.clock = clock_system()}, &first));
    Credentials copy = client_credentials_copy(&first);
    scratch_write(a, folder, "ca.crt", new_ca.cert_pem);
    scratch_write(a, folder, "token", "new");
    client_credentials_refresh(&copy, 1000, 0, false);
    then_str(copy.token.text.data, "new");
    then_int(copy.tls.generation, 1);
    then_str(first.token.text.data, "old");
    then_int(first.tls.generation, 0);
    client_credentials_close(&first);
    client_credentials_close(&copy);
}

TEST(an_invalid_token_or_authority_is_reported_with_its_field)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Credentials credentials;

    then_err(client_credentials_open(a,
                 &(Config){.origin = "o", .token = "a b"},
                 &(PluginTerms){.clock = clock_system()},
                 &credentials),
        TERMINAL("o: token"));
    then_err(client_credentials_open(a,
                 &(Config){.origin = "o", .token = "a", .ca_pem = "x"},
                 &(PluginTerms){.clock = clock_system()},
                 &credentials),
        TERMINAL("o: certificate-authority"));
}
