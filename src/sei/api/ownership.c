/* Ownership: by controller UID, never by name. */
#include "sei/api/ownership.h"

#include "base/str.h"
#include "kube/meta.h"

Standing ownership_standing(const Json *owner, const Kind *kind, const Json *object)
{
    const Json *controller = meta_controller(object);

    if (!controller)
        return STANDING_NOBODYS;
    if (meta_controlled_by(object, owner))
        return STANDING_OURS;
    if (str_eq(json_str(controller, ".kind"), kind->name)
        && str_eq(json_str(controller, ".name"), meta_name(owner)))
        return STANDING_PREVIOUS;
    return STANDING_FOREIGN;
}

bool ownership_is_adoptable(
    const Json *owner, const char *label, const Json *object, const Json *wanted)
{
    const Json *selector = json_find(wanted, ".spec.selector");

    if (selector)
        return json_equal(json_find(object, ".spec.selector"), selector);
    return str_eq(meta_label(object, label), meta_name(owner));
}
