import { expect, it } from "vitest";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import { type HealthSources, unreadyReasons } from "../../../infra/worker/health.ts";
import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { virtualClock } from "../../support/clock.ts";

const CRDS = managementType(CustomResourceDefinition);

it("a relay that hears nothing of its API server is not ready, and a worker beside it is", async () => {
  const clock = virtualClock();
  const store = createMemoryStore();
  await store.advance(CRDS, { ready: true, resourceVersion: "1" });
  await store.signs.note([CRDS], clock.now());
  const since = clock.now().toISOString();
  const relay = { status: () => ({ ready: true, loops: [], connections: [] }) };
  const reasonsOf = (own: Partial<HealthSources>) =>
    unreadyReasons({
      functions: [],
      queue: { healthy: () => ({ ok: true }) },
      view: { depths: async () => [] },
      refusals: new Map(),
      store,
      clock,
      version: "0",
      relay: () => undefined,
      worker: () => undefined,
      ...own,
    } as unknown as HealthSources);
  expect(await reasonsOf({ relay: () => relay })).toEqual([]);
  await clock.advance(45 * SECOND);
  expect(await reasonsOf({ relay: () => relay })).toEqual([
    `relay: nothing of the management cluster is heard since ${since}; look whether its API server answers`,
  ]);
  expect(await reasonsOf({})).toEqual([]);
  await store.signs.note([CRDS], clock.now());
  expect(await reasonsOf({ relay: () => relay })).toEqual([]);
});
