-- Lets all nodes run again on the same volumes. From here no other node can be seen: whether the key of a
-- validator signs elsewhere, `kubectl sei unpause` looks for.
if obj.spec.paused ~= true then
  error("it is not paused", 0)
end
if obj.spec.template.spec.validator ~= nil then
  error("its nodes are validators: use `kubectl sei unpause`, which looks whether a key signs elsewhere", 0)
end
obj.spec.paused = false
return obj
