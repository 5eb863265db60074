/* The tables of rules that a pod is made of; in the order in which they are looked at. */
#ifndef WORLD_VALIDITY_POD_H
#define WORLD_VALIDITY_POD_H

#include "world/validity_rules.h"

extern const Rule validity_volume_rules[];         /* of one volume */
extern const Rule validity_container_rules[];      /* of one container */
extern const Rule validity_init_container_rules[]; /* of one that runs first, or beside */
extern const Rule validity_pod_spec_rules[];       /* of a pod, and of templates */
extern const Rule validity_pod_alone_rules[];      /* of the spec of a pod that is no template's */
extern const Rule validity_pod_address_rules[];    /* of its names, which StatefulSets overrule */

/* {type, localhostProfile} */
extern const Rule validity_seccomp_rules[];

/* Labels of a template, and whether the selector picks them. */
void validity_check_template(const Spot *template, const Json *selector, Faults *f);

/* What may stand in a template's labels and annotations at all. */
void validity_check_template_metadata(const Spot *template, Faults *f);

#endif
