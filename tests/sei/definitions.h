/* Definitions: the world of tests with our own kinds in it, as a cluster has them. */
#ifndef TESTS_SEI_DEFINITIONS_H
#define TESTS_SEI_DEFINITIONS_H

#include "tests/crds/crds.h"
#include "tests/sei/world.h"

static inline void given_definition(TaskWorld *w, const Kind *kind)
{
    Answer answer;

    world_ask(w,
        (Request){.verb = VERB_CREATE, .kind = kind_crd, .body = crd_load(w->arena, kind)},
        &answer);
    then_int(answer.status, 201);
}

#endif
