import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import { groupOf, type KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { definitionsOf } from "../../../shared/contract/referenced.ts";
import type { StepContext } from "../../../shared/function/define-function.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { judge } from "./judge.ts";
import { type Budget, budgetOf } from "./limit.ts";
import { splitBySpeaker } from "./overlap.ts";
import { readScene, type Scene } from "./reads.ts";
import { readRequestKind, readRequests } from "./request-reads.ts";
import type { Verdict } from "./verdict.ts";

/** Everything that the status of a health check is computed from. */
export interface CheckView {
  readonly check: MachineHealthCheck;
  readonly cluster: Cluster;
  readonly now: Date;
  /** Nothing is left for the guard to write. */
  readonly settled: boolean;
  /** `unseen`: the workload cluster cannot be looked at. `problem`: the selector cannot be read. */
  readonly found: "unseen" | { readonly problem: string } | Counted;
}

/** The targets, judged. */
export interface Counted {
  /** The targets, by name. */
  readonly targets: readonly Machine[];
  readonly verdicts: readonly Verdict[];
  readonly budget: Budget;
  readonly exists: Existence;
  /** All health checks of the Cluster that are not paused. */
  readonly checks: readonly MachineHealthCheck[];
}

/** Whether template and request exist, as far as it was asked for; `undefined`: not known. */
interface Existence {
  readonly template?: boolean | undefined;
  readonly request?: boolean | undefined;
}

/** Reads the view. A Node that a complete view lacks is gone: the status starts nothing, it only reports. */
export async function readView(
  { read, now }: StepContext,
  check: MachineHealthCheck,
  cluster: Cluster,
  settled: boolean,
): Promise<CheckView> {
  const view = { check, cluster, now, settled };
  const scene = await readScene(read, check, cluster);
  if (scene === "unseen" || "problem" in scene) return { ...view, found: scene };
  const judged = judge({ ...scene, checks: [check] }, () => true, now);
  const verdicts = judged.map(({ verdict }) => verdict);
  const { targets, checks } = scene;
  const exists = await readExistence(read, scene);
  return { ...view, found: { targets, checks, verdicts, budget: budgetOf(check, verdicts), exists } };
}

/** Only a failure that has been said, and that no target shows now, or that another one is in front of. */
async function readExistence(read: Reader, { check, checks, targets }: Scene): Promise<Existence> {
  const isUnsaid = splitBySpeaker(check, { checks, targets }).others.length > 0;
  const said = check.status?.deprecated?.v1beta1?.conditions;
  const hasFailed = (type: string) => conditionOf(said, type)?.status === "False";
  return {
    template: hasFailed(TEMPLATE_AVAILABLE) || isUnsaid ? await templateExists(read, check) : undefined,
    request: hasFailed(REQUEST_AVAILABLE) ? await requestExists(read, check, targets) : undefined,
  };
}

export const TEMPLATE_AVAILABLE = "ExternalRemediationTemplateAvailable";
export const REQUEST_AVAILABLE = "ExternalRemediationRequestAvailable";

/** Snapshots of a kind that is not watched say nothing. */
async function templateExists(
  read: Reader,
  { metadata, spec }: MachineHealthCheck,
): Promise<boolean | undefined> {
  const template = spec.remediation?.templateRef;
  if (template === undefined) return undefined;
  const { kind, name } = template;
  const [apiGroup, version] = [groupOf(template.apiVersion), template.apiVersion.split("/")[1]];
  const definitions = await read.list(CustomResourceDefinition, definitionsOf({ kind }));
  const isWatched = definitions.some((crd) => crd.spec.group === apiGroup && crd.status?.watched === true);
  if (!isWatched) return undefined;
  const { state } = await read.referenced({ apiGroup, kind, name, version }, metadata.namespace ?? "");
  return state === "found";
}

async function requestExists(
  read: Reader,
  check: MachineHealthCheck,
  targets: readonly Machine[],
): Promise<boolean | undefined> {
  const kind = await readRequestKind(read, check);
  if (kind.state !== "resolved" || !kind.isWatched) return undefined;
  const requests = await readRequests(read, check, kind);
  return targets.some(({ metadata }: KubeObject) => requests.has(metadata.name));
}
