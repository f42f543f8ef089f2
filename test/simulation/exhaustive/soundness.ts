import { type Seeded, seeded } from "../kernel/seeded.ts";
import type { Prepared } from "../play/prepared.ts";
import { explore } from "./explore.ts";
import { type Fingerprint, hashOf, type Part } from "./fingerprint.ts";
import { commute } from "./independence.ts";
import { type Decide, type Point, playOrder, prepareSmall, type Step } from "./order.ts";
import type { SmallWorld } from "./small-world.ts";

interface CheckOptions {
  readonly small: SmallWorld;
  readonly prepared: Prepared;
  readonly maxStates: number;
  /** Pairs of ways that are played, of each of both sorts. */
  readonly pairs: number;
  /** Parts of a state that do not count: then a check must find what they are for. */
  readonly leftOut?: readonly Part[];
}

interface Checked {
  /** Two ways to a state with one fingerprint, which were played to the end side by side. */
  readonly twins: number;
  /** Two steps of which it is said that they commute, made in either order. */
  readonly swaps: number;
  /** Where two ways that should continue in the same way did not. */
  readonly differences: readonly string[];
}

/**
 * Checks that `explore` may leave out what it leaves out: two ways to one fingerprint must continue in the same way,
 * and steps that commute must lead to one fingerprint in either order. A sample by chance, always the same one.
 */
export async function checkSoundness(options: CheckOptions): Promise<Checked> {
  const { small, pairs, leftOut = [] } = options;
  const chance = seeded(1, `check ${small.name}`);
  const { ways, commuting } = await collect(options);
  const again: Replay = { small, prepared: await prepareSmall(small, options.prepared), leftOut };
  const twins = sample(
    chance,
    [...ways.values()].filter(({ length }) => length > 1),
    pairs,
  );
  const swaps = sample(chance, commuting, pairs);
  const differences: string[] = [];
  for (const [one = [], ...others] of twins) {
    differences.push(...(await compareTwins(again, one, chance.pick(others), chance)));
  }
  for (const swap of swaps) differences.push(...(await compareSwapped(again, swap)));
  return { twins: twins.length, swaps: swaps.length, differences };
}

type Way = readonly string[];

/** Two steps that commute, and how to get to where both are possible. */
interface Swap {
  readonly way: Way;
  readonly a: string;
  readonly b: string;
}

interface Collected {
  /** By state: the ways that have come to it. */
  readonly ways: ReadonlyMap<string, readonly Way[]>;
  readonly commuting: readonly Swap[];
}

async function collect(options: CheckOptions): Promise<Collected> {
  const ways = new Map<string, Way[]>();
  const commuting: Swap[] = [];
  await explore({
    ...options,
    // By more than one way.
    isThorough: true,
    onState(state, way, { steps }) {
      const known = ways.get(state);
      ways.set(state, [...(known ?? []), way]);
      if (known !== undefined) return;
      for (const [at, a] of steps.entries())
        for (const b of steps.slice(at + 1))
          if (commute(a.footprint, b.footprint)) commuting.push({ way, a: a.name, b: b.name });
    },
  });
  return { ways, commuting };
}

function sample<T>(chance: Seeded, from: readonly T[], count: number): readonly T[] {
  const left = [...from];
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(chance.below(left.length), 1),
  ).flat();
}

interface Replay {
  readonly small: SmallWorld;
  readonly prepared: Prepared;
  readonly leftOut: readonly Part[];
}

/** One point of a course, with the step that was made there. */
interface Passed {
  readonly fingerprint: Fingerprint;
  readonly steps: readonly string[];
  readonly made: string | undefined;
}

/** Follows a way, then `next`, and keeps what came after the way. */
async function follow(
  { small, prepared }: Replay,
  way: Way,
  next: (point: Point, at: number) => Step | undefined,
) {
  const passed: Passed[] = [];
  let at = 0;
  const decide: Decide = (point) => {
    const wanted = way[at];
    at += 1;
    if (wanted !== undefined) return point.steps.find(({ name }) => name === wanted);
    const step = next(point, at - way.length - 1);
    const steps = point.steps.map(({ name }) => name);
    passed.push({ fingerprint: point.fingerprint(), steps, made: step?.name });
    return step;
  };
  const ending = await playOrder({ small, prepared, decide });
  return { passed, ending };
}

/** Two ways to one state, with the same steps by chance from there on. */
async function compareTwins(
  replay: Replay,
  one: Way,
  other: Way,
  chance: Seeded,
): Promise<readonly string[]> {
  const first = await follow(replay, one, ({ steps }) => chance.pick(steps));
  const second = await follow(replay, other, ({ steps }, at) =>
    steps.find(({ name }) => name === first.passed[at]?.made),
  );
  const where = `${one.length} steps, or ${other.length} others:`;
  for (const [at, expected] of first.passed.entries()) {
    const difference = differenceOf(expected, second.passed[at], replay.leftOut);
    if (difference !== undefined) return [`after ${where} ${at} steps later ${difference}`];
  }
  return first.ending === second.ending ? [] : [`after ${where} another ending`];
}

/** Two steps that commute, in either order. */
async function compareSwapped(replay: Replay, { way, a, b }: Swap): Promise<readonly string[]> {
  const first = await follow(replay, [...way, a, b], () => undefined);
  const second = await follow(replay, [...way, b, a], () => undefined);
  const [expected] = first.passed;
  const difference = expected && differenceOf(expected, second.passed[0], replay.leftOut);
  return difference === undefined ? [] : [`${a} and ${b} do not commute: ${difference}`];
}

function differenceOf(one: Passed, other: Passed | undefined, leftOut: readonly Part[]): string | undefined {
  if (other === undefined) return "nothing is left to do";
  if (hashOf(one.fingerprint, leftOut) === hashOf(other.fingerprint, leftOut)) return undefined;
  for (const [part, lines] of Object.entries(one.fingerprint)) {
    const others = other.fingerprint[part as Part];
    if (leftOut.includes(part as Part) || lines.join("\n") === others.join("\n")) continue;
    return `${part}: ${without(lines, others)} became ${without(others, lines)}`;
  }
  return undefined;
}

function without(lines: readonly string[], others: readonly string[]): string {
  const left = [...lines];
  for (const other of others) if (left.includes(other)) left.splice(left.indexOf(other), 1);
  return left.length === 0 ? "nothing" : left.join(" and ");
}
