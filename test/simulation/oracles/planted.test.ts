import { beforeAll, describe, expect, it } from "vitest";
import type { Network } from "../../../infra/network.ts";
import { type KubeObject, refTo } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import type { AnyFunction } from "../../../shared/runtime/define-function.ts";
import { done } from "../../../shared/runtime/result.ts";
import { type Defect, patched, stepping } from "../defects/defect.ts";
import { NO_FAULTS } from "../plan.ts";
import { type Prepared, prepare } from "../prepared.ts";
import { runOnce } from "../run.ts";
import { workloadOf } from "../workloads/known.ts";

/** One defect for each oracle, so that none of them is one that cannot fail. */
interface Planted {
  readonly title: string;
  readonly workload: string;
  readonly patch: Defect["patch"];
  /** Parts of violations, each of which must be there. */
  readonly found: readonly string[];
}

const PLANTED: readonly Planted[] = [
  {
    title: "D-32: a field manager that names no function",
    workload: "W-01",
    patch: () => ({
      network: (network) =>
        sending(network, (path) => path.replace("capstan-machinepool-status", "capstan-machinepool")),
    }),
    found: ["F-06: capstan-machinepool names no function", "F-08: capstan-machinepool names no function"],
  },
  {
    title: "D-36: somebody renews a lease that another one holds",
    workload: "W-01",
    patch: () => ({
      ledger: (ledger) => patched(ledger, { renew: () => true }),
      tokenLedger: (ledger) =>
        patched(ledger, {
          async claim(name, token, terms) {
            const claim = await ledger.claim(name, token, terms);
            if (claim !== undefined) void ledger.renew(name, { ...claim, ...terms, owner: "stranger" });
            return claim;
          },
        }),
    }),
    found: ["renewed by stranger"],
  },
  {
    title: "an event of a change never gets to the queue",
    workload: "W-02",
    patch: () => ({
      tokenLedger: (ledger) =>
        patched(ledger, {
          enqueue: (name, entries) =>
            ledger.enqueue(
              name,
              entries.filter((entry) => name !== "machinepool-nodes" || entry.class === "resync"),
            ),
        }),
    }),
    found: ["F-03: machinepool-nodes default/c1|MachinePool|default/p1 was never woken by"],
  },
  {
    title: "a Node is deleted although the server has its instance in the list of the pool",
    workload: "W-01",
    patch: () => ({
      function: (fn) => (fn.spec.name === "machinepool-retire" ? shortSighted(fn) : fn),
      network: (network) => answering(network, "machinepool-retire", withoutLastInstance),
    }),
    found: ["F-41: its instance is listed on the server"],
  },
  {
    title: "a write without a look at the Cluster, which is paused",
    workload: "W-11",
    patch: () => ({
      function: (fn) => (fn.spec.name === "machinepool-guard" ? relabelling(fn) : fn),
    }),
    found: ["F-19: machinepool-guard PATCH"],
  },
  {
    title: "more Machines are remediated than the pool allows",
    workload: "W-13",
    patch: () => ({ function: (fn) => allowing(fn, "2") }),
    found: ["F-38: 2 Machines of p1 are remediated, allowed are 1"],
  },
  {
    title: "D-44: fewer Machines are remediated than the pool allows",
    workload: "W-13",
    patch: () => ({ function: (fn) => allowing(fn, "0") }),
    found: ["F-38: default/c1|MachinePool|default/p1 defers a Machine while 0 are remediated"],
  },
];

let prepared: Prepared;
beforeAll(async () => {
  prepared = await prepare();
});

describe("oracles object to", () => {
  for (const { title, workload, patch, found } of PLANTED) {
    it(title, async () => {
      const defect = { number: "D-00", title, target: { workload, faults: [] }, patch };
      const { violations } = await runOnce({
        seed: 1,
        workload: workloadOf(workload),
        prepared,
        plan: NO_FAULTS,
        defect,
      });
      for (const part of found)
        expect(
          violations.filter((violation) => violation.includes(part)),
          violations.join("\n"),
        ).not.toEqual([]);
    });
  }
});

function sending(network: Network, change: (path: string) => string): Network {
  return {
    ...network,
    connect(access) {
      const transport = network.connect(access);
      return patched(transport, {
        send: (request, limitBytes, signal) =>
          transport.send({ ...request, path: change(request.path) }, limitBytes, signal),
      });
    },
  };
}

/** A network on which one function reads objects in another way than they are. */
function answering(
  network: Network,
  functionName: string,
  change: (object: KubeObject) => KubeObject,
): Network {
  return {
    ...network,
    connect(access) {
      const transport = network.connect(access);
      return patched(transport, {
        async send(request, limitBytes, signal) {
          const answer = await transport.send(request, limitBytes, signal);
          const isMeant =
            request.method === "GET" && String(request.headers["User-Agent"]).endsWith(functionName);
          if (!isMeant || answer.status !== 200) return answer;
          return { ...answer, text: JSON.stringify(change(JSON.parse(answer.text) as KubeObject)) };
        },
      });
    },
  };
}

function withoutLastInstance(object: KubeObject): KubeObject {
  const { spec } = object as { readonly spec?: { readonly providerIDList?: readonly string[] } };
  const providerIDList = spec?.providerIDList ?? [];
  if (providerIDList.length < 3) return object;
  return { ...object, spec: { ...spec, providerIDList: providerIDList.slice(0, -1) } } as KubeObject;
}

/** A function to which snapshots, too, show one instance less. */
function shortSighted(fn: AnyFunction): AnyFunction {
  return stepping(fn, (object, context) =>
    fn.step(withoutLastInstance(object), {
      ...context,
      read: patched(context.read, {
        async referenced(reference, namespace) {
          const found = await context.read.referenced(reference, namespace);
          return found.state === "found"
            ? ({ ...found, object: withoutLastInstance(found.object) } as never)
            : (found as never);
        },
      }),
    }),
  );
}

/** A guard that reads nothing, and takes a label for missing that is there. */
function relabelling(fn: AnyFunction): AnyFunction {
  return stepping(fn, async (object, context) => {
    const { replicas } = (object as unknown as { readonly spec: { readonly replicas?: number } }).spec;
    if (replicas !== 5) return fn.step(object, context);
    const path = "/metadata/labels/cluster.x-k8s.io~1cluster-name";
    const target = refTo(MachinePool, object);
    return { patch: [{ target, operations: [{ op: "replace", path, value: "c2" }] }], result: done };
  });
}

/** A function that takes another number of Machines at a time for allowed. */
function allowing(fn: AnyFunction, limit: string): AnyFunction {
  if (fn.spec.name !== "machinepool-remediate") return fn;
  const annotated = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { ...object.metadata.annotations, "capstan.dev/remediation-max-in-flight": limit },
    },
  });
  return stepping(fn, (object, { read, now }) => {
    const get: typeof read.live.get = async (kind, key, cluster) => {
      const found = await read.live.get(kind, key, cluster);
      return found?.kind === "MachinePool" ? (annotated(found) as typeof found) : found;
    };
    return fn.step(annotated(object), { now, read: patched(read, { live: patched(read.live, { get }) }) });
  });
}
