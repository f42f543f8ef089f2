import { describe, expect, it } from "vitest";
import { TenantLines } from "../../../../infra/queue/ledger/tenant-lines.ts";

const anyTenant = (): boolean => true;

function fill(lines: TenantLines, tenant: string, from: number, count: number): void {
  for (let n = from; n < from + count; n += 1) lines.add(`${tenant}|Machine|ns/m${n}`);
}

function take(lines: TenantLines, count: number, mayRun: (tenant: string) => boolean = anyTenant): string {
  return Array.from({ length: count }, () => lines.shift(mayRun)?.slice(0, 1) ?? "-").join("");
}

describe("lines of tenants", () => {
  it("Q-12: tenants of equal standing take turns", () => {
    const lines = new TenantLines();
    fill(lines, "a", 0, 3);
    fill(lines, "b", 0, 3);
    expect(take(lines, 7)).toBe("ababab-");
  });

  it("Q-12: a tenant that comes with few keys gets two of three turns, and a busy one the third", () => {
    const lines = new TenantLines();
    fill(lines, "a", 0, 200);
    take(lines, 64);
    fill(lines, "b", 0, 4);
    fill(lines, "c", 0, 2);
    expect(take(lines, 10)).toBe("bcabcabbaa");
  });

  it("Q-12: a newcomer with many keys is as busy as the others after its first 64", () => {
    const lines = new TenantLines();
    fill(lines, "a", 0, 200);
    take(lines, 64);
    fill(lines, "b", 0, 200);
    expect(take(lines, 96)).toBe("bba".repeat(32));
    expect(take(lines, 6)).toMatch(/^(?:ab|ba)+$/);
  });

  it("keeps the turn of a tenant that may not run more", () => {
    const lines = new TenantLines();
    fill(lines, "a", 0, 2);
    fill(lines, "b", 0, 2);
    expect(take(lines, 3, (tenant) => tenant === "b")).toBe("bb-");
    expect(take(lines, 3)).toBe("aa-");
  });

  it("forgets a key that is deleted, and its tenant with the last one", () => {
    const lines = new TenantLines();
    fill(lines, "a", 0, 2);
    lines.delete("a|Machine|ns/m0");
    expect(lines.shift(anyTenant)).toBe("a|Machine|ns/m1");
    fill(lines, "a", 0, 1);
    lines.delete("a|Machine|ns/m0");
    expect(lines.shift(anyTenant)).toBeUndefined();
  });
});
