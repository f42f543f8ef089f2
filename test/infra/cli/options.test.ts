import { Command } from "commander";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  addServeOptions,
  givenText,
  namespaceOption,
  parsePort,
  parseSeconds,
  parseSwitch,
  stopRequested,
} from "../../../infra/cli/options.ts";

function parse(...args: readonly string[]): object {
  const command = addServeOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return command.parse(args, { from: "user" }).opts();
}

describe("options of a manifest", () => {
  it("names any number of namespaces, and none by an empty value", () => {
    const parsed = (...args: readonly string[]) =>
      new Command().addOption(namespaceOption()).parse(args, { from: "user" }).opts()["namespace"] ?? [];
    expect(parsed()).toEqual([]);
    expect(parsed("--namespace=")).toEqual([]);
    expect(parsed("--namespace=a", "--namespace", "b", "--namespace=a")).toEqual(["a", "b"]);
  });

  it("may be empty or say true or false, as a variable does", () => {
    expect([givenText(""), givenText("team-a")]).toEqual([undefined, "team-a"]);
    expect([parseSwitch("true"), parseSwitch("false")]).toEqual([true, false]);
    expect(() => parseSwitch("yes")).toThrow("write true or false");
  });
});

describe("the options of a serving process", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("serve every function unless some are named", () => {
    expect(parse()).toEqual({ functions: ["*"] });
    expect(parse("--functions", "sim-*", "machinepool-nodes", "--kubeconfig", "k")).toEqual({
      functions: ["sim-*", "machinepool-nodes"],
      kubeconfig: "k",
    });
  });

  it("know how many requests an API server gets, and whose fields are taken over (KC-09)", () => {
    const rates = ["--kube-api-qps", "50", "--kube-api-burst", "60"];
    const workload = ["--workload-api-qps", "5", "--workload-api-burst", "6"];
    expect(parse(...rates, ...workload, "--take-over-managers", "manager", "argocd")).toMatchObject({
      kubeApiQps: 50,
      kubeApiBurst: 60,
      workloadApiQps: 5,
      workloadApiBurst: 6,
      takeOverManagers: ["manager", "argocd"],
    });
    for (const wrong of ["0", "-1", "1.5", "many"]) {
      expect(() => parse("--kube-api-qps", wrong)).toThrow("it is a whole number above 0");
    }
  });

  it("know where workload API servers may be, as address blocks (S-11)", () => {
    expect(parse("--workload-addresses", "10.0.0.0/8", "fd00::/8", "192.0.2.7")).toMatchObject({
      workloadAddresses: ["10.0.0.0/8", "fd00::/8", "192.0.2.7"],
    });
    for (const wrong of ["10.0.0.0/33", "10.0.0.0/", "example.com", "10.0.0.0/8/1", "10/8"]) {
      expect(() => parse("--workload-addresses", wrong)).toThrow("write one like 10.0.0.0/8");
    }
  });

  it("know how much may be deleted, also nothing, or all (S-33)", () => {
    const parsed = (limit: string) => parse("--max-deletions-per-hour", limit);
    expect([parsed("0"), parsed("50")]).toMatchObject([
      { maxDeletionsPerHour: 0 },
      { maxDeletionsPerHour: 50 },
    ]);
    expect(parsed("none")).toMatchObject({ maxDeletionsPerHour: Number.POSITIVE_INFINITY });
    for (const wrong of ["", "-1", "1.5", "1e3", "1000000", "all"])
      expect(() => parsed(wrong)).toThrow("a limit of deletions is a whole number from 0");
  });

  it("know how much each namespace may run (S-31)", () => {
    const parsed = (budget: string) => parse("--namespace-runs-per-second", budget);
    expect(parsed("20")).toMatchObject({ namespaceRunsPerSecond: 20 });
    expect(() => parsed("0")).toThrow("a budget of runs is a whole number from 1 to 999999");
  });

  it("know the levels of the log", () => {
    expect(parse("--log-level", "debug")).toMatchObject({ logLevel: "debug" });
    expect(() => parse("--log-level", "loud")).toThrow(
      "Allowed choices are debug, info, warn, error, silent",
    );
  });

  it.each(["-1", "65536", "1.5", "http", "NaN"])("refuse the port %s", (text) => {
    expect(() => parsePort(text)).toThrow("a port is a whole number from 0 (any free one) to 65535");
  });

  it.each(["0", "-1", "soon", "Infinity"])("refuse %s seconds", (text) => {
    expect(() => parseSeconds(text)).toThrow("seconds are a number above 0");
  });

  it("read ports and seconds", () => {
    expect([parsePort("0"), parsePort("6443"), parseSeconds("0.5")]).toEqual([0, 6_443, 0.5]);
  });
});

describe("a request to stop", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("is %s", async (signal) => {
    const before = new Set([...process.listeners("SIGINT"), ...process.listeners("SIGTERM")]);
    const stopped = stopRequested();
    process.emit(signal);
    await stopped;
    // A second signal would end this process.
    for (const name of ["SIGINT", "SIGTERM"] as const) {
      for (const listener of process.listeners(name)) if (!before.has(listener)) process.off(name, listener);
    }
  });
});
