import * as fc from "fast-check";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { pick, rarely } from "./choice.ts";
import { name } from "./gizmo-address.ts";
import { GIZMOS_PATH as G } from "./gizmos.ts";
import * as s from "./step.ts";

type Steps = fc.Arbitrary<s.Step>;

export const deletion: Steps = fc
  .tuple(
    name,
    fc.oneof(
      { weight: 2, arbitrary: fc.constant(undefined) },
      {
        weight: 5,
        arbitrary: pick<(of: string) => Json>(
          () => ({ propagationPolicy: "Background" }),
          () => ({ propagationPolicy: "Foreground" }),
          () => ({ propagationPolicy: "Orphan" }),
          () => ({ propagationPolicy: "Foo" }),
          () => ({ orphanDependents: true }),
          () => ({ orphanDependents: false }),
          () => ({ orphanDependents: true, propagationPolicy: "Orphan" }),
          () => ({ gracePeriodSeconds: 0 }),
          () => ({ gracePeriodSeconds: -1 }),
          () => ({ dryRun: ["All"] }),
          () => ({ dryRun: ["Foo"] }),
          () => ({ preconditions: { uid: "other" } }),
          (of) => ({ preconditions: { uid: `{uid:Gizmo/${of}}` } }),
          (of) => ({ preconditions: { resourceVersion: `{version:Gizmo/${of}}` } }),
          (of) => ({ preconditions: { resourceVersion: `{first:Gizmo/${of}}` } }),
          () => ({ kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" }),
          () => ({ kind: "Gizmo", apiVersion: "test.capstan.dev/v1" }),
          () => ({ bogus: 1 }),
          () => ({ preconditions: 1 }),
        ),
      },
    ),
    rarely(
      "propagationPolicy=Foreground",
      "propagationPolicy=Bad",
      "dryRun=All",
      "dryRun=x",
      "orphanDependents=true",
      "gracePeriodSeconds=5",
    ),
  )
  .map(([of, options, search]) => s.remove(`${G}/${of}${search ? `?${search}` : ""}`, options?.(of)));
export const finalizers: Steps = fc
  .tuple(
    name,
    pick<Json>(null, ["a.b/c"], ["a.b/c", "d.e/f"], ["x.y/z"], [], ["orphan"], ["foregroundDeletion"]),
  )
  .map(([of, list]) => s.merge(`${G}/${of}`, { metadata: { finalizers: list } }));
export const deleteAll: Steps = fc
  .tuple(
    rarely("app=a", "app!=a"),
    rarely<Json>({ dryRun: ["All"] }, { propagationPolicy: "Foreground" }, { preconditions: { uid: "x" } }),
  )
  .map(([labelSelector, options]) => s.remove(s.withQuery(G, { labelSelector }), options));
