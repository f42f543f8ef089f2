import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { NotListedError, readListed } from "../../../../shared/runtime/read/listed.ts";
import { WIDGETS } from "../../../support/widget.ts";

const KEY = { namespace: "default", name: "w1" };
const WIDGET: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { ...KEY, uid: "u1", resourceVersion: "7" },
};

describe("what is read while its kind is listed", () => {
  it("is believed", async () => {
    const store = createMemoryStore();
    await store.put(WIDGETS, [WIDGET]);
    await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
    expect(await readListed(store, WIDGETS, KEY)).toEqual([WIDGET]);
    expect(await readListed(store, WIDGETS, { namespace: "default" })).toEqual([WIDGET]);
    expect(await readListed(store, WIDGETS, { ...KEY, name: "w2" })).toEqual([]);
  });

  it("KR-22: is not believed while the list is not complete, or no longer", async () => {
    const store = createMemoryStore();
    await store.put(WIDGETS, [WIDGET]);
    await expect(readListed(store, WIDGETS, KEY)).rejects.toThrow("list of Widget on management");
    await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
    await store.advance(WIDGETS, { ready: false });
    await expect(readListed(store, WIDGETS, KEY)).rejects.toThrow(NotListedError);
  });

  it("says why the server lets no relay list the kind", async () => {
    const store = createMemoryStore();
    await store.advance(WIDGETS, { refusal: "no right" });
    await expect(readListed(store, WIDGETS, KEY)).rejects.toMatchObject({
      refusal: "no right",
      message: "the list of Widget on management is not complete: no right",
    });
  });
});
