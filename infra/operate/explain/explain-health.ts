import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Connection } from "../../../shared/api/core.ts";
import { groupOf, type Kind, type KubeObject, MANAGEMENT, objectKeyOf } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { valueAt } from "../../../shared/api/path.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { HealthReport, RequestReport } from "../../../shared/function/health-report.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { createReader } from "../../../shared/runtime/read/reader.ts";
import { resolveReference } from "../../../shared/runtime/read/resolve-reference.ts";
import { storeLookup } from "../../../shared/runtime/read/store-lookup.ts";
import type { ReadSources } from "./explain-step.ts";
import { clusterKeyOf, clusterNamed } from "./object-tree.ts";

/** One health check: of all its targets, or of the Machine that is explained. */
export interface ExplainedHealth extends HealthReport {
  /** `default/h1` */
  readonly healthCheck: string;
  readonly unseen?: Unseen;
  /** State of the request of the Machine that is explained, in the words of its controller. */
  readonly requestState?: string;
}

/** A gap: since when the workload cluster does not show its Nodes, RFC 3339, and why, as far as it is known. */
interface Unseen {
  readonly since?: string;
  readonly reason?: string;
}

export interface HealthSources {
  readonly model: ReadSources;
  readonly functions: readonly AnyFunction[];
  readonly clock: Clock;
}

interface Reporter {
  readonly fn: AnyFunction;
  readonly report: NonNullable<AnyFunction["report"]>;
}

/**
 * Asks the functions that judge health for what they know: of a health check all of it, of a Machine what each check
 * that selects it says about it. Nothing for other kinds.
 */
export async function explainHealth(
  sources: HealthSources,
  { kind, object }: { readonly kind: Kind; readonly object: KubeObject },
): Promise<readonly ExplainedHealth[]> {
  const reporters = sources.functions.flatMap((fn) =>
    fn.report === undefined ? [] : [{ fn, report: fn.report }],
  );
  if (kind.kind !== Machine.kind || kind.group !== Machine.group) {
    const own = reporters.filter(({ fn }) => isSame(fn.spec.reconciles, kind));
    return Promise.all(own.map((reporter) => ask(sources, reporter, object)));
  }
  const found: ExplainedHealth[] = [];
  for (const reporter of reporters) {
    for (const check of await checksBeside(sources, reporter.fn.spec.reconciles, object)) {
      const all = await ask(sources, reporter, check);
      const targets = all.targets.filter(({ machine }) => machine === object.metadata.name);
      if (targets.length > 0)
        found.push({ ...all, targets, ...(await requestOf(sources, targets[0]?.request, object)) });
    }
  }
  return found;
}

function isSame(a: Kind, b: Kind): boolean {
  return a.kind === b.kind && a.group === b.group;
}

/** The health checks of the Cluster of a Machine; whether one selects it, the function says. */
async function checksBeside(
  { model: { store } }: HealthSources,
  kind: Kind,
  machine: KubeObject,
): Promise<readonly KubeObject[]> {
  const cluster = clusterNamed(Machine as unknown as Kind, machine);
  const type = managementType(kind);
  return store.list(type, { index: { name: "cluster", values: [cluster ?? ""] } });
}

/** Asks by the reader of a run, so that it reads what the function may read. */
async function ask(
  { model, clock }: HealthSources,
  { fn, report }: Reporter,
  check: KubeObject,
): Promise<ExplainedHealth> {
  const { store, clients } = model;
  const read = createReader({ store, clients, function: fn, stale: [] });
  const reported = await report(check, { read, now: clock.now() });
  const unseen = reported.nodes === "unseen" ? await unseenOf(model, fn.spec.reconciles, check) : undefined;
  const { namespace, name } = objectKeyOf(check);
  return { healthCheck: `${namespace}/${name}`, ...reported, ...(unseen === undefined ? {} : { unseen }) };
}

/** A relay that has just started knows only its own attempts; the condition of the Cluster is older. */
async function unseenOf({ store }: HealthSources["model"], kind: Kind, check: KubeObject): Promise<Unseen> {
  const at = clusterKeyOf(kind, check) ?? { namespace: "", name: "" };
  const lookup = storeLookup(store);
  const [cluster, connection] = await Promise.all([lookup.get(Cluster, at), lookup.get(Connection, at)]);
  const probe = conditionOf(cluster?.status?.conditions, "RemoteConnectionProbe");
  const { lastSuccess, failingSince, message } = connection?.status ?? {};
  const said = probe?.status === "False" ? probe : undefined;
  const since = said?.lastTransitionTime ?? lastSuccess ?? failingSince;
  const reason = message ?? said?.message;
  return { ...(since === undefined ? {} : { since }), ...(reason === undefined ? {} : { reason }) };
}

/** Reads the words of the controller of a request live: snapshots keep no status of requests. */
async function requestOf(
  { model: { store, clients } }: HealthSources,
  request: RequestReport | undefined,
  { metadata }: KubeObject,
): Promise<Pick<ExplainedHealth, "requestState">> {
  if (request === undefined) return {};
  const { apiVersion, kind, name } = request;
  const version = apiVersion.split("/")[1];
  const resolved = await resolveReference(store, { apiGroup: groupOf(apiVersion), kind, name, version });
  if (resolved.state === "unresolved") return { requestState: resolved.message };
  // A user without the right to read requests still sees everything else.
  const live = await clients
    .of(MANAGEMENT, "explain")
    .get(resolved.kind, { namespace: metadata.namespace ?? "", name })
    .catch((error: Error) => error.message);
  if (typeof live === "string") return { requestState: `cannot be read: ${live}` };
  return { requestState: live === undefined ? "is gone" : stateOf(live) };
}

/** Returns `phase Running; Succeeded False: NodeNotFound`, of any controller. */
function stateOf(request: KubeObject): string {
  const phase = valueAt(request, "status.phase");
  const conditions = valueAt(request, "status.conditions");
  const reported = (Array.isArray(conditions) ? conditions : []).map((one: unknown) => {
    const [type, status, reason] = ["type", "status", "reason"].map((field) =>
      String(valueAt(one, field) ?? ""),
    );
    return `${type} ${status}${reason === "" ? "" : `: ${reason}`}`;
  });
  const parts = [...(typeof phase === "string" ? [`phase ${phase}`] : []), ...reported];
  return parts.length === 0 ? "its controller has said nothing yet" : parts.slice(0, MAX_PARTS).join("; ");
}
const MAX_PARTS = 10;
