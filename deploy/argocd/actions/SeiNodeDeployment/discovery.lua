-- What Argo CD offers for a SeiNodeDeployment. Each script looks again for itself, because it may also
-- be run where it is not offered. To go back to a template of before, `kubectl sei rollout abort` and
-- undo read it from another object, which a script cannot.
local is_paused = obj.spec.paused == true
local is_held = obj.spec.updateStrategy.hold == true
local is_validator = obj.spec.template.spec.validator ~= nil

return {
  restart = { disabled = false },
  retry = { disabled = false },
  hold = { disabled = is_held },
  resume = { disabled = not is_held },
  promote = { disabled = (obj.spec.updateStrategy.partition or 0) == 0 },
  pause = { disabled = is_paused },
  unpause = { disabled = not is_paused or is_validator },
}
