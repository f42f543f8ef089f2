/** Where users meet a reason: conditions of `status.conditions`, of the deprecated list, `failureReason`, events. */
type Place = "condition" | "deprecated condition" | "failure" | "event";

interface ReasonEntry {
  readonly meaning: string;
  /** Where it is seen. */
  readonly seen: readonly Place[];
}

/**
 * Every reason that Capstan itself gives, with its meaning; mirrored conditions keep the provider's. The
 * spelling is
 * an API: users and dashboards match on it, so one that Cluster API has too is spelled as there.
 */
export const REASONS = {
  Invalid: { meaning: "the API server refused a write; the message names the field", seen: ["event"] },
  PatchRefused: {
    meaning: "the API server refuses the same patch of a Node again and again; the message says why",
    seen: ["event"],
  },
  ForeignController: {
    meaning: "another controller changes the same fields again and again; Capstan leaves the object alone",
    seen: ["condition", "event"],
  },
  DeletionsHeldBack: {
    meaning: "as many objects of a Cluster were deleted within an hour as the administrator allows",
    seen: ["event"],
  },
  InvalidSpec: { meaning: "the spec breaks a rule that admission would have enforced", seen: ["event"] },
  SecretConflict: {
    meaning: "a Secret of the required name belongs to another owner; rename one of the two",
    seen: ["condition", "event"],
  },
  Applied: { meaning: "all resources are in the workload clusters", seen: ["condition"] },
  NotApplied: {
    meaning: "a resource is missing, or its objects are not all in a workload cluster",
    seen: ["condition"],
  },
  WrongSecretType: {
    meaning: "a Secret with manifests must have the type addons.cluster.x-k8s.io/resource-set",
    seen: ["condition", "deprecated condition"],
  },
  ApplyFailed: { meaning: "the same as NotApplied", seen: ["deprecated condition"] },
  RemoteClusterClientFailed: {
    meaning: "a workload cluster does not answer, or is young",
    seen: ["deprecated condition"],
  },
  ResourcesApplied: {
    meaning: "all objects of a Secret or ConfigMap are in the workload cluster",
    seen: ["event"],
  },
  InvalidManifest: {
    meaning: "a Secret or ConfigMap has a value that cannot be read as objects",
    seen: ["condition"],
  },
  Available: { meaning: "it serves its purpose", seen: ["condition"] },
  NotAvailable: {
    meaning: "it does not serve its purpose; the message says what is missing",
    seen: ["condition"],
  },
  AvailableUnknown: { meaning: "an object that it depends on has not reported yet", seen: ["condition"] },
  Ready: { meaning: "the provider object reports ready", seen: ["condition"] },
  NotReady: { meaning: "the provider object, or a Machine, is not ready", seen: ["condition"] },
  ReadyUnknown: { meaning: "a Machine has not reported whether it is ready", seen: ["condition"] },
  UpToDate: { meaning: "it matches its template", seen: ["condition"] },
  NotUpToDate: { meaning: "a Machine differs from its template or is going away", seen: ["condition"] },
  UpToDateUnknown: { meaning: "a Machine has not reported whether it is up to date", seen: ["condition"] },
  NoReplicas: { meaning: "no Machine exists to be judged", seen: ["condition"] },
  NoWorkers: { meaning: "the Cluster has no workers to judge", seen: ["condition"] },
  DataSecretProvided: { meaning: "the user names the bootstrap data Secret", seen: ["condition"] },
  WaitingForReplicasSet: {
    meaning: "the wanted or the current number of replicas is not known yet",
    seen: ["condition"],
  },
  ObjectDoesNotExist: {
    meaning: "the referenced provider object has never existed; create it",
    seen: ["condition"],
  },
  ObjectDeleted: {
    meaning: "the referenced provider object is gone after it had been ready",
    seen: ["condition"],
  },
  InvalidConditionReported: {
    meaning: "the provider object reports a malformed condition",
    seen: ["condition"],
  },
  NoReasonReported: { meaning: "the provider object gives no reason", seen: ["condition"] },
  InternalError: {
    meaning: "an object could not be read: no CRD, no supported contract, or an error in the logs",
    seen: ["condition"],
  },
  Initialized: { meaning: "the control plane has been up once", seen: ["condition"] },
  NotInitialized: { meaning: "the control plane has never been up", seen: ["condition"] },
  ProbeSucceeded: { meaning: "the workload cluster answers", seen: ["condition"] },
  ConnectionFailed: {
    meaning: "the workload cluster is not connected, or shows less than it has; the message says why",
    seen: ["event"],
  },
  TopologyNotSupported: {
    meaning: "spec.topology needs Cluster API's topology controller; Capstan has none",
    seen: ["event"],
  },
  UnresolvedReference: {
    meaning: "the kind of a referenced object is not installed, or its CRD has no contract label",
    seen: ["event"],
  },
  ProbeFailed: {
    meaning: "the workload cluster has not answered for longer than the grace period",
    seen: ["condition"],
  },
  RollingOut: { meaning: "Machines are being replaced", seen: ["condition"] },
  NotRollingOut: { meaning: "no Machines are being replaced", seen: ["condition"] },
  RollingOutUnknown: {
    meaning: "whether Machines are being replaced has not been reported",
    seen: ["condition"],
  },
  ScalingUp: { meaning: "there are fewer replicas than wanted", seen: ["condition"] },
  NotScalingUp: { meaning: "at least as many replicas exist as are wanted", seen: ["condition"] },
  ScalingUpUnknown: {
    meaning: "whether replicas are being added has not been reported",
    seen: ["condition"],
  },
  ScalingDown: { meaning: "there are more replicas than wanted", seen: ["condition"] },
  NotScalingDown: { meaning: "at most as many replicas exist as are wanted", seen: ["condition"] },
  ScalingDownUnknown: {
    meaning: "whether replicas are being removed has not been reported",
    seen: ["condition"],
  },
  Remediating: { meaning: "an unhealthy Machine waits for remediation", seen: ["condition"] },
  NotRemediating: { meaning: "no Machine waits for remediation", seen: ["condition"] },
  Paused: { meaning: "nothing is done: Cluster spec.paused or the paused annotation", seen: ["condition"] },
  NotPaused: { meaning: "reconciliation is not paused", seen: ["condition"] },
  Deleting: {
    meaning: "it is being deleted; the message names the objects that are still there",
    seen: ["condition", "deprecated condition"],
  },
  NotDeleting: { meaning: "it is not being deleted", seen: ["condition"] },
  WaitingForWorkersDeletion: { meaning: "workers of the deleted Cluster still exist", seen: ["condition"] },
  WaitingForControlPlaneDeletion: { meaning: "the control plane object still exists", seen: ["condition"] },
  WaitingForInfrastructureDeletion: {
    meaning: "the infrastructure object still exists",
    seen: ["condition"],
  },
  WaitingForPreDrainHook: {
    meaning: "an annotation holds the Machine before its Node is drained; its owner removes it",
    seen: ["condition"],
  },
  WaitingForPreTerminateHook: {
    meaning: "an annotation holds the Machine before its infrastructure goes; its owner removes it",
    seen: ["condition"],
  },
  WaitingForBootstrapDeletion: { meaning: "the bootstrap config still exists", seen: ["condition"] },
  DeletingNode: { meaning: "the Node still exists; an Event says why", seen: ["condition"] },
  WaitingForBeforeDeleteHook: {
    meaning: "a runtime hook has not allowed the deletion yet",
    seen: ["condition"],
  },
  DeletionCompleted: { meaning: "all dependents are gone and the finalizer is removed", seen: ["condition"] },
  WaitingForDataSecret: { meaning: "the bootstrap data is not ready", seen: ["deprecated condition"] },
  WaitingForInfrastructure: { meaning: "the infrastructure is not ready", seen: ["deprecated condition"] },
  WaitingForControlPlane: { meaning: "the control plane is not ready", seen: ["deprecated condition"] },
  WaitingForControlPlaneProviderInitialized: {
    meaning: "the control plane has never been up",
    seen: ["deprecated condition"],
  },
  MissingNodeRef: { meaning: "no control plane Machine has a Node yet", seen: ["deprecated condition"] },
  Deleted: {
    meaning: "the provider object, or the Cluster, is gone",
    seen: ["deprecated condition", "event"],
  },
  IncorrectExternalRef: {
    meaning: "the referenced infrastructure object does not exist",
    seen: ["deprecated condition"],
  },
  WaitingForNodeRef: {
    meaning: "the infrastructure has reported no provider ID, by which the Node is found",
    seen: ["deprecated condition"],
  },
  NodeProvisioning: {
    meaning: "no Node has the provider ID of the Machine yet",
    seen: ["deprecated condition"],
  },
  NodeInspectionFailed: {
    meaning: "the Node of the Machine cannot be seen",
    seen: ["deprecated condition"],
  },
  NodeConditionsFailed: {
    meaning: "conditions of the Node are bad; the message names them",
    seen: ["deprecated condition"],
  },
  Draining: {
    meaning:
      "Pods are leaving the Node of the deleted Machine; as a warning: it has ended before all had left",
    seen: ["deprecated condition"],
  },
  WaitingExternalHook: {
    meaning: "an annotation holds the deletion of the Machine; its owner removes it",
    seen: ["deprecated condition"],
  },
  PreflightCheckFailed: {
    meaning: "a preflight check keeps the set from making Machines",
    seen: ["deprecated condition"],
  },
  BootstrapTemplateCloningFailed: {
    meaning: "the bootstrap template of the set cannot be used",
    seen: ["deprecated condition"],
  },
  InfrastructureTemplateCloningFailed: {
    meaning: "the infrastructure template of the set cannot be used",
    seen: ["deprecated condition"],
  },
  WaitingForReplicasReady: { meaning: "not all replicas have a ready Node", seen: ["deprecated condition"] },
  InvalidConfiguration: {
    meaning: "the infrastructure object was deleted after it had been ready",
    seen: ["failure"],
  },
  InfrastructureReady: { meaning: "the infrastructure of the Cluster is provisioned", seen: ["event"] },
  ControlPlaneInitialized: {
    meaning: "the control plane of the Cluster answers for the first time",
    seen: ["event"],
  },
  ControlPlaneEndpointChanged: {
    meaning: "a provider reports another endpoint; the Cluster keeps its own",
    seen: ["event"],
  },
  Pending: { meaning: "the phase is Pending", seen: ["event"] },
  Provisioning: { meaning: "the phase is Provisioning", seen: ["event"] },
  Provisioned: { meaning: "the phase is Provisioned", seen: ["event"] },
  SuccessfulSetNodeRefs: {
    meaning: "the Nodes of the pool changed; the message counts them",
    seen: ["event"],
  },
  ControlledByAnother: {
    meaning: "a referenced object has another controller; it is left alone",
    seen: ["event"],
  },
  SharedWithAnotherCluster: {
    meaning: "another Cluster uses the provider object too; it is not deleted",
    seen: ["event"],
  },
  NameTaken: {
    meaning: "an object of the required name exists and belongs to another owner",
    seen: ["event"],
  },
  InvalidCertificatesExpiry: {
    meaning: "the annotation that says when certificates expire is not an RFC 3339 time",
    seen: ["event"],
  },
  WaitingForMinReadySeconds: {
    meaning: "the Machine is Ready, but not for long enough",
    seen: ["condition"],
  },
  InPlaceUpdating: { meaning: "the Machine is being updated in place", seen: ["condition", "event"] },
  NotUpdating: { meaning: "the Machine is not being updated in place", seen: ["condition"] },
  Updating: {
    meaning: "the Machine is being updated, or its kubelet does not run the wanted version yet",
    seen: ["condition"],
  },
  NodeReady: { meaning: "the Node of the Machine is Ready", seen: ["condition"] },
  NodeNotReady: { meaning: "the Node of the Machine is not Ready", seen: ["condition"] },
  NodeReadyUnknown: { meaning: "the Node does not report whether it is Ready", seen: ["condition"] },
  NodeHealthy: { meaning: "no condition of the Node is bad", seen: ["condition"] },
  NodeNotHealthy: { meaning: "a condition of the Node is bad; the message names it", seen: ["condition"] },
  NodeHealthyUnknown: { meaning: "a condition of the Node is not reported", seen: ["condition"] },
  NodeDeleted: { meaning: "the Node of the Machine is gone", seen: ["condition"] },
  NodeDoesNotExist: { meaning: "the Machine that is being deleted never had a Node", seen: ["condition"] },
  InspectionFailed: {
    meaning: "the Node cannot be looked for yet; the message says what comes first",
    seen: ["condition"],
  },
  ConnectionDown: { meaning: "the workload cluster does not answer", seen: ["condition"] },
  SuccessfulSetNodeRef: {
    meaning: "the Machine has become the Node that the message names",
    seen: ["event"],
  },
  MachineDeleting: { meaning: "the unhealthy Machine is being deleted by its owner", seen: ["condition"] },
  RemediationDeferred: {
    meaning: "the unhealthy Machine waits until fewer are being remediated",
    seen: ["condition"],
  },
  DrainingNode: {
    meaning: "Pods of the Node are being evicted or awaited; the message says which and why",
    seen: ["condition"],
  },
  WaitingForVolumeDetach: {
    meaning: "volumes are still attached to the drained Node; the message names them",
    seen: ["condition", "deprecated condition"],
  },
  UnhealthyMachine: {
    meaning: "a condition of the Machine has been bad for longer than its health check allows",
    seen: ["condition", "deprecated condition"],
  },
  UnhealthyNode: {
    meaning: "a condition of the Node has been bad for longer than the health check of its Machine allows",
    seen: ["condition", "deprecated condition"],
  },
  NodeStartupTimeout: {
    meaning: "the Machine has no Node after the startup timeout of its health check",
    seen: ["condition", "deprecated condition"],
  },
  HasRemediateAnnotation: {
    meaning: "a user has asked for the remediation of the Machine by an annotation",
    seen: ["condition"],
  },
  HasRemediateMachineAnnotation: {
    meaning: "a user has asked for the remediation of the Machine by an annotation",
    seen: ["deprecated condition"],
  },
  NodeNotFound: { meaning: "the Node of the Machine is gone", seen: ["deprecated condition"] },
  HealthCheckSucceeded: {
    meaning: "no health check finds anything wrong with the Machine",
    seen: ["condition"],
  },
  RemediationAllowed: {
    meaning: "few enough Machines are not healthy: those that are unhealthy are remediated",
    seen: ["condition"],
  },
  TooManyUnhealthy: {
    meaning: "the number of Machines that are not healthy is outside the limit, or the spec cannot be read",
    seen: ["condition", "deprecated condition"],
  },
  ExternalRemediationTemplateNotFound: {
    meaning: "the template of requests for an external controller does not exist",
    seen: ["deprecated condition"],
  },
  ExternalRemediationRequestCreationFailed: {
    meaning:
      "the API server refuses the request for an external controller; an Event on the Machine says why",
    seen: ["deprecated condition"],
  },
  MachineMarkedUnhealthy: { meaning: "the remediation of an unhealthy Machine begins", seen: ["event"] },
  MachineRecovered: { meaning: "a Machine that was handed over is healthy again", seen: ["event"] },
  RemediationRestricted: {
    meaning: "unhealthy Machines are not remediated, because of the limit of their health check",
    seen: ["event"],
  },
  RemediationBlocked: {
    meaning:
      "a remediation waits: a server does not answer, another object has the name of a request, the template makes what Machines consist of, a RemediationPolicy or the annotation capstan.dev/hold-remediation refuses; the message says which",
    seen: ["event"],
  },
  FailedPatchMachine: {
    meaning: "the API server refuses a condition that a health check writes; the message says why",
    seen: ["event"],
  },
  TooManyTargets: {
    meaning: "the health check selects more Machines than its status can name",
    seen: ["event"],
  },
  OverlappingHealthChecks: {
    meaning: "Machines are targets of several health checks; the message names both",
    seen: ["event"],
  },
  RemediationTemplateNotFound: {
    meaning:
      "the template of requests for an external controller does not exist, or its version is not served",
    seen: ["condition"],
  },
  RemediationRequestCreationFailed: {
    meaning: "the request for an external controller cannot be made; the Event on the Machine says why",
    seen: ["condition", "event"],
  },
  FailedPatchPolicy: {
    meaning:
      "the API server refuses an entry in the history of a RemediationPolicy, so that nothing is handed over",
    seen: ["event"],
  },
  FailedDeleteRequest: {
    meaning: "the API server refuses to delete the request of a Machine that is healthy again",
    seen: ["event"],
  },
  SuccessfulDrainNode: { meaning: "all Pods that have to leave the Node have left", seen: ["event"] },
  FailedDrainNode: {
    meaning: "a MachineDrainRule, a Pod or an answer of the workload cluster blocks the drain",
    seen: ["event"],
  },
  NodeVolumesDetached: { meaning: "every volume has left the Node", seen: ["event"] },
  FailedWaitForVolumeDetach: {
    meaning: "the workload cluster does not show which volumes are attached",
    seen: ["event"],
  },
  FailedDeleteNode: {
    meaning: "the workload cluster refuses to show or to delete a Node of an object that is being deleted",
    seen: ["event"],
  },
  SuccessfulAdopt: {
    meaning: "a Machine or MachineSet without controller now belongs to the object",
    seen: ["event"],
  },
  FailedAdopt: {
    meaning: "the API server refuses that a Machine or MachineSet becomes the object's",
    seen: ["event"],
  },
  SuccessfulCreate: { meaning: "a Machine or MachineSet was made", seen: ["event"] },
  SuccessfulDelete: {
    meaning: "a Machine was deleted, because the set has too many, or a MachineSet whose rollout is over",
    seen: ["event"],
  },
  FailedDelete: { meaning: "the API server refuses to delete a MachineSet", seen: ["event"] },
  SuccessfulScale: { meaning: "a MachineSet got another size", seen: ["event"] },
  FailedScale: { meaning: "the API server refuses a new size of a MachineSet", seen: ["event"] },
  FailedUpdate: { meaning: "the API server refuses to change a MachineSet", seen: ["event"] },
  RolloutStandsStill: {
    meaning: "the rollout of a MachineDeployment has made no progress for 10 minutes; the message says why",
    seen: ["event"],
  },
  WaitingForAvailableReplicasSet: {
    meaning: "no MachineSet has counted its available Machines yet",
    seen: ["condition"],
  },
  WaitingForAvailableMachines: {
    meaning: "fewer Machines are available than the strategy allows",
    seen: ["deprecated condition"],
  },
  WaitingForMachineSet: {
    meaning: "no MachineSet has the template of the MachineDeployment, or it reports nothing yet",
    seen: ["deprecated condition"],
  },
  WaitingForRemediation: {
    meaning: "a health check has handed the unhealthy Machine over, and its owner has not replaced it yet",
    seen: ["condition"],
  },
  CannotBeRemediated: {
    meaning: "the unhealthy Machine belongs to a set that its MachineDeployment is replacing",
    seen: ["condition"],
  },
  FailedCreate: {
    meaning: "a MachineSet, or an object of a Machine from its template, cannot be made",
    seen: ["event"],
  },
  MachineCreationFailed: {
    meaning: "the API server refuses the Machines of a set, or their objects; the message says why",
    seen: ["deprecated condition"],
  },
  NodeHandlingSkipped: {
    meaning: "the Node of a deleted Machine is neither drained nor deleted, or is left; the message says why",
    seen: ["event"],
  },
  SuccessfulSetInterruptibleNodeLabel: {
    meaning: "the Node of a Machine got the label of interruptible infrastructure",
    seen: ["event"],
  },
  SharedNode: { meaning: "two MachinePools list the same Node; the older one has it", seen: ["event"] },
  DuplicateProviderID: {
    meaning: "two Nodes, or two Machines of one Cluster, have the same provider ID",
    seen: ["event"],
  },
  MissingBootstrap: { meaning: "neither configRef nor dataSecretName is set; set one", seen: ["event"] },
  KubeconfigNotIssued: {
    meaning: "the certificate authority of the Cluster cannot sign a kubeconfig; correct its Secret",
    seen: ["event"],
  },
  CertificatesUnusable: {
    meaning: "a certificate Secret of the Cluster holds nothing that can be used; correct it",
    seen: ["event"],
  },
  InvalidVersion: { meaning: "the version is not `v` followed by a semantic version", seen: ["event"] },
  TooManyInstances: {
    meaning: "the pool approaches the size limit of one object; split it",
    seen: ["event"],
  },
} as const satisfies { readonly [reason: string]: ReasonEntry };
