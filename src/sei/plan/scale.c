/* The scale decision: what is there against what should be. */
#include "sei/plan/scale.h"

static void judge_surplus(const ScaleChild *child, Scale *ret)
{
    ret->surplus++;
    if (child->leaving && child->ordinal > ret->leaving)
        ret->leaving = child->ordinal;
    if (!child->leaving && child->ordinal > ret->remove)
        ret->remove = child->ordinal;
}

void plan_scale(int64_t replicas, const ScaleChild *children, size_t count, Scale *ret)
{
    bool is_taken[FLEET_REPLICAS_MAX] = {0};
    bool has_other = false;

    if (replicas < 0 || replicas > FLEET_REPLICAS_MAX)
        BUG("more replicas than a fleet may have");
    *ret = (Scale){.remove = -1, .leaving = -1};
    for (const ScaleChild *child = children; child < children + count; child++) {
        has_other = has_other || (child->other && !child->foreign);
        if (child->ordinal < replicas) {
            is_taken[child->ordinal] = true;
            ret->foreign_count += child->foreign;
        } else if (!child->foreign) {
            judge_surplus(child, ret);
        }
    }
    if (ret->leaving >= 0)
        ret->remove = -1;
    for (int64_t ordinal = 0; ordinal < replicas && !has_other; ordinal++)
        if (!is_taken[ordinal])
            ret->create[ret->create_count++] = ordinal;
}
