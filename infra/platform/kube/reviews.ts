import { apiVersionOf } from "../../../shared/api/kinds.ts";
import { pathOf } from "./resource-path.ts";
import type { Calls, ServerClient } from "./verbs.ts";

export function createReviewer(calls: Calls): Pick<ServerClient, "review"> {
  return {
    review(kind, spec) {
      const path = pathOf(kind, { namespace: "" });
      const body = { apiVersion: apiVersionOf(kind), kind: kind.kind, spec };
      const request = { method: "POST", path, body, contentType: "application/json" };
      return calls.document({ kind, verb: "create" }, request);
    },
  };
}
