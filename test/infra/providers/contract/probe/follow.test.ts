import { expect, it } from "vitest";
import { systemClock } from "../../../../../infra/platform/clock.ts";
import { createServer } from "../../../../../infra/platform/kube/client.ts";
import { follow } from "../../../../../infra/providers/contract/probe/follow.ts";
import type { Scratch } from "../../../../../infra/providers/contract/probe/scratch.ts";
import type { Kind, KubeObject } from "../../../../../shared/api/kinds.ts";
import { eventually } from "../../../../support/eventually.ts";
import {
  failing,
  holding,
  listing,
  type ScriptedServer,
  startScriptedServer,
  streaming,
} from "../../../../support/processes/scripted-server.ts";
import { Widget, widget } from "../../../../support/widget.ts";

const WITHIN = { withinMs: 10_000 };

function version(resourceVersion: string): KubeObject {
  return widget({ resourceVersion });
}

function line(type: string, resourceVersion: string): string {
  return `${JSON.stringify({ type, object: version(resourceVersion) })}\n`;
}

/** Follows Widgets on a server that follows a script; the versions that were seen, in order. */
function following(scripted: ScriptedServer) {
  const stop = new AbortController();
  const server = createServer({ server: scripted.url }, { clock: systemClock });
  const scratch: Pick<Scratch, "client" | "namespace"> = {
    client: server.as("test"),
    namespace: "default",
  };
  const versions: (string | undefined)[] = [];
  const opened = follow(scratch, [Widget as Kind], {
    seen: ({ metadata }) => versions.push(metadata.resourceVersion),
    signal: stop.signal,
  });
  return {
    opened,
    versions,
    [Symbol.dispose]() {
      stop.abort();
      server[Symbol.dispose]();
    },
  };
}

it("sees each version once, in order, from the list on", async () => {
  await using scripted = await startScriptedServer();
  scripted.lists.push(listing([version("5")], "7"));
  scripted.watches.push(holding(line("MODIFIED", "8"), line("DELETED", "9"), line("ADDED", "10")));
  using followed = following(scripted);
  await followed.opened;
  await eventually(() => expect(followed.versions).toEqual(["5", "8", "10"]), WITHIN);
  const watch = scripted.requests.find(({ query }) => query.get("watch") === "true");
  expect(watch?.query.get("resourceVersion")).toBe("7");
});

it("lists again after a watch that has ended or broken", async () => {
  await using scripted = await startScriptedServer();
  scripted.lists.push(listing([], "7"), listing([version("20")], "20"));
  scripted.watches.push(streaming(line("ADDED", "8")), failing(410, "Expired"));
  using followed = following(scripted);
  await followed.opened;
  await eventually(() => expect(followed.versions).toEqual(["8", "20"]), WITHIN);
});

it("fails where the server refuses the first watch, and not for a kind that is not served", async () => {
  await using scripted = await startScriptedServer();
  scripted.watches.push(failing(403, "Forbidden"));
  using refused = following(scripted);
  await expect(refused.opened).rejects.toThrow("Forbidden happened");
  scripted.lists.push(failing(404, "NotFound"));
  using missing = following(scripted);
  await missing.opened;
  expect(missing.versions).toEqual([]);
});
