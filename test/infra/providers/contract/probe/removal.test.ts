import { expect, it } from "vitest";
import { removeProven } from "../../../../../infra/providers/contract/probe/removal.ts";
import type { ObjectMeta } from "../../../../../shared/api/kinds.ts";
import { KubeError } from "../../../../../shared/function/errors.ts";

const CONFLICT = new KubeError({ class: "Conflict", status: 409, reason: "Conflict", message: "changed" });

/** Reads and deletes of one object, whose metadata each read takes from the list. */
function server(reads: readonly (Partial<ObjectMeta> | undefined)[], conflicts = 0) {
  const proofs: unknown[] = [];
  let count = 0;
  const read = async () => {
    const metadata = reads[Math.min(count++, reads.length - 1)];
    return metadata && { apiVersion: "a/v1", kind: "Foo", metadata: { name: "f1", ...metadata } };
  };
  const erase = async (proof: unknown) => {
    proofs.push(proof);
    if (proofs.length <= conflicts) throw CONFLICT;
  };
  return { read, erase, proofs };
}

it("deletes by the uid and the version that a live read has shown", async () => {
  const { read, erase, proofs } = server([{ uid: "u1", resourceVersion: "7" }]);
  await removeProven(read, erase, "u1");
  expect(proofs).toEqual([{ uid: "u1", resourceVersion: "7" }]);
});

it.each([
  ["is gone", undefined],
  ["is another one of the same name", { uid: "u2", resourceVersion: "7" }],
  ["is being deleted", { uid: "u1", resourceVersion: "7", deletionTimestamp: "2026-01-01T00:00:00Z" }],
])("leaves an object alone that %s", async (_, metadata) => {
  const { read, erase, proofs } = server([metadata]);
  await removeProven(read, erase, "u1");
  expect(proofs).toEqual([]);
});

it("reads again where the object has changed in between, but not for ever", async () => {
  const reads = [1, 2].map((version) => ({ uid: "u1", resourceVersion: String(version) }));
  const twice = server(reads, 1);
  await removeProven(twice.read, twice.erase, "u1");
  expect(twice.proofs).toEqual([
    { uid: "u1", resourceVersion: "1" },
    { uid: "u1", resourceVersion: "2" },
  ]);
  const busy = server(reads, 1_000);
  await expect(removeProven(busy.read, busy.erase, "u1")).rejects.toThrow("changed");
  expect(busy.proofs).toHaveLength(10);
});
