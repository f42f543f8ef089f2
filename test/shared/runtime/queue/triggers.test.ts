import { describe, expect, it } from "vitest";
import { Connection } from "../../../../shared/api/core.ts";
import { type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { BehindTriggerError, triggersOf } from "../../../../shared/runtime/queue/triggers.ts";

const Pool = {
  group: "cluster.x-k8s.io",
  version: "v1beta2",
  kind: "MachinePool",
  plural: "machinepools",
  namespaced: true,
};
const pool = (resourceVersion: string, name = "p1"): KubeObject => ({
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "MachinePool",
  metadata: { namespace: "default", name, uid: `uid-${name}`, resourceVersion },
});
const cause = (resourceVersion: string, what = "MachinePool default/p1") => ({ what, resourceVersion });

describe("the changes that have woken a run", () => {
  it("are what its snapshots must have reached", () => {
    const assertSeen = triggersOf([cause("98"), cause("103"), { what: "resync" }]);
    expect(() => assertSeen(MANAGEMENT, Pool, [pool("103"), pool("7", "p2")])).not.toThrow();
    expect(() => assertSeen(MANAGEMENT, Pool, [pool("7", "p2"), pool("101")])).toThrow(BehindTriggerError);
  });

  it("become what the next run waits for, each object's newest, whatever their order", () => {
    const assertSeen = triggersOf([
      cause("98"),
      cause("103"),
      cause("99"),
      cause("120", "MachinePool default/p2"),
    ]);
    const error: unknown = (() => {
      try {
        return assertSeen(MANAGEMENT, Pool, [pool("90"), pool("110", "p2")]);
      } catch (thrown) {
        return thrown;
      }
    })();
    const fence = {
      cluster: MANAGEMENT,
      group: "cluster.x-k8s.io",
      kind: "MachinePool",
      namespace: "default",
    };
    expect(error).toMatchObject({
      fences: [
        { ...fence, name: "p1", resourceVersion: "103" },
        { ...fence, name: "p2", resourceVersion: "120" },
      ],
    });
  });

  it("say nothing about another kind, nor about a Connection, whose versions are instants", () => {
    const assertSeen = triggersOf([cause("103"), cause("500", "Connection default/c1")]);
    const connection = { ...pool("400", "c1"), kind: "Connection" };
    expect(() => assertSeen(MANAGEMENT, Connection, [connection])).not.toThrow();
    expect(() => assertSeen(MANAGEMENT, { ...Pool, kind: "Machine" }, [pool("7")])).not.toThrow();
  });
});
