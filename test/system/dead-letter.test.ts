import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { letterStateOf } from "../../infra/queue/letters/letter-state.ts";
import { type DeadLetter, parseDeadLetter } from "../../shared/runtime/letters/dead-letter.ts";
import { CANARY } from "../support/canaries.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { deadLetter } from "../support/letters.ts";
import { simCluster, simClusterOfMachines, simPool, simPoolWithMachines } from "../support/manifests.ts";
import { API_SERVERS } from "../support/processes/api-servers.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const WITHIN = { withinMs: 60_000, stepMs: 200 };
const POISONED = fileURLToPath(new URL("../support/poisoned", import.meta.url));
const REPAIRED = fileURLToPath(new URL("../support/repaired", import.meta.url));
const KEY = "default/c1|MachinePool|default/bad";
const PROBE = JSON.stringify({
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "Machine",
  metadata: { name: "probe", namespace: "default" },
  spec: {
    clusterName: "c1",
    bootstrap: { dataSecretName: "none" },
    infrastructureRef: { apiGroup: "infrastructure.sim.capstan.dev", kind: "SimMachine", name: "none" },
  },
});
/** A stranger puts it into Redis, where it stays; no command shows it. */
const FOREIGN = "f0r31gn-s3cr3t-v4lue";

const dir = testFolder("dead-letter");

/** Two pools with Secrets, one of them with an annotation that the function cannot read. */
const MANIFESTS = [
  ...["good", "bad"].map(
    (name) => `
apiVersion: v1
kind: Secret
metadata: { name: ${name}-secret, namespace: default }
stringData: { token: ${CANARY} }
`,
  ),
  simCluster("c1"),
  simPool("good", "c1", 0),
  simPool("bad", "c1", 0).replace(
    "name: bad, namespace: default }",
    "name: bad, namespace: default, annotations: { test.capstan.dev/poison: malformed } }",
  ),
].join("---");

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    "current-context": "c",
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  });
}

async function letterIn(file: string): Promise<DeadLetter> {
  return parseDeadLetter(JSON.parse(await readFile(file, "utf8")));
}

describeWith(kubectlMissing())("a function that throws on a poisoned object", () => {
  it("ends in a dead letter that replays offline, until the object changes", async () => {
    const [kubeconfig, letters, file] = ["kubeconfig", "letters.jsonl", "letter.json"].map((name) =>
      join(dir, name),
    );
    const manifests = join(dir, "pools.yaml");
    await writeFile(manifests, MANIFESTS);
    const source = ["--dead-letters", letters ?? ""];
    await using up = startCli([
      ...["up", "--quiet", "-f", manifests, "--functions-dir", POISONED, ...source],
      ...["--write-kubeconfig", kubeconfig ?? ""],
    ]);
    const kubectl = kubectlFor(kubeconfig ?? "");
    const checked = (pool: string): Promise<string> =>
      kubectl(`get machinepool ${pool} -o 'jsonpath={.metadata.annotations.test\\.capstan\\.dev/checked}'`);
    await eventually(async () => {
      expect((await runCli("dlq", "list", ...source)).output).toContain(KEY);
    }, WITHIN);
    expect(await checked("good")).toBe(`none c1 a secret ${new Date().getFullYear()}`);
    expect(await checked("bad")).toBe("");

    const list = await runCli("dlq", "list", "pool-check", "-o", "json", ...source);
    expect(JSON.parse(list.output)).toMatchObject([
      { function: "pool-check", key: KEY, reason: "MaxAttempts", times: 1, state: "unknown" },
    ]);
    const shown = await runCli("dlq", "show", "pool-check", "default/bad", ...source);
    expect(shown.output).toMatch(/Attempts\n.*#1 .*\n.*#2 .*\n.*#3 .*malformed/);
    expect(shown.output).toMatch(/live\.secret Secret default\/bad-secret \(live\) → bad-secret@\d+/);

    expect(
      (await runCli("dlq", "export", "pool-check", "default/bad", "-f", file ?? "", ...source)).code,
    ).toBe(0);
    const letter = await letterIn(file ?? "");
    expect(letter.attempts).toHaveLength(3);
    // The id of the run leads from the letter to its line in the log.
    const runId = letter.attempts.at(-1)?.run ?? "none";
    expect(shown.output).toContain(`run ${runId}`);
    expect(up.output()).toMatch(
      new RegExp(
        `"run":"${runId}".*"next":"in 10 to 15 minutes, or when the object changes".*"read":\\["MachinePool default/bad@`,
      ),
    );
    for (const text of [
      await readFile(letters ?? "", "utf8"),
      JSON.stringify(letter),
      shown.output,
      up.output(),
    ]) {
      expect(text).not.toContain(CANARY);
      expect(text).not.toContain(btoa(CANARY));
    }
    // A function sees that the Secret is there and the keys of its data, never a value.
    expect(JSON.stringify(letter.run?.reads)).toContain('"keys":["token"],"type":"Opaque"');

    const replayed = await runCli("replay", file ?? "", "--functions-dir", POISONED);
    expect(replayed).toMatchObject({
      code: 0,
      output: expect.stringContaining(`reproduced: ${letter.run?.digest}`),
    });
    const repaired = await runCli("replay", file ?? "", "--functions-dir", REPAIRED);
    expect(repaired.code).toBe(1);
    expect(repaired.output).toMatch(/sends nothing +\| patch MachinePool default\/bad/);
    expect(repaired.output).toContain("malformed c1 a secret");
    const asJson = await runCli(
      "dlq",
      "replay",
      "pool-check",
      "default/bad",
      "--functions-dir",
      REPAIRED,
      "-o",
      "json",
      ...source,
    );
    expect(asJson.code).toBe(1);
    expect(JSON.parse(asJson.output)).toMatchObject({ type: "different", replayed: { result: "done" } });

    const tried = await runCli("dlq", "try", "pool-check", "--functions-dir", REPAIRED, ...source);
    expect(tried).toMatchObject({ code: 0, output: expect.stringContaining("\n1 would succeed\n") });
    const inVain = await runCli("dlq", "try", "--functions-dir", POISONED, "-o", "json", ...source);
    expect(inVain.code).toBe(1);
    expect(JSON.parse(inVain.output)).toMatchObject({
      verdicts: { succeeds: 0, "fails-as-before": 1 },
      items: [{ function: "pool-check", key: KEY, why: expect.stringContaining("malformed") }],
    });

    const live = ["--live", "--kubeconfig", kubeconfig ?? ""];
    const still = await runCli("replay", file ?? "", "--functions-dir", POISONED, ...live);
    expect(still).toMatchObject({ code: 1, output: expect.stringMatching(/would fail .*malformed/s) });
    const mended = await runCli("replay", file ?? "", "--functions-dir", REPAIRED, ...live);
    expect(mended.output).toMatch(/would succeed .*patch MachinePool default\/bad.*→ accepted/s);
    expect(mended.code).toBe(0);
    expect(await checked("bad")).toBe("");

    const requeue = await runCli(
      "dlq",
      "replay",
      "pool-check",
      "default/bad",
      "--requeue",
      "--yes",
      ...source,
    );
    expect(requeue).toMatchObject({ code: 1, output: expect.stringContaining("add --queue redis://") });
    await kubectl("annotate machinepool bad --overwrite 'test.capstan.dev/poison={}'");
    await eventually(async () => expect(await checked("bad")).toContain("c1 a secret"), WITHIN);

    const dry = await runCli("dlq", "drop", "pool-check", "default/bad", ...source);
    expect(dry.output).toContain("would drop pool-check");
    const dropped = await runCli("dlq", "drop", "pool-check", "default/bad", "--yes", ...source);
    expect(dropped.output).toMatch(/"user":"[^"]+","function":"pool-check"/);
    expect((await runCli("dlq", "list", ...source)).output).toContain("no dead letters");
  });
});

describeWith(kubectlMissing() ?? redisMissing())("dead letters on Redis", () => {
  it("are listed, and their keys put back, by any process", async () => {
    await using redis = await startRedis();
    const kubeconfig = join(dir, "kubeconfig-redis");
    const manifests = join(dir, "pools-redis.yaml");
    await writeFile(manifests, MANIFESTS);
    const source = ["--queue", redis.url];
    const serve = ["--functions-dir", POISONED, ...source];
    await using up = startCli([
      ...["up", "--quiet", "-f", manifests, "--write-kubeconfig", kubeconfig, ...serve],
    ]);
    await eventually(async () => {
      expect((await runCli("dlq", "list", ...source)).output).toMatch(/pool-check .*\|default\/bad +dead/);
    }, WITHIN);
    const queue = await runCli("queue", "-o", "wide", ...source, "--functions-dir", POISONED);
    expect(queue.output).toMatch(/pool-check +\(all\) +0 +0 +0 +1/);
    expect(queue.output).toMatch(/default\/c1 +0 +0 +0 +1/);

    const { Queue } = await import("bullmq");
    const { hostname: host, port } = new URL(redis.url);
    const stranger = new Queue("run", {
      connection: { host, port: Number(port) },
      prefix: "{cap:pool-check}",
    });
    await stranger.add("r", { token: FOREIGN });
    await eventually(async () => {
      const listed = (await runCli("dlq", "list", "pool-check", ...source)).output;
      expect(listed).toMatch(/malformed-token +dead +Malformed/);
    }, WITHIN);
    await stranger.close();
    const skipped = await runCli("dlq", "replay", "pool-check", "malformed-token", "--requeue", ...source);
    expect(skipped.output).toContain("drop its letter");
    const dropped = await runCli("dlq", "drop", "pool-check", "malformed-token", "--yes", ...source);
    expect(dropped.output).toContain("dropped pool-check malformed-token");

    const dry = await runCli("dlq", "replay", "pool-check", "default/bad", "--requeue", ...source);
    expect(dry.output).toMatch(/would requeue pool-check .*nothing was done/s);
    const requeue = await runCli("dlq", "replay", "pool-check", "--all", "--requeue", "--yes", ...source);
    expect(requeue.output).toMatch(/requeued pool-check/);
    expect(requeue.output).toMatch(/"user":"[^"]+"/);
    await eventually(async () => {
      const { output } = await runCli("dlq", "list", "pool-check", "-o", "json", ...source);
      expect(JSON.parse(output)).toMatchObject([{ state: "dead", times: 2 }]);
    }, WITHIN);

    await kubectlFor(kubeconfig)("annotate machinepool bad --overwrite 'test.capstan.dev/poison={}'");
    await eventually(async () => {
      const again = await runCli("dlq", "replay", "pool-check", "default/bad", "--requeue", ...source);
      expect(again.output).toContain("resolved pool-check");
    }, WITHIN);
    expect(up.output()).not.toContain(FOREIGN);
  });
});

describe("capstan replay", () => {
  it("--live refuses without a cluster, with the reason and the next step", async () => {
    const file = join(dir, "whole.json");
    await writeFile(file, JSON.stringify(deadLetter()));
    const missing = await runCli("replay", file, "--live", "--kubeconfig", join(dir, "missing"));
    expect(missing).toMatchObject({ code: 2, output: expect.stringContaining("--kubeconfig") });
    const gone = join(dir, "gone");
    await writeFile(gone, kubeconfigOf("http://127.0.0.1:1"));
    const refused = await runCli("replay", file, "--live", "--kubeconfig", gone);
    expect(refused.output).toMatch(/does not answer: .*; name another with --kubeconfig/);
    expect(refused.code).toBe(2);
  });

  it.each([
    [["replay"], "missing required argument 'file'"],
    [["replay", "x", "--live", "--as-test"], "cannot be used with"],
    [["replay", "x", "-o", "yaml"], "Allowed choices are text, json"],
    [["dlq", "replay", "pool-check"], "name one key to replay"],
  ])("refuses %j with exit code 2, which is not that of another decision", async (args, message) => {
    const { code, output } = await runCli(...args);
    expect(output).toContain(message);
    expect(code).toBe(2);
  });

  it.each([
    ["no file", undefined, "cannot read"],
    ["not JSON", "{", "is not JSON"],
    ["several letters", '{"v":1}\n{"v":1}\n', "holds 2 dead letters"],
    ["a field that is wrong", '{"v":1,"function":"../x"}', "field function"],
    ["a member named __proto__", '{"v":1,"__proto__":{"a":1}}', "__proto__"],
    ["deep nesting", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, "nested"],
    ["nine MiB", " ".repeat(9 * 1_048_576), "too large"],
  ])("refuses %s with the reason and the next step, without a crash", async (name, text, message) => {
    const file = join(dir, `${name.replaceAll(" ", "-")}.json`);
    if (text !== undefined) await writeFile(file, text);
    const { code, output } = await runCli("replay", file);
    expect(output).toContain(message);
    expect(output).not.toMatch(/\n\s+at /);
    expect(output.length).toBeLessThan(1_000);
    expect(code).toBe(2);
  });
});

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `a policy that refuses Machines on ${flavour.name}`,
    () => {
      it("Q-10: what has died of it converges by itself once it is lifted", async () => {
        await using server = await flavour.start();
        const kubectl = kubectlFor(server.kubeconfigFile);
        const ledgerLimits = { slowMinMs: 3_000, slowMaxMs: 5_000 };
        await using capstan = await startCapstan(server.kubeconfigFile, { ledgerLimits });
        const lift = await server.refuse({
          reason: "Invalid",
          group: "cluster.x-k8s.io",
          plural: "machines",
          verb: "create",
          by: "capstan",
          unless: "false",
          message: "no Machine may be created",
          probe: ["create -f -", PROBE],
        });
        const pool = `${simCluster("c2")}---${simPoolWithMachines("p2", "c2", 2)}`;
        await kubectl("apply -f -", `${simClusterOfMachines("c1", 3)}---${pool}`);
        const refused = ["machinepool-machines", "sim-controlplane-machines"];
        for (const name of refused) {
          await eventually(async () => {
            const [letter] = await capstan.deadLetters.list(name);
            expect(letter?.error.message).toContain("no Machine may be created");
          }, WITHIN);
        }
        await lift();
        await kubectl("wait machinepool/p2 --for=jsonpath={.status.phase}=Running --timeout=240s");
        await kubectl("wait cluster/c1 --for=condition=Available --timeout=240s");
        for (const name of refused) {
          await eventually(async () => {
            for (const head of await capstan.deadLetters.list(name))
              expect(letterStateOf(head, await capstan.queue.keyState(name, head.key))).toBe("resolved");
          }, WITHIN);
        }
      });
    },
  );
}
