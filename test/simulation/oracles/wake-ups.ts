import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { MANAGEMENT, titleOf } from "../../../shared/api/kinds.ts";
import type { TypeKey } from "../../../shared/runtime/ports.ts";
import type { Cause } from "../../../shared/runtime/queue/queue-port.ts";
import type { Process } from "../kernel/kernel.ts";
import type { World } from "../play/world.ts";
import { concernedBy, isOf, type Woken } from "./concerned.ts";
import { changeIn, echoesIn, echoesOf } from "./echoes.ts";
import type { Oracle } from "./oracle.ts";
import { objectsRead } from "./run-reads.ts";

/** Reasons to run a key. */
interface Due {
  readonly why: string;
  /** The change that the queue knows of, as the echo of a write names it. */
  readonly change?: string | undefined;
  /** Whether the queue knows of it. */
  readonly isEnqueued: boolean;
  /** The relay that has shown the change. */
  readonly process: Process | undefined;
}

/** Keys and what wakes them: F-03, F-12. */
export const wakeUps: readonly Oracle[] = [
  {
    number: "F-03",
    title: "a change that is visible is followed by a run, and not only by way of a relist",
    watch({ world, violated, evaluated, onRest }) {
      const { ledger, store, management } = world;
      /** By function and key: what it has to be run for, and whether the queue knows of it. */
      const due = new Map<string, Due>();
      const echoes = echoesIn(ledger);
      // The content of a lost queue, read model or relay comes back with a relist; F-01 and F-10 judge that.
      const forget = (): void => due.clear();
      ledger.onWipe(forget);
      store.onWipe(forget);
      management.onRestore(forget);
      // While a kind is listed from the beginning its objects are not found; its list brings their keys back.
      store.onDrop(() => {
        for (const [name, { isEnqueued }] of due) if (!isEnqueued) due.delete(name);
      });
      let relay = world.processOf("relay");
      const forgetWithRelay = (): void => {
        const now = world.processOf("relay");
        if (now === relay) return;
        forget();
        relay = now;
      };
      store.onShown(({ type, before, after, process }) => {
        forgetWithRelay();
        const { namespace, name, resourceVersion } = (after ?? before)?.metadata ?? {};
        const of = `|${type.kind}|${namespace}/${name}`;
        // Gone, or no longer of concern, before the relay has looked for the keys to wake: nothing is left to reconcile.
        for (const [each, { isEnqueued }] of due) {
          if (isEnqueued || !each.endsWith(of)) continue;
          const fn = world.functions.find(({ spec }) => each.startsWith(`${spec.name} `));
          const isOver =
            after === undefined || !isOf(fn?.spec.actsOn, after) || fn?.spec.isIdle?.(after) === true;
          if (isOver) due.delete(each);
        }
        // Before all kinds are listed a change wakes no key: a relist of the functions follows.
        if (world.relayOf(process)?.status().ready !== true) return;
        const why = `${type.kind} ${name}@${resourceVersion}`;
        void wokenBy(world, type, before, after).then((woken) => {
          for (const { functionName, key } of woken)
            due.set(`${functionName} ${key}`, { why, isEnqueued: false, process });
        });
      });
      ledger.onEnqueue((functionName, { key, priority: wanted, cause }) => {
        const name = `${functionName} ${key}`;
        if (wanted === "resync") {
          // A first list delivers its changes in this way. The periodic resync brings keys, not changes.
          if (!isResync(cause) && due.get(name)?.isEnqueued === false) due.delete(name);
        } else if (cause !== undefined) {
          const change = changeIn(cause);
          const { isEnqueued, process } = due.get(name) ?? {};
          if (!echoes.has(functionName, key, change))
            due.set(name, { why: cause.what, change, isEnqueued: true, process });
          else if (isEnqueued === false) due.delete(name);
        }
      });
      ledger.onFinish(({ functionName, claim: { key } }) => {
        const name = `${functionName} ${key}`;
        if (echoes.has(functionName, key, due.get(name)?.change)) due.delete(name);
      });
      ledger.onClaim((functionName, { key, causes }) => {
        forgetWithRelay();
        const name = `${functionName} ${key}`;
        const known = due.get(name);
        // Changes that the relay has not delivered yet are still to come.
        if (known?.isEnqueued !== true) return;
        evaluated();
        due.delete(name);
        if (isOnlyResync(causes)) violated(`only a relist has brought back ${name}, due to ${known.why}`);
      });
      onRest(() => {
        // Keys that a relay did not enqueue before its end are enqueued by the next one; F-01 judges that.
        for (const [name, { why, isEnqueued, process }] of due)
          if (isEnqueued) violated(`${name} has not run since ${why}`);
          else if (process?.isAlive === true) violated(`${name} was never woken by ${why}`);
      });
    },
  },
  {
    number: "F-03",
    title: "a change that wakes no key is a write of its own run, on exactly what that had read",
    watch({ world: { ledger }, onChange, violated, evaluated }) {
      /** Of each change the version before it. */
      const before = new Map<string, string | undefined>();
      onChange((change) => {
        if (change.after !== undefined)
          before.set(changeOf(change.after), change.before?.metadata.resourceVersion);
      });
      ledger.onFinish(({ functionName, claim, accepted, outcome }) => {
        if (!accepted) return;
        const own = echoesOf(outcome);
        const known = new Set([...own, ...objectsRead(outcome.record).map(({ object }) => changeOf(object))]);
        for (const echo of own) {
          // A server that was restored has never stored it.
          if (!before.has(echo)) continue;
          evaluated();
          const isKnown = known.has(`${echo.replace(/@.*/, "")}@${before.get(echo)}`);
          // A write that changed nothing is answered with the version that was read.
          const isRead = objectsRead(outcome.record).some(({ object }) => changeOf(object) === echo);
          if (!isKnown && !isRead)
            violated(
              `${functionName} ${claim.key} is not woken by ${echo}, and has not read what was before it`,
            );
        }
      });
    },
  },
  {
    number: "F-12",
    title:
      "a change of a dead key starts a fresh attempt; that it delays no other, F-01 and F-17 say; none stays dead",
    needs: { faults: ["X-24", "X-25", "X-39"], why: "no key dies" },
    watch({ world: { ledger }, violated, evaluated, onRest }) {
      /** Dead, or about to be: the letter is being written. */
      const dead = new Set<string>();
      const revived = new Set<string>();
      ledger.onFailure((functionName, { key, death }) => {
        // Only a malformed key is final: the ledger forgets it.
        if (death !== undefined && death.reason !== "Malformed") dead.add(`${functionName} ${key}`);
      });
      ledger.onEnqueue((functionName, { key, priority: wanted }) => {
        const name = `${functionName} ${key}`;
        if (wanted === "live" && dead.has(name)) revived.add(name);
      });
      ledger.onClaim((functionName, { key, failures }) => {
        const name = `${functionName} ${key}`;
        dead.delete(name);
        if (!revived.delete(name)) return;
        evaluated();
        if (failures > 0) violated(`${name} begins with ${failures} failures`);
      });
      ledger.onWipe(() => {
        dead.clear();
        revived.clear();
      });
      onRest(() => {
        for (const name of revived) violated(`${name} stays dead whatever changes`);
        // All faults ended more than 15 minutes ago.
        for (const name of dead) violated(`${name} is dead for good`);
      });
    },
  },
];

/** Functions with their keys that a change of the read model concerns; none while the kind is being listed. */
async function wokenBy(
  { functions, store }: World,
  type: TypeKey,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): Promise<readonly Woken[]> {
  if (!(await store.inner.progress(type)).ready) return [];
  const all = (kind: Kind) =>
    store.inner.list({ cluster: MANAGEMENT, group: kind.group, kind: kind.kind }, {});
  const isRecreated =
    before !== undefined && after !== undefined && before.metadata.uid !== after.metadata.uid;
  const changes = isRecreated ? [{ before }, { after }] : [{ before, after }];
  const woken = await Promise.all(changes.map((change) => concernedBy({ type, ...change }, functions, all)));
  return woken.flat();
}

function changeOf({ kind, metadata }: KubeObject): string {
  return changeIn({ what: titleOf(kind, metadata), resourceVersion: metadata.resourceVersion ?? "" });
}

function isOnlyResync(causes: readonly Cause[]): boolean {
  return causes.length > 0 && causes.every(isResync);
}

function isResync(cause: Cause | undefined): boolean {
  return cause?.what === "resync";
}
