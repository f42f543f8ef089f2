import * as fc from "fast-check";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { pick } from "./choice.ts";
import { place } from "./gizmo-address.ts";
import * as s from "./step.ts";

const pointer = pick(
  "/spec/size",
  "/spec/color",
  "/spec/nested/a",
  "/spec/list/-",
  "/spec/list/0",
  "/spec/set/-",
  "/spec/labels/k",
  "/spec/items/0/value",
  "/spec/free/a",
  "/metadata/labels",
  "/metadata/labels/app",
  "/metadata/finalizers/-",
  "/metadata/annotations",
  "/status/phase",
  "/spec",
  "/spec/missing/x",
  "/metadata/name",
  "spec",
  "",
);
const operation: fc.Arbitrary<Json> = fc.oneof(
  fc.record({
    op: pick("add", "replace", "test"),
    path: pointer,
    value: pick<Json>(1, 2, "x", null, "red", {}, ["a"]),
  }),
  fc.record({ op: fc.constant("remove"), path: pointer }),
  fc.record({ op: pick("move", "copy"), from: pointer, path: pointer }),
  pick<Json>({ op: "bogus", path: "/spec" }, { op: "add", path: "/spec/size" }, { path: "/spec" }, {}, 1),
);
export const jsonPatch: fc.Arbitrary<s.Step> = fc
  .tuple(place, pick("", "", "/status"), fc.array(operation, { minLength: 1, maxLength: 3 }))
  .map(([{ path, of, query: given }, sub, operations]) =>
    s.json(s.withQuery(`${path}/${of}${sub}`, given), operations),
  );
