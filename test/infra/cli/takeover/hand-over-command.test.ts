import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { installCrds } from "../../../../infra/cli/install-crds.ts";
import { Deployment } from "../../../../infra/operate/takeover/core.ts";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer } from "../../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { startApiServer } from "../../../../infra/playground/apiserver/entry.ts";
import { createLeaseCandidate } from "../../../../infra/relay/lease-candidate.ts";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { apiVersionOf, type Kind, type KubeObject } from "../../../../shared/api/kinds.ts";
import { eventually, HANG_MS } from "../../../support/eventually.ts";
import { ensureNamespace } from "../../../support/management-side.ts";
import { startCli } from "../../../support/processes/cli.ts";
import { coreDeployment } from "../../../support/takeover-fleet.ts";
import { testFolder } from "../../../support/test-folder.ts";

const NAMESPACE = "capi-system";
const FILTER = "cluster.x-k8s.io/watch-filter";
const CLUSTER = { namespace: "default", name: "demo" };

/** The Cluster `demo` of Cluster API's manager, which has a filter, on the embedded API server. */
async function startManagement() {
  await using starting = new AsyncDisposableStack();
  const dir = testFolder("hand-over");
  const embedded = await startApiServer({ name: "test", recordRequests: true });
  starting.defer(() => embedded.stop());
  const kubeconfig = join(dir, "kubeconfig");
  await writeFile(kubeconfig, embedded.kubeconfig(), { mode: 0o600 });
  const server = starting.use(createServer(parseKubeconfig(embedded.kubeconfig()), { clock: systemClock }));
  const client = server.as("test");
  await installCrds(client, systemClock);
  await ensureNamespace(client, NAMESPACE);
  await client.create(Deployment as unknown as Kind, coreDeployment(["--watch-filter=capi"]));
  await client.create(
    Cluster as Kind,
    {
      apiVersion: apiVersionOf(Cluster as Kind),
      kind: Cluster.kind,
      metadata: { ...CLUSTER, labels: { [FILTER]: "capi" } },
      spec: { infrastructureRef: { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "Foo", name: "demo" } },
    } as KubeObject,
  );
  const running = starting.move();
  return { embedded, client, kubeconfig, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

describe("capstan takeover start", () => {
  it("judges again when its turn has come: the operator before it may have changed everything", async () => {
    await using world = await startManagement();
    const { client, embedded } = world;
    const key = { namespace: NAMESPACE, name: "capstan-takeover" };
    const ann = createLeaseCandidate({ client, key, identity: "ann@a:1", clock: systemClock });
    expect(await ann.tryHold()).toBe(true);
    const looks = () =>
      embedded.requests.filter(({ verb, name }) => verb === "get" && name === key.name).length;
    const before = looks();

    await using bob = startCli(["takeover", "start", "--yes", "--kubeconfig", world.kubeconfig]);
    await eventually(() => looks() > before, { withinMs: HANG_MS });
    // He has found nothing in his way, and waits for the turn of the first.
    const value = { [FILTER]: "blue" };
    await client.jsonPatch(Cluster as Kind, CLUSTER, [{ op: "add", path: "/metadata/labels", value }]);
    await ann.release();

    expect(await bob.ended).toBe(1);
    expect(bob.output()).toContain(`label ${FILTER}=blue on Cluster demo`);
    const { metadata } = (await client.get(Cluster as Kind, CLUSTER)) ?? {};
    expect(metadata?.labels).toEqual(value);
    expect(metadata?.annotations).toBeUndefined();
  });
});
