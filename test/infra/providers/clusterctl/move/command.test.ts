import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Secret } from "../../../../../shared/api/core.ts";
import type { Kind } from "../../../../../shared/api/kinds.ts";
import { ensureNamespace, startSide, type TestSide } from "../../../../support/management-side.ts";
import { plant } from "../../../../support/planted.ts";
import { EMBEDDED } from "../../../../support/processes/api-servers.ts";
import { startCli } from "../../../../support/processes/cli.ts";
import { restingCluster, SECRET_VALUE } from "../../../../support/resting-cluster.ts";
import { testFolder } from "../../../../support/test-folder.ts";

interface Plan {
  readonly order: readonly (readonly string[])[];
  readonly staysBehind: readonly { readonly object: string; readonly why: string }[];
  readonly summary: { readonly fail: number };
}

describe("capstan move plan", () => {
  const stack = new AsyncDisposableStack();
  let source: TestSide;
  let target: TestSide;
  let empty: string;
  beforeAll(async () => {
    [source, target] = await Promise.all([startSide(EMBEDDED), startSide(EMBEDDED)]);
    stack.use(source);
    stack.use(target);
    const bare = stack.use(await EMBEDDED.start());
    empty = bare.kubeconfigFile;
    await ensureNamespace(source.client, "team");
    await plant(source.client, "team", restingCluster("c1"));
    await plant(source.client, "team", [
      {
        kind: Secret as unknown as Kind,
        name: "c1-loose",
        metadata: { labels: { "cluster.x-k8s.io/cluster-name": "c1" } },
        content: { data: { value: SECRET_VALUE } },
      },
    ]);
    await ensureNamespace(target.client, "team");
  });
  afterAll(() => stack.disposeAsync());

  const run = async (...args: readonly string[]) => {
    await using cli = startCli(["move", "plan", ...args], { CAPSTAN_LOG_LEVEL: "silent" });
    return { code: await cli.ended, output: cli.output() };
  };
  const from = () => ["--kubeconfig", source.started.kubeconfigFile];
  const to = () => ["--to-kubeconfig", target.started.kubeconfigFile];

  it("says at once whether the move can go, what stays behind and in which order the rest goes", async () => {
    const { code, output } = await run("-n", "team", ...from(), ...to(), "--try");
    expect(output).toBe(`Namespace team: 1 Cluster, 12 objects in 4 groups: nothing stops the move

To know
  MV-08 Secret team/c1-loose: stays: no owner; expected an owner, or the label clusterctl.cluster.x-k8s.io/move (clusterctl move leaves the object at the source without a word)

Stays behind
  OBJECT                WHY
  Secret team/c1-loose  no owner

Order
  1. Cluster team/c1
  2. MachinePool team/c1-pool, MachineSet team/c1-set, Secret team/c1-ca, SimCluster team/c1, SimControlPlane team/c1
  3. Machine team/c1-set-1, Secret team/c1-kubeconfig, SimBootstrapConfig team/c1-pool, SimMachinePool team/c1-pool
  4. Secret team/c1-pool-data, SimMachine team/c1-set-1
`);
    expect(code).toBe(0);
  });

  it("asks each side for each kind once, writes nothing, and shows no value of a Secret", async () => {
    const countOf = async ({ started }: TestSide) => (await started.requests()).length;
    const [atSource, atTarget] = [await countOf(source), await countOf(target)];
    const { output } = await run("-n", "team", ...from(), ...to(), "-o", "json");
    const plan = JSON.parse(output) as Plan;
    expect(plan.order[0]).toEqual(["Cluster team/c1"]);
    expect(plan.staysBehind).toEqual([{ object: "Secret team/c1-loose", why: "no owner" }]);
    expect(output).not.toContain(SECRET_VALUE);
    for (const requests of [
      (await source.started.requests()).slice(atSource),
      (await target.started.requests()).slice(atTarget),
    ]) {
      const lists = requests
        .filter(({ verb }) => verb === "list")
        .map(({ group, resource }) => `${resource}.${group}`);
      expect(lists.length).toBeGreaterThan(10);
      expect(lists).toHaveLength(new Set(lists).size);
      expect(requests.filter(({ verb }) => verb !== "list" && verb !== "get")).toEqual([]);
    }
    expect((await run("-n", "team", ...from(), ...to(), "-o", "json")).output).toBe(output);
  });

  it("ends with 1 where the move stops, and with 2 where it cannot say", async () => {
    await ensureNamespace(source.client, "young");
    await plant(
      source.client,
      "young",
      restingCluster("c1").map(({ status: _, ...each }) => each),
    );
    const stopped = await run("-n", "young", ...from());
    expect([stopped.code, stopped.output]).toEqual([1, expect.stringContaining("do not move yet")]);

    const refused = [
      [["-n", "team", ...from(), "--to-kubeconfig", source.started.kubeconfigFile], "are the same cluster"],
      [["-n", "team", ...from(), "--try"], "--try asks the target"],
      [["-n", "team", "--kubeconfig", empty], "is not a management cluster"],
      [["-n", "team", "--kubeconfig", "/no/such/file"], "/no/such/file"],
      [["-n", "team/../x", ...from()], "is not the name of a namespace"],
      [from(), "required option"],
    ] as const;
    for (const [args, message] of refused) {
      const { code, output } = await run(...args);
      expect([code, output]).toEqual([2, expect.stringContaining(message)]);
      expect(output).not.toMatch(/\n\s+at /);
    }
  });

  it("names every kind that a target without CRDs lacks", async () => {
    const { code, output } = await run("-n", "team", ...from(), "--to-kubeconfig", empty, "-o", "json");
    const kinds = [...output.matchAll(/"object": "(\w+)\.[^"]+",\s+"found": "the target has no CRD/g)];
    expect([code, kinds.map(([, kind]) => kind)]).toEqual([
      1,
      [
        "Cluster",
        "Machine",
        "MachinePool",
        "MachineSet",
        "SimBootstrapConfig",
        "SimCluster",
        "SimControlPlane",
        "SimMachine",
        "SimMachinePool",
      ],
    ]);
  });

  it("says which server does not answer", async () => {
    const folder = testFolder("move-plan");
    const gone = await EMBEDDED.start();
    const { readFile, writeFile } = await import("node:fs/promises");
    const file = join(folder, "kubeconfig");
    await writeFile(file, await readFile(gone.kubeconfigFile), { mode: 0o600 });
    await gone[Symbol.asyncDispose]();
    const { code, output } = await run("-n", "team", ...from(), "--to-kubeconfig", file);
    expect([code, output]).toEqual([2, expect.stringContaining("no answer")]);
  });
});
