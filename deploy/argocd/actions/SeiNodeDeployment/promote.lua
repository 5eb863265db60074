-- Updates the ordinals below the partition, too.
if (obj.spec.updateStrategy.partition or 0) == 0 then
  error("it has no partition: every ordinal is updated", 0)
end
obj.spec.updateStrategy.partition = 0
return obj
