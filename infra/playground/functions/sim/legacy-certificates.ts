import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { Connection, Secret } from "../../../../shared/api/core.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { inCluster, itself, ownedBy } from "../../../../shared/function/mappings.ts";
import { KUBECONFIG_USE_FIELDS } from "../../../../shared/rules/credentials/kubeconfig.ts";
import { SimServer } from "../../api/sim-cloud.ts";
import { SimControlPlaneLegacy } from "../../api/sim-controlplane-legacy.ts";
import {
  CERTIFICATE_RIGHTS,
  CERTIFICATE_TURNS,
  CERTIFIED_FIELDS,
  certify,
} from "./rules/certificates-step.ts";
import { GATE_FIELDS } from "./rules/control-plane-view.ts";
import { ADDRESS_FIELDS } from "./rules/server.ts";

export const simLegacyCertificates = defineFunction<SimControlPlaneLegacy, "status.certificates">(
  {
    ...CERTIFICATE_RIGHTS,
    blocks: [SimControlPlaneLegacy],
    name: "sim-legacy-certificates",
    summary:
      "Makes the certificates and the kubeconfig of a SimControlPlaneLegacy, and renews the kubeconfig.",
    source: "own",
    reconciles: SimControlPlaneLegacy,
    watches: [
      watch(SimControlPlaneLegacy, CERTIFIED_FIELDS, itself),
      watch(Cluster, GATE_FIELDS, ownedBy),
      // Both have the name of the Cluster.
      watch(SimServer, ["metadata.uid", ...ADDRESS_FIELDS], inCluster),
      watch(Connection, KUBECONFIG_USE_FIELDS, inCluster),
    ],
    owns: ["status.certificates"],
    inTurnWith: [
      {
        function: "sim-controlplane-certificates",
        on: Secret,
        field: "metadata.ownerReferences",
        reason: "a Cluster has one control plane object, of either kind",
      },
      ...CERTIFICATE_TURNS,
    ],
  },
  certify,
);
