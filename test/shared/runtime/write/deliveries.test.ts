import { describe, expect, it } from "vitest";
import { manifests } from "../../../../infra/platform/yaml/manifests.ts";
import { ConfigMap, Secret } from "../../../../shared/api/core.ts";
import { type Kind, type KubeObject, refTo } from "../../../../shared/api/kinds.ts";
import { KubeError, WaitingError } from "../../../../shared/function/errors.ts";
import type { Delivery } from "../../../../shared/function/manifests.ts";
import { sendDeliveries } from "../../../../shared/runtime/write/deliveries.ts";
import { recordWrites } from "../../../../shared/runtime/write/record-writes.ts";
import { evictor } from "../../../support/evictor.ts";
import { recordingClients, type SentWrite } from "../../../support/recording-clients.ts";
import { manifestMap, manifestSecret, NAMESPACE } from "../../../support/resource-sets.ts";

const pod = (name: string) => `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name} }\n`;
const canary = "canary-of-the-secret";

function deliveryOf(resource: ConfigMap | Secret, verb: Delivery["verb"] = "create"): Delivery {
  const kind = (resource.kind === "Secret" ? Secret : ConfigMap) as unknown as Kind;
  const { hash = "" } = manifests.describe(resource);
  return { cluster: "default/c1", source: refTo(kind, resource), hash, verb };
}

async function send(
  delivery: Delivery,
  resource: KubeObject,
  refuse?: (write: SentWrite) => Error | undefined,
  elapsed = () => 0,
) {
  const clients = recordingClients(refuse, [resource]);
  const recorder = recordWrites(clients);
  const context = {
    clients: recorder,
    clock: { now: () => new Date(elapsed()), after: () => () => undefined },
    signal: new AbortController().signal,
    function: evictor(),
    manifests,
  };
  const { answers, requests } = await sendDeliveries([delivery], context);
  return { answers, requests, sent: clients.sent, recorded: recorder.sent };
}

function refusal(status: number, reason: string, message = `no: ${canary}`): KubeError {
  return new KubeError({ class: "Terminal", status, reason, message });
}

describe("deliveries", () => {
  it("send what others need first, as one manager, into the namespace `default` where none is named", async () => {
    const resource = manifestMap({ a: `${pod("p")}---\n${NAMESPACE}` });
    const { answers, sent, requests } = await send(deliveryOf(resource), resource);
    expect(answers).toEqual([{ type: "applied" }]);
    expect(requests).toBe(2);
    expect(sent).toMatchObject([
      { verb: "create", cluster: "default/c1", as: "resourceset", kind: "Namespace", name: "addons" },
      { verb: "create", kind: "Pod", name: "p", body: { metadata: { namespace: "default" } } },
    ]);
  });

  it("leave an object alone that exists; apply writes over it", async () => {
    const resource = manifestMap({ a: pod("p") });
    const there = () => refusal(409, "AlreadyExists");
    expect((await send(deliveryOf(resource), resource, there)).answers).toEqual([{ type: "applied" }]);
    const { sent } = await send(deliveryOf(resource, "apply"), resource);
    expect(sent).toMatchObject([{ verb: "apply", kind: "Pod" }]);
  });

  it("try the others when one is refused, and say three of the refusals", async () => {
    const names = ["p1", "p2", "p3", "p4", "p5"];
    const resource = manifestMap({ a: names.map(pod).join("---\n") });
    const { answers, sent } = await send(deliveryOf(resource), resource, ({ name }) =>
      name === "p5" ? undefined : refusal(403, "Forbidden", `no ${name}`),
    );
    expect(sent).toHaveLength(5);
    expect(answers).toEqual([
      { type: "failed", problems: ["Pod p1: no p1", "Pod p2: no p2", "Pod p3: no p3", "and 1 more"] },
    ]);
    const unknown = manifestMap({ a: "apiVersion: x.dev/v1\nkind: Thing\nmetadata: { name: t }" });
    expect((await send(deliveryOf(unknown), unknown)).answers).toEqual([
      { type: "failed", problems: ["Thing t: the server has no kind Thing in x.dev/v1 yet"] },
    ]);
  });

  it("keep the values of a Secret, and the words of a server about them, out of every record", async () => {
    const resource = manifestSecret(pod(canary));
    const { answers, recorded } = await send(deliveryOf(resource), resource, () => refusal(422, "Invalid"));
    expect(answers).toEqual([
      {
        type: "failed",
        problems: [`Pod ${canary}: Invalid; the server's words are left out, as they may quote the Secret`],
      },
    ]);
    const [write] = recorded;
    expect(write?.body).toEqual({
      source: { kind: "Secret", namespace: "default", name: "late" },
      hash: deliveryOf(resource).hash,
    });
    expect(String(write?.outcome.error)).not.toContain(canary);
  });

  it("send nothing of other values than those that were read, nor of what is unreadable", async () => {
    const changed = await send({ ...deliveryOf(manifestMap()), hash: "sha256:old" }, manifestMap());
    expect(changed.answers).toEqual([{ type: "failed", problems: ["it has changed meanwhile"] }]);
    const broken = manifestMap({ a: "x: [" });
    expect((await send(deliveryOf(broken), broken)).answers).toEqual([
      { type: "failed", problems: ["key a has no YAML on line 1"], isUnreadable: true },
    ]);
    expect(changed.sent).toEqual([]);
  });

  it("end after 20 s, and with the connection", async () => {
    const resource = manifestMap({ a: pod("p") });
    let calls = 0;
    const late = await send(deliveryOf(resource), resource, undefined, () => 20_000 * calls++);
    expect(late.answers).toEqual([{ type: "failed", problems: ["Pod p: not sent within 20 s, it follows"] }]);
    const lost = send(deliveryOf(resource), resource, () => new WaitingError("Connection default/c1"));
    await expect(lost).rejects.toBeInstanceOf(WaitingError);
  });
});
