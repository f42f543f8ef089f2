import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import type { Store } from "../../../../shared/runtime/ports.ts";
import { NotListedError, whileListed } from "../../../../shared/runtime/read/listed.ts";
import { WIDGETS } from "../../../support/widget.ts";

async function listedStore(): Promise<Store> {
  const store = createMemoryStore();
  await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
  return store;
}

describe("what is read while its kind is listed", () => {
  it("is believed", async () => {
    expect(await whileListed(await listedStore(), WIDGETS, async () => "found")).toBe("found");
  });

  it("is not believed when the read model goes back before the read is over", async () => {
    const store = await listedStore();
    const read = async (): Promise<string> => {
      // By now the first look is over.
      await new Promise((resolve) => setImmediate(resolve));
      await store.advance(WIDGETS, { ready: false });
      return "what was so before";
    };
    await expect(whileListed(store, WIDGETS, read)).rejects.toThrow(NotListedError);
  });

  it("KR-22: is not believed when the list was not complete before the read", async () => {
    const store = createMemoryStore();
    const read = async (): Promise<undefined> => {
      await new Promise((resolve) => setImmediate(resolve));
      await store.advance(WIDGETS, { ready: true });
      return undefined;
    };
    await expect(whileListed(store, WIDGETS, read)).rejects.toThrow("list of Widget on management");
  });

  it("says why the server lets no relay list the kind", async () => {
    const store = createMemoryStore();
    await store.advance(WIDGETS, { refusal: "no right" });
    const refused = whileListed(store, WIDGETS, async () => undefined);
    await expect(refused).rejects.toMatchObject({
      refusal: "no right",
      message: "the list of Widget on management is not complete: no right",
    });
  });
});
