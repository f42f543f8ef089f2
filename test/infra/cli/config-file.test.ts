import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { configSchema } from "../../../infra/cli/config-file.ts";
import { managerCommand } from "../../../infra/cli/manager.ts";
import { relayCommand, workerCommand } from "../../../infra/cli/parts.ts";
import { testFolder } from "../../support/test-folder.ts";

const dir = testFolder("config");

const relay = () => relayCommand(new Command("relay"));
const accepts = (value: unknown) => new Ajv2020().compile(configSchema(relay()))(value);

/** Returns the options that a relay is called with. */
async function read(text: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const file = join(dir, "relay.yaml");
  await writeFile(file, text);
  const command = relay();
  let opts: Record<string, unknown> = {};
  command.action((options) => {
    opts = options;
  });
  await command.parseAsync(["--config", file, ...args], { from: "user" });
  return opts;
}

describe("the configuration file of a process", () => {
  it("says everything that flags say, read as they are, and flags win", async () => {
    const text = [
      "kubeApiQps: 50",
      "functions: [machinepool-*, core]",
      "namespace: [a, b]",
      "workloads: false",
      "leaderElect: true",
      "logLevel: info",
      "healthAddress: :9440",
      "queueFile: /run/queue",
    ];
    const opts = await read(
      text.join("\n"),
      "--log-level",
      "debug",
      "--namespace",
      "c",
      "--queue",
      "redis://h",
    );
    expect(opts).toMatchObject({
      kubeApiQps: 50,
      functions: ["machinepool-*", "core"],
      namespace: ["c"],
      workloads: false,
      leaderElect: true,
      logLevel: "debug",
      healthAddress: { host: undefined, port: 9440 },
      queue: "redis://h",
    });
    expect(opts).not.toHaveProperty("queueFile");
    expect(await read("", "--queue", "redis://h")).toMatchObject({ functions: ["*"], installCrds: false });
  });

  it.each([
    [
      "kubeApiQpss: 5",
      /kubeApiQpss: it is not a key of capstan relay; allowed are .*kubeApiQps, /,
      { kubeApiQpss: 5 },
    ],
    ["kubeApiQps: many", /kubeApiQps: "many" is not a number/, { kubeApiQps: "many" }],
    ["functions: core", /functions: "core" is not a list of strings/, { functions: "core" }],
    ["leaderElect: 'yes'", /leaderElect: "yes" is not a boolean/, { leaderElect: "yes" }],
    [
      "queue: redis://u:p@h",
      /queue: .*write queueFile, as a URL may hold a password/,
      { queue: "redis://h" },
    ],
    ["kubeconfig:", /kubeconfig: null is not a string/, { kubeconfig: null }],
  ])("refuses %s with file, key and what is allowed, as its schema does", async (text, message, value) => {
    await expect(read(text)).rejects.toThrow(message);
    await expect(read(text)).rejects.toThrow(join(dir, "relay.yaml"));
    expect(accepts(value)).toBe(false);
  });

  it("refuses a value as its flag does, a key twice, and a list in place of a map", async () => {
    await expect(read("kubeApiQps: 0")).rejects.toThrow(/kubeApiQps: it is a whole number above 0/);
    await expect(read("logLevel: loud")).rejects.toThrow(/logLevel: .*Allowed choices are debug, info/);
    await expect(read("logLevel: info\nlogLevel: warn")).rejects.toThrow("logLevel: it is there twice");
    await expect(read("- kubeApiQps")).rejects.toThrow("it is not one map of options");
    await expect(read("{")).rejects.toThrow("relay.yaml: line");
  });

  it("has a schema with every flag of a process but its queue", () => {
    expect(accepts({ functions: ["core"], kubeApiQps: 5, workloads: true, kubeconfigSecrets: "watch" })).toBe(
      true,
    );
    for (const declare of [relayCommand, workerCommand, managerCommand]) {
      const command = declare(new Command("part"));
      const keys = Object.keys(configSchema(command)["properties"] as object);
      const flags = command.options.map((option) => option.attributeName());
      expect(new Set([...keys, "config", "queue"])).toEqual(new Set([...flags, "queue"]));
    }
  });
});
