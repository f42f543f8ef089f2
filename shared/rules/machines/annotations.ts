/** The annotation on a Machine that says: it goes first when its owner has too many. */
export const DELETE_MACHINE = "cluster.x-k8s.io/delete-machine";
/** The annotation on a Machine that says: a hook of Cluster API core updates it in place. */
export const IN_PLACE_UPDATE = "in-place-updates.internal.cluster.x-k8s.io/update-in-progress";
/** The annotation on a MachineDeployment and its MachineSets: the template's number, as Cluster API counts. */
export const REVISION = "machinedeployment.clusters.x-k8s.io/revision";
