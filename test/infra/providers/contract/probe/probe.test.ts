import { expect, it } from "vitest";
import { systemClock } from "../../../../../infra/platform/clock.ts";
import { createServer } from "../../../../../infra/platform/kube/client.ts";
import { coresOf } from "../../../../../infra/providers/contract/probe/probe.ts";
import { at, core } from "../../../../support/contract/life.ts";
import {
  failing,
  listing,
  type Reply,
  startScriptedServer,
} from "../../../../support/processes/scripted-server.ts";

const FINALIZERS = { "f:metadata": { "f:finalizers": {} } };
/** A type does not have it: no function reads it. */
const MANAGED: object = {
  managedFields: [
    { manager: "capi-manager", operation: "Update", subresource: "status" },
    { manager: "capstan-cluster-guard", operation: "Update", fieldsV1: FINALIZERS },
    { manager: "capstan-contract-probe", operation: "Apply", fieldsV1: FINALIZERS },
    { manager: "kubectl", operation: "Update", fieldsV1: {} },
  ],
};
const SNAPSHOT = at(core("Cluster", "c1", { metadata: MANAGED }));
const MANAGERS = ["field manager capi-manager", "field manager capstan-cluster-guard"];

async function coresWith(leases: Reply): Promise<readonly string[]> {
  await using scripted = await startScriptedServer();
  scripted.lists.push(leases);
  using server = createServer({ server: scripted.url }, { clock: systemClock });
  return await coresOf({ client: server.as("test") }, SNAPSHOT);
}

function lease(name: string): object {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: "capi-system", resourceVersion: "1" },
  };
}

it("names the Leases of cores, and the managers of status and finalizers of the Cluster", async () => {
  const leases = ["controller-leader-election-capi", "kube-scheduler"].map(lease);
  expect(await coresWith(listing(leases))).toEqual([
    "Lease capi-system/controller-leader-election-capi",
    ...MANAGERS,
  ]);
});

it("does without Leases that may not be listed", async () => {
  expect(await coresWith(failing(403, "Forbidden"))).toEqual(MANAGERS);
});
