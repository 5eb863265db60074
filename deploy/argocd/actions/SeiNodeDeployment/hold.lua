-- Holds the rollout: no node is updated, and every pod keeps running.
if obj.spec.updateStrategy.hold == true then
  error("it is held already", 0)
end
obj.spec.updateStrategy.hold = true
return obj
