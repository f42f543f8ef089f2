import * as fc from "fast-check";
import { oddWrite, schemaWrite, twice, wrongBody } from "./bodies.ts";
import { coreSteps } from "./core-sequences.ts";
import { deleteAll, deletion, finalizers } from "./deletions.ts";
import { jsonPatch } from "./json-patches.ts";
import { labelled, listing, watching } from "./lists.ts";
import type * as s from "./step.ts";
import {
  applyMain,
  applyStatus,
  create,
  editMain,
  editStatus,
  forceMain,
  history,
  look,
  mergeMain,
  mergeStatus,
  removeField,
  scale,
} from "./writes.ts";

type Steps = fc.Arbitrary<s.Step>;

const of = (title: string, length: number, ...weighted: readonly (readonly [number, Steps])[]) =>
  fc
    .array(fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary }))), {
      minLength: 2,
      maxLength: length,
    })
    .map((steps): s.Sequence => ({ name: title, steps }));

/** Sequences by what they are about. */
export const SEQUENCES = {
  apply: of(
    "apply",
    12,
    [6, applyMain],
    [3, forceMain],
    [2, applyStatus],
    [2, mergeMain],
    [2, mergeStatus],
    [2, removeField],
    [1, editMain],
    [1, editStatus],
    [1, create],
    [1, scale],
    [1, history],
    [1, look],
    [1, deletion],
  ),
  writes: of(
    "writes",
    10,
    [3, create],
    [3, mergeMain],
    [2, mergeStatus],
    [2, editMain],
    [2, editStatus],
    [4, jsonPatch],
    [2, scale],
    [1, history],
    [1, applyMain],
    [1, look],
    [1, deletion],
  ),
  bodies: of("bodies", 8, [2, create], [5, wrongBody], [5, oddWrite], [1, twice], [1, look]),
  schema: of("schema", 8, [8, schemaWrite], [1, twice], [1, look]),
  deletion: of(
    "deletion",
    10,
    [3, create],
    [6, deletion],
    [4, finalizers],
    [1, deleteAll],
    [1, editMain],
    [1, applyMain],
    [1, look],
  ),
  lists: of("lists", 10, [3, labelled], [5, listing], [1, deletion]),
  watches: of(
    "watches",
    10,
    [4, labelled],
    [3, watching],
    [1, deletion],
    [1, mergeMain],
    [1, mergeStatus],
    [1, deleteAll],
  ),
  core: coreSteps.map((steps): s.Sequence => ({ name: "core", steps })),
} as const satisfies Readonly<Record<string, fc.Arbitrary<s.Sequence>>>;
