/** The annotation on a Machine that says: it goes first when its owner has too many. */
export const DELETE_MACHINE = "cluster.x-k8s.io/delete-machine";
/** The annotation on a Machine that says: a hook of Cluster API core updates it in place. */
export const IN_PLACE_UPDATE = "in-place-updates.internal.cluster.x-k8s.io/update-in-progress";
/** The annotations by which Cluster API's in-place updates take Machines from one set, and give them to another. */
export const MOVES_MACHINES = "in-place-updates.internal.cluster.x-k8s.io/move-machines-to-machineset";
export const GETS_MACHINES = "in-place-updates.internal.cluster.x-k8s.io/receive-machines-from-machinesets";
/** The annotation on a MachineDeployment and its MachineSets: the template's number, as Cluster API counts. */
export const REVISION = "machinedeployment.clusters.x-k8s.io/revision";

/** The annotation on a MachineSet, its MachineDeployment or its bootstrap template that names checks to leave out. */
export const SKIP_PREFLIGHT = "machineset.cluster.x-k8s.io/skip-preflight-checks";
/** Checks before a MachineSet makes or replaces a Machine; `All` stands for all of them. */
export const PREFLIGHT_CHECKS = [
  "All",
  "KubeadmVersionSkew",
  "KubernetesVersionSkew",
  "ControlPlaneIsStable",
  "ControlPlaneVersionSkew",
] as const;
export type PreflightCheck = (typeof PREFLIGHT_CHECKS)[number];

/** Returns the names in a value of `SKIP_PREFLIGHT`, which are not yet known to be those of checks. */
export function skippedIn(value: string | undefined): readonly string[] {
  return (value ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
