import { describe, expect, it } from "vitest";
import { referenceNotices } from "../../../../shared/rules/providers/reference-notices.ts";
import { cluster, found, missing, unresolved } from "../../../support/builders.ts";
import { deletedCluster, fooCluster } from "../../../support/foo-cluster.ts";

describe("referenceNotices", () => {
  it("warns once per kind that cannot be read", () => {
    const { message } = unresolved(true);
    expect(referenceNotices(cluster(), [unresolved(true), undefined, unresolved(true)])).toEqual([
      { type: "Warning", reason: "UnresolvedReference", message },
    ]);
  });

  it("has nothing to say about objects that are there, or not there yet", () => {
    expect(referenceNotices(cluster(), [found(fooCluster()), missing(fooCluster()), undefined])).toEqual([]);
  });

  it("holds for a deletion only a kind that still exists", () => {
    expect(referenceNotices(deletedCluster(), [unresolved(true)])).toHaveLength(1);
    expect(referenceNotices(deletedCluster(), [unresolved(false)])).toEqual([]);
  });
});
