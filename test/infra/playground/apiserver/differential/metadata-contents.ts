import * as fc from "fast-check";
import type { Json, JsonObject } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { pick, someOf } from "./choice.ts";

const one = (...values: readonly Json[]): fc.Arbitrary<Json> => pick(...values);

const OWNERS = ["0a", "0b"].map((start, index) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: `owner-${index}`,
  uid: `${start}000000-0000-0000-0000-000000000000`,
}));
const owners = one(
  OWNERS.slice(0, 1),
  OWNERS,
  OWNERS.map((owner, index) => ({ ...owner, controller: index === 0, blockOwnerDeletion: true })),
);

/** Labels, annotations, finalizers and owners that are accepted. */
export const validMetadata = fc.oneof(
  { weight: 3, arbitrary: fc.constant<JsonObject>({}) },
  {
    weight: 2,
    arbitrary: someOf(
      {
        labels: someOf({ app: one("a", "b"), tier: one("1", "5"), "x.y/z": one("") }, 2),
        annotations: one({ note: "a" }, { note: "", "a.b/c": "d" }, { "a.b/c": "d" }, {}),
        finalizers: one(["a.b/c"], ["a.b/c", "d.e/f"], []),
        ownerReferences: fc.oneof({ weight: 4, arbitrary: owners }, one([])),
      },
      2,
    ),
  },
);

/** Metadata that is wrong, or that the server does not take from clients. */
export const oddMetadata: fc.Arbitrary<JsonObject> = fc.oneof(
  validMetadata,
  one(
    { labels: { a: 1 } },
    { labels: { "a b": "c" } },
    { labels: { a: "c d" } },
    { labels: null },
    { labels: { a: null } },
    { labels: [] },
    { annotations: { a: 1 } },
    { annotations: { "a b": "x" } },
    { annotations: "x" },
    { finalizers: ["no domain!"] },
    { finalizers: ["plain"] },
    { finalizers: ["a.b/c", "a.b/c"] },
    { finalizers: null },
    { finalizers: "x" },
    { finalizers: ["orphan", "foregroundDeletion"] },
    { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "n" }] },
    { ownerReferences: [OWNERS[0] as Json, OWNERS[0] as Json] },
    { ownerReferences: OWNERS.map((owner) => ({ ...owner, controller: true })) },
    { ownerReferences: [{}] },
    { ownerReferences: [{ ...OWNERS[0], zz: 1 }] },
    { uid: "other" },
    { generation: 40 },
    { creationTimestamp: "2020-01-01T00:00:00Z" },
    { creationTimestamp: null },
    { creationTimestamp: "x" },
    { deletionTimestamp: "2020-01-01T00:00:00Z" },
    { deletionGracePeriodSeconds: 5 },
    { resourceVersion: "1" },
    { resourceVersion: "x" },
    { resourceVersion: 1 },
    { namespace: "other" },
    { selfLink: "/x" },
    { generateName: "gen-" },
    { bogus: 1 },
    { name: 1 },
    { name: "other" },
    { name: null },
    { managedFields: [] },
    { managedFields: [{}] },
    {
      managedFields: [
        { manager: "m", operation: "Bogus", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} },
      ],
    },
    {
      managedFields: [
        { manager: "m", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV2", fieldsV1: {} },
      ],
    },
    {
      managedFields: [
        { manager: "m", operation: "Update", fieldsType: "FieldsV1", fieldsV1: { "f:spec": {} } },
      ],
    },
    {
      managedFields: [
        {
          manager: "m",
          operation: "Apply",
          apiVersion: "test.capstan.dev/v1",
          fieldsType: "FieldsV1",
          time: "2020-01-01T00:00:00Z",
          fieldsV1: { "f:spec": { "f:size": {}, "f:mode": {} } },
        },
      ],
    },
  ).map((value) => value as JsonObject),
);
