/* The messages of the built-in kinds, as k8s.io/api 0.34 numbers their fields. Volumes that only
 * one cloud or one old driver has are left out. */
#include "sandbox/protobuf_messages.h"

const ProtobufMessage protobuf_messages[] = {
    {"Affinity",
        "1=nodeAffinity:NodeAffinity 2=podAffinity:PodAffinity "
        "3=podAntiAffinity:PodAntiAffinity"},
    {"AggregationRule", "1=clusterRoleSelectors:LabelSelector[]"},
    {"AppArmorProfile", "1=type! 2=localhostProfile!"},
    {"Binding", "1=metadata:ObjectMeta 2=target:ObjectReference"},
    {"BoundObjectReference", "1=kind 2=apiVersion 3=name 4=uid"},
    {"CSIVolumeSource",
        "1=driver! 2=readOnly:flag! 3=fsType! 4=volumeAttributes{} "
        "5=nodePublishSecretRef:LocalObjectReference"},
    {"Capabilities", "1=add[] 2=drop[]"},
    {"ClientIPConfig", "1=timeoutSeconds:int!"},
    {"ClusterRole", "1=metadata:ObjectMeta 2=rules:PolicyRule[] 3=aggregationRule:AggregationRule"},
    {"ClusterRoleBinding", "1=metadata:ObjectMeta 2=subjects:Subject[] 3=roleRef:RoleRef"},
    {"ClusterTrustBundleProjection",
        "1=name! 2=signerName! 3=labelSelector:LabelSelector 4=path! 5=optional:flag!"},
    {"Condition",
        "1=type! 2=status! 3=observedGeneration:int 4=lastTransitionTime:time! 5=reason! "
        "6=message!"},
    {"ConfigMap", "1=metadata:ObjectMeta 2=data{} 3=binaryData:bytes{} 4=immutable:flag!"},
    {"ConfigMapEnvSource", "1=:LocalObjectReference 2=optional:flag!"},
    {"ConfigMapKeySelector", "1=:LocalObjectReference 2=key! 3=optional:flag!"},
    {"ConfigMapProjection", "1=:LocalObjectReference 2=items:KeyToPath[] 4=optional:flag!"},
    {"ConfigMapVolumeSource",
        "1=:LocalObjectReference 2=items:KeyToPath[] 3=defaultMode:int! 4=optional:flag!"},
    {"Container",
        "1=name! 2=image 3=command[] 4=args[] 5=workingDir 6=ports:ContainerPort[] "
        "7=env:EnvVar[] 8=resources:ResourceRequirements 9=volumeMounts:VolumeMount[] "
        "10=livenessProbe:Probe 11=readinessProbe:Probe 12=lifecycle:Lifecycle "
        "13=terminationMessagePath 14=imagePullPolicy 15=securityContext:SecurityContext "
        "16=stdin:flag 17=stdinOnce:flag 18=tty:flag 19=envFrom:EnvFromSource[] "
        "20=terminationMessagePolicy 21=volumeDevices:VolumeDevice[] 22=startupProbe:Probe "
        "23=resizePolicy:ContainerResizePolicy[] 24=restartPolicy! "
        "25=restartPolicyRules:ContainerRestartRule[]"},
    {"ContainerExtendedResourceRequest", "1=containerName! 2=resourceName! 3=requestName!"},
    {"ContainerPort", "1=name 2=hostPort:int 3=containerPort:int! 4=protocol 5=hostIP"},
    {"ContainerResizePolicy", "1=resourceName! 2=restartPolicy!"},
    {"ContainerRestartRule", "1=action 2=exitCodes:ContainerRestartRuleOnExitCodes"},
    {"ContainerRestartRuleOnExitCodes", "1=operator 2=values:int[]"},
    {"ContainerState",
        "1=waiting:ContainerStateWaiting 2=running:ContainerStateRunning "
        "3=terminated:ContainerStateTerminated"},
    {"ContainerStateRunning", "1=startedAt:time"},
    {"ContainerStateTerminated",
        "1=exitCode:int! 2=signal:int 3=reason 4=message 5=startedAt:time 6=finishedAt:time "
        "7=containerID"},
    {"ContainerStateWaiting", "1=reason 2=message"},
    {"ContainerStatus",
        "1=name! 2=state:ContainerState 3=lastState:ContainerState 4=ready:flag! "
        "5=restartCount:int! 6=image! 7=imageID! 8=containerID 9=started:flag! "
        "10=allocatedResources:quantity{} 11=resources:ResourceRequirements "
        "12=volumeMounts:VolumeMountStatus[] 13=user:ContainerUser "
        "14=allocatedResourcesStatus:ResourceStatus[] 15=stopSignal!"},
    {"ContainerUser", "1=linux:LinuxContainerUser"},
    {"ControllerRevision", "1=metadata:ObjectMeta 2=data:raw 3=revision:int!"},
    {"CronJob", "1=metadata:ObjectMeta 2=spec:CronJobSpec 3=status:CronJobStatus"},
    {"CronJobSpec",
        "1=schedule! 2=startingDeadlineSeconds:int! 3=concurrencyPolicy 4=suspend:flag! "
        "5=jobTemplate:JobTemplateSpec 6=successfulJobsHistoryLimit:int! "
        "7=failedJobsHistoryLimit:int! 8=timeZone!"},
    {"CronJobStatus",
        "1=active:ObjectReference[] 4=lastScheduleTime:time! 5=lastSuccessfulTime:time!"},
    {"DeleteOptions",
        "1=gracePeriodSeconds:int! 2=preconditions:Preconditions 3=orphanDependents:flag! "
        "4=propagationPolicy! 5=dryRun[] "
        "6=ignoreStoreReadErrorWithClusterBreakingPotential:flag!"},
    {"Deployment", "1=metadata:ObjectMeta 2=spec:DeploymentSpec 3=status:DeploymentStatus"},
    {"DeploymentCondition",
        "1=type! 2=status! 4=reason 5=message 6=lastUpdateTime:time "
        "7=lastTransitionTime:time"},
    {"DeploymentSpec",
        "1=replicas:int! 2=selector:LabelSelector 3=template:PodTemplateSpec "
        "4=strategy:DeploymentStrategy 5=minReadySeconds:int 6=revisionHistoryLimit:int! "
        "7=paused:flag 9=progressDeadlineSeconds:int!"},
    {"DeploymentStatus",
        "1=observedGeneration:int 2=replicas:int 3=updatedReplicas:int "
        "4=availableReplicas:int 5=unavailableReplicas:int "
        "6=conditions:DeploymentCondition[] 7=readyReplicas:int 8=collisionCount:int! "
        "9=terminatingReplicas:int!"},
    {"DeploymentStrategy", "1=type 2=rollingUpdate:RollingUpdateDeployment"},
    {"DownwardAPIProjection", "1=items:DownwardAPIVolumeFile[]"},
    {"DownwardAPIVolumeFile",
        "1=path! 2=fieldRef:ObjectFieldSelector 3=resourceFieldRef:ResourceFieldSelector "
        "4=mode:int!"},
    {"DownwardAPIVolumeSource", "1=items:DownwardAPIVolumeFile[] 2=defaultMode:int!"},
    {"EmptyDirVolumeSource", "1=medium 2=sizeLimit:quantity!"},
    {"Endpoint",
        "1=addresses[] 2=conditions:EndpointConditions 3=hostname! "
        "4=targetRef:ObjectReference 5=deprecatedTopology{} 6=nodeName! 7=zone! "
        "8=hints:EndpointHints"},
    {"EndpointConditions", "1=ready:flag! 2=serving:flag! 3=terminating:flag!"},
    {"EndpointHints", "1=forZones:ForZone[] 2=forNodes:ForNode[]"},
    {"EndpointPort", "1=name! 2=protocol! 3=port:int! 4=appProtocol!"},
    {"EndpointSlice",
        "1=metadata:ObjectMeta 2=endpoints:Endpoint[] 3=ports:EndpointPort[] 4=addressType!"},
    {"EnvFromSource", "1=prefix 2=configMapRef:ConfigMapEnvSource 3=secretRef:SecretEnvSource"},
    {"EnvVar", "1=name! 2=value 3=valueFrom:EnvVarSource"},
    {"EnvVarSource",
        "1=fieldRef:ObjectFieldSelector 2=resourceFieldRef:ResourceFieldSelector "
        "3=configMapKeyRef:ConfigMapKeySelector 4=secretKeyRef:SecretKeySelector "
        "5=fileKeyRef:FileKeySelector"},
    {"EphemeralContainer", "1=:EphemeralContainerCommon 2=targetContainerName"},
    {"EphemeralContainerCommon",
        "1=name! 2=image 3=command[] 4=args[] 5=workingDir 6=ports:ContainerPort[] "
        "7=env:EnvVar[] 8=resources:ResourceRequirements 9=volumeMounts:VolumeMount[] "
        "10=livenessProbe:Probe 11=readinessProbe:Probe 12=lifecycle:Lifecycle "
        "13=terminationMessagePath 14=imagePullPolicy 15=securityContext:SecurityContext "
        "16=stdin:flag 17=stdinOnce:flag 18=tty:flag 19=envFrom:EnvFromSource[] "
        "20=terminationMessagePolicy 21=volumeDevices:VolumeDevice[] 22=startupProbe:Probe "
        "23=resizePolicy:ContainerResizePolicy[] 24=restartPolicy! "
        "25=restartPolicyRules:ContainerRestartRule[]"},
    {"EphemeralVolumeSource", "1=volumeClaimTemplate:PersistentVolumeClaimTemplate"},
    {"Event",
        "1=metadata:ObjectMeta 2=involvedObject:ObjectReference 3=reason 4=message "
        "5=source:EventSource 6=firstTimestamp:time 7=lastTimestamp:time 8=count:int 9=type "
        "10=eventTime:micro 11=series:EventSeries 12=action 13=related:ObjectReference "
        "14=reportingComponent! 15=reportingInstance!"},
    {"EventSeries", "1=count:int 2=lastObservedTime:micro"},
    {"EventSource", "1=component 2=host"},
    {"EventsEvent",
        "1=metadata:ObjectMeta 2=eventTime:micro! 3=series:EventsEventSeries "
        "4=reportingController 5=reportingInstance 6=action 7=reason "
        "8=regarding:ObjectReference 9=related:ObjectReference 10=note 11=type "
        "12=deprecatedSource:EventSource 13=deprecatedFirstTimestamp:time "
        "14=deprecatedLastTimestamp:time 15=deprecatedCount:int"},
    {"EventsEventSeries", "1=count:int! 2=lastObservedTime:micro!"},
    {"Eviction", "1=metadata:ObjectMeta 2=deleteOptions:DeleteOptions"},
    {"ExecAction", "1=command[]"},
    {"FieldSelectorAttributes", "1=rawSelector 2=requirements:FieldSelectorRequirement[]"},
    {"FieldSelectorRequirement", "1=key! 2=operator! 3=values[]"},
    {"FileKeySelector", "1=volumeName! 2=path! 3=key! 4=optional:flag!"},
    {"ForNode", "1=name!"},
    {"ForZone", "1=name!"},
    {"GRPCAction", "1=port:int! 2=service!"},
    {"HTTPGetAction", "1=path 2=port:either! 3=host 4=scheme 5=httpHeaders:HTTPHeader[]"},
    {"HTTPHeader", "1=name! 2=value!"},
    {"HostAlias", "1=ip! 2=hostnames[]"},
    {"HostIP", "1=ip!"},
    {"HostPathVolumeSource", "1=path! 2=type!"},
    {"IPBlock", "1=cidr! 2=except[]"},
    {"ImageVolumeSource", "1=reference 2=pullPolicy"},
    {"Job", "1=metadata:ObjectMeta 2=spec:JobSpec 3=status:JobStatus"},
    {"JobCondition",
        "1=type! 2=status! 3=lastProbeTime:time 4=lastTransitionTime:time 5=reason "
        "6=message"},
    {"JobSpec",
        "1=parallelism:int! 2=completions:int! 3=activeDeadlineSeconds:int! "
        "4=selector:LabelSelector 5=manualSelector:flag! 6=template:PodTemplateSpec "
        "7=backoffLimit:int! 8=ttlSecondsAfterFinished:int! 9=completionMode! "
        "10=suspend:flag! 11=podFailurePolicy:PodFailurePolicy 12=backoffLimitPerIndex:int! "
        "13=maxFailedIndexes:int! 14=podReplacementPolicy! 15=managedBy! "
        "16=successPolicy:SuccessPolicy"},
    {"JobStatus",
        "1=conditions:JobCondition[] 2=startTime:time! 3=completionTime:time! 4=active:int "
        "5=succeeded:int 6=failed:int 7=completedIndexes "
        "8=uncountedTerminatedPods:UncountedTerminatedPods 9=ready:int! 10=failedIndexes! "
        "11=terminating:int!"},
    {"JobTemplateSpec", "1=metadata:ObjectMeta 2=spec:JobSpec"},
    {"KeyToPath", "1=key! 2=path! 3=mode:int!"},
    {"LabelSelector", "1=matchLabels{} 2=matchExpressions:LabelSelectorRequirement[]"},
    {"LabelSelectorAttributes", "1=rawSelector 2=requirements:LabelSelectorRequirement[]"},
    {"LabelSelectorRequirement", "1=key! 2=operator! 3=values[]"},
    {"Lease", "1=metadata:ObjectMeta 2=spec:LeaseSpec"},
    {"LeaseSpec",
        "1=holderIdentity! 2=leaseDurationSeconds:int! 3=acquireTime:micro! "
        "4=renewTime:micro! 5=leaseTransitions:int! 6=strategy! 7=preferredHolder!"},
    {"Lifecycle", "1=postStart:LifecycleHandler 2=preStop:LifecycleHandler 3=stopSignal!"},
    {"LifecycleHandler",
        "1=exec:ExecAction 2=httpGet:HTTPGetAction 3=tcpSocket:TCPSocketAction "
        "4=sleep:SleepAction"},
    {"LinuxContainerUser", "1=uid:int! 2=gid:int! 3=supplementalGroups:int[]"},
    {"LoadBalancerIngress", "1=ip 2=hostname 3=ipMode! 4=ports:PortStatus[]"},
    {"LoadBalancerStatus", "1=ingress:LoadBalancerIngress[]"},
    {"LocalObjectReference", "1=name"},
    {"LocalSubjectAccessReview",
        "1=metadata:ObjectMeta 2=spec:SubjectAccessReviewSpec "
        "3=status:SubjectAccessReviewStatus"},
    {"ManagedFieldsEntry",
        "1=manager 2=operation 3=apiVersion 4=time:time! 6=fieldsType 7=fieldsV1:raw! "
        "8=subresource"},
    {"ModifyVolumeStatus", "1=targetVolumeAttributesClassName 2=status!"},
    {"NFSVolumeSource", "1=server! 2=path! 3=readOnly:flag"},
    {"Namespace", "1=metadata:ObjectMeta 2=spec:NamespaceSpec 3=status:NamespaceStatus"},
    {"NamespaceCondition", "1=type! 2=status! 4=lastTransitionTime:time 5=reason 6=message"},
    {"NamespaceSpec", "1=finalizers[]"},
    {"NamespaceStatus", "1=phase 2=conditions:NamespaceCondition[]"},
    {"NetworkPolicy", "1=metadata:ObjectMeta 2=spec:NetworkPolicySpec"},
    {"NetworkPolicyEgressRule", "1=ports:NetworkPolicyPort[] 2=to:NetworkPolicyPeer[]"},
    {"NetworkPolicyIngressRule", "1=ports:NetworkPolicyPort[] 2=from:NetworkPolicyPeer[]"},
    {"NetworkPolicyPeer",
        "1=podSelector:LabelSelector 2=namespaceSelector:LabelSelector 3=ipBlock:IPBlock"},
    {"NetworkPolicyPort", "1=protocol! 2=port:either! 3=endPort:int!"},
    {"NetworkPolicySpec",
        "1=podSelector:LabelSelector 2=ingress:NetworkPolicyIngressRule[] "
        "3=egress:NetworkPolicyEgressRule[] 4=policyTypes[]"},
    {"NodeAffinity",
        "1=requiredDuringSchedulingIgnoredDuringExecution:NodeSelector "
        "2=preferredDuringSchedulingIgnoredDuringExecution:PreferredSchedulingTerm[]"},
    {"NodeSelector", "1=nodeSelectorTerms:NodeSelectorTerm[]"},
    {"NodeSelectorRequirement", "1=key! 2=operator! 3=values[]"},
    {"NodeSelectorTerm",
        "1=matchExpressions:NodeSelectorRequirement[] "
        "2=matchFields:NodeSelectorRequirement[]"},
    {"NonResourceAttributes", "1=path 2=verb"},
    {"NonResourceRule", "1=verbs[] 2=nonResourceURLs[]"},
    {"ObjectFieldSelector", "1=apiVersion 2=fieldPath!"},
    {"ObjectMeta",
        "1=name 2=generateName 3=namespace 4=selfLink 5=uid 6=resourceVersion "
        "7=generation:int 8=creationTimestamp:time 9=deletionTimestamp:time! "
        "10=deletionGracePeriodSeconds:int! 11=labels{} 12=annotations{} "
        "13=ownerReferences:OwnerReference[] 14=finalizers[] "
        "17=managedFields:ManagedFieldsEntry[]"},
    {"ObjectReference",
        "1=kind 2=namespace 3=name 4=uid 5=apiVersion 6=resourceVersion 7=fieldPath"},
    {"OwnerReference",
        "1=kind! 3=name! 4=uid! 5=apiVersion! 6=controller:flag! 7=blockOwnerDeletion:flag!"},
    {"PersistentVolumeClaim",
        "1=metadata:ObjectMeta 2=spec:PersistentVolumeClaimSpec "
        "3=status:PersistentVolumeClaimStatus"},
    {"PersistentVolumeClaimCondition",
        "1=type! 2=status! 3=lastProbeTime:time 4=lastTransitionTime:time 5=reason "
        "6=message"},
    {"PersistentVolumeClaimSpec",
        "1=accessModes[] 2=resources:VolumeResourceRequirements 3=volumeName "
        "4=selector:LabelSelector 5=storageClassName! 6=volumeMode! "
        "7=dataSource:TypedLocalObjectReference 8=dataSourceRef:TypedObjectReference "
        "9=volumeAttributesClassName!"},
    {"PersistentVolumeClaimStatus",
        "1=phase 2=accessModes[] 3=capacity:quantity{} "
        "4=conditions:PersistentVolumeClaimCondition[] 5=allocatedResources:quantity{} "
        "7=allocatedResourceStatuses{} 8=currentVolumeAttributesClassName! "
        "9=modifyVolumeStatus:ModifyVolumeStatus"},
    {"PersistentVolumeClaimTemplate", "1=metadata:ObjectMeta 2=spec:PersistentVolumeClaimSpec"},
    {"PersistentVolumeClaimVolumeSource", "1=claimName! 2=readOnly:flag"},
    {"Pod", "1=metadata:ObjectMeta 2=spec:PodSpec 3=status:PodStatus"},
    {"PodAffinity",
        "1=requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[] "
        "2=preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]"},
    {"PodAffinityTerm",
        "1=labelSelector:LabelSelector 2=namespaces[] 3=topologyKey! "
        "4=namespaceSelector:LabelSelector 5=matchLabelKeys[] 6=mismatchLabelKeys[]"},
    {"PodAntiAffinity",
        "1=requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[] "
        "2=preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]"},
    {"PodCertificateProjection",
        "1=signerName 2=keyType 3=maxExpirationSeconds:int! 4=credentialBundlePath "
        "5=keyPath 6=certificateChainPath"},
    {"PodCondition",
        "1=type! 2=status! 3=lastProbeTime:time 4=lastTransitionTime:time 5=reason "
        "6=message 7=observedGeneration:int"},
    {"PodDNSConfig", "1=nameservers[] 2=searches[] 3=options:PodDNSConfigOption[]"},
    {"PodDNSConfigOption", "1=name 2=value!"},
    {"PodDisruptionBudget",
        "1=metadata:ObjectMeta 2=spec:PodDisruptionBudgetSpec "
        "3=status:PodDisruptionBudgetStatus"},
    {"PodDisruptionBudgetSpec",
        "1=minAvailable:either! 2=selector:LabelSelector 3=maxUnavailable:either! "
        "4=unhealthyPodEvictionPolicy!"},
    {"PodDisruptionBudgetStatus",
        "1=observedGeneration:int 2=disruptedPods:time{} 3=disruptionsAllowed:int! "
        "4=currentHealthy:int! 5=desiredHealthy:int! 6=expectedPods:int! "
        "7=conditions:Condition[]"},
    {"PodExtendedResourceClaimStatus",
        "1=requestMappings:ContainerExtendedResourceRequest[] 2=resourceClaimName!"},
    {"PodFailurePolicy", "1=rules:PodFailurePolicyRule[]"},
    {"PodFailurePolicyOnExitCodesRequirement", "1=containerName! 2=operator! 3=values:int[]"},
    {"PodFailurePolicyOnPodConditionsPattern", "1=type! 2=status!"},
    {"PodFailurePolicyRule",
        "1=action! 2=onExitCodes:PodFailurePolicyOnExitCodesRequirement "
        "3=onPodConditions:PodFailurePolicyOnPodConditionsPattern[]"},
    {"PodIP", "1=ip!"},
    {"PodOS", "1=name!"},
    {"PodReadinessGate", "1=conditionType!"},
    {"PodResourceClaim", "1=name! 3=resourceClaimName! 4=resourceClaimTemplateName!"},
    {"PodResourceClaimStatus", "1=name! 2=resourceClaimName!"},
    {"PodSchedulingGate", "1=name!"},
    {"PodSecurityContext",
        "1=seLinuxOptions:SELinuxOptions 2=runAsUser:int! 3=runAsNonRoot:flag! "
        "4=supplementalGroups:int[] 5=fsGroup:int! 6=runAsGroup:int! 7=sysctls:Sysctl[] "
        "8=windowsOptions:WindowsSecurityContextOptions 9=fsGroupChangePolicy! "
        "10=seccompProfile:SeccompProfile 11=appArmorProfile:AppArmorProfile "
        "12=supplementalGroupsPolicy! 13=seLinuxChangePolicy!"},
    {"PodSpec",
        "1=volumes:Volume[] 2=containers:Container[] 3=restartPolicy "
        "4=terminationGracePeriodSeconds:int! 5=activeDeadlineSeconds:int! 6=dnsPolicy "
        "7=nodeSelector{} 8=serviceAccountName 9=serviceAccount 10=nodeName "
        "11=hostNetwork:flag 12=hostPID:flag 13=hostIPC:flag "
        "14=securityContext:PodSecurityContext 15=imagePullSecrets:LocalObjectReference[] "
        "16=hostname 17=subdomain 18=affinity:Affinity 19=schedulerName "
        "20=initContainers:Container[] 21=automountServiceAccountToken:flag! "
        "22=tolerations:Toleration[] 23=hostAliases:HostAlias[] 24=priorityClassName "
        "25=priority:int! 26=dnsConfig:PodDNSConfig 27=shareProcessNamespace:flag! "
        "28=readinessGates:PodReadinessGate[] 29=runtimeClassName! "
        "30=enableServiceLinks:flag! 31=preemptionPolicy! 32=overhead:quantity{} "
        "33=topologySpreadConstraints:TopologySpreadConstraint[] "
        "34=ephemeralContainers:EphemeralContainer[] 35=setHostnameAsFQDN:flag! 36=os:PodOS "
        "37=hostUsers:flag! 38=schedulingGates:PodSchedulingGate[] "
        "39=resourceClaims:PodResourceClaim[] 40=resources:ResourceRequirements "
        "41=hostnameOverride!"},
    {"PodStatus",
        "1=phase 2=conditions:PodCondition[] 3=message 4=reason 5=hostIP 6=podIP "
        "7=startTime:time! 8=containerStatuses:ContainerStatus[] 9=qosClass "
        "10=initContainerStatuses:ContainerStatus[] 11=nominatedNodeName 12=podIPs:PodIP[] "
        "13=ephemeralContainerStatuses:ContainerStatus[] 14=resize "
        "15=resourceClaimStatuses:PodResourceClaimStatus[] 16=hostIPs:HostIP[] "
        "17=observedGeneration:int "
        "18=extendedResourceClaimStatus:PodExtendedResourceClaimStatus"},
    {"PodTemplateSpec", "1=metadata:ObjectMeta 2=spec:PodSpec"},
    {"PolicyRule", "1=verbs[] 2=apiGroups[] 3=resources[] 4=resourceNames[] 5=nonResourceURLs[]"},
    {"PortStatus", "1=port:int! 2=protocol! 3=error!"},
    {"Preconditions", "1=uid! 2=resourceVersion!"},
    {"PreferredSchedulingTerm", "1=weight:int! 2=preference:NodeSelectorTerm"},
    {"Probe",
        "1=:ProbeHandler 2=initialDelaySeconds:int 3=timeoutSeconds:int 4=periodSeconds:int "
        "5=successThreshold:int 6=failureThreshold:int 7=terminationGracePeriodSeconds:int!"},
    {"ProbeHandler",
        "1=exec:ExecAction 2=httpGet:HTTPGetAction 3=tcpSocket:TCPSocketAction "
        "4=grpc:GRPCAction"},
    {"ProjectedVolumeSource", "1=sources:VolumeProjection[] 2=defaultMode:int!"},
    {"ReplicaSet", "1=metadata:ObjectMeta 2=spec:ReplicaSetSpec 3=status:ReplicaSetStatus"},
    {"ReplicaSetCondition", "1=type! 2=status! 3=lastTransitionTime:time 4=reason 5=message"},
    {"ReplicaSetSpec",
        "1=replicas:int! 2=selector:LabelSelector 3=template:PodTemplateSpec "
        "4=minReadySeconds:int"},
    {"ReplicaSetStatus",
        "1=replicas:int! 2=fullyLabeledReplicas:int 3=observedGeneration:int "
        "4=readyReplicas:int 5=availableReplicas:int 6=conditions:ReplicaSetCondition[] "
        "7=terminatingReplicas:int!"},
    {"ResourceAttributes",
        "1=namespace 2=verb 3=group 4=version 5=resource 6=subresource 7=name "
        "8=fieldSelector:FieldSelectorAttributes 9=labelSelector:LabelSelectorAttributes"},
    {"ResourceClaim", "1=name! 2=request"},
    {"ResourceFieldSelector", "1=containerName 2=resource! 3=divisor:quantity"},
    {"ResourceHealth", "1=resourceID! 2=health"},
    {"ResourceRequirements", "1=limits:quantity{} 2=requests:quantity{} 3=claims:ResourceClaim[]"},
    {"ResourceRule", "1=verbs[] 2=apiGroups[] 3=resources[] 4=resourceNames[]"},
    {"ResourceStatus", "1=name! 2=resources:ResourceHealth[]"},
    {"Role", "1=metadata:ObjectMeta 2=rules:PolicyRule[]"},
    {"RoleBinding", "1=metadata:ObjectMeta 2=subjects:Subject[] 3=roleRef:RoleRef"},
    {"RoleRef", "1=apiGroup! 2=kind! 3=name!"},
    {"RollingUpdateDeployment", "1=maxUnavailable:either! 2=maxSurge:either!"},
    {"RollingUpdateStatefulSetStrategy", "1=partition:int! 2=maxUnavailable:either!"},
    {"SELinuxOptions", "1=user 2=role 3=type 4=level"},
    {"SeccompProfile", "1=type! 2=localhostProfile!"},
    {"Secret", "1=metadata:ObjectMeta 2=data:bytes{} 3=type 4=stringData{} 5=immutable:flag!"},
    {"SecretEnvSource", "1=:LocalObjectReference 2=optional:flag!"},
    {"SecretKeySelector", "1=:LocalObjectReference 2=key! 3=optional:flag!"},
    {"SecretProjection", "1=:LocalObjectReference 2=items:KeyToPath[] 4=optional:flag!"},
    {"SecretVolumeSource", "1=secretName 2=items:KeyToPath[] 3=defaultMode:int! 4=optional:flag!"},
    {"SecurityContext",
        "1=capabilities:Capabilities 2=privileged:flag! 3=seLinuxOptions:SELinuxOptions "
        "4=runAsUser:int! 5=runAsNonRoot:flag! 6=readOnlyRootFilesystem:flag! "
        "7=allowPrivilegeEscalation:flag! 8=runAsGroup:int! 9=procMount! "
        "10=windowsOptions:WindowsSecurityContextOptions 11=seccompProfile:SeccompProfile "
        "12=appArmorProfile:AppArmorProfile"},
    {"SelfSubjectAccessReview",
        "1=metadata:ObjectMeta 2=spec:SelfSubjectAccessReviewSpec "
        "3=status:SubjectAccessReviewStatus"},
    {"SelfSubjectAccessReviewSpec",
        "1=resourceAttributes:ResourceAttributes "
        "2=nonResourceAttributes:NonResourceAttributes"},
    {"SelfSubjectReview", "1=metadata:ObjectMeta 2=status:SelfSubjectReviewStatus"},
    {"SelfSubjectReviewStatus", "1=userInfo:UserInfo"},
    {"SelfSubjectRulesReview",
        "1=metadata:ObjectMeta 2=spec:SelfSubjectRulesReviewSpec "
        "3=status:SubjectRulesReviewStatus"},
    {"SelfSubjectRulesReviewSpec", "1=namespace"},
    {"Service", "1=metadata:ObjectMeta 2=spec:ServiceSpec 3=status:ServiceStatus"},
    {"ServiceAccount",
        "1=metadata:ObjectMeta 2=secrets:ObjectReference[] "
        "3=imagePullSecrets:LocalObjectReference[] 4=automountServiceAccountToken:flag!"},
    {"ServiceAccountTokenProjection", "1=audience 2=expirationSeconds:int! 3=path!"},
    {"ServicePort",
        "1=name 2=protocol 3=port:int! 4=targetPort:either 5=nodePort:int 6=appProtocol!"},
    {"ServiceSpec",
        "1=ports:ServicePort[] 2=selector{} 3=clusterIP 4=type 5=externalIPs[] "
        "7=sessionAffinity 8=loadBalancerIP 9=loadBalancerSourceRanges[] 10=externalName "
        "11=externalTrafficPolicy 12=healthCheckNodePort:int "
        "13=publishNotReadyAddresses:flag 14=sessionAffinityConfig:SessionAffinityConfig "
        "17=ipFamilyPolicy! 18=clusterIPs[] 19=ipFamilies[] "
        "20=allocateLoadBalancerNodePorts:flag! 21=loadBalancerClass! "
        "22=internalTrafficPolicy! 23=trafficDistribution!"},
    {"ServiceStatus", "1=loadBalancer:LoadBalancerStatus 2=conditions:Condition[]"},
    {"SessionAffinityConfig", "1=clientIP:ClientIPConfig"},
    {"SleepAction", "1=seconds:int!"},
    {"StatefulSet", "1=metadata:ObjectMeta 2=spec:StatefulSetSpec 3=status:StatefulSetStatus"},
    {"StatefulSetCondition", "1=type! 2=status! 3=lastTransitionTime:time 4=reason 5=message"},
    {"StatefulSetOrdinals", "1=start:int!"},
    {"StatefulSetPersistentVolumeClaimRetentionPolicy", "1=whenDeleted 2=whenScaled"},
    {"StatefulSetSpec",
        "1=replicas:int! 2=selector:LabelSelector 3=template:PodTemplateSpec "
        "4=volumeClaimTemplates:PersistentVolumeClaim[] 5=serviceName! "
        "6=podManagementPolicy 7=updateStrategy:StatefulSetUpdateStrategy "
        "8=revisionHistoryLimit:int! 9=minReadySeconds:int "
        "10=persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy "
        "11=ordinals:StatefulSetOrdinals"},
    {"StatefulSetStatus",
        "1=observedGeneration:int 2=replicas:int! 3=readyReplicas:int 4=currentReplicas:int "
        "5=updatedReplicas:int 6=currentRevision 7=updateRevision 9=collisionCount:int! "
        "10=conditions:StatefulSetCondition[] 11=availableReplicas:int!"},
    {"StatefulSetUpdateStrategy", "1=type 2=rollingUpdate:RollingUpdateStatefulSetStrategy"},
    {"StorageClass",
        "1=metadata:ObjectMeta 2=provisioner! 3=parameters{} 4=reclaimPolicy! "
        "5=mountOptions[] 6=allowVolumeExpansion:flag! 7=volumeBindingMode! "
        "8=allowedTopologies:TopologySelectorTerm[]"},
    {"Subject", "1=kind! 2=apiGroup 3=name! 4=namespace"},
    {"SubjectAccessReview",
        "1=metadata:ObjectMeta 2=spec:SubjectAccessReviewSpec "
        "3=status:SubjectAccessReviewStatus"},
    {"SubjectAccessReviewSpec",
        "1=resourceAttributes:ResourceAttributes "
        "2=nonResourceAttributes:NonResourceAttributes 3=user 4=groups[] 5=extra:items{} "
        "6=uid"},
    {"SubjectAccessReviewStatus", "1=allowed:flag! 2=reason 3=evaluationError 4=denied:flag"},
    {"SubjectRulesReviewStatus",
        "1=resourceRules:ResourceRule[] 2=nonResourceRules:NonResourceRule[] "
        "3=incomplete:flag! 4=evaluationError"},
    {"SuccessPolicy", "1=rules:SuccessPolicyRule[]"},
    {"SuccessPolicyRule", "1=succeededIndexes! 2=succeededCount:int!"},
    {"Sysctl", "1=name! 2=value!"},
    {"TCPSocketAction", "1=port:either! 2=host"},
    {"TokenRequest", "1=metadata:ObjectMeta 2=spec:TokenRequestSpec 3=status:TokenRequestStatus"},
    {"TokenRequestSpec",
        "1=audiences[] 3=boundObjectRef:BoundObjectReference 4=expirationSeconds:int!"},
    {"TokenRequestStatus", "1=token! 2=expirationTimestamp:time!"},
    {"TokenReview", "1=metadata:ObjectMeta 2=spec:TokenReviewSpec 3=status:TokenReviewStatus"},
    {"TokenReviewSpec", "1=token 2=audiences[]"},
    {"TokenReviewStatus", "1=authenticated:flag 2=user:UserInfo 3=error 4=audiences[]"},
    {"Toleration", "1=key 2=operator 3=value 4=effect 5=tolerationSeconds:int!"},
    {"TopologySelectorLabelRequirement", "1=key! 2=values[]"},
    {"TopologySelectorTerm", "1=matchLabelExpressions:TopologySelectorLabelRequirement[]"},
    {"TopologySpreadConstraint",
        "1=maxSkew:int! 2=topologyKey! 3=whenUnsatisfiable! 4=labelSelector:LabelSelector "
        "5=minDomains:int! 6=nodeAffinityPolicy! 7=nodeTaintsPolicy! 8=matchLabelKeys[]"},
    {"TypedLocalObjectReference", "1=apiGroup! 2=kind! 3=name!"},
    {"TypedObjectReference", "1=apiGroup! 2=kind! 3=name! 4=namespace!"},
    {"UncountedTerminatedPods", "1=succeeded[] 2=failed[]"},
    {"UserInfo", "1=username 2=uid 3=groups[] 4=extra:items{}"},
    {"Volume", "1=name! 2=:VolumeSource"},
    {"VolumeDevice", "1=name! 2=devicePath!"},
    {"VolumeMount",
        "1=name! 2=readOnly:flag 3=mountPath! 4=subPath 5=mountPropagation! 6=subPathExpr "
        "7=recursiveReadOnly!"},
    {"VolumeMountStatus", "1=name! 2=mountPath! 3=readOnly:flag 4=recursiveReadOnly!"},
    {"VolumeProjection",
        "1=secret:SecretProjection 2=downwardAPI:DownwardAPIProjection "
        "3=configMap:ConfigMapProjection "
        "4=serviceAccountToken:ServiceAccountTokenProjection "
        "5=clusterTrustBundle:ClusterTrustBundleProjection "
        "6=podCertificate:PodCertificateProjection"},
    {"VolumeResourceRequirements", "1=limits:quantity{} 2=requests:quantity{}"},
    {"VolumeSource",
        "1=hostPath:HostPathVolumeSource 2=emptyDir:EmptyDirVolumeSource "
        "6=secret:SecretVolumeSource 7=nfs:NFSVolumeSource "
        "10=persistentVolumeClaim:PersistentVolumeClaimVolumeSource "
        "16=downwardAPI:DownwardAPIVolumeSource 19=configMap:ConfigMapVolumeSource "
        "26=projected:ProjectedVolumeSource 28=csi:CSIVolumeSource "
        "29=ephemeral:EphemeralVolumeSource 30=image:ImageVolumeSource"},
    {"WeightedPodAffinityTerm", "1=weight:int! 2=podAffinityTerm:PodAffinityTerm"},
    {"WindowsSecurityContextOptions",
        "1=gmsaCredentialSpecName! 2=gmsaCredentialSpec! 3=runAsUserName! "
        "4=hostProcess:flag!"},
};

const size_t protobuf_message_count = sizeof protobuf_messages / sizeof *protobuf_messages;
