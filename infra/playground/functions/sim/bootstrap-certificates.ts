import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { Secret } from "../../../../shared/api/core.ts";
import { CONTROL_PLANE_LABEL } from "../../../../shared/api/indexes.ts";
import { objectKeyOf } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import {
  isDeleting,
  PAUSE_FIELDS,
  PAUSING_FIELDS,
  pausedBy,
  readCluster,
} from "../../../../shared/function/guards.ts";
import { inCluster, itself, ownedBy } from "../../../../shared/function/mappings.ts";
import { done, waitFor } from "../../../../shared/function/result.ts";
import { controllerReference } from "../../../../shared/rules/metadata/owner-references.ts";
import { readOwner } from "../../../../shared/rules/metadata/read-owner.ts";
import { OWN_FIELDS } from "../../../../shared/rules/providers/adoption.ts";
import { SimBootstrapConfig } from "../../api/sim-bootstrap.ts";
import { corrected, missingCertificates } from "./rules/certificates.ts";

export const simBootstrapCertificates = defineFunction<SimBootstrapConfig>(
  {
    name: "sim-bootstrap-certificates",
    summary: "Makes the certificates of a Cluster whose control plane Machines have no control plane object.",
    source: "own",
    reconciles: SimBootstrapConfig,
    watches: [
      watch(SimBootstrapConfig, [...OWN_FIELDS, ...PAUSE_FIELDS], itself),
      watch(Machine, ["metadata.uid", "metadata.labels"], ownedBy),
      watch(
        Cluster,
        [...PAUSING_FIELDS, "spec.controlPlaneRef", "status.initialization.infrastructureProvisioned"],
        inCluster,
      ),
    ],
    owns: [],
    calls: [{ verb: "issue", kind: Secret }],
    blocks: [SimBootstrapConfig],
    readsLive: [Secret],
  },
  async (object, { read, now }) => {
    if (isDeleting(object)) return { result: done };
    const machine = await readOwner(Machine, object, read);
    if (machine?.metadata.labels?.[CONTROL_PLANE_LABEL] === undefined) return { result: done };
    const cluster = await readCluster(read, machine);
    if (cluster === undefined) return { result: waitFor("Cluster.metadata.uid") };
    // Then the control plane object makes them.
    if (cluster.spec.controlPlaneRef !== undefined) return { result: done };
    const pause = pausedBy(cluster, object);
    if (pause !== undefined) return { result: waitFor(pause) };
    if (cluster.status?.initialization?.infrastructureProvisioned !== true) {
      return { result: waitFor("Cluster.status.initialization.infrastructureProvisioned") };
    }
    const owner = controllerReference(SimBootstrapConfig, object);
    const { issue, problem } = await missingCertificates(
      { cluster: objectKeyOf(cluster), owner },
      read.live,
      now,
    );
    if (problem === undefined) return { issue, result: done };
    return {
      issue,
      events: [{ type: "Warning", reason: "CertificatesUnusable", message: problem }],
      result: corrected,
    };
  },
);
