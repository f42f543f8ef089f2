import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Oracle, StoredChange } from "./oracle.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

interface Reported {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

/** Rules of statuses about themselves. */
export const conditions: readonly Oracle[] = [
  {
    number: "F-18",
    title:
      "lastTransitionTime changes only together with status; observedGeneration is real and never goes back",
    watch({ onChange, violated, evaluated }) {
      onChange((change) => {
        const { type, after } = change;
        if (after === undefined) return;
        const now = statusOf(after);
        if (now.conditions !== undefined || now.observedGeneration !== undefined) evaluated();
        for (const wrong of wrongIn(change, after))
          violated(`${type} ${after.metadata.namespace ?? ""}/${after.metadata.name} ${wrong}`);
      });
    },
  },
];

function wrongIn({ before }: StoredChange, after: KubeObject): readonly string[] {
  const isSame = before !== undefined && before.metadata.uid === after.metadata.uid;
  const was = isSame ? statusOf(before) : {};
  const now = statusOf(after);
  const { generation = 0 } = after.metadata;
  const earlier = new Map(was.conditions?.map((each) => [each.type, each]));
  return [
    ...generations("the status", was.observedGeneration, now.observedGeneration, generation),
    ...(now.conditions ?? []).flatMap((condition) => {
      const { type, observedGeneration } = condition;
      const known = earlier.get(type);
      const moved = isMoved(known, condition)
        ? [`${type} has a new transition time and the same status`]
        : [];
      return [...moved, ...generations(type, known?.observedGeneration, observedGeneration, generation)];
    }),
  ];
}

function generations(
  what: string,
  before = 0,
  now: number | undefined,
  generation: number,
): readonly string[] {
  if (now === undefined) return [];
  if (now > generation) return [`${what} has observed a generation that is yet to come`];
  return now < before ? [`${what} observes an older generation`] : [];
}

/** Whether the transition time is new although the status is not. */
function isMoved(before: Condition | undefined, now: Condition): boolean {
  return before?.status === now.status && before.lastTransitionTime !== now.lastTransitionTime;
}

function statusOf(object: KubeObject): Reported {
  return (object as unknown as { readonly status?: Reported }).status ?? {};
}
