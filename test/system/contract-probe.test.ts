import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { SimMachinePool } from "../../infra/playground/api/sim-machinepool.ts";
import { loadFunctions } from "../../infra/worker/load.ts";
import { Namespace } from "../../shared/api/core.ts";
import { startCapstan } from "../support/capstan.ts";
import {
  broken,
  expectGood,
  HELD,
  LEGACY,
  LIMIT_MS,
  lived,
  MACHINES,
  OF_CONTROL_PLANES,
  OF_MACHINES,
  OF_POOLS,
  POOL,
  passed,
} from "../support/contract/lives.ts";
import { EMBEDDED, REAL, type ServerFlavour } from "../support/processes/api-servers.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { kubectlFor } from "../support/processes/kubectl.ts";
import { testFolder } from "../support/test-folder.ts";

/** Of a life that has to wait for a provider that never answers. */
const SHORT_MS = 40_000;

const dir = testFolder("probe");

/** Replaces functions of the simulated provider: in namespaces named after what is broken there. */
const BROKEN_SIMS = fileURLToPath(new URL("../support/broken-sims/", import.meta.url));

const TOPOLOGY = "'topology.cluster.x-k8s.io/dry-run' in object.metadata.annotations";
const BY_TOPOLOGY = `has(object.metadata.annotations) && ${TOPOLOGY}`;
/** Makes templates immutable but for the topology; in one namespace it believes the annotation alone, in one not even that. */
const IMMUTABLE_TEMPLATES = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: immutable-templates }
spec:
  failurePolicy: Fail
  matchConstraints:
    namespaceSelector:
      matchExpressions:
        - { key: kubernetes.io/metadata.name, operator: In, values: [good-machines, broken-machines, broken-keeping] }
    resourceRules:
      - apiGroups: [infrastructure.sim.capstan.dev]
        apiVersions: ["*"]
        operations: [UPDATE]
        resources: [simmachinetemplates, simmachinepooltemplates]
  validations:
    - expression: "object.spec == oldObject.spec || (${BY_TOPOLOGY} && (request.dryRun || request.namespace == 'broken-machines') && request.namespace != 'broken-keeping')"
      message: templates are immutable
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: immutable-templates }
spec: { policyName: immutable-templates, validationActions: [Deny] }
`;

interface World extends AsyncDisposable {
  readonly kubeconfigFile: string;
}

/** An API server, and a Capstan whose simulated provider is broken in some namespaces. */
async function startWorld(flavour: ServerFlavour): Promise<World> {
  const world = new AsyncDisposableStack();
  const { kubeconfigFile } = world.use(await flavour.start());
  const replaced = (await loadFunctions(["*"], BROKEN_SIMS)).map(({ spec }) => spec.name);
  const all = (await loadFunctions()).map(({ spec }) => spec.name);
  const functions = all.filter((name) => !replaced.includes(name));
  world.use(await startCapstan(kubeconfigFile, { functions }));
  const own = { functionsDir: BROKEN_SIMS, installCrds: false, deadLetters: join(dir, "broken.jsonl") };
  world.use(await startCapstan(kubeconfigFile, { ...own, roles: ["relay", "worker"] }));
  return { kubeconfigFile, [Symbol.asyncDispose]: () => world.disposeAsync() };
}

/** The judge is the real server; where it is missing, the embedded one stands in. */
const SERVER = REAL.missing === undefined ? REAL : EMBEDDED;

describe.concurrent(`capstan contract probe with Capstan as core, on ${SERVER.name}`, () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(SERVER);
    if (SERVER === REAL) await kubectlFor(world.kubeconfigFile)("apply -f -", IMMUTABLE_TEMPLATES);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it("finds nothing wrong with pools of the simulated provider, and leaves nothing behind", async () => {
    const outcome = await lived(world, "good-pool", POOL);
    expectGood(outcome);
    expect(passed(outcome)).toEqual(new Set([...OF_POOLS, ...OF_CONTROL_PLANES]));
    expect(outcome.cores.join()).toContain("capstan-cluster");
    expect(outcome.timeline.map(({ step }) => step)).toContain("cleaned up");
  });

  it("finds nothing wrong with Machines, pools of Machines and templates", async () => {
    const outcome = await lived(world, "good-machines", MACHINES);
    expectGood(outcome);
    expect(OF_MACHINES.filter((rule) => !passed(outcome).has(rule))).toEqual([]);
  });

  it("finds nothing wrong with a control plane of the contract v1beta1", async () => {
    const mutation = { path: "spec.version", value: "v1.34.3" };
    const outcome = await lived(world, "good-legacy", LEGACY, { mutation });
    expectGood(outcome);
    const legacy = outcome.findings.filter(({ contract }) => contract === "v1beta1");
    expect(new Set(legacy.map(({ object }) => object))).toEqual(
      new Set(["SimControlPlaneLegacy good-legacy/c1"]),
    );
    expect(OF_CONTROL_PLANES.filter((rule) => !passed({ ...outcome, findings: legacy }).has(rule))).toEqual(
      [],
    );
  });

  it("finds each broken identity, and nothing else", async () => {
    const outcome = await lived(world, "broken-identities", POOL, { limitMs: SHORT_MS });
    expect([broken(outcome), outcome.problems, outcome.isLeft]).toEqual([
      [
        "fail BC-20 SimBootstrapConfig p1",
        "fail IMP-29 SimMachinePool p1",
        "warn IC-20 SimCluster c1",
        "warn IMP-25 SimMachinePool p1",
      ],
      [],
      false,
    ]);
  });

  it("finds each broken pause, a status that does not come back, and names the object that never goes", async () => {
    const outcome = await lived(world, "broken-pauses", HELD, { limitMs: SHORT_MS });
    expect(broken(outcome)).toEqual([
      "fail CTL-39 SimMachinePool p1",
      "fail IC-22 SimCluster c1",
      "fail IMP-33 SimMachinePool p1",
      "warn BC-22 SimBootstrapConfig p1",
      "warn CP-41 SimControlPlane c1",
      "warn IC-21 SimCluster c1",
    ]);
    const held = "SimMachinePool p1 (finalizers test.capstan.dev/held)";
    expect(outcome.left).toContain(held);
    expect(outcome.problems.map(({ message }) => message)).toContain(
      `${held} is left: its controller must remove the finalizers`,
    );
    expect(outcome.isLeft).toBe(true);
  });

  it("finds a control plane that is careless about its Machines, and a deaf infrastructure machine", async () => {
    const outcome = await lived(world, "broken-machines", MACHINES, { limitMs: 2 * SHORT_MS });
    expect(broken(outcome).filter((one) => !one.startsWith("warn IM-24 SimMachine "))).toEqual([
      "fail CP-23 SimControlPlane c1",
      "fail CP-38 SimControlPlane c1",
      "fail CP-42 SimControlPlane c1",
      "warn CP-37 SimControlPlane c1",
      "warn CP-39 SimControlPlane c1",
      ...(SERVER === REAL
        ? ["warn IM-23 SimMachineTemplate c1", "warn IMP-28 SimMachinePoolTemplate p1"]
        : []),
    ]);
    expect(broken(outcome).join()).toContain("warn IM-24 SimMachine ");
  });

  it("finds a lost label of the Cluster, a wrong failure domain, machines without their pool, and closed templates", async () => {
    const outcome = await lived(world, "broken-keeping", MACHINES);
    expect(broken(outcome).filter((one) => !one.startsWith("fail IM-25 SimMachine "))).toEqual([
      "fail CP-44 SimControlPlane c1",
      "fail IC-23 SimCluster c1",
      ...(SERVER === REAL ? ["fail IM-23 SimMachineTemplate c1"] : []),
      "fail IMP-21 SimMachinePool p1",
      ...(SERVER === REAL ? ["fail IMP-28 SimMachinePoolTemplate p1"] : []),
      "fail IMP-30 SimMachinePool p1",
    ]);
    expect(broken(outcome).join()).toContain("fail IM-25 SimMachine ");
    expect([outcome.problems, outcome.isLeft]).toEqual([[], false]);
  });

  it("is a command that cleans up after Ctrl-C, and whose namespace must not exist", async () => {
    const { kubeconfigFile } = world;
    const file = join(dir, "stopped.yaml");
    await writeFile(file, POOL);
    const args = ["contract", "probe", "-f", file, "--kubeconfig", kubeconfigFile, "-n", "stopped"];
    await using cli = startCli(args);
    using server = createServer(await loadKubeconfig({ file: kubeconfigFile, env: {} }), {
      clock: systemClock,
    });
    const client = server.as("test");
    const key = { namespace: "", name: "stopped" };
    await expect.poll(() => client.get(Namespace, key), { timeout: LIMIT_MS }).toBeDefined();
    await expect(lived(world, "stopped", POOL)).rejects.toThrow("Namespace stopped exists already");
    cli.child.kill("SIGINT");
    expect(await cli.ended).toBe(2);
    expect(cli.output()).toContain("stopped by a signal");
    expect(await client.get(Namespace, key)).toBeUndefined();
  });

  it("ends at once after a second Ctrl-C, while an object does not go", async () => {
    const { kubeconfigFile } = world;
    const file = join(dir, "stopped-twice.yaml");
    await writeFile(file, HELD);
    const args = ["contract", "probe", "-f", file, "--kubeconfig", kubeconfigFile, "-n", "stopped-twice"];
    await using cli = startCli(args);
    using server = createServer(await loadKubeconfig({ file: kubeconfigFile, env: {} }), {
      clock: systemClock,
    });
    const client = server.as("test");
    const pool = () => client.get(SimMachinePool, { namespace: "stopped-twice", name: "p1" });
    await expect.poll(pool, { timeout: LIMIT_MS }).toBeDefined();
    cli.child.kill("SIGINT");
    const goes = async () => (await pool())?.metadata.deletionTimestamp;
    await expect.poll(goes, { timeout: LIMIT_MS }).toBeDefined();
    expect(cli.output()).toContain("cleaning up; Ctrl-C again leaves it undone");
    cli.child.kill("SIGINT");
    expect(await cli.ended).toBe(130);
    expect(await pool()).toBeDefined();
  });

  it("names a kind that the server does not have, and takes its namespace away again", async () => {
    const unserved = POOL.replaceAll("kind: SimMachinePool", "kind: FooMachinePool");
    await expect(lived(world, "unserved", unserved)).rejects.toThrow(
      /unserved\.yaml:\d+: \S+ FooMachinePool is not served .*install its provider, or leave it out/,
    );
    using server = createServer(await loadKubeconfig({ file: world.kubeconfigFile, env: {} }), {
      clock: systemClock,
    });
    expect(await server.as("test").get(Namespace, { namespace: "", name: "unserved" })).toBeUndefined();
  });
});

describe("capstan contract probe without one of its parts", () => {
  it("says that no core runs, and that no provider does", async () => {
    await using started = await EMBEDDED.start();
    const capstan = await startCapstan(started.kubeconfigFile, { functions: ["sim-*"] });
    const short = { limitMs: 5_000, restMs: 1_000 };
    const withoutCore = await lived(started, "without-core", POOL, short);
    expect(withoutCore.problems.map(({ message }) => message)).toEqual([
      "no core has answered Cluster c1; start Capstan or Cluster API",
    ]);
    expect([withoutCore.left, withoutCore.isLeft]).toEqual([[], false]);
    await capstan[Symbol.asyncDispose]();
    await using _core = await startCapstan(started.kubeconfigFile, { functions: ["cluster-api"] });
    const longer = { limitMs: 20_000, restMs: 1_000 };
    const { problems, left } = await lived(started, "without-provider", POOL, longer);
    expect(problems.map(({ message }) => message)).toContain(
      "no provider has answered SimCluster c1; start the provider of SimCluster",
    );
    expect(left).toEqual([]);
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
