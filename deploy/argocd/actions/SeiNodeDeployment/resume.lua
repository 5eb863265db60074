-- Goes on with a rollout that is held.
if obj.spec.updateStrategy.hold ~= true then
  error("it is not held", 0)
end
obj.spec.updateStrategy.hold = false
return obj
