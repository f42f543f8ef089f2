import { describe, expect, it } from "vitest";
import { noteRefusals } from "../../../../infra/relay/management/refusal.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { missingRight } from "../../../../shared/function/missing-right.ts";
import type { TypeProgress } from "../../../../shared/runtime/ports.ts";
import { WIDGETS } from "../../../support/widget.ts";

const RELAY = "system:serviceaccount:capstan-system:capstan-relay";

function refused(verb: string, where = "at the cluster scope"): KubeError {
  const message = `${verb} foos: foos.a.dev is forbidden: User "${RELAY}" cannot ${verb} resource "foos" in API group "a.dev" ${where}`;
  return new KubeError({ class: "Transient", status: 403, reason: "Forbidden", message });
}

function scene() {
  const noted: Partial<TypeProgress>[] = [];
  let isAway = false;
  const note = noteRefusals(
    {
      advance: async (_, progress) => {
        if (isAway) throw new Error("away");
        noted.push(progress);
      },
    },
    WIDGETS,
  );
  return {
    noted,
    note,
    setAway: (value: boolean) => {
      isAway = value;
    },
  };
}

describe("a list that the server refuses to the relay", () => {
  it("D-406: is noted once, whether the watch or the list was refused, with the commands that allow both", () => {
    const { noted, note } = scene();
    for (const verb of ["watch", "list", "watch"]) note(refused(verb));
    expect(noted).toHaveLength(1);
    const [{ refusal = "" } = {}] = noted;
    expect(missingRight(refusal)).toMatchObject({
      user: RELAY,
      verb: "list",
      resource: "foos",
      group: "a.dev",
    });
    expect(refusal).toContain("--verb=get,list,watch --resource=foos.a.dev");
    expect(refusal).toContain("capstan rbac --from-cluster");
  });

  it("D-407: is noted for the namespace that is refused", () => {
    const { noted, note } = scene();
    note(refused("list", 'in the namespace "team"'));
    expect(noted[0]?.refusal).toContain("--namespace=team");
  });

  it("is noted as it is when it is not about a right, and other failures are not noted", () => {
    const { noted, note } = scene();
    note(new Error("no answer"));
    note(new KubeError({ class: "Transient", status: 500, reason: "InternalError", message: "m" }));
    expect(noted).toEqual([]);
    note(new KubeError({ class: "Transient", status: 403, reason: "Forbidden", message: "not today" }));
    expect(noted).toEqual([{ refusal: "not today" }]);
  });

  it("is noted with the next attempt when the read model is away", async () => {
    const { noted, note, setAway } = scene();
    setAway(true);
    note(refused("list"));
    await Promise.resolve();
    await Promise.resolve();
    setAway(false);
    note(refused("list"));
    expect(noted).toHaveLength(1);
  });
});
