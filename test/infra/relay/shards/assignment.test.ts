import { describe, expect, it } from "vitest";
import { createAssignment } from "../../../../infra/relay/shards/assignment.ts";
import { type KubeObject, MANAGEMENT, workloadCluster } from "../../../../shared/api/kinds.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import type { Change } from "../../../../shared/runtime/queue/route.ts";
import { virtualClock } from "../../../support/clock.ts";

function cluster(index: number, uid = `uid-${index}`): KubeObject {
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Cluster",
    metadata: { namespace: "default", name: `c${index}`, uid },
  };
}
const clusters = (count: number) => Array.from({ length: count }, (_, index) => cluster(index));
const change = (difference: Pick<Change, "before" | "after">): Change => ({
  kind: { group: "cluster.x-k8s.io", kind: "Cluster" },
  cluster: MANAGEMENT,
  ...difference,
});

function world() {
  const clock = virtualClock();
  const mine = new Set<string>();
  const steps: string[] = [];
  const connections = {
    clusterChanged({ before, after }: Change) {
      const what = before === undefined ? "start" : after === undefined ? "end" : "change";
      steps.push(`${what} ${(after ?? before)?.metadata.name}`);
    },
    release: (key: { readonly namespace: string; readonly name: string }) =>
      void steps.push(`release ${workloadCluster(key)}`),
  };
  const assignment = createAssignment({ clock, connections, belongs: (uid) => mine.has(uid) });
  const give = (...objects: readonly KubeObject[]) => {
    for (const { metadata } of objects) mine.add(metadata.uid ?? "");
  };
  return { clock, mine, steps, assignment, give };
}

describe("the Clusters of a shard", () => {
  it("are started when they come to it, and released when they go to another one", () => {
    const { steps, assignment, mine, give } = world();
    const all = clusters(3);
    give(cluster(0), cluster(2));
    assignment.reassign(all.slice(0, 1));
    assignment.reassign(all);
    expect(steps).toEqual(["start c0"]);
    mine.delete("uid-0");
    assignment.reassign(all);
    expect(steps).toEqual(["start c0", "release default/c0"]);
  });

  it("begin 250 a second when a thousand change hands at once, and none twice", async () => {
    const { clock, steps, assignment, give } = world();
    const all = clusters(1_000);
    give(...all);
    assignment.reassign(all);
    await clock.advance(SECOND);
    expect(steps.length).toBeGreaterThan(200);
    expect(steps.length).toBeLessThanOrEqual(275);
    assignment.reassign(all);
    await clock.advance(4 * SECOND);
    expect(new Set(steps).size).toBe(1_000);
    expect(steps).toHaveLength(1_000);
  });

  it("do not begin when they go again before their turn has come", async () => {
    const { clock, mine, steps, assignment, give } = world();
    const all = clusters(100);
    give(...all);
    assignment.reassign(all);
    const begun = steps.length;
    mine.clear();
    assignment.reassign(all);
    await clock.advance(SECOND);
    expect(steps).toHaveLength(2 * begun);
    expect(steps.slice(begun).every((step) => step.startsWith("release"))).toBe(true);
  });

  it("begin as they are by then: a change while they wait is not lost", async () => {
    const { clock, steps, assignment, give } = world();
    const all = clusters(2);
    give(...all);
    assignment.reassign(all);
    assignment.changed(change({ before: cluster(1), after: cluster(1) }));
    await clock.advance(SECOND);
    assignment.changed(change({ before: cluster(1), after: cluster(1) }));
    expect(steps).toEqual(["start c0", "start c1", "change c1"]);
  });

  it("are removed with all that is stored of them when they are deleted, also while they wait", async () => {
    const { clock, steps, assignment, give } = world();
    const all = clusters(3);
    give(...all);
    assignment.reassign(all);
    assignment.changed(change({ before: cluster(2) }));
    assignment.changed(change({ before: cluster(0) }));
    await clock.advance(SECOND);
    assignment.changed(change({ after: cluster(0) }));
    await clock.advance(SECOND);
    expect(steps).toEqual(["start c0", "end c2", "end c0", "start c1", "start c0"]);
  });

  it("of others are left alone, whatever happens to them", () => {
    const { steps, assignment } = world();
    assignment.changed(change({ after: cluster(0) }));
    assignment.changed(change({ before: cluster(0), after: cluster(0) }));
    assignment.changed(change({ before: cluster(0) }));
    assignment.changed(change({}));
    expect(steps).toEqual([]);
  });

  it("do not begin after the end", async () => {
    const { clock, steps, assignment, give } = world();
    const all = clusters(100);
    give(...all);
    assignment.reassign(all);
    const begun = steps.length;
    assignment[Symbol.dispose]();
    await clock.advance(10 * SECOND);
    expect(steps).toHaveLength(begun);
  });
});
