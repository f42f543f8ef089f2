import type { HttpRequest } from "../../../infra/platform/kube/transport.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { World } from "../play/world.ts";
import type { ObservedRun } from "../ports/observed-runs.ts";
import { checkOf, isToController, isToOwner, operationsIn } from "./hand-over-writes.ts";
import { limitOf } from "./health-limit.ts";
import {
  type Evaluation,
  evaluationOf,
  type JudgedTarget,
  machinesListed,
  requestsListed,
} from "./judged-targets.ts";
import type { Oracle } from "./oracle.ts";
import { functionOf, parsed, placeOf } from "./sent-write.ts";

/** A request that was decided before a recovery has landed by then. */
const LANDING_MS = 31_000;

/** The evaluation from which a Machine is handed over: F-31. */
export const places: readonly Oracle[] = [
  {
    number: "F-31",
    title: "a hand-over within a limit is decided by a live list of its run, which shows enough free places",
    needs: { workloads: ["W-26", "W-27", "W-28", "W-29", "W-30"], why: "no health check has a limit" },
    watch({ world, violated, evaluated }) {
      onLeaving(world, (leaving) => {
        evaluated();
        for (const problem of [...problemsOfList(leaving), ...problemsOfPlaces(leaving)])
          violated(`${leaving.run.key} hands ${leaving.name} over ${problem}`);
      });
    },
  },
];

/** A hand-over within a limit, accepted or not. */
interface Leaving {
  readonly check: MachineHealthCheck;
  readonly run: ObservedRun;
  /** Of the Machine. */
  readonly name: string;
  /** Of the patch; undefined: a request is created. */
  readonly patch: unknown;
}

/** Calls back when such a request leaves its worker. */
function onLeaving(world: World, observer: (leaving: Leaving) => void): void {
  world.network.onLeave(({ request }) => {
    const run = world.runs.of(request.headers["audit-id"] ?? "");
    const check = run === undefined ? undefined : checkOf(run);
    if (run === undefined || check === undefined || !isLimited(check)) return;
    const subject = subjectOf(request);
    if (subject !== undefined) observer({ check, run, ...subject });
  });
}

/** The Machine that a request hands over. */
function subjectOf({
  method,
  path,
  headers,
  body: text = "",
}: HttpRequest): Pick<Leaving, "name" | "patch"> | undefined {
  const place = placeOf(path);
  if (place === undefined) return undefined;
  const body = parsed(text);
  const verb = method === "POST" ? "create" : "patch";
  const sent = { functionName: functionOf(headers), verb, place, body } as const;
  if (isToOwner(sent)) return { name: place.name, patch: body };
  return isToController(sent) ? { name: (body as KubeObject).metadata.name, patch: undefined } : undefined;
}

function isLimited({ spec: { remediation } }: MachineHealthCheck): boolean {
  return remediation?.triggerIf !== undefined || remediation?.templateRef !== undefined;
}

function problemsOfList({ run, name, patch }: Leaving): readonly string[] {
  const listed = machinesListed(run)?.find(({ metadata }) => metadata.name === name);
  if (listed === undefined) return ["without a live list that shows it"];
  const isOther = patch !== undefined && !isOfVersion(patch, listed);
  return isOther ? ["in another version than the list of its run has shown"] : [];
}

/** The place of a Machine that its controller has given up is the one that its request holds. */
function problemsOfPlaces({ check, run, patch }: Leaving): readonly string[] {
  const isExternal = check.spec.remediation?.templateRef !== undefined;
  const evaluation = evaluationOf(run, "servers");
  if (evaluation === undefined || (patch !== undefined && isExternal)) return [];
  const { targets } = evaluation;
  const used = usedIn(evaluation, isExternal ? requestsListed(run) : undefined).length;
  const failed = targets.filter(({ own }) => own.is !== "healthy").length;
  const { lower, upper } = limitOf(check, targets.length);
  return [
    ...(used > upper ? [`although ${used} places are used, allowed are ${upper}`] : []),
    ...(failed < lower ? [`although only ${failed} are not healthy, least are ${lower}`] : []),
  ];
}

/** `requests`: undefined where no external controller remediates. */
function usedIn(
  { targets, clockMs }: Evaluation,
  requests: readonly KubeObject[] | undefined,
): readonly JudgedTarget[] {
  const names = new Set(requests?.map(({ metadata }) => metadata.name));
  return targets.filter((target) => usesPlace(target, names, requests === undefined ? undefined : clockMs));
}

/** Whether a patch tests the version and the failed check that a list has shown. */
function isOfVersion(body: unknown, { metadata, status }: Machine): boolean {
  const tests = operationsIn(body).filter(({ op }) => op === "test");
  const tested = new Map(
    tests.map((operation) => [operation.path, "value" in operation ? operation.value : undefined]),
  );
  const index = status?.conditions?.findIndex(({ type }) => type === "HealthCheckSucceeded") ?? -1;
  const element = Object(tested.get(`/status/conditions/${index}`)) as { readonly status?: string };
  return tested.get("/metadata/resourceVersion") === metadata.resourceVersion && element.status === "False";
}

/** `externalMs`: the time, where an external controller remediates. */
function usesPlace(
  { machine, own }: JudgedTarget,
  requests: ReadonlySet<string>,
  externalMs: number | undefined,
): boolean {
  const { conditions } = machine.status ?? {};
  const health = conditionOf(conditions, "HealthCheckSucceeded");
  const isOwned = machine.metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
  const isWithOwner = isOwned && conditionOf(conditions, "OwnerRemediated")?.status === "False";
  const mayLand =
    externalMs !== undefined &&
    conditionOf(conditions, "ExternallyRemediated") !== undefined &&
    health?.status === "True" &&
    Date.parse(health.lastTransitionTime) + LANDING_MS > externalMs;
  const isRequested = externalMs !== undefined && requests.has(machine.metadata.name);
  return own.is !== "healthy" || health?.status === "False" || isWithOwner || isRequested || mayLand;
}
