-- Begins anew what has failed, of a node or a fleet.
local os = require("os")

if obj.metadata.annotations == nil then
  obj.metadata.annotations = {}
end
obj.metadata.annotations["sei.io/retry"] = os.date("!%Y-%m-%dT%XZ")
return obj
