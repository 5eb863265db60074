/* CtlKinds: which resource a person or a manifest means, asked of the server's discovery. */
#ifndef SANDBOX_CTL_KINDS_H
#define SANDBOX_CTL_KINDS_H

#include "kube/api.h"
#include "kube/kind.h"

/* The kind of an object. ERR_TERMINAL when the server serves none such. */
Err *ctl_kind_of(Api *api, Arena *a, const Json *object, const Kind **ret) MUST_CHECK;

/* The kind of a word: "statefulset", "statefulsets", "sts", "StatefulSet". */
Err *ctl_kind_named(Api *api, Arena *a, const char *word, const Kind **ret) MUST_CHECK;

#endif
