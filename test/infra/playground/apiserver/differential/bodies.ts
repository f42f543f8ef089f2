import * as fc from "fast-check";
import { pick } from "./choice.ts";
import { edgeSpec } from "./contents.ts";
import { gizmo, manager, name, place, versionOf } from "./gizmo-address.ts";
import { GIZMOS_PATH as G } from "./gizmos.ts";
import { oddMetadata } from "./metadata-contents.ts";
import * as s from "./step.ts";

type Steps = fc.Arbitrary<s.Step>;

export const wrongBody: Steps = fc.tuple(name, manager).chain(([of, fieldManager]) => {
  const path = s.withQuery(G, { fieldManager });
  const item = s.withQuery(`${G}/${of}`, { fieldManager });
  const good = gizmo(of, { size: 1 });
  return pick<s.Step>(
    s.post(path, "{"),
    s.post(path, ""),
    s.post(path, "[]"),
    s.post(path, "null"),
    s.post(path, '"x"'),
    s.post(path, {}),
    s.post(path, { ...good, kind: "Foo" }),
    s.post(path, { ...good, kind: undefined }),
    s.post(path, { ...good, kind: 1 }),
    s.post(path, { ...good, apiVersion: undefined }),
    s.post(path, { ...good, apiVersion: "test.capstan.dev/v1beta1" }),
    s.post(path, { ...good, apiVersion: "v1", kind: "ConfigMap" }),
    s.post(path, { ...good, metadata: undefined }),
    s.post(path, { ...good, metadata: null }),
    s.post(path, { ...good, metadata: "x" }),
    s.post(path, { ...good, metadata: {} }),
    s.post(path, { ...good, metadata: { generateName: "gen-" } }),
    s.post(path, { ...good, metadata: { generateName: "Gen_" } }),
    s.post(path, { ...good, metadata: { name: "B_c" } }),
    s.post(path, { ...good, metadata: { name: "x".repeat(254) } }),
    s.post(path, { ...good, metadata: { name: of, namespace: "{ns}" } }),
    s.post(path, { ...good, spec: null }),
    s.post(path, { ...good, spec: "x" }),
    s.post(path, { ...good, spec: [] }),
    s.post(path, { ...good, extra: 1 }),
    s.post(path, good, "text/plain"),
    s.post(
      path,
      "apiVersion: test.capstan.dev/v1\nkind: Gizmo\nmetadata: {name: b}\nspec: {size: 2}\n",
      "application/yaml",
    ),
    s.post(
      `${path}&dryRun=All`,
      "apiVersion: test.capstan.dev/v1\nkind: Gizmo\nmetadata: {name: y}\n",
      "application/yaml",
    ),
    s.post(path, "a: [", "application/yaml"),
    s.put(item, good),
    s.put(item, { ...good, metadata: { name: "other", resourceVersion: "1" } }),
    s.put(item, { ...good, metadata: {} }),
    s.put(item, { ...good, metadata: { name: of, resourceVersion: "1" } }),
    s.put(item, { ...good, metadata: { name: of, resourceVersion: `{version:Gizmo/${of}}` } }),
    s.put(item, { ...good, metadata: { name: of, resourceVersion: `{version:Gizmo/${of}}`, uid: "other" } }),
    s.put(item, { ...good, kind: "Foo" }),
    s.put(item, ""),
    s.merge(item, "[]"),
    s.merge(item, "{"),
    s.merge(item, ""),
    s.merge(item, "null"),
    s.merge(item, "1"),
    s.merge(item, { kind: "Foo" }),
    s.merge(item, { kind: null }),
    s.merge(item, { apiVersion: "test.capstan.dev/v1beta1" }),
    s.merge(item, { apiVersion: null }),
    s.merge(item, { metadata: null }),
    s.merge(item, { metadata: "x" }),
    s.merge(item, { spec: null }),
    s.merge(item, { status: null }),
    s.merge(item, { extra: 1 }),
    s.merge(`${item}&force=true`, { spec: { size: 1 } }),
    s.merge(`${item}&dryRun=x`, { spec: { size: 1 } }),
    s.merge(`${item}&fieldValidation=x`, { spec: { size: 1 } }),
    s.json(item, "{}"),
    s.json(item, "x"),
    s.json(item, "null"),
    s.json(item, "[]"),
    s.strategic(item, {}),
    s.merge(`${G}/nope`, {}),
    s.remove(`${G}/nope`),
    s.get(`${G}/nope`),
    s.get(`${G}/a/nope`),
    s.post(`${G}/a`, good),
    s.post(`${G}/a/status`, good),
    s.put(G, good),
    s.apply(G, good),
    s.apply(`${G}/${of}`, good),
    s.apply(`${item}&force=x`, good),
    s.apply(item, { ...good, metadata: {} }),
    s.apply(item, { ...good, metadata: { name: "other" } }),
    s.apply(item, { ...good, metadata: undefined }),
    s.apply(item, { ...good, kind: "Foo" }),
    s.apply(item, { ...good, kind: undefined }),
    s.apply(item, { ...good, apiVersion: "test.capstan.dev/v1beta1" }),
    s.apply(item, { ...good, apiVersion: undefined }),
    s.apply(item, { ...good, spec: null }),
    s.apply(item, { ...good, spec: "x" }),
    s.apply(item, { ...good, spec: { size: null } }),
    s.apply(item, { ...good, spec: { bogus: 1 } }),
    s.apply(`${item}&fieldValidation=Strict`, { ...good, spec: { bogus: 1 } }),
    s.apply(item, { ...good, extra: 1 }),
    s.apply(item, "[]"),
    s.apply(item, "{"),
    s.apply(item, ""),
    s.apply(item, "null"),
    s.apply(item, "x: y"),
    s.apply(
      item,
      `{"apiVersion":"test.capstan.dev/v1","kind":"Gizmo","metadata":{"name":"${of}"},"spec":{"size":1,"size":2}}`,
    ),
  );
});
export const oddWrite: Steps = fc
  .tuple(place, oddMetadata, edgeSpec, pick("post", "merge", "edit", "apply"))
  .map(([{ path, of, query: given }, metadata, spec, how]) => {
    const at = s.withQuery(`${path}/${of}`, given);
    if (how === "merge") return s.merge(at, { metadata, spec });
    if (how === "edit") return s.edit(at, { metadata, spec });
    const body = gizmo(of, spec, metadata, versionOf(path));
    return how === "post" ? s.post(s.withQuery(path, given), body) : s.apply(at, body);
  });
export const twice: Steps = fc
  .tuple(place, edgeSpec, pick("POST", "PATCH", "APPLY"))
  .map(([{ path, of, query: given }, spec, how]) => {
    const text = JSON.stringify(gizmo(of, spec, {}, versionOf(path)))
      .replace('"spec":{', '"spec":{"size":1,"nested":{"a":"x","a":"y"},')
      .replace(",}", "}");
    if (how === "POST") return s.post(s.withQuery(path, given), text);
    const at = s.withQuery(`${path}/${of}`, given);
    return how === "PATCH" ? s.merge(at, text) : s.apply(at, text);
  });
export const schemaWrite: Steps = fc
  .tuple(place, edgeSpec, pick("post", "merge", "apply", "put"))
  .map(([{ path, of, query: given }, spec, how]) => {
    const at = s.withQuery(`${path}/${of}`, given);
    const body = gizmo(of, spec, {}, versionOf(path));
    if (how === "post") return s.post(s.withQuery(path, given), body);
    if (how === "merge") return s.merge(at, { spec });
    if (how === "apply") return s.apply(at, body);
    return s.put(at, gizmo(of, spec, { resourceVersion: `{version:Gizmo/${of}}` }, versionOf(path)));
  });
