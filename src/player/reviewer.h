/* Reviewer: what a kube-rbac-proxy asks a real API server: whose token is this, and may they. */
#ifndef PLAYER_REVIEWER_H
#define PLAYER_REVIEWER_H

#include "base/clock.h"
#include "kube/api.h"
#include "world/sidecar_door.h"

typedef struct Reviewer Reviewer;

enum { REVIEWER_MEMORY = 64, REVIEWER_KEEPS_MS = 5000 };

/* The Api is used by reviews alone, from within reviewer_ask. */
Reviewer *reviewer_open(Api *api, Clock *clock);

/* Accepts NULL. */
void reviewer_close(Reviewer *r);

/* A SidecarReviewer. An allowed answer is remembered for REVIEWER_KEEPS_MS, as the proxy does. */
SidecarVerdict reviewer_ask(void *reviewer, SidecarReview *review);

#endif
