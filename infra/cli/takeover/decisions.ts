import { explainStep } from "../../operate/explain/explain-step.ts";
import type { Member } from "../../operate/takeover/families.ts";
import { runsOf } from "../../operate/takeover/runs.ts";
import type { Survey } from "../../operate/takeover/survey.ts";
import { systemClock } from "../../platform/clock.ts";
import { fillReadModel, type ReadModel } from "../explain/read-model.ts";

/** Requests that the functions would send for a Cluster if it were with Capstan now. */
export interface Decisions {
  /** `<namespace>/<name>` */
  readonly cluster: string;
  /** `delete Machine default/m1`, one for each request, sorted. */
  readonly wouldSend: readonly string[];
}

/** Runs the step of every function on the live objects of each Cluster, and sends nothing. */
export async function decide(
  { clusters }: Survey,
  kubeconfig: string | undefined,
): Promise<readonly Decisions[]> {
  await using model = await fillReadModel({ kubeconfig });
  const decided: Decisions[] = [];
  for (const { name, members } of clusters) {
    await model.connected(name);
    const sent = await Promise.all(members.map((member) => sendsFor(model, member)));
    decided.push({ cluster: name, wouldSend: sent.flat().toSorted() });
  }
  return decided;
}

async function sendsFor(model: ReadModel, member: Member): Promise<readonly string[]> {
  const { object } = member;
  const sent = await Promise.all(
    runsOf(member, model.functions).map(async ({ fn, key }) => {
      return (await explainStep(fn, { key, object }, { ...model, clock: systemClock })).wouldSend;
    }),
  );
  return sent.flat();
}
