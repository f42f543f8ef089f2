import { describe, expect, it } from "vitest";
import { type Kind, type KubeObject, MANAGEMENT } from "../../shared/api/kinds.ts";
import type { NamePart, Store, TypeKey } from "../../shared/runtime/ports.ts";

export interface StoreSuite {
  readonly name: string;
  readonly create: (kindOf: (group: string, kind: string) => Kind | undefined) => Promise<Store>;
}

const WIDGETS: Kind = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
  clusterNamePath: "spec.clusterName",
  references: ["spec.template"],
  indexes: [{ name: "color", path: "spec.colors" }],
};
const TEMPLATE = { apiGroup: "example.com", kind: "Template", name: "t1" };

interface Widget {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly version?: string;
  readonly spec?: object;
  readonly owner?: string;
}

/** A Widget of cluster c1, by default `default/w1` at version 10. */
function widget({
  name,
  namespace = "default",
  uid = `uid-${name}`,
  version = "10",
  spec,
  owner,
}: Widget): KubeObject {
  const ownerReferences =
    owner === undefined ? [] : [{ apiVersion: "example.com/v1", kind: "Owner", name: "o", uid: owner }];
  const object = {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name, namespace, uid, resourceVersion: version, ownerReferences },
    spec: { clusterName: "c1", ...spec },
  };
  return object;
}

const asNamed = (members: readonly { readonly name: string }[]) =>
  members.map(({ name }) => ({ metadata: { name } }));

const named = (objects: readonly { readonly metadata: { readonly name: string } }[]) =>
  objects.map(({ metadata }) => metadata.name);

/** Separators of every layer, text that UTF-8 cannot hold, and a megabyte. */
const HOSTILE = [
  "a/b",
  "a b",
  "a\nb",
  "a\0b",
  "}:x",
  "a|b",
  '","',
  "\u{1F600}",
  "\ud800",
  "x".repeat(1_048_576),
];

let clusterCount = 0;
/** A type of its own for every test. */
const newType = (): TypeKey => ({
  cluster: `default/c${++clusterCount}`,
  group: "example.com",
  kind: "Widget",
});

/** The behaviour of every read model; the rules are those of the port. */
export function storeSuite({ name, create }: StoreSuite): void {
  const open = (): Promise<Store> =>
    create((group, kind) => (group === WIDGETS.group && kind === WIDGETS.kind ? WIDGETS : undefined));

  describe(`${name} store`, () => {
    it("gives what was put, frozen, and nothing else", async () => {
      await using store = await open();
      const type = newType();
      const object = widget({
        name: "w1",
        spec: { text: "Grüße\u{1F600}", nested: { list: [1, { a: null }] } },
      });
      expect(await store.put(type, [object])).toEqual([{ stored: true, before: undefined }]);
      const found = await store.get(type, { namespace: "default", name: "w1" });
      expect(found).toEqual(object);
      expect(() => Object.assign(Reflect.get(found ?? {}, "spec"), { text: "" })).toThrow(TypeError);
      expect(await store.get(type, { namespace: "other", name: "w1" })).toBeUndefined();
      expect(
        await store.get({ ...type, kind: "Gadget" }, { namespace: "default", name: "w1" }),
      ).toBeUndefined();
      expect(
        await store.get({ ...type, cluster: "management" }, { namespace: "default", name: "w1" }),
      ).toBeUndefined();
    });

    it.each([
      { stored: "9", arriving: "10", replaces: true },
      { stored: "10", arriving: "9", replaces: false },
      { stored: "10", arriving: "10", replaces: false },
      { stored: "18446744073709551615", arriving: "18446744073709551616", replaces: true },
      { stored: "18446744073709551617", arriving: "18446744073709551616", replaces: false },
      { stored: "10", arriving: "x", replaces: true },
      { stored: "", arriving: "10", replaces: true },
    ])("keeps the newer of two versions: $arriving after $stored", async ({ stored, arriving, replaces }) => {
      await using store = await open();
      const type = newType();
      const first = widget({ name: "w1", version: stored });
      await store.put(type, [first]);
      await store.advance(type, { resourceVersion: "99999999999999999999" });
      const second = widget({ name: "w1", version: arriving });
      expect(await store.put(type, [second])).toEqual([{ stored: replaces, before: first }]);
      expect(await store.get(type, { namespace: "default", name: "w1" })).toEqual(replaces ? second : first);
    });

    it("takes an object of the same name with another uid, whatever its version", async () => {
      await using store = await open();
      const type = newType();
      await store.put(type, [widget({ name: "w1", uid: "old", version: "20" })]);
      expect(await store.put(type, [widget({ name: "w1", uid: "new", version: "3" })])).toMatchObject([
        {
          stored: true,
        },
      ]);
      expect(await store.find(type, "uid", "old")).toEqual([]);
      expect(await store.find(type, "uid", "new")).toHaveLength(1);
    });

    it("finds objects by every index, with their tenant, in order", async () => {
      await using store = await open();
      const type = newType();
      await store.put(type, [
        widget({ name: "b", owner: "o1", spec: { template: TEMPLATE, colors: ["red", "blue"] } }),
      ]);
      await store.put(type, [widget({ name: "a", spec: { template: TEMPLATE, clusterName: "c2" } })]);
      await store.put(type, [widget({ name: "z", namespace: "aaa", owner: "o1" })]);
      const member = (name: string, tenant: string, namespace = "default") => ({ name, namespace, tenant });
      const both = [member("a", "default/c2"), member("b", "default/c1")];
      expect(await store.find(type, "reference", "example.com/Template/default/t1")).toEqual(both);
      expect(await store.find(type, "referencedKind", "example.com/Template")).toEqual(both);
      expect(await store.find(type, "owner", "o1")).toEqual([
        member("z", "aaa/c1", "aaa"),
        member("b", "default/c1"),
      ]);
      expect(await store.find(type, "color", "default/c1|red")).toEqual([member("b", "default/c1")]);
      expect(await store.find(type, "name", "default/a")).toEqual([member("a", "default/c2")]);
      expect(await store.find(type, "color", "default/c1|re")).toEqual([]);
      expect(await store.find(type, "nothing", "red")).toEqual([]);
    });

    it("shows by every index that an object is being deleted, once it is", async () => {
      await using store = await open();
      const type = newType();
      const living = widget({ name: "w1", spec: { colors: ["red"] } });
      await store.put(type, [living]);
      const member = { name: "w1", namespace: "default", tenant: "default/c1" };
      expect(await store.find(type, "color", "default/c1|red")).toEqual([member]);
      const metadata = {
        ...living.metadata,
        resourceVersion: "11",
        deletionTimestamp: "2026-01-01T12:00:00Z",
      };
      await store.put(type, [{ ...living, metadata }]);
      for (const [index, value] of [
        ["color", "default/c1|red"],
        ["name", "default/w1"],
      ] as const)
        expect(await store.find(type, index, value)).toEqual([{ ...member, deleting: true }]);
    });

    it("forgets index entries that a newer version no longer has", async () => {
      await using store = await open();
      const type = newType();
      await store.put(type, [widget({ name: "w1", spec: { colors: ["red", "blue"] } })]);
      await store.put(type, [widget({ name: "w1", version: "11", spec: { colors: ["blue", "green"] } })]);
      const found = await Promise.all(
        ["red", "blue", "green"].map((color) => store.find(type, "color", `default/c1|${color}`)),
      );
      expect(found.map((members) => members.length)).toEqual([0, 1, 1]);
    });

    it("lists by namespace and by index values, each object once, in order", async () => {
      await using store = await open();
      const type = newType();
      await store.put(type, [widget({ name: "c", spec: { colors: ["red", "blue"] } })]);
      await store.put(type, [widget({ name: "a", spec: { colors: ["blue"] } })]);
      await store.put(type, [widget({ name: "b", namespace: "other", spec: { colors: ["red"] } })]);
      const color = (...values: readonly string[]) => ({ index: { name: "color", values } });
      expect(named(await store.list(type, {}))).toEqual(["a", "c", "b"]);
      expect(named(await store.list(type, { namespace: "default" }))).toEqual(["a", "c"]);
      expect(named(await store.list(type, color("default/c1|red", "default/c1|blue")))).toEqual(["a", "c"]);
      const all = color("default/c1|red", "other/c1|red");
      expect(named(await store.list(type, all))).toEqual(["c", "b"]);
      // A value that is a prefix of another is another value.
      expect(await store.list(type, color("default/c1|re"))).toEqual([]);
      expect(await store.list(type, color("default/c1|redder"))).toEqual([]);
      expect(named(await store.list(type, { ...all, namespace: "other" }))).toEqual(["b"]);
      expect(await store.list(type, color())).toEqual([]);
      expect(await store.list(newType(), {})).toEqual([]);
    });

    it("reads objects together with the progress of their type", async () => {
      await using store = await open();
      const type = newType();
      await store.advance(type, { ready: false });
      for (const name of ["w1", "w2"]) await store.put(type, [widget({ name })]);
      const key = { namespace: "default", name: "w1" };
      const early = await store.read(type, key);
      expect([named(early.found), early.progress.ready]).toEqual([["w1"], false]);
      await store.advance(type, { ready: true, resourceVersion: "10" });
      const [one, none, all, other] = await Promise.all([
        store.read(type, key),
        store.read(type, { ...key, name: "w3" }),
        store.read(type, { index: { name: "cluster", values: ["default/c1", "default/c1"] } }),
        store.read(newType(), {}),
      ]);
      expect([one, none, all].map(({ found }) => named(found))).toEqual([["w1"], [], ["w1", "w2"]]);
      const progress = await store.progress(type);
      expect([one, none, all].map((each) => each.progress)).toEqual([progress, progress, progress]);
      expect(progress).toMatchObject({ ready: true, resourceVersion: "10" });
      expect(other).toMatchObject({ found: [], progress: { ready: false } });
    });

    it("removes the deleted object and no other", async () => {
      await using store = await open();
      const type = newType();
      const key = { namespace: "default", name: "w1" };
      const object = widget({ name: "w1", version: "10", spec: { colors: ["red"] } });
      await store.put(type, [object]);
      expect(await store.remove(type, key, { uid: "other", resourceVersion: "99" })).toBeUndefined();
      expect(await store.remove(type, key, { uid: "uid-w1", resourceVersion: "9" })).toBeUndefined();
      expect(await store.get(type, key)).toEqual(object);
      expect(await store.remove(type, key, { uid: "uid-w1", resourceVersion: "10" })).toEqual(object);
      expect(await store.get(type, key)).toBeUndefined();
      expect(await store.find(type, "color", "default/c1|red")).toEqual([]);
      await store.advance(type, { resourceVersion: "10" });
      expect(await store.remove(type, key, { uid: "uid-w1", resourceVersion: "11" })).toBeUndefined();
    });

    it("knows no version before the first list and then the greatest, whatever was put", async () => {
      await using store = await open();
      const type = newType();
      const none = { ready: false, resourceVersion: undefined, scope: undefined };
      expect(await store.progress(type)).toEqual(none);
      await store.advance(type, { ready: false });
      await store.put(type, [widget({ name: "w1", version: "12" })]);
      expect(await store.progress(type)).toEqual(none);
      await store.advance(type, { ready: true, resourceVersion: "15", scope: "s1" });
      await store.put(type, [widget({ name: "w2", version: "100" })]);
      expect(await store.progress(type)).toEqual({ ready: true, resourceVersion: "15", scope: "s1" });
      await store.advance(type, { resourceVersion: "100" });
      await store.advance(type, { resourceVersion: "98" });
      expect(await store.progress(type)).toEqual({ ready: true, resourceVersion: "100", scope: "s1" });
      await store.advance(type, { ready: false });
      expect(await store.progress(type)).toEqual({ ready: false, resourceVersion: "100", scope: "s1" });
    });

    it("keeps why a type may not be listed until it is", async () => {
      await using store = await open();
      const type = newType();
      await store.advance(type, { ready: false });
      await store.advance(type, { refusal: "no right" });
      await store.advance(type, { refusal: "another right" });
      await store.advance(type, { ready: false });
      expect(await store.progress(type)).toMatchObject({ ready: false, refusal: "another right" });
      await store.advance(type, { ready: true, resourceVersion: "15" });
      expect((await store.progress(type)).refusal).toBeUndefined();
      await store.advance(type, { refusal: "no right any more" });
      expect((await store.progress(type)).refusal).toBeUndefined();
      await store.advance(type, { ready: false });
      expect((await store.progress(type)).refusal).toBeUndefined();
    });

    it("keeps a change unreported until the version has passed it (KR-14)", async () => {
      await using store = await open();
      const type = newType();
      const [first, second, third] = ["10", "11", "12"].map((version) => widget({ name: "w1", version }));
      if (first === undefined || second === undefined || third === undefined) throw new Error("bug");
      await store.put(type, [first]);
      expect(await store.unreported(type)).toEqual([{ before: undefined, after: first }]);
      expect(await store.put(type, [first])).toEqual([{ stored: true, before: undefined }]);
      await store.advance(type, { resourceVersion: "10" });
      expect(await store.unreported(type)).toEqual([]);
      expect(await store.put(type, [first])).toEqual([{ stored: false, before: first }]);
      await store.put(type, [second]);
      await store.put(type, [third]);
      expect(await store.put(type, [third])).toEqual([{ stored: true, before: second }]);
      await store.advance(type, { resourceVersion: "11" });
      expect(await store.unreported(type)).toEqual([{ before: second, after: third }]);
      await store.advance(type, { resourceVersion: "12" });
      expect(await store.put(type, [third])).toEqual([{ stored: false, before: third }]);
    });

    it("keeps a removal unreported until the version has passed it (KR-14)", async () => {
      await using store = await open();
      const type = newType();
      const key = { namespace: "default", name: "w1" };
      const object = widget({ name: "w1", version: "10" });
      await store.put(type, [object]);
      await store.advance(type, { resourceVersion: "10" });
      const deleted = { uid: "uid-w1", resourceVersion: "20" };
      expect(await store.remove(type, key, deleted)).toEqual(object);
      expect(await store.remove(type, key, deleted)).toEqual(object);
      expect(await store.unreported(type)).toEqual([{ before: object, after: undefined }]);
      await store.advance(type, { resourceVersion: "20" });
      expect(await store.unreported(type)).toEqual([]);
      expect(await store.remove(type, key, deleted)).toBeUndefined();
    });

    it("drops a type with everything it had", async () => {
      await using store = await open();
      const type = newType();
      const kept = newType();
      for (const each of [type, kept]) {
        await store.advance(each, { ready: false });
        await store.put(each, [widget({ name: "w1" })]);
        await store.advance(each, { ready: true, resourceVersion: "15" });
      }
      await store.drop(type);
      expect(await store.list(type, {})).toEqual([]);
      expect(await store.find(type, "name", "default/w1")).toEqual([]);
      expect(await store.progress(type)).toMatchObject({ ready: false, resourceVersion: undefined });
      expect(await store.unreported(type)).toEqual([]);
      expect(await store.list(kept, {})).toHaveLength(1);
      expect(await store.put(type, [widget({ name: "w1", version: "1" })])).toMatchObject([{ stored: true }]);
    });

    it("S-27: keeps hostile names apart and in their place", async () => {
      await using store = await open();
      const type = { cluster: "}:x", group: "g:g", kind: "K}{" };
      const neighbour = { ...type, cluster: "}" };
      await store.put(neighbour, [widget({ name: "a/b", namespace: "n" })]);
      for (const name of HOSTILE)
        await store.put(type, [
          widget({ name, namespace: "n", uid: "u", owner: name, spec: { clusterName: name } }),
        ]);
      await store.put(type, [widget({ name: "b", namespace: "n/a" })]);
      expect(await store.list(type, {})).toHaveLength(HOSTILE.length + 1);
      for (const name of HOSTILE) {
        expect(await store.find(type, "owner", name)).toMatchObject([{ namespace: "n", name }]);
        expect(await store.get(type, { namespace: "n", name })).toMatchObject({ metadata: { uid: "u" } });
        const index = { name: "owner", values: [name] };
        expect(named(await store.list(type, { index }))).toEqual([name]);
      }
      await store.drop(type);
      expect(await store.list(neighbour, {})).toHaveLength(1);
    });

    it("keeps hostile clusters apart", async () => {
      await using store = await open();
      const types = HOSTILE.map((cluster) => ({ ...newType(), cluster }));
      await Promise.all(
        types.map((type, index) => store.put(type, [widget({ name: "w1", uid: `${index}` })])),
      );
      const found = await Promise.all(types.map((type) => store.list(type, {})));
      expect(found.map((objects) => objects.map(({ metadata }) => metadata.uid))).toEqual(
        types.map((_, index) => [`${index}`]),
      );
    });

    it("gives each object once", async () => {
      await using store = await open();
      const type = newType();
      const names = Array.from({ length: 250 }, (_, at) => `w${at}`);
      for (const name of names) await store.put(type, [widget({ name })]);
      await store.put(newType(), [widget({ name: "other" })]);
      const found: KubeObject[] = [];
      for await (const object of store.each(type)) found.push(object);
      expect(found).toHaveLength(names.length);
      expect(new Set(named(found))).toEqual(new Set(names));
      expect(found.every((object) => Object.isFrozen(object))).toBe(true);
    });

    it("finds names by any part of them, in one namespace or in all, and no pattern", async () => {
      await using store = await open();
      const type = newType();
      for (const name of ["demo-pool", "pool-2", "other"]) await store.put(type, [widget({ name })]);
      await store.put(type, [widget({ name: "demo-pool", namespace: "pool" })]);
      const names = async (part: NamePart, limit = 10) =>
        (await store.named(type, part, limit)).map(({ namespace, name }) => `${namespace}/${name}`).sort();
      expect(await names({ part: "pool" })).toEqual([
        "default/demo-pool",
        "default/pool-2",
        "pool/demo-pool",
      ]);
      expect(await names({ part: "pool", namespace: "pool" })).toEqual(["pool/demo-pool"]);
      for (const part of ["*", "o?her", "[a-z]", "default", "\\", '"'])
        expect(await names({ part })).toEqual([]);
      expect(await names({ part: "pool" }, 2)).toHaveLength(2);
    });

    it("lists thousands of objects", async () => {
      await using store = await open();
      const type = newType();
      const count = 3_000;
      const objects = Array.from({ length: count }, (_, n) =>
        widget({ name: `w${n}`, spec: { colors: [`c${n % 3}`] } }),
      );
      // In parts, as a relay does: a slow server would not answer thousands of commands at once in time.
      for (let at = 0; at < count; at += 500) await store.put(type, objects.slice(at, at + 500));
      expect(await store.list(type, {})).toHaveLength(count);
      expect(await store.list(type, { index: { name: "color", values: ["default/c1|c1"] } })).toHaveLength(
        count / 3,
      );
    });

    it("stores several in their order as one by one, and shows none without those before it (KR-16)", async () => {
      await using store = await open();
      const type = newType();
      const stored = widget({ name: "w1", version: "20", spec: { colors: ["red"] } });
      await store.put(type, [stored]);
      await store.advance(type, { resourceVersion: "20" });
      const [older, newer] = [widget({ name: "w1", version: "19" }), widget({ name: "w1", version: "21" })];
      const added = widget({ name: "w2", version: "22", spec: { colors: ["blue", "green"] } });
      expect(await store.put(type, [older, added, newer])).toEqual([
        { stored: false, before: stored },
        { stored: true, before: undefined },
        { stored: true, before: stored },
      ]);
      expect(named(await store.find(type, "color", "default/c1|red").then(asNamed))).toEqual([]);
      expect(named(await store.find(type, "color", "default/c1|green").then(asNamed))).toEqual(["w2"]);
      expect(await store.unreported(type)).toHaveLength(2);
      expect(await store.put(type, [])).toEqual([]);

      const names = Array.from({ length: 16 }, (_, n) => `s${n}`);
      const looks: Promise<readonly KubeObject[]>[] = [];
      for (const round of Array.from({ length: 20 }, (_, n) => 100 + 20 * n)) {
        const next = names.map((name, at) => widget({ name, version: `${round + at}` }));
        looks.push(store.list(type, {}));
        await store.put(type, next);
        looks.push(store.list(type, {}));
      }
      for (const look of await Promise.all(looks)) {
        const rounds = look
          .filter(({ metadata }) => names.includes(metadata.name))
          .map(({ metadata }) => Math.floor((Number(metadata.resourceVersion) - 100) / 20));
        expect(new Set(rounds).size).toBeLessThanOrEqual(1);
      }
    });

    it("says when each watch gave its last sign of life, in the time of who asks, and forgets it with the type", async () => {
      await using store = await open();
      const type = { cluster: MANAGEMENT, group: "example.com", kind: "Signed" };
      const other = { ...type, kind: "Other" };
      const asked = new Date("2020-01-01T00:00:00Z");
      await store.signs.note([type, other], asked);
      const seen = await store.signs.read(asked);
      for (const name of ["example.com/Signed", "example.com/Other"])
        expect(Math.abs((seen?.get(name)?.getTime() ?? 0) - asked.getTime())).toBeLessThan(60_000);
      await store.drop(type);
      const left = await store.signs.read(asked);
      expect([left?.has("example.com/Signed"), left?.has("example.com/Other")]).toEqual([false, true]);
      await store.drop(other);
    });

    it("keeps the newest of many versions that arrive at once and out of order", async () => {
      await using store = await open();
      const type = newType();
      const versions = Array.from({ length: 50 }, (_, n) => ((n * 37) % 50) + 1);
      await Promise.all(
        versions.map((n) =>
          store.put(type, [widget({ name: "w1", version: `${n}`, spec: { colors: [`c${n}`] } })]),
        ),
      );
      expect(await store.get(type, { namespace: "default", name: "w1" })).toMatchObject({
        metadata: { resourceVersion: "50" },
      });
      const found = await Promise.all(versions.map((n) => store.find(type, "color", `default/c1|c${n}`)));
      expect(found.flat()).toHaveLength(1);
    });
  });
}
