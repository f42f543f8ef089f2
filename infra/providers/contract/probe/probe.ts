import { Namespace } from "../../../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../../../shared/api/kinds.ts";
import { valueAt } from "../../../../shared/api/path.ts";
import { ALL_RULES } from "../../../../shared/contract/rules/all.ts";
import { probeRulesOf } from "../../../../shared/contract/rules/probe/checks.ts";
import { type Life, titleOf } from "../../../../shared/contract/rules/probe/subject.ts";
import { KubeError, messageOf } from "../../../../shared/function/errors.ts";
import { compareText } from "../../../../shared/rules/conditions/conditions.ts";
import type { Clock } from "../../../../shared/runtime/ports.ts";
import type { Server } from "../../../platform/kube/client.ts";
import { isObject } from "../../../platform/kube/kind-shapes.ts";
import type { Finding, Outcome } from "../finding.ts";
import { judge } from "../judge.ts";
import type { CrdOptions } from "../judge-crds.ts";
import type { Waivers } from "../waivers.ts";
import { cleanUp, type Left } from "./clean-up.ts";
import type { LifeOptions, ManifestObject } from "./manifest.ts";
import { type LivedLife, runLife } from "./run-life.ts";
import { openScratch, type Scratch } from "./scratch.ts";
import { addressPoolsIn, clustersIn, objectsIn, templatesIn } from "./views.ts";

export interface ProbeOptions extends LifeOptions, Pick<CrdOptions, "named"> {
  readonly namespace: string;
  readonly waivers: Waivers;
  readonly clock: Clock;
}

export interface ProbeOutcome extends Outcome {
  /** Who plays core, by Leases and field managers. */
  readonly cores: readonly string[];
  readonly timeline: readonly TimelineEntry[];
  /** Objects that are still there, with their finalizers. */
  readonly left: readonly string[];
}

interface TimelineEntry {
  /** RFC 3339. */
  readonly at: string;
  readonly step: string;
}

const LEASES: Kind = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
};

const MAX_LEASES = 1_000;
const OF_CORE = /capi|cluster-api|capstan/;
const OWN = "capstan-contract-";

/**
 * Lives the life of a Cluster in a namespace of its own and judges the providers by it. Cleans up, also after `signal`.
 * Throws where the namespace is taken, the server cannot be read, or the manifest cannot be applied.
 */
export async function probe(
  server: Server,
  manifest: readonly ManifestObject[],
  options: ProbeOptions,
): Promise<ProbeOutcome> {
  const { namespace, clock, signal } = options;
  const scratch = await openScratch(server, options);
  const timeline: TimelineEntry[] = [];
  const note = (step: string): void => {
    timeline.push({ at: clock.now().toISOString(), step });
    options.note(step);
  };
  const uid = await makeNamespace(scratch);
  note(`made Namespace ${namespace}`);
  let lived: LivedLife;
  let cores: readonly string[];
  try {
    lived = await runLife(scratch, manifest, { ...options, note });
    cores = signal.aborted ? [] : await coresOf(scratch, lived.life.provisioned);
  } catch (error) {
    await cleanedUp(scratch, uid, options);
    throw error;
  }
  note("deletes the Cluster");
  const left = await cleanedUp(scratch, uid, options);
  note(left.atEnd.size === 0 ? "cleaned up" : "could not clean up everything");
  const titles = [...left.atEnd].map(([title, finalizers]) => withFinalizers(title, finalizers));
  const messages = [
    ...(lived.ended === undefined ? [] : lived.ended.split("\n")),
    ...titles.map((title) => `${title} is left: its controller must remove the finalizers`),
  ];
  const life = { ...lived.life, left: left.withCluster, outlived: left.outlived };
  const findings = judgeLife(scratch, life, options.waivers);
  return {
    crds: [],
    findings,
    judged: `judged by the life of ${new Set(findings.map(({ object }) => object)).size} objects`,
    problems: messages.map((message) => ({ file: namespace, message })),
    rules: ALL_RULES,
    cores,
    timeline,
    left: titles,
  };
}

/** Returns who plays core: holders of Leases by their names, and the field managers of the Cluster's status. */
export async function coresOf(
  { client }: Pick<Scratch, "client">,
  snapshot: ReadonlyMap<string, KubeObject>,
): Promise<readonly string[]> {
  const leases = await leasesOf(client);
  const fields = clustersIn(snapshot).flatMap((cluster) => {
    const managed = valueAt(cluster, "metadata.managedFields");
    return Array.isArray(managed) ? managed : [];
  });
  const managers = fields
    .filter((entry) => isObject(entry) && (entry["subresource"] === "status" || hasFinalizers(entry)))
    .map((entry) => String(valueAt(entry, "manager")))
    .filter((manager) => !manager.startsWith(OWN));
  return [
    ...leases,
    ...[...new Set(managers)].sort(compareText).map((manager) => `field manager ${manager}`),
  ];
}

function hasFinalizers(entry: unknown): boolean {
  return valueAt(entry, "fieldsV1.f:metadata.f:finalizers") !== undefined;
}

async function leasesOf(client: Scratch["client"]): Promise<readonly string[]> {
  try {
    const { items } = await client.list(LEASES, { maxItems: MAX_LEASES });
    return items
      .filter(({ metadata }) => OF_CORE.test(metadata.name))
      .map(({ metadata }) => `Lease ${metadata.namespace}/${metadata.name}`)
      .sort();
  } catch (error) {
    // Leases of other namespaces need a right of their own, and the managers say it too.
    if (error instanceof KubeError) return [];
    throw error;
  }
}

async function cleanedUp(scratch: Scratch, uid: string, { limitMs }: ProbeOptions): Promise<Left> {
  try {
    return await cleanUp(scratch, uid, limitMs);
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`${reason}; Namespace ${scratch.namespace} is left, delete its Cluster and then itself`, {
      cause: error,
    });
  }
}

/** Returns its uid. */
async function makeNamespace({ client, namespace: name }: Scratch): Promise<string> {
  if ((await client.get(Namespace, { namespace: "", name })) !== undefined) {
    throw new Error(
      `Namespace ${name} exists already; name another one with -n, or delete it if a former probe has left it`,
    );
  }
  const made = await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  return made.metadata.uid ?? "";
}

function withFinalizers(title: string, finalizers: readonly string[]): string {
  return finalizers.length === 0 ? title : `${title} (finalizers ${finalizers.join(", ")})`;
}

/** Judges the objects that were there when everything was provisioned. */
function judgeLife(scratch: Scratch, life: Life, waivers: Waivers): readonly Finding[] {
  const { provisioned } = life;
  const { roleOf } = scratch;
  const judged = [objectsIn, templatesIn, addressPoolsIn].flatMap((find) => find(roleOf, provisioned));
  return judged.flatMap((object) => {
    const role = roleOf(object);
    if (role === undefined) return [];
    const title = titleOf(object);
    const contract = scratch.contractOf(object);
    const place = { object: `${object.kind} ${scratch.namespace}/${object.metadata.name}` };
    return judge(
      probeRulesOf(role),
      [{ subject: { title, role, contract, life }, contract, place }],
      waivers,
    );
  });
}
