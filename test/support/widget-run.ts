import { createMemoryStore } from "../../infra/queue/backends/embedded/store.ts";
import { Secret } from "../../shared/api/core.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { type AnyDecision, defineFunction, type StepContext } from "../../shared/function/define-function.ts";
import type { AttemptRecord } from "../../shared/runtime/attempt-record.ts";
import type { Log, Store } from "../../shared/runtime/ports.ts";
import type { Lease } from "../../shared/runtime/queue/queue-port.ts";
import { type EndedRun, runStep } from "../../shared/runtime/run-step.ts";
import type { SentEvents } from "../../shared/runtime/write/send-events.ts";
import { virtualClock } from "./clock.ts";
import { recordingClients, type SentWrite } from "./recording-clients.ts";
import { silentLog } from "./silent-log.ts";
import { Gadget, WIDGET_KEY, WIDGETS, Widget, widget } from "./widget.ts";

/** A step of the function that `runWidget` runs. */
export type GrowStep = (
  object: Widget,
  context: StepContext,
) => Promise<
  Omit<AnyDecision, "apply" | "own" | "evict"> & { readonly apply?: { readonly "status.size": number } }
>;

function grow({ step, notes = [], settles }: Pick<Given, "step" | "notes" | "settles">) {
  return defineFunction(
    {
      name: "widget-grow",
      summary: "Grows.",
      source: "own",
      reconciles: Widget,
      ...(settles && { settles }),
      watches: [],
      owns: ["status.size"],
      ownsOn: [
        { kind: Gadget, fields: ["spec.size"] },
        { kind: Widget as Kind, fields: notes },
      ],
      calls: [{ verb: "create", kind: Secret }],
    },
    step,
  );
}

interface Given {
  readonly step: GrowStep;
  /** Further fields of Widgets that it patches. */
  readonly notes?: readonly string[];
  /** Whether its own writes do not wake it. */
  readonly settles?: true;
  readonly lease?: Partial<Lease>;
  readonly store?: Store;
  readonly refuse?: (write: SentWrite) => Error | undefined;
  readonly log?: Log;
  readonly sentEvents?: SentEvents;
  /** Object on the server; the snapshot is version 7. */
  readonly liveVersion?: string;
}

/** Runs `widget-grow` once for Widget `default/w`, on a read model that holds it at version 7. */
export async function runWidget(given: Given): Promise<{
  readonly outcome: WithoutRecord<EndedRun>;
  readonly record: AttemptRecord;
  readonly sent: readonly SentWrite[];
}> {
  const store = given.store ?? (await storeOf(widget()));
  const { liveVersion } = given;
  const served = liveVersion === undefined ? [] : [widget({ resourceVersion: liveVersion })];
  const clients = recordingClients(given.refuse, served);
  const lease: Lease = {
    key: WIDGET_KEY,
    runId: "r1",
    causes: [],
    failures: 0,
    retries: 0,
    fences: [],
    signal: new AbortController().signal,
    ...given.lease,
  };
  const context = {
    store,
    clients,
    clock: virtualClock(),
    log: given.log ?? silentLog,
    sentEvents: given.sentEvents,
  };
  const { record, ...outcome } = await runStep(grow(given), lease, context);
  return { outcome, record, sent: clients.sent };
}

type WithoutRecord<T> = T extends unknown ? Omit<T, "record"> : never;

/** A complete list of Widgets at version 7 with these. */
export async function storeOf(...widgets: readonly Widget[]): Promise<Store> {
  const store = createMemoryStore();
  await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
  for (const one of widgets) await store.put(WIDGETS, [one]);
  return store;
}

/** A step that decides this. */
export const decides =
  (decision: Awaited<ReturnType<GrowStep>>): GrowStep =>
  async () =>
    decision;
