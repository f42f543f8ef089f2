import type { Machine } from "../../../shared/api/machine/machine.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { MACHINES, onHandOver, REQUESTS } from "./hand-over-writes.ts";
import { OPT_OUTS } from "./judged-targets.ts";
import type { Needs, Oracle } from "./oracle.ts";
import { objectsRead } from "./run-reads.ts";
import { onWrite } from "./sent-write.ts";
import { serverHistoryOf } from "./server-history.ts";

const HOLD = "capstan.dev/hold-remediation";
/** An owner that has not taken its word back by then has left it over. */
const LEFT_OVER_MS = 60_000;

const needs: Needs = {
  workloads: ["W-25", "W-26", "W-27", "W-28", "W-29", "W-30"],
  why: "no Machine is handed over by a health check",
};

/** How health checks hand Machines over: F-33, F-36, F-37. */
export const handOvers: readonly Oracle[] = [
  {
    number: "F-33",
    title: "the request of a Machine is deleted once, when live reads show it healthy again",
    needs: { workloads: ["W-27", "W-28"], why: "no external controller remediates" },
    watch({ world, violated, evaluated }) {
      onWrite(world, ({ functionName, verb, place, run, body, title }) => {
        if (functionName !== "mhc-requests" || verb !== "delete" || place.type !== REQUESTS) return;
        evaluated();
        const live = objectsRead(run?.record).filter(
          ({ source, object }) => source === "live" && object.metadata.name === place.name,
        );
        const { resourceVersion } = Object(Object(body).preconditions) as {
          readonly resourceVersion?: string;
        };
        const isServed = live.some(
          ({ object }) => object.kind === "Machine" && healthOf(object as Machine)?.status === "True",
        );
        const read = live.find(
          ({ object }) =>
            object.kind === "SimRemediation" && object.metadata.resourceVersion === resourceVersion,
        );
        if (!isServed) violated(`its Machine is not healthy: ${title}`);
        if (read === undefined) violated(`it was not read in this version: ${title}`);
        else if (read.object.metadata.deletionTimestamp !== undefined)
          violated(`it is being deleted already: ${title}`);
      });
    },
  },
  {
    number: "F-36",
    title:
      "a Machine that has opted out, is paused, held or going anyway is not handed over by a health check",
    needs,
    watch({ world, violated, evaluated }) {
      onHandOver(world, ({ to, machines, write }) => {
        evaluated();
        const isOut = (machine: Machine | undefined): boolean =>
          machine !== undefined && (hasOptedOut(machine) || (to === "owner" && isGoing(machine)));
        // Nothing tests the Machine of a request: it counts what was so during the whole run.
        if (machines.length > 0 && machines.every(isOut)) violated(write.title);
      });
    },
  },
  {
    number: "F-37",
    title:
      "what an owner or an external controller says of a remediation stays as it is, but for what it has left over",
    needs,
    watch({ world, violated, evaluated }) {
      const history = serverHistoryOf(world);
      onWrite(world, ({ functionName, place, run, answer, title }) => {
        if (!WRITERS.has(functionName) || place.type !== MACHINES || run === undefined) return;
        if (history.isLostSince(run.startedInStep)) return;
        const versions = history.since(MACHINES, `${place.namespace}/${place.name}`, 0);
        const [before, after] = versions.slice(-2) as readonly (Machine | undefined)[];
        if (
          before === undefined ||
          after === undefined ||
          after.metadata.resourceVersion !== answer?.metadata.resourceVersion
        )
          return;
        evaluated();
        const nowMs = run.record?.clock?.getTime() ?? 0;
        for (const what of overwritten(before, after, functionName))
          if (!isTakenBack(before, after, nowMs)) violated(`${what} is not its own: ${title}`);
      });
    },
  },
];

const WRITERS: ReadonlySet<string> = new Set(["mhc-machines", "mhc-requests"]);

function healthOf({ status }: Machine) {
  return conditionOf(status?.conditions, "HealthCheckSucceeded");
}

function hasOptedOut({ metadata: { annotations } }: Machine): boolean {
  return [...OPT_OUTS, HOLD].some((name) => annotations?.[name] !== undefined);
}

function isGoing({ metadata }: Machine): boolean {
  return metadata.deletionTimestamp !== undefined;
}

type Said = { readonly type: string; readonly status: string; readonly reason?: string | undefined };

/** Conditions that a health check has changed although it was not its turn. */
function overwritten(before: Machine, after: Machine, functionName: string): readonly string[] {
  const [was, is] = [before, after].map(({ status }) => status?.conditions as readonly Said[] | undefined);
  const [wasOlder, isOlder] = [before, after].map(
    ({ status }) => status?.deprecated?.v1beta1?.conditions as readonly Said[] | undefined,
  );
  const marked = conditionOf(was, "OwnerRemediated")?.reason === "MachineDeleting";
  return [
    ...changed("OwnerRemediated", was, is, isOthers),
    ...changed("OwnerRemediated", wasOlder, isOlder, (said) => isOthers(said) || marked),
    ...changed("ExternallyRemediated", was, is, (said) =>
      functionName === "mhc-requests" ? !OWN_REASONS.has(said.reason ?? "") : isOthers(said),
    ),
  ];
}

/** Of `mhc-requests`, while no external controller has said anything. */
const OWN_REASONS: ReadonlySet<string> = new Set([
  "WaitingForRemediation",
  "RemediationRequestCreationFailed",
  "RemediationTemplateNotFound",
]);

function isOthers({ status }: Said): boolean {
  return status !== "True";
}

function changed(
  type: string,
  was: readonly Said[] | undefined,
  is: readonly Said[] | undefined,
  isKept: (said: Said) => boolean,
): readonly string[] {
  const [before, after] = [conditionOf(was, type), conditionOf(is, type)];
  if (before === undefined || !isKept(before)) return [];
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [type];
}

/** A word that stands beside a recovery for longer than owners take goes from both families, and nothing else. */
function isTakenBack(before: Machine, after: Machine, nowMs: number): boolean {
  const health = healthOf(before);
  const isLeft = [after.status?.conditions, after.status?.deprecated?.v1beta1?.conditions].some(
    (conditions) => conditionOf(conditions as readonly Said[] | undefined, "OwnerRemediated") !== undefined,
  );
  return (
    health?.status === "True" && Date.parse(health.lastTransitionTime) + LEFT_OVER_MS <= nowMs && !isLeft
  );
}
