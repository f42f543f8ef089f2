import { describe, expect, it } from "vitest";
import type { Kind, ObjectKey } from "../../../../shared/api/kinds.ts";
import type { ListOptions, LiveReader } from "../../../../shared/function/reads.ts";
import { readNodesLive } from "../../../../shared/rules/workload/read-nodes-live.ts";
import { node } from "../../../support/builders.ts";

describe("readNodesLive", () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `m${at}`);
  const nodeNames = async (asked: readonly string[], listed: readonly string[]) => {
    const calls: string[] = [];
    let [waiting, most] = [0, 0];
    const answer = async <T>(call: string, value: T): Promise<T> => {
      calls.push(call);
      waiting += 1;
      most = Math.max(most, waiting);
      await Promise.resolve();
      waiting -= 1;
      return value;
    };
    const live = {
      get: (_kind: Kind, { name }: ObjectKey) =>
        answer("get", listed.includes(name) ? node(name) : undefined),
      list: (_kind: Kind, { where }: ListOptions) =>
        answer(
          "list",
          listed
            .filter((name) => where?.path === "metadata.name" && where.values.includes(name))
            .map((name) => node(name)),
        ),
    } as unknown as LiveReader;
    const found = await readNodesLive(live, asked, "default/c1");
    return { found: found.map(({ metadata }) => metadata.name), calls, most };
  };

  it("asks for Nodes one by one, never for more at once than a server answers in ten seconds", async () => {
    const { found, calls, most } = await nodeNames(names(200), names(7));
    expect(found).toEqual(names(7));
    expect(calls).toHaveLength(200);
    expect(most).toBeLessThanOrEqual(100);
  });

  it("asks for all at once when they are many, so that a Node costs less than a request", async () => {
    const { found, calls } = await nodeNames(names(201), [...names(2), "other"]);
    expect(found).toEqual(names(2));
    expect(calls).toEqual(["list"]);
  });
});
