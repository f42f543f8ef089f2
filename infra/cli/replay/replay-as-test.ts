import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { MANAGEMENT } from "../../../shared/api/kinds.ts";
import { mask } from "../../../shared/redaction/redact.ts";
import { canonical } from "../../../shared/runtime/digest.ts";
import type { DeadLetter, LetterRead } from "../../../shared/runtime/letters/dead-letter.ts";
import { objectsOf, recordedDecision } from "../../../shared/runtime/letters/dead-letter.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** One line of code that turns the world of the test into the next one. */
interface Placed {
  readonly cluster: string;
  readonly object: KubeObject;
}

/**
 * Returns a test that runs a function on the reads of a dead letter. It expects the recorded decision: change
 * it to the right one, and the test fails until the function is repaired. `file` is the path of the test,
 * `source` that of the function. Throws when the letter has no reads.
 */
export function testFileOf(letter: DeadLetter, file: string, source: string): string {
  const { run } = letter;
  if (run === undefined)
    throw new Error("the dead letter holds no reads, so it cannot become a test; write one by hand");
  const name = letter.function.replace(/-(.)/g, (_, first: string) => first.toUpperCase());
  const from = (path: string): string => importPath(file, path);
  const snapshots = placedOf(run.reads.filter(({ source }) => source === "snapshot"));
  const live = placedOf(run.reads.filter(({ source }) => source === "live"));
  const object = letter.key.slice(letter.key.lastIndexOf("/") + 1);
  const clock = run.clock ?? letter.deadSince;
  const ask = `decide(${name}, world, ${code(object)}, new Date(${code(clock)}))`;
  const answers = answersIn(letter);
  const decision = answers === undefined ? `await ${ask}` : `settle(await ${ask}, ${answers})`;
  const expectation =
    run.error === undefined
      ? [
          `    expect(mask(plainDecision(${decision}))).toEqual(${code(mask(recordedDecision(letter) ?? {}), 4)});`,
        ]
      : [`    await expect(${ask}).rejects.toThrow(${code(run.error.message)});`];
  return [
    'import { describe, expect, it } from "vitest";',
    `import { ${name} } from ${from(source.replace(/\.js$/, ".ts"))};`,
    `import type { KubeObject } from ${from("shared/api/kinds.ts")};`,
    ...(run.error === undefined
      ? [
          `import { plainDecision } from ${from("shared/runtime/letters/compose-letter.ts")};`,
          `import { mask } from ${from("shared/redaction/redact.ts")};`,
        ]
      : []),
    ...(answers === undefined
      ? []
      : [`import { settle } from ${from("shared/runtime/write/evictions.ts")};`]),
    `import { crd } from ${from("test/support/builders.ts")};`,
    `import { decide, given } from ${from("test/support/world.ts")};`,
    "",
    `const snapshots: readonly KubeObject[] = ${listOf(snapshots.filter(isManaged))};`,
    `const definitions = ${definitionsOf(run.reads)};`,
    "",
    `describe(${code(letter.function)}, () => {`,
    `  it(${code(`decides about ${letter.key} what it decided at ${clock}`)}, async () => {`,
    "    const world = given(...definitions, ...snapshots)",
    ...worldOf(snapshots, live, run.reads).map((line) => `      ${line}`),
    "      ;",
    ...expectation,
    "  });",
    "});",
    "",
  ].join("\n");
}

/** Answers to the evictions of the run, as code; undefined when it evicted nothing. */
function answersIn(letter: DeadLetter): string | undefined {
  const answers: unknown = Object(recordedDecision(letter)?.["evict"]).answers;
  return letter.run?.error === undefined && Array.isArray(answers)
    ? `${code(answers, 4)} as never`
    : undefined;
}

function importPath(file: string, path: string): string {
  const text = relative(dirname(resolve(file)), resolve(ROOT, path)).replaceAll("\\", "/");
  return code(text.startsWith(".") ? text : `./${text}`);
}

/** JSON is TypeScript. */
function code(value: unknown, indent = 0): string {
  return JSON.stringify(value, undefined, 2).replaceAll("\n", `\n${" ".repeat(indent)}`);
}

function listOf(placed: readonly Placed[]): string {
  return `${code(placed.map(({ object }) => object))} as unknown as readonly KubeObject[]`;
}

function isManaged({ cluster }: Placed): boolean {
  return cluster === MANAGEMENT;
}

/** Returns every object once per server. */
function placedOf(reads: readonly LetterRead[]): readonly Placed[] {
  const placed = new Map<string, Placed>();
  for (const { question, answer } of reads) {
    if (answer.type === "secret") continue;
    const cluster = "cluster" in question ? question.cluster : MANAGEMENT;
    for (const object of objectsOf(answer)) {
      const { namespace, name } = object.metadata;
      placed.set(canonical([cluster, object.apiVersion, object.kind, namespace, name]), { cluster, object });
    }
  }
  return [...placed.values()];
}

/** Returns CRDs of the referenced objects: their labels decide the contract. */
function definitionsOf(reads: readonly LetterRead[]): string {
  const calls = new Set<string>();
  for (const { answer } of reads) {
    if (answer.type !== "referenced" || answer.value.state === "unresolved") continue;
    const { kind, contract } = answer.value;
    const overrides = {
      metadata: { labels: { [`cluster.x-k8s.io/${contract}`]: kind.version } },
      spec: {
        names: { kind: kind.kind, plural: kind.plural },
        scope: kind.namespaced ? "Namespaced" : "Cluster",
        versions: [{ name: kind.version, served: true }],
      },
    };
    calls.add(`crd(${code(kind.group)}, ${code(kind.kind)}, ${code(overrides, 2)})`);
  }
  return `[${[...calls].map((call) => `\n  ${call},`).join("")}\n]`;
}

function worldOf(
  snapshots: readonly Placed[],
  live: readonly Placed[],
  reads: readonly LetterRead[],
): readonly string[] {
  const workload = Map.groupBy(
    snapshots.filter((placed) => !isManaged(placed)),
    ({ cluster }) => cluster,
  );
  return [
    ...[...workload].map(([cluster, placed]) => `.inWorkload(${code(cluster)}, ...(${listOf(placed)}))`),
    ...live.map(
      ({ cluster, object }) => `.live(${code(object, 6)} as unknown as KubeObject, ${code(cluster)})`,
    ),
    ...reads.flatMap(({ answer }) =>
      answer.type === "secret" && answer.summary !== undefined ? [`.secret(${code(answer.summary, 6)})`] : [],
    ),
    ...goneLive(snapshots, reads).map(
      ({ cluster, object }) =>
        `.goneLive(${code({ apiVersion: object.apiVersion, kind: object.kind, metadata: { namespace: object.metadata.namespace, name: object.metadata.name } })}, ${code(cluster)})`,
    ),
  ];
}

/** Returns objects in a snapshot that a live read did not find. */
function goneLive(snapshots: readonly Placed[], reads: readonly LetterRead[]): readonly Placed[] {
  return reads.flatMap(({ question, source, answer, found }) => {
    if (source !== "live" || !("key" in question) || answer.type !== "object" || found.length > 0) return [];
    return snapshots.filter(
      ({ cluster, object }) =>
        cluster === question.cluster &&
        object.kind === question.kind.kind &&
        object.metadata.name === question.key.name &&
        (object.metadata.namespace ?? "") === question.key.namespace,
    );
  });
}
