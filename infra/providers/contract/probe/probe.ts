import { Namespace } from "../../../../shared/api/core.ts";
import { ALL_RULES } from "../../../../shared/contract/rules/all.ts";
import { probeRulesOf } from "../../../../shared/contract/rules/probe/checks.ts";
import { type Life, titleOf } from "../../../../shared/contract/rules/probe/subject.ts";
import { messageOf } from "../../../../shared/function/errors.ts";
import type { Clock } from "../../../../shared/runtime/ports.ts";
import type { Server } from "../../../platform/kube/client.ts";
import type { Finding, Outcome } from "../finding.ts";
import { judge } from "../judge.ts";
import type { CrdOptions } from "../judge-crds.ts";
import type { Waivers } from "../waivers.ts";
import { cleanUp, type Left } from "./clean-up.ts";
import { coresOf } from "./cores.ts";
import type { ManifestObject } from "./manifest.ts";
import { type LivedLife, runLife } from "./run-life.ts";
import { openScratch, type Scratch } from "./scratch.ts";
import type { LifeOptions } from "./stage.ts";
import { addressPoolsIn, objectsIn, templatesIn } from "./views.ts";

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
