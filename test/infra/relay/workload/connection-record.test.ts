import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { createDelivery } from "../../../../infra/relay/delivery/delivery.ts";
import {
  CONNECTION_TYPE,
  ConnectionRecord,
  FAILURES,
} from "../../../../infra/relay/workload/connection-record.ts";
import type { Connection } from "../../../../shared/api/core.ts";
import type { Queue } from "../../../../shared/runtime/queue/queue-port.ts";
import { virtualClock } from "../../../support/clock.ts";
import { silentLog } from "../../../support/silent-log.ts";

const C1 = { namespace: "default", name: "c1" };

function world(share?: { readonly isHeld: () => boolean }) {
  const store = createMemoryStore();
  const clock = virtualClock();
  const shared = { store, clock, log: silentLog, signal: new AbortController().signal };
  const queue = { enqueue: async () => undefined } as unknown as Queue;
  const delivery = createDelivery({ ...shared, functions: [], queue, onChange: () => undefined });
  const record = new ConnectionRecord({ cluster: C1, uid: "u", delivery, clock, log: silentLog, share });
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

  it("publishes nothing while another relay may speak for the Cluster, and then what is true by now", async () => {
    let isHeld = true;
    const { store, record, published } = world({ isHeld: () => isHeld });
    await using _store = store;
    await record.connected(true);
    isHeld = false;
    await record.failing("unreachable", "refused", FAILURES);
    await record.republishIfLost(store);
    expect(await published()).toMatchObject({ status: { state: "connected" } });
    isHeld = true;
    await record.republishIfLost(store);
    expect(await published()).toMatchObject({ status: { state: "unreachable", message: "refused" } });
  });

  it("replaces the Connection of a relay to which the Cluster no longer belongs, however high its version", async () => {
    const { store, clock, record, published } = world({ isHeld: () => true });
    await using _store = store;
    await record.connected(true);
    const ahead = String(clock.now().getTime() + 3_600_000);
    const own = await published();
    const other = {
      ...own,
      metadata: { ...own?.metadata, resourceVersion: ahead },
      status: { state: "unreachable" },
    };
    await store.put(CONNECTION_TYPE, [other as unknown as Connection]);
    await record.republishIfLost(store);
    const replaced = await published();
    expect(replaced).toMatchObject({ status: { state: "connected" } });
    await record.republishIfLost(store);
    expect(await published()).toBe(replaced);
  });
});
