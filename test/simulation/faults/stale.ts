import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { World } from "../play/world.ts";
import type { LineOperation } from "../ports/line-queue.ts";
import { type Fault, isNotification } from "./fault.ts";

const SECOND = 1_000;
const BACK_TO = "back to ";
/** The longest lag of X-13; here every line of the kind comes so much later. */
const MAX_LAG_MS = 30 * SECOND;

/**
 * the read model shows something that has been taken back since. Its sites are the ordered pairs of notifications
 * of one object of which the later takes back what the earlier has shown.
 */
export const stale: readonly Fault[] = [
  {
    number: "X-12",
    title: "the read model goes back to what it was before, also across a restart of the relay",
    rate: 1 / 100,
    isSite: (operation, world) =>
      isNotification(operation) && reportIn(operation, world).takesBack.length > 0,
    waysAt(operation, world) {
      if (!isNotification(operation)) return [];
      return reportIn(operation, world).takesBack.map((number) => `${BACK_TO}${number}`);
    },
    strike(operation, world, chance, way) {
      if (!isNotification(operation)) return;
      // As it was until the next notification came.
      const mark = reportIn(operation, world).marks[Number(way.slice(BACK_TO.length)) + 1];
      operation.run();
      const { store, kernel, troubles } = world;
      const restarts = chance.below(2) === 0;
      const lagMs = chance.below(MAX_LAG_MS);
      troubles.lasting(1 + chance.below(SECOND), () => {
        if (mark === undefined || mark > store.mark) return;
        kernel.trace.add(`the read model goes back to mark ${mark}`);
        store.goBack(mark);
        if (restarts) world.crash("relay", SECOND + chance.below(4 * SECOND));
        holdBack(operation, world, lagMs);
      });
    },
  },
];

/** Returns the relay's knowledge of one object that is still true. */
interface Story {
  /** The mark of the read model before each notification. */
  readonly marks: number[];
  readonly versions: Set<string>;
  /** By path: the value, and the number of the notification that has shown it. */
  facts: ReadonlyMap<string, { readonly value: string; readonly since: number }>;
}

/** One notification in the story of its object. */
interface Reported {
  readonly marks: readonly number[];
  /** The numbers of earlier ones that have shown something which this one takes back. */
  readonly takesBack: readonly number[];
}

const STORIES = new WeakMap<World, Map<string, Story>>();
const REPORTED = new WeakMap<LineOperation, Reported>();

function reportIn(operation: LineOperation, world: World): Reported {
  const known = REPORTED.get(operation) ?? reportedOf(operation, world);
  REPORTED.set(operation, known);
  return known;
}

function reportedOf({ server, line }: LineOperation, world: World): Reported {
  const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: KubeObject };
  const { apiVersion, kind, metadata } = object;
  const { namespace, name, resourceVersion = "" } = metadata;
  const stories = STORIES.get(world) ?? new Map<string, Story>();
  STORIES.set(world, stories);
  const key = `${server} ${apiVersion} ${kind} ${namespace}/${name}`;
  const story: Story = stories.get(key) ?? { marks: [], versions: new Set(), facts: new Map() };
  stories.set(key, story);
  if (story.versions.has(resourceVersion)) return { marks: story.marks, takesBack: [] };
  story.versions.add(resourceVersion);
  const number = story.marks.push(world.store.mark) - 1;
  const before = story.facts;
  const now = new Map(type === "DELETED" ? [] : factsOf(object));
  story.facts = new Map(
    [...now].map(([path, value]) => {
      const earlier = before.get(path);
      return [path, earlier?.value === value ? earlier : { value, since: number }];
    }),
  );
  const taken = [...before].filter(([path, { value }]) => now.get(path) !== value);
  return { marks: story.marks, takesBack: [...new Set(taken.map(([, { since }]) => since))] };
}

/** Fields that say nothing about the object itself. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  "resourceVersion",
  "managedFields",
  "generation",
  "observedGeneration",
  "lastTransitionTime",
]);

/** Every leaf of an object, by its path. */
function* factsOf(value: unknown, path = ""): Generator<readonly [path: string, value: string]> {
  if (typeof value !== "object" || value === null) {
    if (value !== undefined) yield [path, String(value)];
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (!BOOKKEEPING.has(name)) yield* factsOf(member, `${path}.${name}`);
  }
}

/** All changes of this kind reach the relay later for a while, as from a server that lags behind. */
function holdBack({ server, site, what }: LineOperation, { troubles, kernel }: World, ms: number): void {
  const kind = (site ?? what)().split(" ")[2];
  const until = kernel.now + ms;
  if (ms === 0) return;
  troubles.hit(ms, (operation) => {
    if (operation.kind !== "line" || !("sentAt" in operation)) return false;
    const line = operation as LineOperation;
    const isHit = line.server === server && (line.site ?? line.what)().split(" ")[2] === kind;
    if (isHit) line.delay(until - kernel.now + 1);
    return isHit;
  });
}
