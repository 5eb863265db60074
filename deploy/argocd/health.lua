-- How Argo CD reads a SeiNode or SeiNodeDeployment. Both follow kstatus, so this
-- says what Flux and `kubectl wait` find, in Argo CD's words: Stalled is Degraded,
-- and what a person has stopped is Suspended, not ill.
local function condition(kind)
  if obj.status ~= nil and obj.status.conditions ~= nil then
    for _, found in ipairs(obj.status.conditions) do
      if found.type == kind then
        return found
      end
    end
  end
  return { status = "Unknown", reason = "", message = "" }
end

local function health(status, message)
  return { status = status, message = message }
end

local ready, paused = condition("Ready"), condition("Paused")
local stalled, reconciling = condition("Stalled"), condition("Reconciling")

if obj.status == nil or obj.status.observedGeneration ~= obj.metadata.generation then
  return health("Progressing", "the operator has not looked at the newest spec")
end
if reconciling.status == "True" then
  return health("Progressing", reconciling.message)
end
if stalled.status == "True" then
  return health("Degraded", stalled.message)
end
if paused.status == "True" or ready.reason == "Held" then
  return health("Suspended", ready.message)
end
if ready.status == "True" then
  return health("Healthy", ready.message)
end
return health("Progressing", ready.message)
