/* PodUrl: the IP of a pod comes from its status, which more than the kubelet can write. So its
 * characters are checked before it becomes part of a URL. */
#include "sei/sidecar/pod_url.h"

#include "base/str.h"

#include <string.h>

const char *pod_address(const char *pod_ip)
{
    bool is_address =
        !str_empty(pod_ip) && pod_ip[strspn(pod_ip, "0123456789abcdefABCDEF.:")] == '\0';

    return is_address ? pod_ip : NULL;
}

const char *pod_url(Arena *a, const char *address, int port, const char *path)
{
    bool is_ipv6 = strchr(address, ':') != NULL;

    return str_format(
        a, "http://%s%s%s:%d%s", is_ipv6 ? "[" : "", address, is_ipv6 ? "]" : "", port, path);
}
