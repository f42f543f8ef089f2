import * as fc from "fast-check";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { pick, rarely } from "./choice.ts";
import { status, validSpec } from "./contents.ts";
import { collection, gizmo, manager, name, place, versionOf } from "./gizmo-address.ts";
import { GIZMOS_PATH as G } from "./gizmos.ts";
import { validMetadata } from "./metadata-contents.ts";
import * as s from "./step.ts";

type Steps = fc.Arbitrary<s.Step>;

/** Everything of one object with accepted contents. */
export const applyMain: Steps = fc
  .tuple(place, validSpec, validMetadata, rarely("true", "true"))
  .map(([{ path, of, query: given }, spec, metadata, force]) =>
    s.apply(s.withQuery(`${path}/${of}`, { ...given, force }), gizmo(of, spec, metadata, versionOf(path))),
  );
export const forceMain: Steps = fc
  .tuple(place, validSpec)
  .map(([{ path, of, query: given }, spec]) =>
    s.apply(s.withQuery(`${path}/${of}`, { ...given, force: "true" }), gizmo(of, spec, {}, versionOf(path))),
  );
export const applyStatus: Steps = fc
  .tuple(place, status, validMetadata, rarely("true"), rarely({ size: 3 }))
  .map(([{ path, of, query: given }, value, metadata, force, spec]) =>
    s.apply(s.withQuery(`${path}/${of}/status`, { ...given, force }), {
      ...gizmo(of, spec, metadata, versionOf(path)),
      status: value,
    }),
  );
export const mergeMain: Steps = fc
  .tuple(place, validSpec, validMetadata)
  .map(([{ path, of, query: given }, spec, metadata]) =>
    s.merge(s.withQuery(`${path}/${of}`, given), { metadata, spec }),
  );
export const mergeStatus: Steps = fc
  .tuple(place, status, validMetadata, rarely({ size: 9 }))
  .map(([{ path, of, query: given }, value, metadata, spec]) =>
    s.merge(s.withQuery(`${path}/${of}/status`, given), {
      metadata,
      status: value,
      ...(spec ? { spec } : {}),
    }),
  );
export const removeField: Steps = fc
  .tuple(place, pick("size", "nested", "labels", "set", "items", "free", "mode", "groups", "list"))
  .map(([{ path, of, query: given }, field]) =>
    s.merge(s.withQuery(`${path}/${of}`, given), { spec: { [field]: null } }),
  );
export const editMain: Steps = fc
  .tuple(place, validSpec, validMetadata)
  .map(([{ path, of, query: given }, spec, metadata]) =>
    s.edit(s.withQuery(`${path}/${of}`, given), { metadata, spec }),
  );
export const editStatus: Steps = fc
  .tuple(place, status)
  .map(([{ path, of, query: given }, value]) =>
    s.edit(s.withQuery(`${path}/${of}/status`, given), { status: value, spec: { size: 8 } }),
  );
export const create: Steps = fc
  .tuple(place, validSpec, validMetadata, rarely({ phase: "x" }))
  .map(([{ path, of, query: given }, spec, metadata, state]) =>
    s.post(s.withQuery(path, given), {
      ...gizmo(of, spec, metadata, versionOf(path)),
      ...(state ? { status: state } : {}),
    }),
  );
export const scale: Steps = fc.oneof(
  name.map((of) => s.get(`${G}/${of}/scale`)),
  fc
    .tuple(place, pick<Json>(0, 3, 5, 100, 101, -1, 1.5, "x", null))
    .map(([{ path, of, query: given }, replicas]) =>
      s.merge(s.withQuery(`${path}/${of}/scale`, given), { spec: { replicas } }),
    ),
  fc
    .tuple(place, pick(1, 4))
    .map(([{ path, of, query: given }, replicas]) =>
      s.edit(s.withQuery(`${path}/${of}/scale`, given), { spec: { replicas } }),
    ),
);
export const look: Steps = fc
  .tuple(collection, name, pick("", "", "/status"))
  .map(([path, of, sub]) => s.get(`${path}/${of}${sub}`));

export const history: Steps = fc.tuple(name, manager).chain(([of, fieldManager]) => {
  const path = s.withQuery(`${G}/${of}`, { fieldManager });
  return pick<s.Step>(
    s.merge(path, { metadata: { managedFields: [{}] } }),
    s.merge(path, { metadata: { managedFields: [] } }),
    s.merge(path, { metadata: { managedFields: null } }),
    s.json(path, [{ op: "remove", path: "/metadata/managedFields" }]),
    s.json(path, [{ op: "remove", path: "/metadata/managedFields/0" }]),
    s.json(path, [{ op: "replace", path: "/metadata/managedFields/0/manager", value: "renamed" }]),
    s.json(path, [{ op: "replace", path: "/metadata/managedFields", value: [{}] }]),
    s.edit(path, { metadata: { managedFields: null } }),
    s.edit(path, { metadata: { managedFields: [{}] }, spec: { size: 5 } }),
    s.merge(s.withQuery(`${G}/${of}/status`, { fieldManager }), { metadata: { managedFields: [{}] } }),
  );
});
