import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { tenantOf } from "../../../shared/api/indexes.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import { reconcilersOf } from "../../../shared/function/reconcilers.ts";
import type { KeyHistory, ReadHistory } from "../../../shared/runtime/letters/run-history.ts";
import type { Clock, Store } from "../../../shared/runtime/ports.ts";
import { formatKey } from "../../../shared/runtime/queue/key.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { type Freshness, readFreshness } from "../../../shared/runtime/read/signs.ts";
import { foldFacts } from "../../operate/explain/fold-causes.ts";
import { factsOf } from "../../operate/explain/object-facts.ts";
import { type ObjectNode, objectTree } from "../../operate/explain/object-tree.ts";
import { isAwaited, type Problem } from "../../operate/explain/problem.ts";
import { problemsOf } from "../../operate/explain/problems.ts";
import { silenceProblems } from "../../operate/explain/problems-of-platform.ts";
import { leftOutOf, textOfLeftOut } from "../../operate/explain/siblings.ts";
import { faded, paint } from "../../platform/terminal/paint.ts";
import type { LiveArea } from "../terminal/live-area.ts";
import { type Branch, causeLines, drawTree, linesOfFacts, oneLine, titleOfFacts } from "../tree/lines.ts";

export interface LiveTreeOptions {
  readonly store: Store;
  readonly functions: readonly AnyFunction[];
  readonly history: ReadHistory;
  readonly clock: Clock;
}

const FRAME_MS = 200;
/** Times pass and runs end without a change of any object. */
const REDRAW_MS = SECOND;
/** A function that runs again later than that keeps up what is complete, for example it renews a certificate. */
const MAX_WAIT_MS = 60 * MINUTE;
/** The rows below the tree, where the cursor stands. */
const MARGIN_ROWS = 2;

/**
 * Draws every Cluster with all objects that belong to it, in place, as they change. Disposing leaves the last
 * frame.
 */
export interface LiveTree extends AsyncDisposable {
  /** Draws within 200 ms, after a change. */
  changed(): void;
}

export function startLiveTree(options: LiveTreeOptions, area: LiveArea): LiveTree {
  const { clock } = options;
  let drawnAt = 0;
  let changed = true;
  let closed = false;
  let cancel = (): void => undefined;
  let known: Frame = { lines: [], at: clock.now() };
  const draw = async (): Promise<void> => {
    changed = false;
    drawnAt = clock.now().getTime();
    const size = area.size();
    try {
      known = { lines: await frameOf(options, size), at: new Date(drawnAt) };
      area.draw(known.lines);
    } catch (error) {
      area.draw(oldFrame(known, error, size));
    }
  };
  let underWay: Promise<void> = Promise.resolve();
  const look = (): void => {
    const due = changed || clock.now().getTime() - drawnAt >= REDRAW_MS;
    underWay = due ? draw() : Promise.resolve();
    void underWay.then(() => {
      if (!closed) cancel = clock.after(FRAME_MS, look);
    });
  };
  look();
  return {
    changed: () => {
      changed = true;
    },
    async [Symbol.asyncDispose]() {
      if (closed) return;
      closed = true;
      cancel();
      await underWay;
      await draw();
      area.end();
    },
  };
}

interface Frame {
  readonly lines: readonly string[];
  readonly at: Date;
}

/** Returns what was drawn last, without its colours and behind the reason why the read model cannot be read. */
function oldFrame({ lines, at }: Frame, error: unknown, { columns, rows }: Size): readonly string[] {
  const cause = `nothing below is newer than ${at.toISOString()}: ${oneLine(messageOf(error))}`;
  const front = causeLines({ cause, next: "start it if it has ended", severity: "broken" }, columns);
  return [...front, ...lines.map(faded)].slice(0, roomOf(rows));
}

type Size = ReturnType<LiveArea["size"]>;

function roomOf(rows: number): number {
  return Math.max(1, rows - MARGIN_ROWS);
}

/** Returns as many Clusters as fit on the screen, unavailable ones first; of several, how many are available. */
export async function frameOf(
  { store, functions, history, clock }: LiveTreeOptions,
  { columns, rows }: Size,
): Promise<readonly string[]> {
  const room = roomOf(rows);
  const clusters = await store.list(managementType(Cluster), {});
  const [available, others] = [clusters.filter(isAvailable), clusters.filter((each) => !isAvailable(each))];
  const freshness = await readFreshness(store, clock.now());
  const platform = silenceProblems(freshness);
  const isWell = others.length === 0 && platform.length === 0;
  const verb = platform.length === 0 ? "are" : "were";
  const count = `${available.length} of ${clusters.length} Clusters ${verb} available`;
  const lines = clusters.length > 1 ? [paint(isWell ? "green" : "yellow", count)] : [];
  for (const object of [...others, ...available]) {
    if (lines.length >= room) break;
    const tree = await objectTree(store, functions, { kind: Cluster, object });
    const causes = await problemsOf(store, tree, { now: clock.now(), troubles: [], platform });
    const { lines: own, children } = await branchOf(tree, { functions, history, causes, freshness });
    const [title = "", ...rest] = own;
    const inFront = causes.flatMap((cause) => causeLines(cause, columns));
    lines.push(...drawTree({ lines: [title, ...inFront, ...rest], children }));
  }
  const cut = lines.length > room;
  return cut ? [...lines.slice(0, room - 1), paint("dim", "… more than fits on this screen")] : lines;
}

function isAvailable(cluster: KubeObject): boolean {
  return valueAt(cluster, "status.conditions[Available].status") === "True";
}

interface Known extends Pick<LiveTreeOptions, "functions" | "history"> {
  /** The causes in front of the tree. */
  readonly causes: readonly Problem[];
  readonly freshness: Freshness;
}

async function branchOf(node: ObjectNode, known: Known): Promise<Branch> {
  const { facts } = foldFacts(factsOf(node, known.freshness), known.causes);
  const children = await Promise.all(node.children.map((child) => branchOf(child, known)));
  return {
    lines: [titleOfFacts(facts), ...linesOfFacts(facts), ...(await waitsOf(node, known))],
    children: [
      ...children,
      ...leftOutOf(node.more, known.freshness).map((one) => ({
        lines: [paint("dim", textOfLeftOut(one))],
        children: [],
      })),
    ],
  };
}

/** Returns the waits and failures of an object's functions. */
async function waitsOf(
  { kind, key, object }: ObjectNode,
  { functions, history, causes }: Known,
): Promise<readonly string[]> {
  if (object === undefined) return [];
  const own = reconcilersOf(functions, kind);
  const lines = await Promise.all(
    own.map(async ({ spec }) => {
      const id = formatKey({ ...key, kind: kind.kind, tenant: tenantOf(spec.reconciles, object) });
      return waitText(spec.name, await history(spec.name, id), causes);
    }),
  );
  return lines.flat();
}

function waitText(
  name: string,
  { state, lastRun }: KeyHistory,
  causes: readonly Problem[],
): readonly string[] {
  const { failure, failures = 0 } = state ?? {};
  if (state?.state === "dead") return [paint("red", `${name} is dead: ${oneLine(failure?.message ?? "")}`)];
  if (failure !== undefined) {
    return [paint("red", `${name} failed ${failures}×: ${failure.reason}: ${oneLine(failure.message)}`)];
  }
  const { waitingFor, afterMs } = lastRun ?? {};
  if (waitingFor === undefined || causes.some((cause) => isAwaited(cause, waitingFor))) return [];
  if (afterMs !== undefined && afterMs > MAX_WAIT_MS) return [];
  const verb = afterMs === undefined ? "waits for" : "runs again by itself:";
  return [paint("dim", `${name} ${verb} ${oneLine(waitingFor)}`)];
}
