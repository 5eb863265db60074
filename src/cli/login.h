/* Login: what a person does when the server does not accept who they are. What may be done there
 * cannot be asked then: that would need the same login. */
#ifndef CLI_LOGIN_H
#define CLI_LOGIN_H

#include "kube/config.h"

typedef enum LoginTrouble {
    LOGIN_REFUSED,       /* by the server: 401 */
    LOGIN_PLUGIN_FAILED, /* no credential came of the plugin */
} LoginTrouble;

/* Which credential it was, of which user and context, and how to renew it: for behind "hint:". The
 * arguments of a plugin are shown up to its first flag, because flags may hold secrets. */
const char *login_advice(Arena *a, const Config *config, LoginTrouble trouble);

#endif
