import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Oracle } from "./oracle.ts";

interface Reported {
  readonly observedGeneration?: number;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly lastTransitionTime?: string;
    readonly observedGeneration?: number;
  }[];
}

/** What statuses say about themselves. */
export const conditions: readonly Oracle[] = [
  {
    number: "F-18",
    title:
      "lastTransitionTime changes only together with status; observedGeneration is real and never goes back",
    watch({ onChange, violated }) {
      onChange(({ type, before, after }) => {
        if (after === undefined) return;
        const isSame = before !== undefined && before.metadata.uid === after.metadata.uid;
        const was = isSame ? statusOf(before) : {};
        const now = statusOf(after);
        const { generation = 0 } = after.metadata as { readonly generation?: number };
        const tell = (what: string): void => violated(`${nameOf(type, after)} ${what}`);
        const observed = now.observedGeneration ?? 0;
        if (observed > generation) tell("has observed a generation that is yet to come");
        if (observed < (was.observedGeneration ?? 0)) tell("observes an older generation");
        for (const moved of movedConditions(was, now))
          tell(`${moved} has a new transition time and the same status`);
      });
    },
  },
];

/** Types of conditions whose transition time is new although their status is not. */
function movedConditions(was: Reported, now: Reported): readonly string[] {
  const earlier = new Map(was.conditions?.map((each) => [each.type, each]));
  return (now.conditions ?? []).flatMap(({ type, status, lastTransitionTime }) => {
    const before = earlier.get(type);
    return before?.status === status && before.lastTransitionTime !== lastTransitionTime ? [type] : [];
  });
}

function statusOf(object: KubeObject): Reported {
  return (object as unknown as { readonly status?: Reported }).status ?? {};
}

function nameOf(type: string, { metadata }: KubeObject): string {
  return `${type} ${metadata.namespace ?? ""}/${metadata.name}`;
}
