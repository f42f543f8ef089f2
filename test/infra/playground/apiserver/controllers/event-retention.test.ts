import { describe, expect, it } from "vitest";
import { Converters } from "../../../../../infra/playground/apiserver/kinds/conversion.ts";
import type { KubeObject } from "../../../../../infra/playground/apiserver/objects/kube-object.ts";
import { Users } from "../../../../../infra/playground/apiserver/request/users.ts";
import { Storage } from "../../../../../infra/playground/apiserver/storage/storage.ts";
import { runVirtualServer } from "../../../../../infra/playground/apiserver/virtual-server.ts";
import { eventually } from "../../../../support/eventually.ts";

function run(storage: Storage): Disposable {
  const { stop } = runVirtualServer(storage, {
    name: "test",
    users: new Users(),
    converters: new Converters(),
    bookmarkIntervalMs: 60_000,
    controllers: true,
    podGraceScale: 0,
  });
  return { [Symbol.dispose]: stop };
}

function event(name: string, ageMinutes = 0): KubeObject {
  const creationTimestamp = new Date(Date.now() - ageMinutes * 60_000).toISOString();
  const metadata = { name, namespace: "default", uid: name, resourceVersion: "", creationTimestamp };
  return { apiVersion: "v1", kind: "Event", metadata };
}

describe("Events", () => {
  it("are kept for an hour", async () => {
    const storage = new Storage();
    using _ = run(storage);
    for (const [name, age] of [
      ["a", 90],
      ["b", 61],
      ["c", 59],
    ] as const)
      storage.put("/events", event(name, age));
    const names = () => [...storage.collection("/events").values()].map(({ metadata }) => metadata.name);
    await eventually(() => names().join() === "c", { withinMs: 5_000 });
  });

  it("are at most 10,000, the newest ones", async () => {
    const storage = new Storage();
    using _ = run(storage);
    for (let index = 0; index < 10_003; index++) storage.put("/events", event(`e${index}`));
    const events = storage.collection("/events");
    await eventually(() => events.size === 10_000, { withinMs: 5_000 });
    expect([events.find("default/e2"), events.find("default/e3")?.metadata.name]).toEqual([undefined, "e3"]);
  });
});
