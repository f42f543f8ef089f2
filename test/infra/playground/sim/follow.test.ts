import { describe, expect, it } from "vitest";
import { SimServer } from "../../../../infra/playground/api/sim-cloud.ts";
import { follow, keyOf } from "../../../../infra/playground/sim/follow.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { KubeClient, WatchEvent } from "../../../../shared/runtime/ports.ts";
import { virtualClock } from "../../../support/clock.ts";
import { silentLog } from "../../../support/silent-log.ts";

function object(name: string, resourceVersion: string, uid = `uid-${name}`): KubeObject {
  return {
    apiVersion: "cloud.sim.capstan.dev/v1beta1",
    kind: "SimServer",
    metadata: { namespace: "default", name, uid, resourceVersion },
  };
}

function failure(reason: string): KubeError {
  return new KubeError({ class: "Transient", status: 500, reason, message: reason });
}

type Answer = (KubeObject | KubeError)[];
type Stream = (WatchEvent | KubeError)[];

/** A server that answers every list and every watch as scripted; after the last one it hangs until it is aborted. */
function scripted(lists: Answer[], watches: Stream[]): { client: KubeClient; asked: string[] } {
  const asked: string[] = [];
  const client: Pick<KubeClient, "list" | "watch"> = {
    async list<T>() {
      asked.push("list");
      const answer = lists.shift() ?? [];
      for (const entry of answer) if (entry instanceof KubeError) throw entry;
      return { items: answer as readonly unknown[] as readonly T[], resourceVersion: "10" };
    },
    async *watch(_kind, { resourceVersion }, signal) {
      asked.push(`watch ${resourceVersion}`);
      const stream = watches.shift();
      for (const entry of stream ?? []) {
        if (entry instanceof KubeError) throw entry;
        yield entry;
      }
      if (stream === undefined) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
  return { client: client as KubeClient, asked };
}

/** Follows the script for a virtual minute or the given time; returns the reports, `-` in front of deleted objects. */
async function followed(lists: Answer[], watches: Stream[], forMs = 60_000) {
  const { client, asked } = scripted(lists, watches);
  const clock = virtualClock();
  const stopping = new AbortController();
  const reported: string[] = [];
  const running = follow({
    client,
    kind: SimServer,
    clock,
    log: silentLog,
    signal: stopping.signal,
    onChange: (seen, isGone) =>
      reported.push(isGone ? `-${keyOf(seen)}` : `${keyOf(seen)}@${seen.metadata.resourceVersion}`),
  });
  await clock.advance(forMs);
  stopping.abort();
  await running;
  return { reported, asked, pending: clock.pending };
}

describe("following a kind", () => {
  it("reports what is listed, then every change, and continues from the last version", async () => {
    const { reported, asked, pending } = await followed(
      [[object("a", "9")]],
      [
        [
          { type: "MODIFIED", object: object("a", "11") },
          { type: "ADDED", object: object("b", "12") },
          { type: "BOOKMARK", object: object("", "15") },
          { type: "DELETED", object: object("a", "16") },
          failure("NoAnswer"),
        ],
      ],
    );
    expect(reported).toEqual(["default/a@9", "default/a@11", "default/b@12", "-default/a", "-default/b"]);
    expect(asked).toEqual(["list", "watch 10", "list", "watch 10"]);
    expect(pending).toBe(0);
  });

  it("finds out by listing again what was deleted meanwhile", async () => {
    const { reported } = await followed(
      [[object("a", "9"), object("b", "9")], [object("b", "9")]],
      [[failure("NoAnswer")]],
    );
    expect(reported).toEqual(["default/a@9", "default/b@9", "-default/a", "default/b@9"]);
  });

  it("reports an object that was recreated under its name as gone first", async () => {
    const { reported } = await followed(
      [[object("a", "9")]],
      [[{ type: "ADDED", object: object("a", "12", "uid-new") }]],
    );
    expect(reported.slice(0, 3)).toEqual(["default/a@9", "-default/a", "default/a@12"]);
  });

  it("lists again at once when its version has expired", async () => {
    const { asked } = await followed([[], []], [[failure("Expired")]]);
    expect(asked).toEqual(["list", "watch 10", "list", "watch 10"]);
  });

  it("waits out a kind that is not served yet", async () => {
    const { reported, asked } = await followed(
      [[failure("TypeNotServed")], [failure("TypeNotServed")], [object("a", "9")]],
      [],
    );
    expect(asked).toEqual(["list", "list", "list", "watch 10"]);
    expect(reported).toEqual(["default/a@9"]);
  });

  it("does not storm a server whose watches end at once", async () => {
    const { asked } = await followed([[], [], []], [[], []], 99);
    expect(asked).toEqual(["list", "watch 10"]);
  });
});
