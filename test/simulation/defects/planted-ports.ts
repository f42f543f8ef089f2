import type { HttpAnswer, HttpRequest } from "../../../infra/platform/kube/transport.ts";
import type { Connection } from "../../../shared/api/core.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Process } from "../kernel/kernel.ts";
import { type Defect, type Edit, edited, patched } from "./defect.ts";
import { connecting, lines } from "./network.ts";

/** Of a connection to a workload cluster: between two looks. */
const LOOK_MS = 10_000;
/** A lease of the relays lasts so long. */
const LEASE_MS = 15_000;

export const RENEWED_BY_ANYBODY: Edit = ["renew", "if not held(ARGV[5], ARGV[6]) then return 0 end", ""];

/** Defects of queue, relay and client that were planted from outside. */
export const plantedPortDefects: readonly Defect[] = [
  {
    number: "D-22",
    title: "no fence after a lost answer",
    // Without a lag the read model has caught up when the backoff is over.
    target: { workload: "W-02", faults: ["X-13", "X-23"], isTogether: true },
    patch: () => ({
      tokenLedger: (ledger) =>
        patched(ledger, {
          finish: (name, claim, outcome, next) =>
            ledger.finish(name, claim, outcome.type === "error" ? { ...outcome, fences: [] } : outcome, next),
        }),
    }),
  },
  {
    number: "D-25",
    title: "a connection leaves a timer behind with every list",
    target: { workload: "W-02", faults: ["X-12"] },
    patch: () => ({
      clock: (clock, { name }) => ({
        now: () => clock.now(),
        after(delayMs, callback) {
          const cancel = clock.after(delayMs, callback);
          if (!name.startsWith("relay") || delayMs !== LOOK_MS) return cancel;
          // Others have timers of the same length: only the caller shows which.
          const [, , caller = ""] = (new Error("who calls").stack ?? "").split("\n");
          return /\/connection\.ts\b/.test(caller) ? () => undefined : cancel;
        },
      }),
    }),
  },
  {
    number: "D-26",
    title: "a failing probe keeps nodesComplete",
    target: { workload: "W-12", faults: [] },
    patch: () => ({
      store: (store) =>
        patched(store, {
          put: (type, objects) =>
            store.put(type, type.kind === "Connection" ? objects.map(complete) : objects),
        }),
    }),
  },
  {
    number: "D-32",
    title: "the field manager is cut to capstan-machinepool",
    target: { workload: "W-01", faults: [] },
    patch: () => ({
      network: (network) =>
        connecting(network, (transport) => ({
          send: (request, limitBytes, signal) => transport.send(cutManager(request), limitBytes, signal),
        })),
    }),
  },
  {
    number: "D-36",
    title: "a lease is renewed by any worker",
    target: { workload: "W-01", faults: [] },
    patch: () => ({
      scripts: edited(RENEWED_BY_ANYBODY),
      tokenLedger: (ledger) =>
        patched(ledger, {
          async claim(name, token, terms) {
            const claim = await ledger.claim(name, token, terms);
            if (claim !== undefined) void ledger.renew(name, { ...claim, ...terms, owner: "somebody" });
            return claim;
          },
        }),
    }),
  },
  {
    number: "D-41",
    title: "bookmarks are not handed on",
    target: { workload: "W-02", faults: ["X-36", "X-06"] },
    patch: () => ({
      network: (network) =>
        lines(network, (line) => !/^\{"type":"BOOKMARK"(?!.*initial-events-end)/.test(line)),
    }),
  },
  {
    number: "D-42",
    title: "deletes orphan the dependants",
    target: { workload: "W-04", faults: [] },
    patch: () => ({
      network: (network) =>
        connecting(network, (transport) => ({
          send: (request, limitBytes, signal) => transport.send(orphaning(request), limitBytes, signal),
        })),
    }),
  },
  {
    number: "D-46",
    title: "the lease of the relays is judged by the clock of its holder",
    target: { workload: "W-20", faults: [] },
    patch: () => ({
      network: (network, process) =>
        connecting(network, (transport) => ({
          async send(request, limitBytes, signal) {
            const answer = await transport.send(request, limitBytes, signal);
            return request.path.includes("/leases/") ? believing(answer, process) : answer;
          },
        })),
    }),
  },
];

function complete(object: KubeObject): KubeObject {
  const { status } = object as Connection;
  if (status.state !== "connected") return object;
  return { ...object, status: { ...status, nodesComplete: true } } as KubeObject;
}

function cutManager(request: HttpRequest): HttpRequest {
  return { ...request, path: request.path.replace(/(fieldManager=capstan-machinepool)-[a-z]+/, "$1") };
}

function orphaning(request: HttpRequest): HttpRequest {
  if (request.method !== "DELETE" || request.body === undefined) return request;
  return {
    ...request,
    body: request.body.replace(/"propagationPolicy":"\w+"/, '"propagationPolicy":"Orphan"'),
  };
}

/** A lease that has run out by its own times and the clock of who looks is free. */
function believing(answer: HttpAnswer, { clock, name }: Process): HttpAnswer {
  const lease = JSON.parse(answer.text) as {
    readonly spec?: { readonly holderIdentity?: string; readonly renewTime?: string };
  };
  const { holderIdentity = "", renewTime = "" } = lease.spec ?? {};
  const isOver = Date.parse(renewTime) + LEASE_MS < clock.now().getTime();
  if (holderIdentity === name || !isOver) return answer;
  return { ...answer, text: JSON.stringify({ ...lease, spec: { ...lease.spec, holderIdentity: "" } }) };
}
