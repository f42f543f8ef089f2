import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { Connection, Node } from "../../../../shared/api/core.ts";
import { type Kind, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { readFreshness } from "../../../../shared/runtime/read/signs.ts";

const START = Date.parse("2026-01-01T12:00:00Z");
const at = (seconds: number) => new Date(START + seconds * 1_000);
const typeOf = ({ group, kind }: Pick<Kind, "group" | "kind">, cluster = MANAGEMENT) => ({
  cluster,
  group,
  kind,
});
const NODES = typeOf(Node, "default/c1");

/** After signs of these watches, each so many seconds after the start. */
async function freshnessAt(
  seconds: number,
  ...signs: readonly (readonly [Pick<Kind, "group" | "kind">, number])[]
) {
  await using store = createMemoryStore();
  for (const [kind, when] of signs) await store.signs.note([kind], at(when));
  return readFreshness(store, at(seconds));
}

describe("freshness of the read model", () => {
  it("is not doubted where nothing watches, and while every watch gives signs of life", async () => {
    expect((await freshnessAt(1_000)).silences).toEqual([]);
    const all = await freshnessAt(30, [Cluster, 0], [MachinePool, 10], [Connection, 1]);
    expect([all.silences, all.silenceOf(typeOf(Cluster)), all.silenceOf(NODES)]).toEqual([
      [],
      undefined,
      undefined,
    ]);
  });

  it("ends for everything when all watches are silent, with the last sign and what to do", async () => {
    const { silences, silenceOf } = await freshnessAt(45, [Cluster, 0], [MachinePool, 2], [Connection, 1]);
    const message = "relay away since 2026-01-01T12:00:02.000Z: nothing below is newer; start a relay";
    expect(silences).toEqual([{ since: at(2).toISOString(), message }]);
    for (const type of [typeOf(Cluster), typeOf({ group: "x.io", kind: "Other" }), NODES])
      expect(silenceOf(type)).toMatchObject({ message });
  });

  it("distinguishes a management cluster that is away from a relay that is", async () => {
    const { silences } = await freshnessAt(45, [Cluster, 0], [Connection, 44]);
    expect(silences).toMatchObject([
      {
        message: expect.stringMatching(
          /^no relay hears the management cluster since 2026-01-01T12:00:00.000Z/,
        ),
      },
    ]);
  });

  it("ends for one kind whose watch is silent, and for workload clusters that no relay follows", async () => {
    const { silences, silenceOf } = await freshnessAt(45, [Cluster, 44], [MachinePool, 3], [Connection, 2]);
    expect(silences.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^no relay follows the workload clusters since 2026-01-01T12:00:02.000Z/),
      expect.stringMatching(
        /^the watch of MachinePool \(cluster.x-k8s.io\) is silent since 2026-01-01T12:00:03.000Z/,
      ),
    ]);
    expect(silenceOf(typeOf(Cluster))).toBeUndefined();
    expect([typeOf(MachinePool), typeOf(Connection), NODES].map(silenceOf)).toEqual([
      silences[1],
      silences[0],
      silences[0],
    ]);
  });
});
