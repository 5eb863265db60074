/* DefinitionHashes: what deploy/crds holds, in a few digits. Made by tests/cli/test_doctor.c: run
 * it with SEI_GOLDEN=write after an edit there. */
#ifndef CLI_DOCTOR_DEFINITION_HASHES_H
#define CLI_DOCTOR_DEFINITION_HASHES_H

#define SEINODES_SCHEMA_HASH           "938995f7d6083db2"
#define SEINODES_COLUMN_HASH           "dd180ec46a85e911"
#define SEINODEDEPLOYMENTS_SCHEMA_HASH "d8ee06d68a30e73c"
#define SEINODEDEPLOYMENTS_COLUMN_HASH "2e2a46505fa5430c"

#endif
