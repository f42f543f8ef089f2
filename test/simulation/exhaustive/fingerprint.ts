import { createHash } from "node:crypto";
import { compareText } from "../../../shared/rules/conditions.ts";
import type { Key } from "../../../shared/runtime/key.ts";
import type { Operation } from "../kernel.ts";
import { objectsRead } from "../oracles/run-reads.ts";
import type { World } from "../world.ts";

/** What two worlds must have in common to go on in the same way. */
export interface Fingerprints {
  /** The present state with these operations pending; `more` is part of it. */
  of(pending: readonly Operation[], more: string): string;
  /** The same text for the same operation, whatever versions and ids this run has come to. */
  nameOf(operation: Operation): string;
}

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const VERSION = /\b\d{2,7}\b/g;

/**
 * Objects, read model, ledger, what runs have read, and what is pending. A resourceVersion is written as the number of
 * the change of its object, so that writes to different objects give the same state in either order. What the relay
 * holds beside that is not part of it. Ask before the world starts.
 */
export function createFingerprints(world: World): Fingerprints {
  const { kernel, ledger, management, store, runs } = world;
  const versions = new Map<string, string>();
  const changes = new Map<string, number>();
  const names = new Map<string, string>();
  const shown = new Map<string, string>();
  const keys = new Set<string>();
  management.onChange((type, { object }) => {
    const { namespace = "", name, uid, resourceVersion } = object.metadata;
    const place = `${type} ${namespace}/${name}`;
    const count = (changes.get(place) ?? 0) + 1;
    changes.set(place, count);
    versions.set(resourceVersion, `${place} change ${count}`);
    names.set(uid, place);
  });
  store.onShown(({ type, before, after }) => {
    const { namespace = "", name = "" } = (after ?? before)?.metadata ?? {};
    const place = `${type.cluster} ${type.kind} ${namespace}/${name}`;
    if (after === undefined) shown.delete(place);
    else shown.set(place, after.metadata.resourceVersion ?? "");
  });
  ledger.onEnqueue((functionName, { key }) => keys.add(`${functionName}\n${key}`));

  const canonical = (text: string): string =>
    text
      .replace(UID, (uid) => names.get(uid) ?? "uid")
      .replace(TIME, "TIME")
      .replace(VERSION, (version) => versions.get(version) ?? version);
  const nameOf = ({ process, kind, what }: Operation): string =>
    canonical(`${process.name} ${kind} ${what()}`);
  const keyStates = (): readonly string[] =>
    [...keys].sort(compareText).map((name) => {
      const [functionName = "", key = ""] = name.split("\n");
      const { state, until, causes = [], failures = 0 } = ledger.stateOf(functionName, key as Key) ?? {};
      const dueMs = state === "waiting" && until !== undefined ? until.getTime() - kernel.now : 0;
      return `${name} ${state} ${dueMs} ${causes.length} ${failures}`;
    });
  const objects = (): readonly string[] =>
    [...management.storage.collections]
      .filter(([type]) => type !== "/events" && !type.startsWith("apiextensions"))
      .flatMap(([, collection]) => [...collection.values()].map((object) => JSON.stringify(object)));
  const running = (): readonly string[] =>
    runs.active.map(({ functionName, key, record }) => {
      const read = objectsRead(record).map(
        ({ object }) => `${object.kind}@${object.metadata.resourceVersion}`,
      );
      return `${functionName} ${key} ${read.join()} ${record?.writes.length}`;
    });
  return {
    nameOf,
    of(pending, more) {
      const lines = [
        ...objects().map(canonical).sort(compareText),
        ...[...shown].map(([place, version]) => canonical(`${place} ${version}`)).sort(compareText),
        ...keyStates(),
        ...running().map(canonical).sort(compareText),
        ...pending.map(nameOf).sort(compareText),
        more,
      ];
      return createHash("sha1").update(lines.join("\n")).digest("base64");
    },
  };
}
