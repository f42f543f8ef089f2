import * as fc from "fast-check";
import type { JsonObject } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { pick, rarely } from "./choice.ts";
import { CORE_CONTENTS, type CoreKind, oddDirectives } from "./core-contents.ts";
import { manager } from "./gizmo-address.ts";
import { oddMetadata, validMetadata } from "./metadata-contents.ts";
import * as s from "./step.ts";

type Steps = fc.Arbitrary<s.Step>;

const writer = fc.record({
  fieldManager: manager,
  dryRun: rarely("All"),
  fieldValidation: rarely("Ignore", "Warn", "Strict"),
});
type Writer = typeof writer extends fc.Arbitrary<infer T> ? T : never;

function stepsOf({ kind, apiVersion, path, name, content, directives, status }: CoreKind): Steps {
  const item = `${path}/${name}`;
  const object = (metadata: JsonObject, value: JsonObject) => ({
    apiVersion,
    kind,
    metadata: { name, ...metadata },
    ...value,
  });
  const by = (at: string, who: Writer, force?: string) => s.withQuery(at, { ...who, force });
  const metadata = fc.oneof({ weight: 5, arbitrary: validMetadata }, { weight: 1, arbitrary: oddMetadata });
  const main = fc.tuple(writer, content, metadata);
  const steps: [number, Steps][] = [
    [4, main.map(([who, value, metadata]) => s.post(by(path, who), object(metadata, value)))],
    [1, main.map(([who, value]) => s.post(by(path, who), { metadata: { name }, ...value }))],
    [2, main.map(([who, value, metadata]) => s.strategic(by(item, who), { metadata, ...value }))],
    [1, fc.tuple(writer, oddDirectives).map(([who, value]) => s.strategic(by(item, who), value))],
    [3, fc.tuple(writer, directives).map(([who, value]) => s.strategic(by(item, who), value))],
    [1, main.map(([who, value]) => s.merge(by(item, who), value))],
    [
      2,
      fc
        .tuple(main, pick(undefined, "true"))
        .map(([[who, value, metadata], force]) => s.apply(by(item, who, force), object(metadata, value))),
    ],
    [1, main.map(([who, value, metadata]) => s.put(by(item, who), object(metadata, value)))],
    [1, main.map(([who, value, metadata]) => s.edit(by(item, who), { metadata, ...value }))],
    [1, pick(s.get(item), s.get(item, s.PARTIAL), s.get(item, s.TABLE))],
    [1, fc.constant(s.remove(item))],
    [
      1,
      pick(
        s.post(path, { kind: "Foo", metadata: { name } }),
        s.post(path, "{"),
        s.strategic(item, "{"),
        s.strategic(item, "[]"),
      ),
    ],
  ];
  if (status !== undefined) {
    const state = fc.tuple(writer, status);
    const plain = state.filter(([, value]) => !JSON.stringify(value).includes("$"));
    steps.push(
      [3, state.map(([who, value]) => s.strategic(by(`${item}/status`, who), { status: value }))],
      [1, plain.map(([who, value]) => s.merge(by(`${item}/status`, who), { status: value }))],
      [
        1,
        plain.map(([who, value]) =>
          s.apply(by(`${item}/status`, who, "true"), object({}, { status: value })),
        ),
      ],
    );
  }
  return fc.oneof(...steps.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** Requests about one compiled-in kind, which stays the same through the sequence. */
export const coreSteps: fc.Arbitrary<readonly s.Step[]> = fc
  .constantFrom(...CORE_CONTENTS)
  .chain((kind) => fc.array(stepsOf(kind), { minLength: 2, maxLength: 9 }));
