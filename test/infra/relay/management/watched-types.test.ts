import { describe, expect, it } from "vitest";
import { noteRefusal } from "../../../../infra/relay/management/watched-types.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { missingRight } from "../../../../shared/function/missing-right.ts";
import type { TypeProgress } from "../../../../shared/runtime/ports.ts";
import { WIDGETS } from "../../../support/widget.ts";

const RELAY = "system:serviceaccount:capstan-system:capstan-relay";

function refused(verb: string, where = "at the cluster scope"): KubeError {
  const message = `${verb} foos: foos.a.dev is forbidden: User "${RELAY}" cannot ${verb} resource "foos" in API group "a.dev" ${where}`;
  return new KubeError({ class: "Transient", status: 403, reason: "Forbidden", message });
}

function noted(...errors: readonly unknown[]): readonly (string | undefined)[] {
  const progress: Partial<TypeProgress>[] = [];
  const advance = async (_: unknown, change: Partial<TypeProgress>) => void progress.push(change);
  for (const error of errors) noteRefusal({ advance }, WIDGETS, error);
  return progress.map(({ refusal }) => refusal);
}

describe("a list that the server refuses to the relay", () => {
  it("is noted, whether the watch or the list was refused, with the commands that allow both", () => {
    const [refusal = "", other] = noted(refused("watch"), refused("list"));
    expect(other).toBe(refusal);
    expect(missingRight(refusal)).toMatchObject({
      user: RELAY,
      verb: "list",
      resource: "foos",
      group: "a.dev",
    });
    expect(refusal).toContain("--verb=get,list,watch --resource=foos.a.dev");
    expect(refusal).toContain("capstan rbac --from-cluster");
  });

  it("is noted for the namespace that is refused", () => {
    expect(noted(refused("list", 'in the namespace "team"'))[0]).toContain("--namespace=team");
  });

  it("is noted as it is when it is not about a right, and other failures are not noted", () => {
    const away = new KubeError({ class: "Transient", status: 500, reason: "InternalError", message: "m" });
    const odd = new KubeError({ class: "Transient", status: 403, reason: "Forbidden", message: "not today" });
    expect(noted(new Error("no answer"), away, odd)).toEqual(["not today"]);
  });

  it("is noted as it is when a conversion webhook is away", () => {
    const message =
      "conversion webhook for a.dev/v1, Kind=Foo failed: Post https://127.0.0.1:1/convert: refused";
    const away = new KubeError({ class: "Transient", status: 500, reason: "InternalError", message });
    expect(noted(away)).toEqual([message]);
  });

  it("does not end the relay when the read model is away", async () => {
    noteRefusal({ advance: () => Promise.reject(new Error("away")) }, WIDGETS, refused("list"));
    // An unhandled rejection would fail the test.
    await new Promise((resolve) => setImmediate(resolve));
  });
});
