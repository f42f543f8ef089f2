import type { Kind } from "../../shared/api/kinds.ts";

/** A kind of servers that a test makes up. */
export const Thing: Kind = {
  group: "things.example",
  version: "v1",
  kind: "Thing",
  plural: "things",
  namespaced: true,
};
