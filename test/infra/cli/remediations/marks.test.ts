import { describe, expect, it } from "vitest";
import { mhcMachines } from "../../../../functions/mhc/machines.ts";
import { markedUnhealthy } from "../../../../functions/mhc/rules/machine-writes.ts";
import { claimedMarks, isAfter, type Mark, marksOf } from "../../../../infra/cli/remediations/marks.ts";
import { recordedIn } from "../../../../infra/cli/remediations/policy-history.ts";
import type { Event } from "../../../../shared/api/core.ts";
import { sendEvents } from "../../../../shared/runtime/write/send-events.ts";
import { at, failed, machineWith } from "../../../support/checked-machines.ts";
import { virtualClock } from "../../../support/clock.ts";
import { healthCheck } from "../../../support/health-checks.ts";
import { recordingClients } from "../../../support/recording-clients.ts";
import { entryOf, remediationPolicy } from "../../../support/remediation-policies.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { NOW } from "../../../support/world.ts";

const FAILED_AT = at("10:59:00");

/** The Event of a hand-over of m1, as Capstan sends it. */
async function eventOf(check: string, failedAt = FAILED_AT): Promise<Event> {
  const object = healthCheck({ metadata: { name: check } });
  const clients = recordingClients();
  const notice = markedUnhealthy(object, machineWith("m1", failed(failedAt)), NOW);
  const signal = new AbortController().signal;
  const context = { function: mhcMachines, object, clients, clock: virtualClock(), log: silentLog, signal };
  await sendEvents([notice], context);
  return clients.sent[0]?.body as Event;
}

const recorded = (...failures: readonly string[]) =>
  recordedIn([
    remediationPolicy({ status: { remediations: failures.map((failedAt) => entryOf("m1", { failedAt })) } }),
  ]);

describe("the Event of a hand-over", () => {
  it("is found by the failure before it, whatever clock has stamped it", async () => {
    const marks = marksOf([await eventOf("h1")]);
    const event = { related: { kind: "MachineSet", name: "s1" } };
    expect(marks).toMatchObject([{ uid: "uid-m1", machine: "default/m1", healthCheck: "default/h1", event }]);
    const [mark] = marks as [Mark];
    expect([isAfter(mark, FAILED_AT), isAfter(mark, at("11:00:00"))]).toEqual([true, false]);
  });

  it("belongs to the entry of its failure and its health check, else to one of its failure", async () => {
    const events = await Promise.all([eventOf("h2"), eventOf("h1"), eventOf("h1", at("11:30:00"))]);
    const [ofOther, ofOwn, later] = marksOf(events) as [Mark, Mark, Mark];
    const [first, second] = recorded(FAILED_AT, at("11:30:00"));
    const entries = [first, second].flatMap((entry) => entry ?? []);
    expect([...claimedMarks(entries, [ofOther, ofOwn, later]).values()]).toEqual([ofOwn, later]);
    expect([...claimedMarks(entries, [ofOther]).values()]).toEqual([ofOther]);
    expect(claimedMarks(recorded(at("11:45:00")), [ofOther, ofOwn, later]).size).toBe(0);
  });
});
