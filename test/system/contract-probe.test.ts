import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../infra/clock.ts";
import { readManifest } from "../../infra/contract/probe/manifest.ts";
import { type ProbeOptions, probe } from "../../infra/contract/probe/probe.ts";
import { createServer } from "../../infra/kube/client.ts";
import { loadKubeconfig } from "../../infra/kube/kubeconfig.ts";
import { loadFunctions } from "../../infra/worker/load.ts";
import { Namespace } from "../../shared/api/core.ts";
import { startCapstan } from "../support/capstan.ts";
import { simCluster, simClusterOfMachines, simPool, simPoolWithMachines } from "../support/manifests.ts";
import { EMBEDDED, type TestServer } from "../support/processes/api-servers.ts";
import { runCli, startCli } from "../support/processes/cli.ts";

const BROKEN = fileURLToPath(new URL("../support/broken-sims/", import.meta.url));
/** A folder of broken functions, the function that it replaces, and the rule that this breaks. */
const BROKEN_SIMS = [
  { folder: "deaf", replaces: "sim-machinepool", verdict: "warn IMP-25" },
  { folder: "random-name", replaces: "sim-bootstrap", verdict: "fail BC-20" },
  { folder: "strips-label", replaces: "sim-cluster", verdict: "fail IC-23" },
  { folder: "forgets", replaces: "sim-machinepool", verdict: "fail CTL-39" },
] as const;

let dir = "";
let manifest = "";
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "capstan-probe-"));
  manifest = join(dir, "cluster.yaml");
  await writeFile(manifest, `${simCluster("c1")}---${simPool("p1", "c1", 1)}`);
});
afterAll(() => rm(dir, { recursive: true }));

/** An API server and a Capstan whose functions are those of Capstan, but for what a folder replaces. */
async function startWorld(broken?: { readonly folder: string; readonly replaces: string }) {
  const world = new AsyncDisposableStack();
  const started = world.use(await EMBEDDED.start());
  const all = (await loadFunctions()).map(({ spec }) => spec.name);
  const functions = all.filter((name) => name !== broken?.replaces);
  world.use(await startCapstan(started.kubeconfigFile, { functions }));
  if (broken !== undefined) {
    const functionsDir = join(BROKEN, broken.folder);
    const own = { functionsDir, installCrds: false, deadLetters: join(dir, `${broken.folder}.jsonl`) };
    world.use(await startCapstan(started.kubeconfigFile, { ...own, roles: ["relay", "worker"] }));
  }
  return { started, [Symbol.asyncDispose]: () => world.disposeAsync() };
}

async function lived(
  { kubeconfigFile }: TestServer,
  { file = manifest, ...options }: Partial<ProbeOptions> & { readonly file?: string } = {},
) {
  using server = createServer(await loadKubeconfig({ file: kubeconfigFile, env: {} }), {
    clock: systemClock,
  });
  const outcome = await probe(server, await readManifest(file), {
    clock: systemClock,
    limitMs: 120_000,
    restMs: 3_000,
    mutation: undefined,
    namespace: "scratch",
    note: () => undefined,
    signal: new AbortController().signal,
    waivers: new Map(),
    ...options,
  });
  const name = options.namespace ?? "scratch";
  const isLeft = (await server.as("test").get(Namespace, { namespace: "", name })) !== undefined;
  return { ...outcome, isLeft };
}

function broken({ findings }: Awaited<ReturnType<typeof lived>>): readonly string[] {
  const counted = findings.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
  return [...new Set(counted.map(({ verdict, rule }) => `${verdict} ${rule}`))];
}

describe.concurrent("capstan contract probe", () => {
  it("finds nothing wrong with the simulated provider, and leaves nothing behind", async () => {
    await using world = await startWorld();
    const outcome = await lived(world.started);
    expect([outcome.problems, broken(outcome), outcome.left, outcome.isLeft]).toEqual([[], [], [], false]);
    const passed = new Set(outcome.findings.flatMap(({ verdict, rule }) => (verdict === "pass" ? rule : [])));
    const decided = [
      "IMP-25",
      "IMP-29",
      "IMP-30",
      "IMP-33",
      "IC-21",
      "IC-23",
      "BC-20",
      "BC-22",
      "CP-41",
      "CP-44",
    ];
    expect(passed).toEqual(new Set([...decided, "CTL-39"]));
    expect(outcome.cores.join()).toContain("capstan-cluster");
    expect(outcome.timeline.map(({ step }) => step)).toContain("cleaned up");
  });

  it.each(BROKEN_SIMS)("gives the Sim of $folder exactly $verdict", async (one) => {
    await using world = await startWorld(one);
    const outcome = await lived(world.started);
    expect([broken(outcome), outcome.left]).toEqual([[one.verdict], []]);
  });

  it("tries pools with machines, Machines and templates", async () => {
    await using world = await startWorld();
    const file = join(dir, "machines.yaml");
    const cluster = simClusterOfMachines("c1", 1).replace(
      /(kind: SimMachineTemplate\n.*\nspec: \{ template: \{ spec: )\{\}/,
      "$1{ bootDelaySeconds: 0 }",
    );
    await writeFile(file, `${cluster}---${simPoolWithMachines("p1", "c1", 1)}`);
    const outcome = await lived(world.started, { file });
    expect([outcome.problems, broken(outcome), outcome.left]).toEqual([[], [], []]);
    const passed = new Set(outcome.findings.flatMap(({ verdict, rule }) => (verdict === "pass" ? rule : [])));
    expect(["IMP-21", "IM-23", "IM-24"].filter((rule) => !passed.has(rule))).toEqual([]);
  });

  it("names the provider that never lets go, and what is left", async () => {
    await using world = await startWorld();
    const file = join(dir, "held.yaml");
    const held = simPool("p1", "c1", 1).replace(
      /kind: SimMachinePool\nmetadata: \{/,
      "$& finalizers: [test.capstan.dev/held],",
    );
    await writeFile(file, `${simCluster("c1")}---${held}`);
    const outcome = await lived(world.started, { file, limitMs: 60_000 });
    expect(broken(outcome)).toEqual(["fail IMP-33"]);
    expect(outcome.left).toContain("SimMachinePool p1 (finalizers test.capstan.dev/held)");
    expect(outcome.isLeft).toBe(true);
  });

  it("says that no core runs, that no provider does, and that a namespace is taken", async () => {
    await using started = await EMBEDDED.start();
    await using capstan = await startCapstan(started.kubeconfigFile, { functions: ["sim-*"] });
    const short = { limitMs: 5_000, restMs: 1_000 };
    const withoutCore = await lived(started, { ...short, namespace: "without-core" });
    expect(withoutCore.problems.map(({ message }) => message)).toEqual([
      "no core has answered Cluster c1; start Capstan or Cluster API",
    ]);
    expect([withoutCore.left, withoutCore.isLeft]).toEqual([[], false]);
    await capstan.server.as("test").create(Namespace, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "taken" },
    });
    await expect(lived(started, { namespace: "taken" })).rejects.toThrow("Namespace taken exists already");
    await capstan[Symbol.asyncDispose]();
    await using _core = await startCapstan(started.kubeconfigFile, { functions: ["cluster-api"] });
    const longer = { limitMs: 20_000, restMs: 1_000, namespace: "without-provider" };
    const { problems, left } = await lived(started, longer);
    expect(problems.map(({ message }) => message)).toContain(
      "no provider has answered SimCluster c1; start the provider of SimCluster",
    );
    expect(left).toEqual([]);
  });

  it("is a command that cleans up after Ctrl-C", async () => {
    await using world = await startWorld();
    const { kubeconfigFile } = world.started;
    await using cli = startCli([
      "contract",
      "probe",
      "-f",
      manifest,
      "--kubeconfig",
      kubeconfigFile,
      "-n",
      "stopped",
    ]);
    using server = createServer(await loadKubeconfig({ file: kubeconfigFile, env: {} }), {
      clock: systemClock,
    });
    const client = server.as("test");
    const key = { namespace: "", name: "stopped" };
    await expect.poll(() => client.get(Namespace, key), { timeout: 60_000 }).toBeDefined();
    cli.child.kill("SIGINT");
    expect(await cli.ended).toBe(2);
    expect(cli.output()).toContain("stopped by a signal");
    expect(await client.get(Namespace, key)).toBeUndefined();
  });

  it.each([
    ["no manifest", [], "required option '-f, --file <manifest>'"],
    ["a missing manifest", ["-f", "/nowhere.yaml"], "/nowhere.yaml"],
    ["a limit without unit", ["-f", "-", "--limit", "10"], "90s, 10m, 1h"],
    ["a change without value", ["-f", "-", "--mutate", "spec.size"], "PATH=VALUE"],
    ["a waiver without reason", ["-f", "-", "--waive", "IMP-25"], "RULE=REASON"],
  ])("ends with 2 for %s", async (_, args, message) => {
    const { code, output } = await runCli("contract", "probe", ...args);
    expect([output, code]).toEqual([expect.stringContaining(message), 2]);
  });
});
