import { expect, it } from "vitest";
import type { Running } from "../../infra/cli/compose.ts";
import { createRunsSource } from "../../infra/console/sources/read-ports.ts";
import type { LinkedRun } from "../../infra/operate/explain/time-line.ts";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { MAX_RUNS } from "../../shared/runtime/letters/run-history.ts";
import { ALL_KINDS } from "../support/all-kinds.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { simClusterOfMachines, simPool } from "../support/manifests.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import type { AuditedRequest } from "../support/processes/audit-log.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 60_000, stepMs: 500 };
const WRITES = new Set(["create", "update", "patch", "delete"]);
/** Not of an object: a clock, a list, and what is seen of workload clusters. */
const OUTER_CAUSE = /^(?:timer|resync|Connection |Node )/;

/** All runs for the objects of the demo that wrote, newest first, and the functions of which an object has as many as are kept. */
async function writingRuns({ store, functions, runs }: Running) {
  if (runs === undefined) throw new Error("the history is off");
  const read = createRunsSource({ store, functions, runs });
  const found: LinkedRun[] = [];
  let after: string | undefined;
  do {
    const selection = { isAll: true, limit: 200, after } as const;
    const page = await read(Cluster as Kind, { namespace: "default", name: "demo" }, selection);
    found.push(...(page?.items ?? []));
    after = page?.next;
  } while (after !== undefined);
  const lanes = Object.values(Object.groupBy(found, (run) => `${run.function} ${run.key}`));
  const full = lanes.filter((lane = []) => lane.length >= MAX_RUNS).map((lane) => lane?.[0]?.function);
  return { wrote: found.filter(({ writes }) => writes.length > 0), full: new Set<string | undefined>(full) };
}

/**
 * `MachinePool default/p1` of each write that the server accepted, with the function that sent it and the id of its run;
 * users and the cloud have no function, and the embedded server records no id.
 */
function acceptedWrites(requests: readonly AuditedRequest[], { functions }: Running) {
  const names = new Set(functions.map(({ spec }) => spec.name));
  return requests.flatMap(({ verb, resource, namespace, name, userAgent, code, auditID }) => {
    const kind = ALL_KINDS.find(({ plural }) => plural === resource)?.kind;
    if (!WRITES.has(verb) || code >= 300 || kind === undefined || kind === "Event") return [];
    const sender = userAgent.slice(userAgent.indexOf(" ") + 1);
    return [{ by: names.has(sender) ? sender : undefined, what: `${kind} ${namespace}/${name}`, auditID }];
  });
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `the time line of a Cluster on ${flavour.name}`,
    () => {
      it("holds every write of a function under the id that the audit log has, and each leads back by its causes to a user, the cloud or a clock", async () => {
        await using server = await flavour.start();
        await using capstan = await startCapstan(server.kubeconfigFile);
        const kubectl = kubectlFor(server.kubeconfigFile);
        // Small, since few runs of a function are kept for each object: on a slow machine one may have more.
        await kubectl("apply -f -", `${simClusterOfMachines("demo", 1)}---${simPool("pool", "demo", 1)}`);
        await kubectl("wait cluster/demo --for=condition=Available --timeout=240s");
        const { runs, writes } = await eventually(async () => {
          const { wrote: found, full } = await writingRuns(capstan);
          expect(full.size).toBeLessThan(5);
          const accepted = acceptedWrites(await server.requests(), capstan);
          const isAudited = accepted.some(({ auditID }) => auditID !== undefined);
          const noted = found.flatMap(({ function: by, runId, writes: sent }) =>
            (full.has(by) ? [] : sent)
              .filter(({ cluster }) => cluster === "management")
              .map(({ what }) => `${isAudited ? runId : ""} ${by} ${what}`),
          );
          const sent = accepted.flatMap(({ by, what, auditID = "" }) =>
            by === undefined || full.has(by) ? [] : [`${auditID} ${by} ${what}`],
          );
          expect(noted.toSorted()).toEqual(sent.toSorted());
          return { runs: found, writes: accepted };
        }, WITHIN);
        const byOthers = new Set(writes.filter(({ by }) => by === undefined).map(({ what }) => what));
        const isOuter = ({ what }: LinkedRun["causes"][number]) =>
          OUTER_CAUSE.test(what) || byOthers.has(what);
        const lost = runs.filter((run) => {
          const first = chainOf(runs, run.runId).at(-1);
          // A run that was planned by the one before it has no cause.
          return first === undefined || !(first.causes.length === 0 || first.causes.some(isOuter));
        });
        expect(lost).toEqual([]);
      });
    },
  );
}

/**
 * Returns the chain of causes of a run, itself first, back to the run whose own causes no run wrote. At each step it
 * follows the newest cause that is known.
 */
function chainOf(runs: readonly LinkedRun[], runId: string): readonly LinkedRun[] {
  const byId = new Map(runs.map((run) => [run.runId, run]));
  const chain: LinkedRun[] = [];
  for (let run = byId.get(runId); run !== undefined && !chain.includes(run); ) {
    chain.push(run);
    run = run.causedBy.map((writer) => byId.get(writer?.runId ?? "")).find((one) => one !== undefined);
  }
  return chain;
}
