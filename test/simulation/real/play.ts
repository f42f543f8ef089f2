import { setTimeout } from "node:timers/promises";
import type { ServerFlavour } from "../../support/processes/api-servers.ts";
import type { AuditedRequest } from "../../support/processes/audit-log.ts";
import { differencesOf, type State } from "../play/state.ts";
import { workloadOf } from "../workloads/known.ts";
import type { Scenario } from "./scenario.ts";
import { type Stage, setStage } from "./stage.ts";

/** The state at rest. */
export interface Ending {
  readonly state: State;
  /** Objects that came into being and deletions that were accepted, by verb and resource: `p1 by machinepool-delete`. */
  readonly effects: ReadonlyMap<string, readonly string[]>;
}

export interface Played {
  /** `F-01: …`; empty when everything is as it should be. */
  readonly violations: readonly string[];
  /** From the end of the fault to the state without it; 0 = it was there before. */
  readonly recoveredAfterMs: number;
}

const SECOND = 1_000;
/** For users and faults together. */
const PATIENCE_MS = 5 * 60 * SECOND;
/** The bound of F-01 after an outage of the store or a lease that has to run out; what is left of a backoff included. */
const BOUND_MS = 3 * 60 * SECOND;
/** F-02; two relist periods are too long for processes that do not have simulated time. */
const QUIET_MS = 15 * SECOND;

/** A scenario takes a minute; its checks end by themselves within this. */
export const LIMIT_MS = PATIENCE_MS + 3 * BOUND_MS;

/** The workload without any fault. Throws when it does not come to its end. */
export async function playUndisturbed(number: string, server: ServerFlavour): Promise<Ending> {
  await using stage = await setStage({ server });
  if (!(await inTime(workloadOf(number).run(stage.onlooker))))
    throw new Error(`${number} without faults: users still wait after ${PATIENCE_MS / SECOND} s`);
  await silence(stage, BOUND_MS);
  return endingOf(stage);
}

/** Plays a scenario and compares its end with the undisturbed one. */
export async function play(scenario: Scenario, server: ServerFlavour, expected: Ending): Promise<Played> {
  await using stage = await setStage({ server, ...scenario.stage });
  const { onlooker } = stage;
  const strike = async (): Promise<void> => {
    await onlooker.until(() => scenario.when(onlooker));
    await scenario.strike(stage);
  };
  if (!(await inTime(Promise.all([workloadOf(scenario.workload).run(onlooker), strike()])))) {
    const violations = [`F-01: users still wait after ${PATIENCE_MS / SECOND} s`];
    return { violations, recoveredAfterMs: PATIENCE_MS };
  }
  const healedAt = performance.now();
  const violations = [...(await converge(stage, expected.state))];
  const recoveredAfterMs = Math.round(performance.now() - healedAt);
  violations.push(...(await rest(stage)), ...(await refusalsIn(stage)));
  const { effects } = await endingOf(stage);
  for (const what of new Set([...expected.effects.keys(), ...effects.keys()])) {
    const [wanted = [], found = []] = [expected.effects.get(what), effects.get(what)];
    if (wanted.length !== found.length)
      violations.push(`F-10: ${what}: ${found.join(", ")}; without faults: ${wanted.join(", ")}`);
  }
  return { violations, recoveredAfterMs };
}

async function inTime(work: Promise<unknown>): Promise<boolean> {
  const late = setTimeout(PATIENCE_MS, false, { ref: false });
  return Promise.race([work.then(() => true), late]);
}

/** F-01. */
async function converge({ onlooker }: Stage, expected: State): Promise<readonly string[]> {
  const until = performance.now() + BOUND_MS;
  for (;;) {
    const differences = differencesOf(expected, await onlooker.state());
    if (differences.length === 0) return [];
    if (performance.now() > until) return differences.map((difference) => `F-01: ${difference}`);
    await setTimeout(SECOND);
  }
}

/** F-02. */
async function rest(stage: Stage): Promise<readonly string[]> {
  if (await silence(stage, BOUND_MS)) return [];
  return [`F-02: ${writesOf(await stage.requests()).at(-1)?.userAgent} still writes`];
}

/** Only accounts of a deployment have a ServiceAccount. */
async function refusalsIn({ requests }: Stage): Promise<readonly string[]> {
  const refused = (await requests()).filter(
    ({ code, user = "" }) => code === 403 && user.startsWith("system:serviceaccount:"),
  );
  const deeds = refused.map(
    ({ user, verb, resource, subresource }) => `${user} ${verb} ${resource} ${subresource ?? ""}`,
  );
  return [...new Set(deeds)].map((deed) => `refused: ${deed.trim()}`);
}

/** Waits until there was no write for a while; false when that does not come about within the limit. */
async function silence(stage: Stage, limitMs: number): Promise<boolean> {
  const until = performance.now() + limitMs;
  let before = -1;
  while (performance.now() < until) {
    const { length } = writesOf(await stage.requests());
    if (length === before) return true;
    before = length;
    await setTimeout(QUIET_MS);
  }
  return false;
}

async function endingOf({ onlooker, requests }: Stage): Promise<Ending> {
  const effects = new Map<string, string[]>();
  for (const { verb, resource, code, name, userAgent } of writesOf(await requests())) {
    const what = code === 201 ? `created ${resource}` : verb === "delete" ? `deleted ${resource}` : undefined;
    if (what === undefined || UNCOUNTED.has(resource)) continue;
    const who = `${name} by ${userAgent.split(" ").at(-1)}`;
    effects.set(what, [...(effects.get(what) ?? []), who]);
  }
  return { state: await onlooker.state(), effects };
}

/** Events are a courtesy; a review is not stored, and the stage asks again until the server knows its accounts. */
const UNCOUNTED: ReadonlySet<string> = new Set(["events", "subjectaccessreviews"]);
const WRITES: ReadonlySet<string> = new Set(["create", "patch", "update", "delete"]);

/** Accepted requests, without those of the server and its controllers; leases are kept while a relay leads. */
function writesOf(requests: readonly AuditedRequest[]): readonly AuditedRequest[] {
  return requests.filter(
    ({ verb, code, resource, userAgent }) =>
      WRITES.has(verb) && code < 300 && resource !== "leases" && !userAgent.startsWith("kube-"),
  );
}
