import type { PatchOperation } from "../../../shared/api/patch.ts";
import type { Oracle } from "./oracle.ts";
import { lastRead } from "./run-reads.ts";
import { functionOf, onWrite, placeOf, type SentWrite } from "./sent-write.ts";

interface DeleteBody {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Destruction needs proof: F-20, F-23. */
export const evidence: readonly Oracle[] = [
  {
    number: "F-20",
    title: "deletes and removals of finalizers follow a live read and carry uid and resourceVersion",
    needs: { workloads: ["W-02", "W-04", "W-11", "W-13", "W-14"], why: "nothing is taken down" },
    watch({ world, violated, evaluated }) {
      /** By run: `server type namespace/name` and `server type` of what it has asked a server for. */
      const asked = new Map<string, Set<string>>();
      world.network.witness(({ process, request, server, code }) => {
        const runId = request.headers["audit-id"];
        const place = placeOf(request.path);
        if (request.method !== "GET" || runId === undefined || place === undefined) return;
        if (!process.name.startsWith("worker") || (code >= 300 && code !== 404)) return;
        const known = asked.get(runId) ?? new Set<string>();
        const whole = `${server} ${place.type}`;
        asked.set(runId, known.add(place.name === "" ? whole : `${whole} ${place.namespace}/${place.name}`));
      });
      onWrite(world, (write) => {
        const { place, server, runId, title } = write;
        if (!isDestructive(write)) return;
        evaluated();
        const reads = asked.get(runId ?? "") ?? new Set<string>();
        const whole = `${server} ${place.type}`;
        const isRead = reads.has(whole) || reads.has(`${whole} ${place.namespace}/${place.name}`);
        const isProven = write.verb === "delete" ? isRead : reads.size > 0 || isItsOwnDeletion(write);
        if (!isProven) violated(`without a live read: ${title}`);
        const missing = missingGuard(write);
        if (missing !== undefined) violated(`no ${missing}: ${title}`);
      });
    },
  },
  {
    number: "F-23",
    title: "what was decided about one object happens to that object",
    watch({ world, violated, evaluated }) {
      onWrite(world, ({ place, run, answer, title, verb }) => {
        if (answer?.metadata?.uid === undefined || verb === "create") return;
        // A snapshot that is read later is older than a live read of the same run.
        const live = lastRead(run?.record, answer.kind, place, "live");
        const read = live ?? lastRead(run?.record, answer.kind, place);
        if (read === undefined) return;
        evaluated();
        if (read.metadata.uid !== answer.metadata.uid) {
          violated(`decided about ${read.metadata.uid}, done to ${answer.metadata.uid}: ${title}`);
        }
      });
    },
  },
  {
    number: "F-04",
    title: "a run that has lost its lease sends nothing more",
    watch({ world, violated, evaluated }) {
      world.network.onLeave(({ request }) => {
        const run = world.runs.of(request.headers["audit-id"] ?? "");
        if (run === undefined || request.method === "GET") return;
        if (request.path.includes("/events")) return;
        evaluated();
        if (run.lease.signal.aborted)
          violated(`${functionOf(request.headers)} ${request.method} ${request.path} after its lease`);
      });
    },
  },
];

function isDestructive(write: SentWrite): boolean {
  if (write.verb === "delete") return true;
  if (write.verb !== "patch" || !Array.isArray(write.body)) return false;
  const operations = write.body as readonly PatchOperation[];
  return operations.some(({ op, path }) => op === "remove" && path.startsWith("/metadata/finalizers"));
}

/**
 * A request of the simulated remediation guards nothing: its controller lets go of its own object as soon as a snapshot
 * shows that it is being deleted, which nothing takes back, and only in that version.
 */
function isItsOwnDeletion({ functionName, run, place, body }: SentWrite): boolean {
  if (functionName !== "sim-remediation" || place.type !== "infrastructure.sim.capstan.dev/simremediations")
    return false;
  const { metadata } = lastRead(run?.record, "SimRemediation", place, "snapshot") ?? {};
  const tested = new Map(
    (body as readonly PatchOperation[]).flatMap((operation) =>
      operation.op === "test" ? [[operation.path, operation.value]] : [],
    ),
  );
  return (
    metadata?.deletionTimestamp !== undefined &&
    tested.get("/metadata/uid") === metadata.uid &&
    tested.get("/metadata/resourceVersion") === metadata.resourceVersion
  );
}

/**
 * Returns the preconditions that a destructive request misses. A taker-apart deletes because its own object is being
 * deleted, which cannot be taken back: no later version of what it deletes changes that.
 */
function missingGuard({ verb, body, functionName, place }: SentWrite): string | undefined {
  if (verb === "delete") {
    const { uid, resourceVersion } = (body as DeleteBody | undefined)?.preconditions ?? {};
    if (uid === undefined) return "uid";
    return resourceVersion === undefined && !functionName.endsWith("-delete") ? "resourceVersion" : undefined;
  }
  const tested = (body as readonly PatchOperation[])
    .filter(({ op }) => op === "test")
    .map(({ path }) => path);
  if (!tested.includes("/metadata/uid")) return "uid";
  if (place.type === "/nodes") return undefined;
  return tested.includes("/metadata/resourceVersion") ? undefined : "resourceVersion";
}
