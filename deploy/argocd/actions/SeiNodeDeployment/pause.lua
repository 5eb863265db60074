-- Stops the pods of all nodes; their volumes stay. To stop a rollout alone, hold it.
if obj.spec.paused == true then
  error("it is paused already", 0)
end
obj.spec.paused = true
return obj
