import { expect, it } from "vitest";
import { parse } from "yaml";
import { realServerMissing, startRealServer } from "../../../infra/bench/real-server.ts";
import { eventually } from "../../support/eventually.ts";
import { describeWith } from "../../support/requires.ts";
import {
  type ApiClient,
  type Body,
  CRDS_PATH,
  clientFor,
  type Reply,
  startTestServer,
  WIDGETS_PATH,
} from "./api-client.ts";
import { SCRIPT, type Step } from "./differential-script.ts";
import { WIDGETS } from "./widgets.ts";

const ASSETS = process.env["KUBEBUILDER_ASSETS"];

describeWith(realServerMissing(ASSETS), { optional: true })("beside a real kube-apiserver", () => {
  it("answers every request alike, apart from what the script names", { timeout: 120_000 }, async () => {
    await using started = await startRealServer(ASSETS ?? "");
    const kubeconfig = parse(started.kubeconfig);
    const real = clientFor(kubeconfig.clusters[0].cluster.server, kubeconfig.users[0].user.token);
    await real.call("POST", CRDS_PATH, { body: WIDGETS });
    await eventually(async () => (await real.call("GET", WIDGETS_PATH)).code === 200, { withinMs: 20_000 });
    await using ours = await startTestServer();
    const unexpected: string[] = [];
    for (const [chapter, steps] of Object.entries(SCRIPT)) {
      for (const server of [real, ours]) await server.call("DELETE", WIDGETS_PATH);
      for (const step of steps) {
        const [theirs, own] = await Promise.all([answerOf(real, step), answerOf(ours, step)]);
        if ((theirs === own) === (step.differs === undefined)) continue;
        unexpected.push(
          `${chapter}: ${step.method} ${step.path} ${JSON.stringify(step.body)}\n  real ${theirs}\n  ours ${own}`,
        );
      }
    }
    expect(unexpected.join("\n")).toBe("");
  });
});

async function answerOf(server: ApiClient, { method, path, ...options }: Step): Promise<string> {
  const reply = await server.call(method, path, options);
  return JSON.stringify({ code: reply.code, warning: reply.headers["warning"], body: comparable(reply) });
}

/** Failures by what the specification fixes; anything else as it is, without uids, versions and times. */
function comparable({ body, text }: Reply): unknown {
  if (body?.kind !== "Status" || body.status !== "Failure") return masked(body ?? text);
  const { kind, group, name, causes = [] } = body.details ?? {};
  const fields = causes
    .filter((cause: Body) => cause.field)
    .map((cause: Body): string => `${cause.field} ${cause.reason}`);
  return {
    reason: body.reason,
    kind: kind || undefined,
    group,
    name,
    causes: [...new Set<string>(fields)].toSorted(byText),
  };
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}

const IGNORED = new Set(["storageVersionHash", "lastTransitionTime", "description"]);

function masked(value: unknown): unknown {
  if (typeof value === "string") {
    return value
      .replace(/^[0-9a-f]{8}-[0-9a-f-]{27}$/, "UID")
      .replace(/^20\d\d-.*Z$/, "TIME")
      .replace(/^\d+s$/, "AGE");
  }
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value)
    .filter(([member, inner]) => !IGNORED.has(member) && !(member === "continue" && inner === ""))
    .toSorted(([a], [b]) => byText(a, b));
  return Object.fromEntries(
    members.map(([member, inner]) => [member, member === "resourceVersion" ? "VERSION" : masked(inner)]),
  );
}
