import { describe, expect, it } from "vitest";
import { machineStatus } from "../../../../functions/machine/status.ts";
import { installCrds } from "../../../../infra/cli/install-crds.ts";
import { takeOverReconciled } from "../../../../infra/cli/management.ts";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer } from "../../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { startApiServer } from "../../../../infra/playground/apiserver/entry.ts";
import { apiVersionOf, type Kind, type KubeObject } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { deadWebhook } from "../../../../shared/function/dead-webhook.ts";
import { virtualClock } from "../../../support/clock.ts";
import { recordingLog } from "../../../support/recording-log.ts";

const CALL = 'Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused';
const ADMISSION = `Internal error occurred: failed calling webhook "default.machine.cluster.x-k8s.io": failed to call webhook: ${CALL}`;

describe("a webhook that does not answer", () => {
  it.each([
    [ADMISSION, "webhook default.machine.cluster.x-k8s.io"],
    [
      `conversion webhook for cluster.x-k8s.io/v1beta2, Kind=Cluster failed: ${CALL}`,
      "conversion webhook of cluster.x-k8s.io/v1beta2, Kind=Cluster",
    ],
    ['admission webhook "default.machine.cluster.x-k8s.io" denied the request: no', undefined],
    ["etcdserver: request timed out", undefined],
  ])("is known by the words of the API server: %s", (message, webhook) => {
    expect(deadWebhook(message)).toBe(webhook);
  });

  it("is named with the next step in every failure and in one line of the log, and no start ends for it", async () => {
    await using embedded = await startApiServer({ name: "test" }).then((server) =>
      Object.assign(server, { [Symbol.asyncDispose]: () => server.stop() }),
    );
    const { log, lines } = recordingLog();
    using server = createServer(parseKubeconfig(embedded.kubeconfig()), { clock: systemClock, log });
    const client = server.as("manager");
    await installCrds(client, systemClock);
    const metadata = { name: "m1", namespace: "default" };
    const infrastructureRef = { apiGroup: "x.dev", kind: "Foo", name: "m1" };
    await client.create(
      Machine as Kind,
      {
        apiVersion: apiVersionOf(Machine),
        kind: Machine.kind,
        metadata,
        spec: { clusterName: "c", bootstrap: { dataSecretName: "s" }, infrastructureRef },
      } as unknown as KubeObject,
    );
    embedded.faults.add({
      on: { verbs: ["patch"] },
      times: 3,
      effect: { kind: "status", code: 500, message: ADMISSION },
    });
    const named = "webhook default.machine.cluster.x-k8s.io does not answer: run its controller again";
    const path = "/metadata/labels";
    const patched = client.jsonPatch(Machine as Kind, metadata, [{ op: "add", path, value: { a: "b" } }]);
    await expect(patched).rejects.toThrow(named);
    // The start of a relay with --take-over-managers.
    const clock = virtualClock();
    const started = takeOverReconciled(
      { server, functions: [machineStatus], clock, log },
      { takeOverManagers: ["capstan-manager"] },
    ).then(() => "started");
    while ((await Promise.race([started, clock.advance(5_000)])) !== "started");
    expect(await client.get(Machine as Kind, metadata)).toMatchObject({
      metadata: { managedFields: [{ manager: "capstan-take-over" }] },
    });
    expect(lines.filter(({ message }) => message.includes(named))).toHaveLength(1);
  });
});
