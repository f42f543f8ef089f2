import { describe, expect, it } from "vitest";
import { saysNotPaused, saysPaused, standingOf } from "../../../../infra/operate/takeover/standing.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";

const FILTERED = { core: "capi", capstan: "capstan" };
const UNFILTERED = { core: undefined, capstan: "capstan" };

function objectWith(label: string | undefined, paused?: string): KubeObject {
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Machine",
    metadata: {
      name: "m1",
      ...(label === undefined ? {} : { labels: { "cluster.x-k8s.io/watch-filter": label } }),
      ...(paused === undefined ? {} : { annotations: { "cluster.x-k8s.io/paused": paused } }),
    },
  };
}

describe("where an object stands", () => {
  it("is all in its label and its annotation", () => {
    const stands = (label: string | undefined, paused?: string) =>
      standingOf(objectWith(label, paused), FILTERED);
    expect(stands("capi")).toBe("core");
    expect(stands("capi", "capstan-takeover")).toBe("leaving-core");
    expect(stands("capstan", "capstan-takeover")).toBe("leaving-capstan");
    expect(stands("capstan")).toBe("capstan");
    expect(stands("capi", "by a user")).toBe("core");
    expect([stands("blue"), stands(undefined)]).toEqual(["other", "other"]);
  });

  it("is with a manager without a filter as long as it has no label", () => {
    expect(standingOf(objectWith(undefined), UNFILTERED)).toBe("core");
    expect(standingOf(objectWith("blue"), UNFILTERED)).toBe("other");
  });

  it("is paused when its controller has seen the annotation, not only the Cluster", () => {
    const withPaused = (status: string, message: string) =>
      ({
        ...objectWith("capi"),
        status: { conditions: [{ type: "Paused", status, message }] },
      }) as KubeObject;
    expect(saysPaused(withPaused("True", "Machine has the cluster.x-k8s.io/paused annotation"))).toBe(true);
    expect(saysPaused(withPaused("True", "Cluster spec.paused is set to true"))).toBe(false);
    expect([saysPaused(objectWith("capi")), saysNotPaused(objectWith("capi"))]).toEqual([false, false]);
    expect(saysNotPaused(withPaused("False", ""))).toBe(true);
  });
});
