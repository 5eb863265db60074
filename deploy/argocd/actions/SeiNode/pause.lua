-- Stops the pod of the node; its volume stays.
local annotations = obj.metadata.annotations or {}

if obj.spec.paused == true then
  error("it is paused already", 0)
end
if annotations["sei.io/maintenance"] ~= nil then
  error("it is in maintenance: `kubectl sei pause` tells that run to leave it paused", 0)
end
obj.spec.paused = true
return obj
