import * as fc from "fast-check";
import { eventually } from "../../../../support/eventually.ts";
import { startRealServer } from "../../../../support/processes/real-server.ts";
import { readKubeconfig } from "../../../../support/read-kubeconfig.ts";
import { type ApiClient, CRDS_PATH, clientFor, startTestServer } from "../api-client.ts";
import { WIDGETS } from "../widgets.ts";
import { type Difference, differencesOf } from "./difference.ts";
import { type Explanation, explanationOf } from "./explained.ts";
import { GIZMOS, GIZMOS_PATH } from "./gizmos.ts";
import { type Played, play } from "./play.ts";
import { SEQUENCES } from "./sequences.ts";
import { type Sequence, stepText } from "./step.ts";

interface Servers extends AsyncDisposable {
  readonly real: ApiClient;
  readonly ours: ApiClient;
}

/** A real server from the binaries in `assets`, without controllers, and an embedded one; both know the test kinds. */
export async function startServers(assets: string): Promise<Servers> {
  await using stack = new AsyncDisposableStack();
  const started = stack.use(await startRealServer(assets, { controllers: false }));
  const kubeconfig = readKubeconfig(started.kubeconfig);
  const real = clientFor(kubeconfig.clusters[0].cluster.server, kubeconfig.users[0].user.token);
  const ours = stack.use(await startTestServer({ controllers: false }));
  for (const server of [real, ours]) {
    for (const body of [WIDGETS, GIZMOS]) await server.call("POST", CRDS_PATH, { body });
    for (const plural of ["widgets", "gizmos"]) {
      const path = GIZMOS_PATH.replace("{ns}", "default").replace("gizmos", plural);
      const isServed = async () => (await server.call("GET", path)).code === 200;
      await eventually(isServed, { withinMs: 20_000, stepMs: 100 });
    }
  }
  const owned = stack.move();
  return { real, ours, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

interface Finding {
  readonly played: Played;
  readonly difference: Difference;
}

interface Comparison {
  readonly sequence: Sequence;
  readonly unexplained: readonly Finding[];
  readonly explained: readonly Explanation[];
}

let namespaces = 0;

/** Plays a sequence on both servers, in a namespace of its own, and compares the answers step by step. */
export async function compareServers(sequence: Sequence, servers: Servers): Promise<Comparison> {
  namespaces += 1;
  const all = await play(sequence, servers, `s${process.pid}-${namespaces}`);
  const unexplained: Finding[] = [];
  const explained: Explanation[] = [];
  for (const played of all) {
    for (const difference of differencesOf(played.real, played.ours)) {
      const explanation = explanationOf(sequence.steps.slice(0, played.index + 1), difference);
      if (explanation === undefined) unexplained.push({ played, difference });
      else explained.push(explanation);
      if (explanation?.endsSequence) return { sequence, unexplained, explained };
    }
  }
  return { sequence, unexplained, explained };
}

/** The requests up to the first disagreement and both answers to the last, side by side. */
export function report({ sequence, unexplained: [first] }: Comparison): string {
  if (first === undefined) return `${sequence.name}: no difference`;
  const { played, difference } = first;
  const show = (value: unknown) => String(JSON.stringify(value));
  return [
    `${sequence.name}: the servers differ at ${difference.at}`,
    ...sequence.steps.slice(0, played.index + 1).map((step) => `  ${stepText(step)}`),
    `  real ${show(difference.real)}`,
    `  ours ${show(difference.ours)}`,
    `  the real answer ${show(played.real)}`,
    `  our answer      ${show(played.ours)}`,
  ].join("\n");
}

/** The families of generated sequences take turns; `seed` decides everything else. */
function arbitraryOf(seed: number): fc.Arbitrary<Sequence> {
  const families = Object.values(SEQUENCES);
  const family = families[seed % families.length];
  if (family === undefined) throw new Error("there are no families of sequences");
  return family;
}

interface Plan {
  readonly sequences: number;
  /** The first sequence's; the following ones count up. */
  readonly seed: number;
  readonly onProgress?: (done: number) => void;
}

/** Findings of a run of generated sequences. */
export interface Result {
  readonly requests: number;
  /** A report for every sequence with an unexplained difference, shrunk to the fewest requests that show one. */
  readonly failures: readonly string[];
  /** How often each explanation was needed. */
  readonly explained: ReadonlyMap<Explanation, number>;
}

/** Sequences at a time: more only wait for the real server's core. */
const AT_ONCE = 4;

export async function compareGenerated(servers: Servers, plan: Plan): Promise<Result> {
  const explained = new Map<Explanation, number>();
  const failures: string[] = [];
  let requests = 0;
  let started = 0;
  const playNext = async (): Promise<void> => {
    while (started < plan.sequences) {
      const seed = plan.seed + started;
      started += 1;
      const [sequence] = fc.sample(arbitraryOf(seed), { seed, numRuns: 1 });
      if (sequence === undefined) throw new Error("fast-check gave no sequence");
      const compared = await compareServers(sequence, servers);
      requests += sequence.steps.length;
      for (const one of compared.explained) explained.set(one, (explained.get(one) ?? 0) + 1);
      if (compared.unexplained.length > 0)
        failures.push(`seed ${seed}, ${await shrunk(servers, seed, compared)}`);
      plan.onProgress?.(started);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, playNext));
  return { requests, failures, explained };
}

/** The report of the smallest sequence that still differs. */
async function shrunk(servers: Servers, seed: number, found: Comparison): Promise<string> {
  let smallest = found;
  const property = fc.asyncProperty(arbitraryOf(seed), async (sequence) => {
    const compared = await compareServers(sequence, servers);
    if (compared.unexplained.length === 0) return true;
    if (compared.sequence.steps.length <= smallest.sequence.steps.length) smallest = compared;
    return false;
  });
  await fc.check(property, { seed, numRuns: 1, interruptAfterTimeLimit: 20_000 });
  return report(smallest);
}
