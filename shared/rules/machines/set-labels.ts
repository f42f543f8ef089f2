/** On Machines of a MachineSet: its name, as a label value. */
export const SET_NAME_LABEL = "cluster.x-k8s.io/set-name";
/** On MachineSets and Machines of a MachineDeployment: its name. */
export const DEPLOYMENT_NAME_LABEL = "cluster.x-k8s.io/deployment-name";
