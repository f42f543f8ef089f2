import { describe, expect, it } from "vitest";
import { machineNotices } from "../../../../functions/machine/rules/notices.ts";
import { machine, unresolved } from "../../../support/builders.ts";
import { healthyNode, machineViewWith } from "../../../support/machine-view.ts";
import { ready, soloMachine } from "../../../support/machines.ts";

function noticed(changes: Parameters<typeof machineViewWith>[0] = {}) {
  return machineNotices(machineViewWith(changes)).map(({ reason, message }) => `${reason} ${message}`);
}

describe("Events of a Machine", () => {
  it("name two Nodes, or two Machines, of one provider ID, and what to do", () => {
    expect(noticed({ nodes: [healthyNode(), healthyNode("n2")] })).toEqual([
      "DuplicateProviderID Nodes n1, n2 have the same provider ID foo://1; delete all but one",
    ]);
    const rivals = [machine("m2", { metadata: { uid: "uid-m2" }, spec: { providerID: "foo://1" } })];
    expect(noticed({ rivals })).toEqual([
      "DuplicateProviderID Machines m1, m2 have the same provider ID foo://1; only one of them can have the Node",
    ]);
  });

  it("name a reference that cannot be read, and a malformed certificate date", () => {
    const providers = { ...ready(), infrastructure: unresolved(true) };
    const annotations = { "machine.cluster.x-k8s.io/certificates-expiry": "soon" };
    const labels = { "cluster.x-k8s.io/control-plane": "" };
    const reasons = machineNotices(
      machineViewWith({ providers, machine: soloMachine({ metadata: { annotations, labels } }) }),
    ).map(({ reason }) => reason);
    expect(reasons).toEqual(["SuccessfulSetNodeRef", "UnresolvedReference", "InvalidCertificatesExpiry"]);
  });

  it("name an update in place, and what ends it", () => {
    const annotations = { "in-place-updates.internal.cluster.x-k8s.io/update-in-progress": "" };
    const updated = soloMachine({ metadata: { annotations }, status: { nodeRef: { name: "n1" } } });
    expect(noticed({ machine: updated })).toEqual([
      "InPlaceUpdating In-place update in progress, which only Cluster API's manager finishes: give it the Cluster back, or delete the Machine to have it replaced",
    ]);
  });
});
