/* Options: what the query, and of a delete the body, says about how a request is to be carried out:
 * ListOptions, CreateOptions, UpdateOptions, PatchOptions, DeleteOptions. */
#ifndef SANDBOX_OPTIONS_H
#define SANDBOX_OPTIONS_H

#include "sandbox/route.h"

/* Reads them into the request, whose verb and body are known. What is wrong with them becomes the
 * refusal. */
void options_read(Arena *a, const HallRequest *in, const Query *query, Routed *ret);

#endif
