import { describe, expect, it } from "vitest";
import { createDelivery } from "../../../../infra/relay/delivery/delivery.ts";
import {
  CONNECTION_TYPE,
  ConnectionRecord,
  FAILURES,
} from "../../../../infra/relay/workload/connection-record.ts";
import { createMemoryStore } from "../../../../infra/store/memory.ts";
import type { Queue } from "../../../../shared/runtime/queue-port.ts";
import { virtualClock } from "../../../support/clock.ts";
import { silentLog } from "../../../support/silent-log.ts";

const C1 = { namespace: "default", name: "c1" };

function world() {
  const store = createMemoryStore();
  const clock = virtualClock();
  const shared = { store, clock, log: silentLog, signal: new AbortController().signal };
  const queue = { enqueue: async () => undefined } as unknown as Queue;
  const delivery = createDelivery({ ...shared, functions: [], queue, onChange: () => undefined });
  const record = new ConnectionRecord({ cluster: C1, uid: "u", delivery, clock, log: silentLog });
  return { store, clock, record, published: () => store.get(CONNECTION_TYPE, C1) };
}

describe("the record of a connection", () => {
  it("says no more that the Secret is missing once there is one, although nothing is known of the server yet", async () => {
    const { store, record, published } = world();
    await using _store = store;
    await record.unknown("the Secret does not exist");
    expect(await published()).toMatchObject({ status: { message: "the Secret does not exist" } });
    await record.uses("7");
    const { status } = (await published()) as unknown as { status: { message?: string } };
    expect(status).toMatchObject({ state: "unknown", secretVersion: "7" });
    expect(status.message).toBeUndefined();
  });

  it("publishes nothing while an attempt fails again and again for the same reason", async () => {
    const { store, clock, record, published } = world();
    await using _store = store;
    await record.failing("unreachable", "refused", FAILURES);
    const before = (await published())?.metadata.resourceVersion;
    for (let attempt = 1; attempt < 10; attempt += 1) {
      await clock.advance(30_000);
      await record.uses(undefined);
      await record.failing("unreachable", "refused", FAILURES + attempt);
    }
    expect((await published())?.metadata.resourceVersion).toBe(before);
  });
});
