/* DefinitionHashes: what deploy/crds holds, in a few digits. Made by tests/cli/test_doctor.c: run
 * it with SEI_GOLDEN=write after an edit there. */
#ifndef CLI_DOCTOR_DEFINITION_HASHES_H
#define CLI_DOCTOR_DEFINITION_HASHES_H

#define SEINODES_SCHEMA_HASH           "b0136efbc00ed6cc"
#define SEINODES_COLUMN_HASH           "e96e2632bb168dfa"
#define SEINODEDEPLOYMENTS_SCHEMA_HASH "e1cdad5a01cffcd9"
#define SEINODEDEPLOYMENTS_COLUMN_HASH "64ac013810547504"

#endif
