import * as fc from "fast-check";
import type { JsonObject } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { pick, rarely } from "./choice.ts";
import { validSpec } from "./contents.ts";
import { gizmo, name } from "./gizmo-address.ts";
import { GIZMOS_PATH as G, OLD_GIZMOS_PATH as OLD } from "./gizmos.ts";
import * as s from "./step.ts";

type Steps = fc.Arbitrary<s.Step>;

export const labelled: Steps = fc
  .tuple(
    pick("a", "b", "c", "d"),
    validSpec,
    pick<JsonObject>({ app: "a", tier: "1" }, { app: "b", tier: "5" }, { app: "a" }, {}),
  )
  .map(([of, spec, labels]) =>
    s.apply(
      `${G}/${of}?fieldManager=fn-a&force=true`,
      gizmo(of, spec, Object.keys(labels).length === 0 ? {} : { labels }),
    ),
  );
const selectors = pick(
  "app",
  "!app",
  "app=a",
  "app==a",
  "app!=a",
  "app in (a,b)",
  "app in (a)",
  "app notin (a)",
  "tier>2",
  "tier<2",
  "app=a,tier=1",
  "app in",
  "a=b=c",
  "=x",
  "app in ()",
  "tier>x",
  ",",
  "app=",
  "app in (a",
  "app notin (b), tier",
  "x y",
  "app = a",
  "app=a b",
  "-app",
  "app=-",
);
const accept = pick(undefined, undefined, s.TABLE, s.PARTIAL_LIST, s.PARTIAL);
export const listing: Steps = fc.oneof(
  fc.tuple(selectors, accept).map(([labelSelector, form]) => s.get(s.withQuery(G, { labelSelector }), form)),
  fc
    .tuple(
      fc.record({
        limit: rarely("1", "2", "0", "-1", "x"),
        resourceVersion: rarely("0", "{version:Gizmo/a}", "{first:Gizmo/a}", "abc", "-1"),
        resourceVersionMatch: rarely("Exact", "NotOlderThan", "Foo"),
        fieldSelector: rarely(
          "metadata.name=a",
          "metadata.name!=a",
          "metadata.namespace={ns}",
          "spec.size=1",
          "metadata.name",
          "metadata.name=a,metadata.namespace=x",
          "=",
          "metadata.name==b",
          "",
        ),
        labelSelector: rarely("app", "app=a"),
        timeoutSeconds: rarely("5"),
      }),
      accept,
    )
    .map(([given, form]) => s.get(s.withQuery(G, given), form)),
  fc
    .tuple(pick("1", "2"), rarely("app"))
    .map(([limit, labelSelector]) => s.get(s.withQuery(G, { limit, labelSelector }))),
  pick(
    `${G}?continue={continue}&limit=1`,
    `${G}?continue={continue}`,
    `${G}?continue=bogus`,
    `${G}?resourceVersion={first:Gizmo/a}&resourceVersionMatch=Exact`,
    `${G}?continue={continue}&resourceVersion=5`,
    `${G}?continue={continue}&resourceVersionMatch=Exact`,
  ).map((path) => s.get(path)),
  fc
    .tuple(
      name,
      pick(
        s.TABLE,
        s.PARTIAL,
        "application/yaml",
        "text/html",
        "*/*",
        "application/json;as=Table;v=v1;g=meta.k8s.io",
        "text/html,application/json",
        "application/json;as=Bogus;v=v1;g=meta.k8s.io",
      ),
      rarely("None", "Object", "Metadata", "x", ""),
    )
    .map(([of, form, includeObject]) => s.get(s.withQuery(`${G}/${of}`, { includeObject }), form)),
);
export const watching: Steps = fc.oneof(
  fc
    .tuple(
      fc.record({
        resourceVersion: pick(undefined, "0", "{version:Gizmo/a}", "{first:Gizmo/a}", "{version:Gizmo/b}"),
        labelSelector: rarely("app", "app=a", "app in (a,b)", "tier<2"),
        fieldSelector: rarely("metadata.name!=b"),
        allowWatchBookmarks: rarely("true"),
      }),
      pick(undefined, undefined, s.TABLE, s.PARTIAL),
    )
    .map(([given, form]) => s.watch(s.withQuery(G, given), form)),
  pick(
    `${G}?sendInitialEvents=true`,
    `${G}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
    `${G}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    `${G}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion={version:Gizmo/a}`,
    `${G}?sendInitialEvents=true&resourceVersionMatch=Exact`,
    `${G}?sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={version:Gizmo/a}`,
    `${G}?resourceVersionMatch=NotOlderThan`,
    `${G}?resourceVersion=abc`,
    `${G}?labelSelector=a=b=c`,
    `${G}?fieldSelector=spec.size=1`,
    `${OLD}?resourceVersion={first:Gizmo/a}`,
  ).map((path) => s.watch(path)),
);
