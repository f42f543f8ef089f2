import { describe, expect, it } from "vitest";
import { withoutGeneratedNames } from "./generated-names.ts";
import type { Listed } from "./state.ts";

const instance = (name: string, pool = "p1"): Listed => ({
  type: "cloud.sim.capstan.dev/siminstances",
  object: {
    metadata: { namespace: "default", name, labels: { "infrastructure.sim.capstan.dev/pool-name": pool } },
  } as Listed["object"],
});
const list = (...providerIDList: readonly string[]): Listed => ({
  type: "cluster.x-k8s.io/machinepools",
  object: { metadata: { namespace: "default", name: "p1" }, providerIDList } as Listed["object"],
});
const machine = (name: string): Listed => ({
  type: "cluster.x-k8s.io/machines",
  object: {
    metadata: { namespace: "default", name, ownerReferences: [{ name: "s1", controller: true }] },
  } as Listed["object"],
});
const namesOf = (objects: readonly Listed[]) =>
  withoutGeneratedNames(objects, ({ metadata }) => metadata.name).map(({ object }) => object.metadata.name);

describe("names that depend on chance", () => {
  it("are random ends of Machines, counted where several are alike", () => {
    expect(namesOf([machine("s1-bbcdf"), machine("s1-zzzzz"), machine("s1")])).toEqual([
      "s1-*",
      "s1-*-2",
      "s1",
    ]);
  });

  it("are indexes of the instances of a pool, wherever they occur", () => {
    const found = withoutGeneratedNames(
      [
        ...["p1-0", "p1-3", "p1-11", "p1-1"].map((name) => instance(name)),
        instance("sp1-3", "sp1"),
        list(
          "sim://default/p1-0/*",
          "sim://default/p1-11/*",
          "sim://default/p1-3/*",
          "sim://default/sp1-3/*",
        ),
      ],
      () => "",
    ).map(({ object }) => object);
    expect(found.map(({ metadata }) => metadata.name)).toEqual([
      "p1-0",
      "p1-2",
      "p1-3",
      "p1-1",
      "sp1-0",
      "p1",
    ]);
    expect(found.at(-1)).toMatchObject({
      providerIDList: [
        "sim://default/p1-0/*",
        "sim://default/p1-3/*",
        "sim://default/p1-2/*",
        "sim://default/sp1-0/*",
      ],
    });
  });
});
