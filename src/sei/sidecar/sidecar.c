/* Sidecar: the calls of the port. */
#include "sei/sidecar/sidecar.h"

void sidecar_task(
    Sidecar *s, Arena *a, const SidecarTarget *target, const SidecarJob *job, SidecarNews *ret)
{
    s->task(s, a, target, job, ret);
}

void sidecar_probe(Sidecar *s, Arena *a, const SidecarTarget *target, SidecarProbe *ret)
{
    s->probe(s, a, target, ret);
}

void sidecar_name(Sidecar *s, Arena *a, const SidecarTarget *target, SidecarName *ret)
{
    s->name(s, a, target, ret);
}

void sidecar_rest(Sidecar *s, Key node)
{
    s->rest(s, node);
}

void sidecar_forget(Sidecar *s, Key node)
{
    s->forget(s, node);
}
