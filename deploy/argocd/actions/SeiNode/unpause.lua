-- Lets the node run again on the same volume. From here no other object can be seen: whether the key of a
-- validator signs elsewhere, or the fleet of the node is paused, `kubectl sei unpause` looks for.
local annotations = obj.metadata.annotations or {}
local labels = obj.metadata.labels or {}

if obj.spec.paused ~= true then
  error("it is not paused", 0)
end
if annotations["sei.io/maintenance"] ~= nil then
  error("it is in maintenance: only that run lets it go, see `kubectl sei maintain`", 0)
end
if obj.spec.validator ~= nil then
  error("it is a validator: use `kubectl sei unpause`, which looks whether its key signs elsewhere", 0)
end
if labels["sei.io/nodedeployment"] ~= nil then
  error("it belongs to a fleet: use `kubectl sei unpause`, which looks whether that is paused", 0)
end
obj.spec.paused = false
return obj
