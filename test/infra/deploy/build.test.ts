import { execFile } from "node:child_process";
import { glob, readFile, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { load } from "js-yaml";
import { beforeAll, describe, expect, it } from "vitest";
import { npmArchive } from "../../../infra/deploy/npm-package.ts";
import { loadFunctions } from "../../../infra/worker/load.ts";
import { redisMissing, startRedis } from "../../support/processes/redis-server.ts";
import { startSqs } from "../../support/processes/sqs.ts";
import { describeWith } from "../../support/requires.ts";
import { testFolder } from "../../support/test-folder.ts";

/** Libraries that a package uses where they are installed, and does without elsewhere. */
const OPTIONAL = ["bufferutil", "utf-8-validate", "supports-color", "pg", "@valkey/valkey-glide"];

const shell = promisify(execFile);
let home = "";
/** The npm package, installed without a registry. */
let folder = "";
beforeAll(async () => {
  // No folder above it has packages.
  home = testFolder("built");
  const { name, content } = await npmArchive("v0.1.0");
  await writeFile(join(home, name), content);
  await shell("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${name}`], { cwd: home });
  folder = join(home, "node_modules/capstan");
});

const ENV = { ...process.env, AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "s" };
const node = async (...words: string[]) =>
  (await shell(process.execPath, words, { cwd: folder, env: ENV })).stdout;
const run = (...words: string[]) => node(join(home, "node_modules/.bin/capstan"), ...words);
/** The example from manifest to Running: relay, functions and driver, the read model, the ledger. */
const upOn = (...words: string[]) =>
  run(
    "up",
    "--until-ready",
    "--timeout",
    "240",
    "--quiet",
    "--write-kubeconfig",
    join(folder, "kubeconfig"),
    ...words,
  );
const RUNNING = /MachinePool +default +demo-pool +Running/;

describe("the npm package in an empty folder", () => {
  it("starts every command and every function", async () => {
    expect(await run("version")).toMatch(/^capstan \d/);
    const help = await run("--help");
    for (const command of ["up", "manager", "relay", "worker", "lambda", "cloud", "dlq", "replay", "move"]) {
      expect(help).toContain(`  ${command} `);
    }
    const listed = await run("functions");
    for (const { spec } of await loadFunctions()) expect(listed).toContain(spec.name);
    expect(await upOn()).toMatch(RUNNING);
    const variables = {
      CAPSTAN_QUEUE: "sqs://eu-west-1?redis=redis://127.0.0.1:1",
      KUBECONFIG: "kubeconfig",
    };
    const script = `Object.assign(process.env, ${JSON.stringify(variables)});
      const { handler } = await import("./infra/cli/lambda/entry.js");
      console.log(JSON.stringify(await handler({ Records: [] })));
      await handler[Symbol.asyncDispose]();`;
    expect(JSON.parse(await node("--input-type=module", "-e", script))).toEqual({ batchItemFailures: [] });
  });

  it("loads the library for kubeconfigs that run a program", async () => {
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: ["-e", PLUGIN],
    };
    const kubeconfig = {
      clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
      users: [{ name: "u", user: { exec: { ...exec, interactiveMode: "Never" } } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    };
    const file = join(folder, "with-plugin.json");
    await writeFile(file, JSON.stringify(kubeconfig), { mode: 0o600 });
    await expect(run("explain", "cluster", "default/demo", "--kubeconfig", file)).rejects.toThrow(
      "ECONNREFUSED",
    );
  });

  it("imports only its own files and what Node.js has", async () => {
    const imported = new Set<string>();
    for await (const file of glob("**/*.js", { cwd: folder })) {
      const text = await readFile(join(folder, file), "utf8");
      const found = text.matchAll(/^(?:import|\} from) .*?"([^"]+)";$|__require\("([^"]+)"\)/gm);
      for (const [, module, required] of found) imported.add(module ?? required ?? "");
    }
    const foreign = [...imported].filter(
      (name) => !/^(?:node:|\.)/.test(name) && !builtinModules.includes(name) && !OPTIONAL.includes(name),
    );
    expect(foreign).toEqual([]);
  });

  it("has the command that kubectl's plugin manager installs", async () => {
    const template = await readFile(new URL("../../../.krew.yaml", import.meta.url), "utf8");
    const filled = template
      .replace("{{ .TagName }}", "v0.1.0")
      .replace(/\{\{addURIAndSha .*\}\}/, `uri: https://x/capstan.tgz\n    sha256: ${"0".repeat(64)}`);
    const { spec } = load(filled) as Plugin;
    const [
      {
        files: [copied],
        bin,
      },
    ] = spec.platforms;
    expect(copied).toEqual({ from: "package/*", to: "." });
    expect(await readFile(join(folder, bin), "utf8")).toMatch(/^#!/);
  });

  it("names the packages in it, with version and license", async () => {
    const records: unknown[] = [];
    for await (const file of glob("node_modules/**/package.json", { cwd: folder })) {
      records.push(JSON.parse(await readFile(join(folder, file), "utf8")));
    }
    const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    for (const [name, version] of Object.entries(dependencies)) {
      expect(records).toContainEqual({ name, version, license: expect.stringMatching(/^[(A-Z0-9]/) });
    }
    // In the page of the console.
    for (const name of ["preact", "uplot"])
      expect(records).toContainEqual({ name, version: expect.any(String), license: "MIT" });
    expect(await readFile(join(folder, "node_modules/zod/LICENSE"), "utf8")).toContain("MIT License");
  });
});

describeWith(redisMissing())("the npm package in an empty folder, on shared queues", () => {
  it("runs with the drivers for Redis and SQS", async () => {
    await using redis = await startRedis();
    expect(await upOn("--queue", redis.url)).toMatch(RUNNING);
    await using sqs = await startSqs();
    const url = `sqs://eu-west-1?redis=${redis.url}&endpoint=${sqs.endpoint}`;
    expect(await upOn("--queue", url)).toMatch(RUNNING);
    expect(sqs.requests.length).toBeGreaterThan(0);
    expect(await run("dlq", "list", "--queue", redis.url)).toBeDefined();
  });
});

/** The members of a manifest of krew that are looked at. */
interface Plugin {
  readonly spec: {
    readonly platforms: readonly [{ readonly files: readonly [object]; readonly bin: string }];
  };
}

const PLUGIN = `console.log(JSON.stringify({
  apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: { token: "t" } }))`;
