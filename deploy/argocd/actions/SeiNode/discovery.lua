-- What Argo CD offers for a SeiNode. Each script looks again for itself, because it may also be run
-- where it is not offered.
local annotations = obj.metadata.annotations or {}
local labels = obj.metadata.labels or {}
local is_paused = obj.spec.paused == true
local is_maintained = annotations["sei.io/maintenance"] ~= nil
local is_validator = obj.spec.validator ~= nil
local is_of_fleet = labels["sei.io/nodedeployment"] ~= nil

return {
  restart = { disabled = false },
  retry = { disabled = false },
  pause = { disabled = is_paused or is_maintained },
  unpause = { disabled = not is_paused or is_maintained or is_validator or is_of_fleet },
}
