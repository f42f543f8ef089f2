import { describe, expect, it } from "vitest";
import { machinepoolGuard } from "../../../../functions/machinepool/guard.ts";
import { machinepoolStatus } from "../../../../functions/machinepool/status.ts";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { Secret as CoreSecret } from "../../../../shared/api/core.ts";
import { type Kind, type KubeObject, refTo } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { defineFunction } from "../../../../shared/function/define-function.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { EvictionAnswer } from "../../../../shared/function/evictions.ts";
import type { Issue } from "../../../../shared/function/issue.ts";
import { done, failed } from "../../../../shared/function/result.ts";
import { ownerReference } from "../../../../shared/rules/metadata/owner-references.ts";
import { decisionDigest } from "../../../../shared/runtime/letters/compose-letter.ts";
import {
  type DeadLetter,
  type LetterRun,
  parseDeadLetter,
} from "../../../../shared/runtime/letters/dead-letter.ts";
import { replay } from "../../../../shared/runtime/letters/replay.ts";
import {
  bootstrapConfig,
  cluster,
  FOO_CRDS,
  infraMachinePool,
  machinePool,
} from "../../../support/builders.ts";
import { describeAnswer, evictor, pod } from "../../../support/evictor.ts";
import { letterOfFailure } from "../../../support/failed-run.ts";
import { poolCheck } from "../../../support/poisoned/pool/check.ts";
import { poolCheck as repairedCheck } from "../../../support/repaired/pool/check.ts";

/** Of a vault: what it holds is hidden like that of a Secret of Kubernetes, which no step gets to see. */
const Secret: Kind<KubeObject & { readonly data?: { readonly [key: string]: string } }> = {
  group: "vault.dev",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
};
const COMMON = {
  name: "pool-check",
  summary: "Checks.",
  source: "own",
  reconciles: MachinePool,
  watches: [],
  readsLive: [Secret],
} as const;
const CANARY = "c4n4ry-s3cr3t";
const secret: KubeObject = {
  apiVersion: "vault.dev/v1",
  kind: "Secret",
  metadata: { name: "p1-secret", namespace: "default", uid: "uid-s", resourceVersion: "9" },
  ...{ data: { value: CANARY } },
};
const poisoned = machinePool({ metadata: { annotations: { "test.capstan.dev/poison": "malformed" } } });
/** One for the function that may read it, one for those that a step sees as it is. */
const served = [cluster(), secret, { ...secret, apiVersion: "v1" }];

/** As it comes back from a file. */
function stored(letter: DeadLetter): DeadLetter {
  return parseDeadLetter(JSON.parse(JSON.stringify(letter)));
}

describe("replay", () => {
  it("reproduces what a step threw, from the letter alone", async () => {
    const letter = stored(await letterOfFailure(poolCheck, { snapshots: [poisoned], served }));
    const result = await replay(poolCheck, letter, systemClock);
    expect(result).toMatchObject({
      type: "reproduced",
      recorded: { result: expect.stringContaining("malformed"), digest: letter.run?.digest, requests: [] },
    });
  });

  it("shows what a repaired step would send instead", async () => {
    const letter = stored(await letterOfFailure(poolCheck, { snapshots: [poisoned], served }));
    const result = await replay(repairedCheck, letter, systemClock);
    expect(result).toMatchObject({
      type: "different",
      recorded: { requests: [] },
      replayed: {
        result: "done",
        requests: [{ title: "patch MachinePool default/p1", body: expect.any(Array) }],
      },
    });
    expect(JSON.stringify(result)).toContain("malformed c1 a secret 2026");
  });

  it("reproduces a decision whose request was refused, with every request in order", async () => {
    const refuse = () =>
      new KubeError({ class: "Terminal", status: 422, reason: "Invalid", message: "Bearer abcdef is wrong" });
    const letter = stored(await letterOfFailure(repairedCheck, { snapshots: [poisoned], served, refuse }));
    expect(letter.run?.writes).toMatchObject([
      {
        verb: "patch",
        fieldManager: "capstan-pool-check",
        outcome: { error: { reason: "Invalid", code: 422 } },
      },
    ]);
    expect(await replay(repairedCheck, letter, systemClock)).toMatchObject({
      type: "reproduced",
      recorded: { result: "done" },
    });
  });

  it.each([
    ["machinepool-guard", machinepoolGuard, { metadata: { finalizers: undefined } }],
    ["machinepool-status", machinepoolStatus, {}],
  ])("reproduces a decision of %s, with its clock", async (_, fn, overrides) => {
    const refuse = () =>
      new KubeError({ class: "Transient", status: 500, reason: "InternalError", message: "no" });
    const snapshots = [machinePool(overrides), cluster(), bootstrapConfig(), infraMachinePool(), ...FOO_CRDS];
    const letter = stored(await letterOfFailure(fn, { snapshots, refuse }));
    const result = await replay(fn, letter, systemClock);
    expect(result.type).toBe("reproduced");
    expect(result.type === "reproduced" && result.recorded.requests).toEqual(
      result.type === "reproduced" && result.replayed.requests,
    );
    expect(result.type === "reproduced" && result.recorded.requests.length).toBeGreaterThan(0);
  });

  it("reproduces a decision that holds secrets, without the key that hides them", async () => {
    const copies = defineFunction(
      { ...COMMON, owns: [], calls: [{ verb: "create", kind: Secret }] },
      async (pool, { read }) => {
        const { namespace = "" } = pool.metadata;
        const found = await read.live.get(Secret, { namespace, name: "p1-secret" });
        const metadata = { name: "copy", namespace };
        const data = { copied: found?.data?.["value"] ?? "", own: btoa(CANARY) };
        const object = { apiVersion: "vault.dev/v1", kind: "Secret", metadata, data };
        return {
          create: [{ cluster: "management", kind: Secret, object }],
          result: failed("Stopped", "password=abc"),
        };
      },
    );
    const letter = stored(await letterOfFailure(copies, { snapshots: [machinePool()], served }));
    expect(JSON.stringify(letter)).not.toMatch(new RegExp(`${CANARY}|${btoa(CANARY)}`));
    expect((await replay(copies, letter, systemClock)).type).toBe("reproduced");
  });

  it("holds a Secret without values and what was asked to be issued, and no key; both replay", async () => {
    const issues = defineFunction(
      { ...COMMON, owns: [], readsLive: [CoreSecret], calls: [{ verb: "issue", kind: CoreSecret }] },
      async (pool, { read }) => {
        const { namespace = "" } = pool.metadata;
        const found = await read.live.secret({ namespace, name: "p1-secret" });
        const { uid = "", resourceVersion = "" } = found?.metadata ?? {};
        const request: Issue = {
          secret: { namespace, name: "p1-secret" },
          labels: { "cluster.x-k8s.io/cluster-name": "c1" },
          owner: ownerReference(MachinePool, pool),
          renew: { uid, resourceVersion },
          what: { type: "keyPair" },
        };
        return { issue: [request], result: failed("Stopped", `of ${found?.keys.join()}`) };
      },
    );
    const letter = stored(await letterOfFailure(issues, { snapshots: [machinePool()], served }));
    const text = JSON.stringify(letter);
    expect(text).not.toMatch(/PRIVATE|c4n4ry|hmac/);
    expect(text).not.toContain(btoa("-----BEGIN PRIVATE KEY").slice(0, 20));
    expect(letter.run?.reads.at(-1)?.answer).toMatchObject({ type: "secret", summary: { keys: ["value"] } });
    expect(letter.run?.writes).toMatchObject([
      { verb: "patch", body: { issue: { what: { type: "keyPair" } } } },
    ]);
    expect(await replay(issues, letter, systemClock)).toMatchObject({
      type: "reproduced",
      recorded: {
        result: "failed Stopped: of value",
        requests: [{ title: "patch Secret default/p1-secret", body: { issue: { renew: { uid: "uid-s" } } } }],
      },
    });
  });

  it("reproduces a decision that gives an owned field up", async () => {
    const gives = defineFunction<MachinePool, "status.phase">(
      { ...COMMON, owns: ["status.phase"] },
      async () => ({ apply: { "status.phase": undefined }, result: failed("A", "b") }),
    );
    const snapshots = [machinePool({ status: { phase: "Running" } })];
    const letter = stored(await letterOfFailure(gives, { snapshots }));
    const result = await replay(gives, letter, systemClock);
    expect(result).toMatchObject({ type: "reproduced", recorded: { requests: [{}] } });
  });

  it("reproduces a letter of version 1, in which one option held for all deletes", async () => {
    const deletes = defineFunction(
      { ...COMMON, owns: [], calls: [{ verb: "delete", kind: Secret }] },
      async (pool, { read }) => {
        const found = await read.live.get(Secret, { namespace: "default", name: "p1-secret" });
        const target = { ...refTo(Secret, found ?? secret), resourceVersion: undefined };
        const result = failed("Stopped", `of ${pool.metadata.name}`);
        return { delete: [{ target, ifFails: { event: "FailedDelete" } }], result };
      },
    );
    const letter = stored(await letterOfFailure(deletes, { snapshots: [machinePool()], served }));
    const decision = letter.run?.decision as { readonly delete: readonly { readonly target: object }[] };
    const targets = decision.delete.map(({ target }) => target);
    const old = { ...decision, delete: targets, deleteMayFail: { reason: "FailedDelete" } };
    const digest = await decisionDigest({ decision: old });
    const first = stored({ ...letter, v: 1, run: { ...letter.run, decision: old, digest } as LetterRun });
    for (const each of [first, letter]) {
      expect(await replay(deletes, each, systemClock)).toMatchObject({
        type: "reproduced",
        recorded: { digest: letter.run?.digest, requests: [{ title: "delete Secret default/p1-secret" }] },
      });
    }
    expect(digest).not.toBe(letter.run?.digest);
  });

  it("answers reads in any order, and names the one that was not recorded", async () => {
    const letter = stored(await letterOfFailure(poolCheck, { snapshots: [poisoned], served }));
    const reads = [...(letter.run?.reads ?? [])].reverse();
    const shuffled = {
      ...letter,
      run: { ...letter.run, reads, writes: [], digest: letter.run?.digest ?? "" },
    };
    expect((await replay(poolCheck, shuffled, systemClock)).type).toBe("reproduced");
    const more = defineFunction({ ...COMMON, owns: [] }, async (pool, { read }) => {
      await read.live.get(Secret, { namespace: "default", name: `${pool.metadata.name}-other` });
      return { result: done };
    });
    expect(await replay(more, letter, systemClock)).toEqual({
      type: "not replayable",
      why: "the step now reads what the dead letter does not hold: live.get Secret default/p1-other",
    });
  });

  it("gives the error again that a read ended with", async () => {
    const unreachable = defineFunction({ ...COMMON, owns: [] }, async (_pool, { read }) => {
      await read.live.get(Secret, { namespace: "default", name: "x" });
      return { result: done };
    });
    const letter = stored(
      await letterOfFailure(unreachable, {
        snapshots: [machinePool()],
        get served(): readonly KubeObject[] {
          return new Proxy<readonly KubeObject[]>([], {
            get: () => {
              throw new KubeError({ class: "Transient", status: 0, reason: "NoAnswer", message: "reset" });
            },
          });
        },
      }),
    );
    expect(letter.run?.reads.at(-1)?.answer).toMatchObject({ type: "error", error: { reason: "NoAnswer" } });
    expect((await replay(unreachable, letter, systemClock)).type).toBe("reproduced");
  });

  describe("of a step with reads side by side, of which one fails", () => {
    const first = { namespace: "default", name: "first" };
    const second = { namespace: "default", name: "second" };
    const reset = (message: string) =>
      new KubeError({ class: "Transient", status: 0, reason: "NoAnswer", message });
    /** Asks for a Secret twice, and for a third one when the second is known. */
    const asksTwice = defineFunction({ ...COMMON, owns: [] }, async (_pool, { read }) => {
      await Promise.all([
        read.live.get(Secret, first),
        read.live.get(Secret, second).then(() => read.live.get(Secret, { ...second, name: "third" })),
      ]);
      return { result: done };
    });
    const never = () => new Promise<undefined>(() => undefined);
    const late = async () => {
      for (let turn = 0; turn < 10; turn += 1) await undefined;
    };
    const answerOnly = (name: string) => (name === "second" ? Promise.resolve(secret) : never());
    const answers: readonly (readonly [string, (name: string) => Promise<KubeObject | undefined>])[] = [
      ["the other has no answer yet", (name) => (name === "first" ? never() : Promise.reject(reset(name)))],
      ["the first has no answer yet", (name) => (name === "second" ? never() : Promise.reject(reset(name)))],
      [
        "what followed on the other has no answer yet",
        (name) => (name === "first" ? late().then(() => Promise.reject(reset(name))) : answerOnly(name)),
      ],
      [
        "the other fails too, a little later",
        (name) => (name === "first" ? late() : Promise.resolve()).then(() => Promise.reject(reset(name))),
      ],
    ];
    it.each(answers)("%s: throws the same again", async (_, live) => {
      const letter = stored(await letterOfFailure(asksTwice, { snapshots: [machinePool()], live }));
      expect(letter.run?.reads.some(({ answer }) => answer.type === "unanswered")).toBe(true);
      expect(await replay(asksTwice, letter, systemClock)).toMatchObject({
        type: "reproduced",
        recorded: { result: expect.stringContaining("threw NoAnswer") },
      });
    });

    it("a step that now waits for it alone cannot be replayed", async () => {
      const [, live] = answers[0] ?? [];
      const letter = stored(await letterOfFailure(asksTwice, { snapshots: [machinePool()], live }));
      const waits = defineFunction({ ...COMMON, owns: [] }, async (_pool, { read }) => {
        await read.live.get(Secret, first);
        return { result: done };
      });
      expect(await replay(waits, letter, systemClock)).toEqual({
        type: "not replayable",
        why: "the step now waits for what the run had no answer to: live.get Secret default/first",
      });
    });
  });

  it("says why a letter without a run cannot be replayed", async () => {
    const letter = await letterOfFailure(poolCheck, { snapshots: [poisoned], served });
    const { run: _, ...bare } = letter;
    expect(await replay(poolCheck, { ...bare, reason: "LeaseExpired" }, systemClock)).toEqual({
      type: "not replayable",
      why: "the worker was killed or hung, so the reads of the run were not recorded",
    });
    expect(await replay(poolCheck, bare, systemClock)).toMatchObject({
      why: expect.stringContaining("cut off"),
    });
    expect(await replay(poolCheck, { ...bare, truncated: ["run"] }, systemClock)).toMatchObject({
      why: expect.stringContaining("too large"),
    });
  });

  it("reproduces a malformed key", async () => {
    const key = "default/c1|Cluster|default/p1";
    const letter = stored(await letterOfFailure(poolCheck, { snapshots: [poisoned], key }));
    expect(await replay(poolCheck, letter, systemClock)).toMatchObject({
      type: "reproduced",
      recorded: { result: expect.stringContaining("MalformedKey") },
    });
  });
});

describe("replay of evictions", () => {
  const causes = [{ reason: "DisruptionBudget", message: "The disruption budget b needs 1" }];
  const budget = new KubeError({
    class: "Transient",
    status: 429,
    reason: "TooManyRequests",
    message: "No.",
    causes,
  });
  const world = {
    snapshots: [machinePool()],
    served: [pod("a"), pod("b")],
    refuse: ({ name }: { readonly name: string }) => (name === "a" ? budget : undefined),
  };
  const lost = (answers: readonly EvictionAnswer[]): never => {
    throw new TypeError(answers.map(describeAnswer).join("; "));
  };

  it("decides by the recorded answers and sends nothing", async () => {
    const letter = stored(await letterOfFailure(evictor(), world));
    expect(letter.run?.writes).toMatchObject([
      {
        verb: "evict",
        ref: { name: "a" },
        precondition: { uid: "uid-a" },
        outcome: { error: { code: 429 } },
      },
      { verb: "evict", ref: { name: "b" }, outcome: {} },
    ]);
    const result = await replay(evictor(), letter, systemClock);
    const reported = "a refused No. The disruption budget b needs 1; b accepted";
    const requests = [{ title: "evict Pod default/a" }, { title: "evict Pod default/b" }];
    expect(result).toMatchObject({
      type: "reproduced",
      recorded: { result: `failed Invalid: ${reported}`, requests },
      replayed: { result: `failed Invalid: ${reported}`, requests },
    });
  });

  it("shows a step that now draws something else from them", async () => {
    const letter = stored(await letterOfFailure(evictor(), world));
    expect(await replay(evictor(lost), letter, systemClock)).toMatchObject({
      type: "different",
      replayed: { result: "threw TypeError: a refused No. The disruption budget b needs 1; b accepted" },
    });
  });

  it("reproduces what failed only when the answers were there", async () => {
    const letter = stored(await letterOfFailure(evictor(lost), world));
    expect(letter.run?.error).toMatchObject({ reason: "TypeError" });
    expect(await replay(evictor(lost), letter, systemClock)).toMatchObject({ type: "reproduced" });
  });
});
