/* Pieces that containers are made of. */
#include "sei/render/pod.h"

Draft *render_port(Arena *a, const char *name, int64_t number)
{
    return draft(a, str("name", name), num("containerPort", number), str("protocol", "TCP"));
}

Draft *render_mount(Arena *a, const char *volume, const char *path)
{
    return draft(a, str("name", volume), str("mountPath", path));
}

Draft *render_variable(Arena *a, const char *name, const char *value)
{
    return draft(a, str("name", name), str("value", value));
}

Draft *render_security(Arena *a, RootFilesystem root)
{
    return draft(a,
        flag("runAsNonRoot", true),
        num("runAsUser", NODE_USER),
        num("runAsGroup", NODE_USER),
        flag("allowPrivilegeEscalation", false),
        obj("capabilities", strs("drop", "ALL")),
        obj("seccompProfile", str("type", "RuntimeDefault")),
        draft_flag_if("readOnlyRootFilesystem", root == ROOT_READ_ONLY));
}
