import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { startApiServer } from "../../infra/playground/apiserver/entry.ts";
import { openLetterFile } from "../../infra/queue/backends/open-letter-file.ts";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { cluster, machinePool } from "../support/builders.ts";
import { attempt, deadLetter, POOL_KEY } from "../support/letters.ts";
import { runCli } from "../support/processes/cli.ts";
import { silentLog } from "../support/silent-log.ts";
import { testFolder } from "../support/test-folder.ts";

/** Sets the title, clears the screen, turns the text round, and forges a line. */
const HOSTILE = "\u001b]0;owned\u0007\u009b2J\u202e\ncapstan: all is well \u007f\ud83d";
const OBEYED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const dir = testFolder("hostile-text");
let kubeconfig = "";
let pool = "";
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  kubeconfig = join(dir, "kubeconfig");
  const api = await startApiServer({ name: "hostile" });
  stack.defer(() => api.stop());
  await writeFile(kubeconfig, api.kubeconfig());
  using server = createServer(parseKubeconfig(api.kubeconfig()), { clock: systemClock });
  const client = server.as("tester");
  await installCrds(client, systemClock);
  const condition = {
    type: "InfrastructureReady",
    status: "False",
    reason: "Hostile",
    message: HOSTILE,
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  const status = { phase: "Pending", conditions: [condition] };
  const { metadata: _, ...template } = cluster();
  const variables = [{ name: "v", value: { [HOSTILE]: 1 } }];
  const topology = { classRef: { name: "c" }, version: "v1.34.0", variables };
  await client.create(Cluster, {
    ...template,
    metadata: { name: "c1", namespace: "default" },
    spec: { ...template.spec, topology },
  } as Cluster);
  pool = join(dir, "pool.json");
  const key = { namespace: "default", name: "p1" };
  const { spec, apiVersion, kind } = machinePool();
  await client.create(MachinePool, { apiVersion, kind, metadata: key, spec } as MachinePool);
  await writeFile(pool, JSON.stringify({ apiVersion, kind, metadata: key, spec }));
  await client.apply(MachinePool, key, { apiVersion, kind, metadata: key, status }, "status");
});
afterAll(() => stack.disposeAsync());

/** A pipe gets the same text as a terminal, without colours. */
async function linesOf(...args: readonly string[]): Promise<readonly string[]> {
  const { output } = await runCli(...args);
  const lines = output.split("\n");
  for (const line of lines) expect(line, args.join(" ")).not.toMatch(OBEYED);
  expect(lines.filter((line) => line.startsWith("capstan: all is well"))).toEqual([]);
  return lines;
}

describe("text of others on a terminal", () => {
  it("is escaped where objects are shown", async () => {
    const on = ["--kubeconfig", kubeconfig];
    expect((await linesOf("explain", "cluster", "default/c1", ...on)).join("\n")).toContain("owned");
    const up = await linesOf(
      ...["up", ...on, "--roles", "relay", "-f", pool, "--until-ready", "--timeout", "1"],
    );
    expect(up.join("\n")).toContain("\\u001b]0;owned");
  });

  it("is escaped where a dead letter is shown, replayed or exported", async () => {
    const letters = join(dir, "letters.jsonl");
    const file = join(dir, "letter.json");
    const error = { ...attempt().error, message: HOSTILE, stack: `Error: ${HOSTILE}\n    at x` };
    const letter = deadLetter({
      attempts: [attempt({ failures: 16, error })],
      causes: [{ what: HOSTILE, resourceVersion: "20" }],
    });
    const silent = { clock: systemClock, log: silentLog };
    await using stored = await openLetterFile({ file: letters, ...silent, writer: true });
    await stored.put(letter);
    await writeFile(file, JSON.stringify(letter));
    const source = ["--dead-letters", letters];
    const name = "machinepool-status";
    for (const args of [
      ["dlq", "list", ...source],
      ["dlq", "list", "-o", "json", ...source],
      ["dlq", "show", name, POOL_KEY, ...source],
      ["dlq", "show", name, POOL_KEY, "-o", "json", ...source],
      ["dlq", "export", name, POOL_KEY, ...source],
    ]) {
      expect((await linesOf(...args)).join("\n"), args.join(" ")).toContain("owned");
    }
    await linesOf("replay", file);
    await linesOf("replay", file, "--as-test");
    await linesOf("dlq", "drop", name, HOSTILE, ...source);
    await linesOf("dlq", "drop", name, POOL_KEY, ...source);
  });

  it("is escaped in the message of an error of any origin", async () => {
    const file = join(dir, "hostile.yaml");
    await writeFile(file, `kind: ["${HOSTILE}`);
    await linesOf("up", "-f", file, "--write-kubeconfig", join(dir, "none"));
    for (const args of [[HOSTILE], ["up", `--${HOSTILE}`], ["functions", HOSTILE], ["replay", HOSTILE]]) {
      await linesOf(...args.map((text) => text.replace("\ud83d", "")));
    }
  });
});
