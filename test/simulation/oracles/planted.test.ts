import { beforeAll, describe, expect, it } from "vitest";
import type { Network } from "../../../infra/playground/network.ts";
import { type KubeObject, refTo } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import type { AnyDecision, AnyFunction, NewObject } from "../../../shared/function/define-function.ts";
import { TerminalError } from "../../../shared/function/errors.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { edited, patched, stepping } from "../defects/defect.ts";
import { COUNTED_WAITS } from "../defects/ledger.ts";
import { RENEWED_BY_ANYBODY } from "../defects/planted-ports.ts";
import { alone } from "../defects/planted-steps.ts";
import { NO_FAULTS, type Plan } from "../play/plan.ts";
import { type Prepared, prepare } from "../play/prepared.ts";
import { runOnce } from "../play/run.ts";
import { workloadOf } from "../workloads/known.ts";
import type { Workload } from "../workloads/workload.ts";
import { type Planted, patchOf } from "./planted-defect.ts";
import { PLANTED_HEALTH_CHECKS } from "./planted-health-checks.ts";
import { PLANTED_ROLLOUTS } from "./planted-rollouts.ts";

/** A rollout of a pool that is too old for its status to wait for any Node. */
const LATER_ROLLOUT: Workload = {
  ...workloadOf("W-03"),
  run: (user) =>
    workloadOf("W-03").run({
      ...user,
      async apply(yaml) {
        if (yaml.includes("p1-next")) await user.rest(120_000);
        await user.apply(yaml);
      },
    }),
};

/** One defect for each oracle, so that none of them is one that cannot fail. */
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
    title: "D-36: a process renews a lease that another one holds",
    workload: "W-01",
    patch: () => ({
      scripts: edited(RENEWED_BY_ANYBODY),
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
              entries.filter((entry) => name !== "machinepool-nodes" || entry.priority === "resync"),
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
    title: "the ref of a Node stays with a pool although another one has it",
    workload: "W-18",
    patch: () => ({ function: (fn) => (fn.spec.name === "machinepool-status" ? alone(fn) : fn) }),
    found: ["F-40: MachinePool p2 names Node p1-0, which is p1's"],
  },
  {
    title: "D-22: a run acts on less than the look after its last write, whose answer was lost",
    workload: "W-02",
    patch: patchOf("D-22"),
    plan: { type: "random", rates: { "X-13": 0.2, "X-23": 0.05 } },
    found: ["F-05: ", "older than its own write"],
  },
  {
    title: "D-26: a Connection counts a failure and promises all Nodes",
    workload: "W-02",
    patch: patchOf("D-26"),
    plan: { type: "named", faults: [{ fault: "X-40", at: "machinepool-nodes PATCH /api/v1/nodes/p1-2 #0" }] },
    found: ["F-21: Connection c1: nodesComplete after 1 failures"],
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
  {
    title: "a pool gets a data secret name that its config does not say",
    workload: "W-01",
    patch: () => ({
      function: (fn) =>
        deciding(fn, "machinepool-sync", (decision) => ({
          ...decision,
          patch: JSON.parse(JSON.stringify(decision.patch ?? []).replaceAll('"p1-data"', '"p2-data"')),
        })),
    }),
    found: ['F-44: "p2-data" is not a name of its data'],
  },
  {
    title: "D-43: a status speaks for a generation before a new bootstrap config is adopted",
    workload: LATER_ROLLOUT,
    patch: () => ({
      function: (fn) =>
        deciding(fn, "machinepool-status", (decision, object) => {
          const { generation: observedGeneration } = object.metadata;
          return reporting(decision, (status) => ({ ...status, observedGeneration }));
        }),
    }),
    plan: {
      type: "named",
      // An event that comes during the refused run wakes adopt again at once: one refusal may end before a status runs.
      faults: Array.from({ length: 5 }, (_, count) => ({
        fault: "X-22",
        at: `machinepool-adopt PATCH /apis/bootstrap.sim.capstan.dev/v1beta2/namespaces/default/simbootstrapconfigs/p1-next #${count}`,
      })),
    },
    found: ["F-18: generation"],
  },
  {
    title: "a condition that stays with an older generation",
    workload: "W-02",
    patch: () => ({
      function: (fn) =>
        deciding(fn, "machinepool-status", (decision) =>
          reporting(decision, (status) => ({
            ...status,
            conditions: (status["conditions"] as readonly { readonly type: string }[]).map((condition) =>
              condition.type === "ScalingUp" ? { ...condition, observedGeneration: 1 } : condition,
            ),
          })),
        ),
    }),
    found: ["F-18: cluster.x-k8s.io/machinepools p1: ScalingUp is of generation 1"],
  },
  {
    title: "D-35: what a run plans overtakes an event that has come meanwhile",
    workload: "W-02",
    patch: patchOf("D-35"),
    found: ["F-17: ", "and a worker is idle"],
  },
  {
    title: "D-38: waits are never forgotten",
    workload: "W-05",
    patch: () => ({ scripts: edited(...COUNTED_WAITS) }),
    plan: { type: "random", rates: { "X-13": 0.1 } },
    found: ["F-13: ", "ended well and begins with"],
  },
  {
    title: "a set makes Machines under names that it has not reserved",
    workload: "W-22",
    patch: patchOf("D-47"),
    found: ["F-46: ", "was not reserved on s1"],
  },
  {
    title: "a set makes a Machine again that it has deleted",
    workload: "W-22",
    patch() {
      const past: Past = { made: new Map(), deleted: undefined };
      return { function: (fn) => (fn.spec.name === "machineset-machines" ? reviving(fn, past) : fn) };
    },
    found: ["F-46: ", "is made a second time"],
  },
  {
    title: "a drain evicts before its start time is stored",
    workload: "W-23",
    patch: patchOf("D-48"),
    found: ["F-47: ", "has no nodeDrainStartTime"],
  },
  {
    title: "a deleted Machine believes snapshots that its objects are gone",
    workload: "W-21",
    patch: patchOf("D-49"),
    found: ["F-48: ", "was not found gone before"],
  },
  ...PLANTED_HEALTH_CHECKS,
  ...PLANTED_ROLLOUTS,
  ...leaks(),
];

/** Content of a Secret that a function has read stands where it must not. */
function leaks(): readonly Planted[] {
  const status = (decision: AnyDecision, secret: string): AnyDecision =>
    reporting(decision, (old) => ({
      ...old,
      conditions: (old["conditions"] as readonly object[]).map((each) => ({ ...each, message: secret })),
    }));
  const event = (decision: AnyDecision, message: string): AnyDecision => ({
    ...decision,
    events: [{ type: "Normal", reason: "Planted", message }],
  });
  const failure = (_: AnyDecision, secret: string): never => {
    throw new TerminalError("Planted", `refused: ${secret}`);
  };
  const ways: readonly (readonly [string, typeof status, readonly string[]])[] = [
    [
      "a status and its snapshot",
      status,
      ["S-21: cluster.x-k8s.io/machinepools default/p1 has", "S-21: the snapshot of MachinePool p1 has"],
    ],
    ["an Event", event, ["S-21: /events default/"]],
    [
      "the ledger",
      (decision, secret) => ({ ...decision, result: waitFor(`the key ${secret}`) }),
      ["S-21: the ledger of machinepool-status has"],
    ],
    [
      "the log, an Event and a letter",
      failure,
      ["S-21: the log of worker", "S-21: /events default/", "S-21: a letter of machinepool-status has"],
    ],
  ];
  return ways.map(([where, leak, found]) => ({
    title: `D-45: what a Secret holds is in ${where}`,
    workload: "W-01",
    patch: () => {
      let secret = "";
      return {
        network: (network) =>
          answering(network, "worker", (object) => {
            if (object.kind === "Secret") secret = keyIn(object) || secret;
            return object;
          }),
        function: (fn) =>
          deciding(fn, "machinepool-status", (decision) => {
            const leaked = secret;
            // Once, so that the workload comes to its end.
            secret = "";
            return leaked === "" ? decision : leak(decision, leaked);
          }),
      };
    },
    found,
  }));
}

/** The content of the client key in a kubeconfig Secret; empty in any other. */
function keyIn(secret: KubeObject): string {
  const { data } = secret as unknown as { readonly data?: { readonly [name: string]: string } };
  const text = Buffer.from(data?.["value"] ?? "", "base64").toString("utf8");
  const [, key = ""] = /client-key-data: (\S+)/.exec(text) ?? [];
  return /\n(\S+)/.exec(atob(key))?.[1] ?? "";
}

let prepared: Prepared;
beforeAll(async () => {
  prepared = await prepare();
});

/** Where faults are random, one seed need not bring the defect and its occasion together. */
const SEEDS = 20;

describe("oracles object to", () => {
  for (const planted of PLANTED) {
    it(planted.title, async () => {
      const { found, plan = NO_FAULTS } = planted;
      const seeds = Array.from({ length: plan.type === "random" ? SEEDS : 1 }, (_, index) => index + 1);
      let violations: readonly string[] = [];
      for (const seed of seeds) {
        violations = await violationsOf(planted, plan, seed);
        if (areAllIn(violations, found)) return;
      }
      for (const part of found) expect(violations).toContainEqual(expect.stringContaining(part));
    });
  }
});

async function violationsOf(planted: Planted, plan: Plan, seed: number): Promise<readonly string[]> {
  const { title, patch, found } = planted;
  const workload = typeof planted.workload === "string" ? workloadOf(planted.workload) : planted.workload;
  const { violations } = await runOnce({
    seed,
    workload,
    prepared,
    plan,
    defect: { number: "D-00", title, target: { workload: workload.number, faults: [] }, patch },
    isEnough: (known) => areAllIn(known, found),
  });
  return violations;
}

function areAllIn(violations: readonly string[], found: readonly string[]): boolean {
  return found.every((part) => violations.some((violation) => violation.includes(part)));
}

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

/** Of the runs of all workers. */
interface Past {
  readonly made: Map<string, NewObject>;
  /** Name of the first Machine that was deleted. */
  deleted: string | undefined;
}

/** A function that makes the first Machine that it has deleted once more, when it has gone. */
function reviving(fn: AnyFunction, past: Past): AnyFunction {
  return stepping(fn, async (object, context) => {
    const decision = await fn.step(object, context);
    for (const one of decision.create ?? [])
      if (one.kind.kind === Machine.kind) past.made.set(one.object.metadata.name, one);
    past.deleted ??= decision.delete?.[0]?.target.name;
    const again = past.made.get(past.deleted ?? "");
    if (again === undefined) return decision;
    const { namespace = "", name } = again.object.metadata;
    const found = await context.read.get(Machine, { namespace, name });
    return found === undefined ? { ...decision, create: [...(decision.create ?? []), again] } : decision;
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

function deciding(
  fn: AnyFunction,
  name: string,
  change: (decision: AnyDecision, object: KubeObject) => AnyDecision,
): AnyFunction {
  if (fn.spec.name !== name) return fn;
  return stepping(fn, async (object, context) => change(await fn.step(object, context), object));
}

type Status = { readonly [member: string]: unknown };

function reporting(decision: AnyDecision, change: (status: Status) => Status): AnyDecision {
  const status = decision.apply?.["status"] as Status | undefined;
  return status === undefined ? decision : { ...decision, apply: { status: change(status) } };
}
