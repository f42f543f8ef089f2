import { createHash } from "node:crypto";
import { MANAGEMENT } from "../../../shared/api/kinds.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import type { Cause, Fence } from "../../../shared/runtime/queue/queue-port.ts";
import type { AnyOperation } from "../faults/fault.ts";
import type { Operation } from "../kernel/kernel.ts";
import { objectsRead } from "../oracles/run-reads.ts";
import type { World } from "../play/world.ts";

/** Parts of a state that decide how the world continues. */
export type Part = "objects" | "readModel" | "relay" | "ledger" | "runs" | "pending" | "timers" | "more";

/** Two states with the same lines in every part continue in the same way. */
export type Fingerprint = { readonly [part in Part]: readonly string[] };

interface Fingerprints {
  /** The present state with these operations ready; `more` is part of it. */
  of(ready: readonly Operation[], more: string): Fingerprint;
  /** The same text for the same operation, whatever versions and ids this order has come to. */
  nameOf(operation: Operation): string;
}

/** One text for a fingerprint; parts that are left out do not count. */
export function hashOf(fingerprint: Fingerprint, leftOut: readonly Part[] = []): string {
  const hash = createHash("sha1");
  for (const [part, lines] of Object.entries(fingerprint)) {
    if (!leftOut.includes(part as Part)) hash.update(`${part}\n${lines.join("\n")}\n`);
  }
  return hash.digest("base64");
}

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const VERSION = /\b\d{2,7}\b/g;

/**
 * Returns objects, read model, changes that watches have not delivered or the relay has not handled yet, ledger, runs,
 * pending operations, and what time will do. A resourceVersion is written as the number of the change of its object, so
 * that writes to different objects give the same state in either order. Ask when the world is at rest.
 */
export function createFingerprints(world: World): Fingerprints {
  const names = createNames(world);
  const ledger = createLedgerLines(world, names);
  const { kernel, management, runs } = world;
  const shown = shownObjects(world);
  const unreported = unreportedChanges(world, names);
  const objects = (): readonly string[] =>
    [...management.storage.collections]
      .filter(([type]) => type !== "/events" && !type.startsWith("apiextensions"))
      .flatMap(([, collection]) => [...collection.values()].map((object) => JSON.stringify(object)));
  const running = (): readonly string[] =>
    runs.active.map(({ functionName, key, record, startedAt, lease }) => {
      const read = objectsRead(record).map(
        ({ object }) => `${object.kind}@${object.metadata.resourceVersion}`,
      );
      const writes = record?.writes.map(({ outcome }) => JSON.stringify(outcome)) ?? [];
      const held = ledger.isHeld(functionName, key, ledger.ownerOf(lease.causes));
      return `${functionName} ${key} ${held} for ${kernel.now - startedAt} read ${read} wrote ${writes}`;
    });
  const timers = (): readonly string[] =>
    kernel.later.map(({ operation: { process, kind }, at }) => `${process.name} ${kind} ${at - kernel.now}`);
  const nameOf = (operation: Operation): string => {
    const { functionName, owner, what, process, kind } = operation as AnyOperation & LedgerCall;
    const key = /^\w+ (\S+)/.exec(what())?.[1] as Key;
    const held = owner === undefined ? "" : ledger.isHeld(functionName, key, owner);
    return names.canonical(`${process.name} ${kind} ${what()} ${held}`);
  };
  const inOrder = (lines: readonly string[]): readonly string[] =>
    lines.map(names.canonical).sort(compareText);
  return {
    nameOf,
    of: (ready, more) => ({
      objects: inOrder(objects()),
      readModel: inOrder([...shown].map(([place, version]) => `${place} ${version}`)),
      relay: unreported(),
      ledger: ledger.lines(),
      runs: inOrder(running()),
      pending: ready.map(nameOf).sort(compareText),
      timers: timers().toSorted(compareText),
      more: [more],
    }),
  };
}

interface LedgerCall {
  readonly functionName: string;
  readonly owner?: string;
}

interface Names {
  /** Versions as the number of the change of their object, uids as names, no times. */
  canonical(text: string): string;
  /** Changes since the beginning, in order; `watch` is the relay's name of the watch that delivers it. */
  readonly changes: readonly { readonly watch: string; readonly version: string }[];
}

function createNames({ management }: World): Names {
  const versions = new Map<string, string>();
  const counts = new Map<string, number>();
  const names = new Map<string, string>();
  const changes: { readonly watch: string; readonly version: string }[] = [];
  const note = (type: string, object: Parameters<Parameters<typeof management.onChange>[0]>[1]["object"]) => {
    const { namespace = "", name, uid, resourceVersion } = object.metadata;
    const place = `${type} ${namespace}/${name}`;
    const count = (counts.get(place) ?? 0) + 1;
    counts.set(place, count);
    versions.set(resourceVersion, `${place} change ${count}`);
    names.set(uid, place);
  };
  for (const [type, collection] of management.storage.collections)
    for (const object of collection.values()) note(type, object);
  management.onChange((type, { object }) => {
    note(type, object);
    const [group = "", plural = ""] = type.split("/");
    changes.push({
      watch: `${MANAGEMENT} ${plural}.${group}`,
      version: object.metadata.resourceVersion,
    });
  });
  return {
    changes,
    canonical: (text) =>
      text
        .replace(UID, (uid) => names.get(uid) ?? "uid")
        .replace(TIME, "TIME")
        .replace(VERSION, (version) => versions.get(version) ?? version),
  };
}

/** By kind and name: the version that the read model has had last. */
function shownObjects({ store }: World): ReadonlyMap<string, string> {
  const shown = new Map<string, string>();
  store.onShown(({ type, before, after }) => {
    const { namespace = "", name = "" } = (after ?? before)?.metadata ?? {};
    const place = `${type.cluster} ${type.kind} ${namespace}/${name}`;
    if (after === undefined) shown.delete(place);
    else shown.set(place, after.metadata.resourceVersion ?? "");
  });
  return shown;
}

/**
 * Per watch of the relay: the changes that it has not handled, in order, and how many of them it has in its hands. How
 * far it is otherwise is not part of it: no code compares the versions of two objects.
 */
function unreportedChanges(world: World, { changes, canonical }: Names): () => readonly string[] {
  return () => {
    const relay = world.processOf("relay");
    const loops = relay === undefined ? [] : (world.relayOf(relay)?.status().loops ?? []);
    return loops.map(({ name, state, pending, resourceVersion = "0" }) => {
      const unreported = changes.filter(
        ({ watch, version }) => watch === name && Number(version) > Number(resourceVersion),
      );
      return `${name} ${state} ${pending} ${unreported.map(({ version }) => canonical(version)).join()}`;
    });
  };
}

interface LedgerLines {
  lines(): readonly string[];
  isHeld(functionName: string, key: Key, owner: string | undefined): "held" | "lost";
  ownerOf(causes: readonly Cause[]): string | undefined;
}

/** Keys with their state, the fences that the next claim gets, and the order in which ready ones are claimed. */
function createLedgerLines({ kernel, ledger, functions }: World, { canonical }: Names): LedgerLines {
  const keys = new Set<string>();
  const fences = new Map<string, readonly Fence[]>();
  const again = new Map<string, number>();
  const owners = new WeakMap<readonly Cause[], string>();
  ledger.onEnqueue((functionName, { key }) => keys.add(`${functionName} ${key}`));
  ledger.onClaim((_, { causes, owner }) => owners.set(causes, owner));
  ledger.onFinish(({ functionName, claim: { key }, outcome, accepted }) => {
    if (!accepted) return;
    const name = `${functionName} ${key}`;
    if (outcome.fences !== undefined) fences.set(name, outcome.fences);
    again.set(name, outcome.type === "retry" ? (again.get(name) ?? 0) + 1 : 0);
  });
  const keyLine = (name: string): string => {
    const [functionName = "", key = ""] = name.split(" ");
    const {
      state = "idle",
      until,
      causes = [],
      failures = 0,
    } = ledger.stateOf(functionName, key as Key) ?? {};
    const dueMs = until === undefined ? "" : until.getTime() - kernel.now;
    const why = causes.map(({ what, resourceVersion }) => `${what}@${resourceVersion}`);
    const behind = (fences.get(name) ?? []).map((fence) => JSON.stringify(fence));
    return `${name} ${state} ${dueMs} ${why} ${failures} failures ${again.get(name) ?? 0} again ${behind}`;
  };
  const lineOf = (functionName: string): string => {
    const tokens = [...ledger.tokened(functionName)].map(([key, at]) => `${key} ${kernel.now - at}`);
    return `${functionName}: ${ledger.line(functionName)} tokens ${tokens.sort(compareText)}`;
  };
  return {
    isHeld: (functionName, key, owner) =>
      ledger.stateOf(functionName, key)?.owner === owner ? "held" : "lost",
    ownerOf: (causes) => owners.get(causes),
    lines: () => [
      ...[...keys].sort(compareText).map((name) => canonical(keyLine(name))),
      ...functions.map(({ spec }) => lineOf(spec.name)),
    ],
  };
}
