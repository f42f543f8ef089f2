/** On a Machine: it goes first when its owner has too many. */
export const DELETE_MACHINE = "cluster.x-k8s.io/delete-machine";
/** On a Machine: a hook of Cluster API core updates it in place. */
export const IN_PLACE_UPDATE = "in-place-updates.internal.cluster.x-k8s.io/update-in-progress";
/** On a MachineDeployment and its MachineSets: the number of the template, as Cluster API counts them. */
export const REVISION = "machinedeployment.clusters.x-k8s.io/revision";
