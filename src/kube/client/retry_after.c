/* RetryAfter: seconds or a date. A server's whim is bounded: nobody is sent away for years. */
#include "kube/client/retry_after.h"

#include "base/str.h"

#include <curl/curl.h>

int64_t retry_after_ms(const char *text, int64_t wall_ms)
{
    int64_t seconds = 0, ms;

    if (str_empty(text))
        return 0;
    if (str_to_int(text, &seconds)) {
        if (seconds > RETRY_AFTER_MAX_S)
            seconds = RETRY_AFTER_MAX_S;
        ms = seconds * 1000;
    } else {
        int64_t date_s = curl_getdate(text, NULL);
        ms = date_s < 0 ? 0 : date_s * 1000 - wall_ms;
    }
    if (ms < 0)
        return 0;
    return ms < RETRY_AFTER_MAX_S * 1000LL ? ms : RETRY_AFTER_MAX_S * 1000LL;
}
