/* Admission: what the server itself puts into a new object, which no manager owns: protection
 * finalizers, addresses of Services, the selector of a Job, the first status. */
#ifndef WORLD_ADMISSION_H
#define WORLD_ADMISSION_H

#include "world/call.h"
#include "world/object.h"

/* 404 and 403 for a namespace that is not there or on its way out. */
Err *admission_check_namespace(Call *c, Key key) MUST_CHECK;

/* 403 for a bound claim that is to grow without a class. Every class that has a name lets it. */
Err *admission_check_growth(Call *c, const Json *object, const Json *before) MUST_CHECK;

/* A Job without labels has those of its pods. */
const Json *admission_labelled(Arena *a, const Json *job);

/* The object with what the server adds at its creation. */
const Json *admission_complete(Call *c, const Json *object, const Stamp *stamp);

/* The object with what the server gave it once and an update left out: a Service's addresses, the
 * time of a volume's phase. */
const Json *admission_carried(Call *c, const Json *object, const Json *before);

#endif
