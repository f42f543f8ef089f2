import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { testFolder } from "../support/test-folder.ts";

const CLUSTER = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: { name: a }";

const dir = testFolder("cli");

function writeTo(file: string): readonly string[] {
  return ["--write-kubeconfig", join(dir, file)];
}

describe("capstan up", () => {
  it("brings the example to Running, shows the way and a summary, and exits 0", async () => {
    const { code, output } = await runCli("up", "--until-ready", "--timeout", "240", ...writeTo("ready"));
    expect(output).toMatch(/MachinePool default\/demo-pool .*Running/);
    expect(output).toMatch(/Cluster default\/demo .*Provisioned/);
    expect(output).toMatch(/KIND +NAMESPACE +NAME +PHASE/);
    expect(output).toContain(`kubectl --kubeconfig ${join(dir, "ready")}`);
    expect(code).toBe(0);
    expect((await stat(join(dir, "ready"))).mode & 0o777).toBe(0o600);
  });

  it("stops cleanly on SIGTERM", async () => {
    await using up = startCli(["up", "--empty", ...writeTo("stops")]);
    await eventually(() => expect(up.output()).toContain("Ctrl-C"), { withinMs: 30_000 });
    up.child.kill("SIGTERM");
    expect(await up.ended).toBe(0);
  });

  it("names the objects that are not ready after the timeout and exits 1", async () => {
    const file = join(dir, "orphan.yaml");
    await writeFile(
      file,
      `apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata: { name: orphan }
spec:
  clusterName: nowhere
  template:
    spec:
      clusterName: nowhere
      bootstrap: { dataSecretName: x }
      infrastructureRef: { apiGroup: infrastructure.sim.capstan.dev, kind: SimMachinePool, name: orphan }
`,
    );
    const { code, output } = await runCli(
      "up",
      "--until-ready",
      "--timeout",
      "2",
      "-f",
      file,
      ...writeTo("orphan"),
    );
    expect(output).toMatch(/MachinePool default\/orphan: phase is .*not Running/);
    expect(code).toBe(1);
  });

  it.each([
    ["broken", "kind: [", /broken.yaml: /],
    ["text", "just text", /text.yaml:1: not an object/],
    ["nameless", "apiVersion: v1\nkind: Secret", /nameless.yaml:1: metadata.name of the Secret is missing/],
    [
      "old",
      `${CLUSTER.replace("v1beta2", "v1alpha4")}`,
      /serves cluster.x-k8s.io\/v1beta2, not cluster.x-k8s.io\/v1alpha4/,
    ],
    [
      "foreign",
      "apiVersion: nobody.dev/v1\nkind: Thing\nmetadata: { name: a }",
      /foreign.yaml:1: Thing a: .*; install its CustomResourceDefinition first/,
    ],
    ["mistyped", `${CLUSTER}\nspec: { paused: maybe }`, /Cluster default\/a was refused: .*spec.paused/],
  ])("refuses a %s manifest, naming file, field and next step", async (name, text, message) => {
    const file = join(dir, `${name}.yaml`);
    await writeFile(file, text);
    const { code, output } = await runCli(
      "up",
      "--until-ready",
      "--timeout",
      "5",
      "-f",
      file,
      ...writeTo(name),
    );
    expect(output).toMatch(message);
    expect(output).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
  });

  it.each([
    [["up", "--port", "99999"], /whole number from 0/],
    [["up", "--queue", "kafka://x"], /use memory, a URL such as redis:/],
    [
      ["up", "--kubeconfig", "mine", "--roles", "apiserver"],
      /--roles apiserver starts another one; leave out/,
    ],
    [["up", "--kubeconfig", "mine", "--data", "folder"], /--data is of the embedded API server/],
    [["up", "--kubeconfig", "/does/not/exist"], /\/does\/not\/exist/],
    [["worker", "--kubeconfig", "x"], /--queue redis:/],
    [["functions", "nonsense-*"], /no function matches "nonsense-\*"/],
    [["flyy"], /unknown command 'flyy'/],
  ])("refuses %j with the next step", async (args, message) => {
    const { code, output } = await runCli(...args);
    expect(output).toMatch(message);
    expect(code).not.toBe(0);
  });
});

describe("capstan functions and version", () => {
  it("lists every function with what it reconciles, as a table and as JSON", async () => {
    const table = await runCli("functions");
    expect(table.output).toMatch(/machinepool-status +MachinePool/);
    const json = await runCli("functions", "machinepool-*", "-o", "json");
    const rows = JSON.parse(json.output) as readonly { name: string; watches: readonly string[] }[];
    expect(rows.map(({ name }) => name)).toEqual(
      ["adopt", "delete", "guard", "machines", "nodes", "remediate", "retire", "status", "sync"].map(
        (name) => `machinepool-${name}`,
      ),
    );
    expect(rows.every(({ watches }) => watches.length > 0)).toBe(true);
  });

  it("prints versions", async () => {
    expect((await runCli("version")).output).toMatch(/^capstan \d+\.\d+\.\d+, Node\.js v24/);
    expect(JSON.parse((await runCli("version", "-o", "json")).output)).toHaveProperty("capstan");
  });
});
