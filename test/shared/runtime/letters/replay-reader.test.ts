import { describe, expect, it } from "vitest";
import { type Kind, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import type { LetterRead } from "../../../../shared/runtime/letters/dead-letter.ts";
import { createReplayReader } from "../../../../shared/runtime/letters/replay-reader.ts";

const { group, version, kind, plural, namespaced } = MachinePool;
const POOL: Kind = { group, version, kind, plural, namespaced };
const KEY = { namespace: "default", name: "p1" };

function read(answer: LetterRead["answer"], call: "get" | "live.get" = "get"): LetterRead {
  const source = call === "get" ? "snapshot" : "live";
  return { question: { call, cluster: MANAGEMENT, kind: POOL, key: KEY }, source, answer, found: [] };
}

function pool(resourceVersion: string): LetterRead["answer"] {
  const metadata = { ...KEY, uid: "uid-p1", resourceVersion };
  return { type: "object", object: { apiVersion: `${group}/${version}`, kind, metadata } };
}

describe("replay of reads", () => {
  it("gives the answers to one question in their order, then the last one again", async () => {
    const reader = createReplayReader([read(pool("1")), read(pool("2"))]);
    const versions: (string | undefined)[] = [];
    for (const _ of [1, 2, 3]) versions.push((await reader.get(POOL, KEY))?.metadata.resourceVersion);
    expect(versions).toEqual(["1", "2", "2"]);
  });

  it("answers what is asked together in the order of the answers then", async () => {
    const failed = (message: string): LetterRead["answer"] => {
      return { type: "error", error: { name: "Error", class: "Transient", reason: "Reset", message } };
    };
    const reader = createReplayReader([read(failed("first"), "live.get"), read(failed("second"))]);
    const both = Promise.all([reader.get(POOL, KEY), reader.live.get(POOL, KEY)]);
    await expect(both).rejects.toThrow("first");
  });

  it("answers a step that meanwhile uses another version of the kind, and knows what did not exist", async () => {
    const reader = createReplayReader([read({ type: "object" })]);
    expect(await reader.get({ ...POOL, version: "v1" }, KEY)).toBeUndefined();
    expect(reader.unrecorded).toEqual([]);
  });

  it("answers a list of named objects also from a letter that said so in the words of an earlier version", async () => {
    const selection = { names: ["p1"] };
    const question = { call: "live.list", cluster: MANAGEMENT, kind: POOL, selection } as const;
    const items = [{ apiVersion: `${group}/${version}`, kind, metadata: KEY }];
    const reader = createReplayReader([
      { question, source: "live", answer: { type: "list", items }, found: [] },
    ]);
    expect(await reader.live.list(POOL, { where: { path: "metadata.name", values: ["p1"] } })).toEqual(items);
    expect(reader.unrecorded).toEqual([]);
  });

  it("does not take a snapshot for a live read, and names what the letter does not hold", async () => {
    const reader = createReplayReader([read(pool("1"))]);
    await expect(reader.live.get(POOL, KEY)).rejects.toThrow("live.get MachinePool default/p1");
    expect(reader.unrecorded).toHaveLength(1);
    expect(reader.unrecorded[0]).toContain("live.get MachinePool default/p1");
    expect(reader.readLive(MANAGEMENT, POOL, KEY)).toBe(false);
  });

  it("cannot answer what was left out of the letter for its size", async () => {
    const reader = createReplayReader([read({ type: "truncated" })]);
    await expect(reader.get(POOL, KEY)).rejects.toThrow("get MachinePool default/p1");
    expect(reader.unrecorded).toHaveLength(1);
  });

  it("knows after a live read which version it found", async () => {
    const reader = createReplayReader([read(pool("7"), "live.get")]);
    await reader.live.get(POOL, KEY);
    expect(reader.readLive(MANAGEMENT, POOL, KEY)).toBe(true);
    expect(reader.liveVersion(MANAGEMENT, POOL, KEY)).toBe("7");
  });

  it("fails as the recorded read did", async () => {
    const error = {
      name: "KubeError",
      class: "Throttled",
      reason: "TooManyRequests",
      message: "slow",
      code: 429,
    } as const;
    const reader = createReplayReader([read({ type: "error", error })]);
    await expect(reader.get(POOL, KEY)).rejects.toMatchObject({
      name: "KubeError",
      class: "Throttled",
      status: 429,
      reason: "TooManyRequests",
    });
    expect(reader.unrecorded).toEqual([]);
  });
});
