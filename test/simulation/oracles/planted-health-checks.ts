import type { Network } from "../../../infra/playground/network.ts";
import { type KubeObject, refTo } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type { RemediationPolicy } from "../../../shared/api/remediation-policy.ts";
import type { AnyDecision, AnyFunction } from "../../../shared/function/define-function.ts";
import { simCluster, simMachineSet } from "../../support/manifests.ts";
import { type Defect, patched, stepping } from "../defects/defect.ts";
import { listing } from "../defects/health-check-steps.ts";
import { deciding, seeing } from "../defects/steps.ts";
import { failNode, healthCheck, targetsOf } from "../workloads/checks.ts";
import { isComplete } from "../workloads/sets.ts";
import type { Workload } from "../workloads/workload.ts";
import { type Planted, patchOf } from "./planted-defect.ts";

const SKIP = "cluster.x-k8s.io/skip-remediation";

/** One Node of two fails, and the check hands nothing over before both have failed. */
const ONE_OF_TWO: Workload = {
  number: "W-00",
  title: "health check with a range: fewer fail than it needs",
  hasNoPool: true,
  async run(user) {
    const check = healthCheck("h1", "False", '{ triggerIf: { unhealthyInRange: "[2-2]" } }');
    await user.apply(`${simCluster("c1")}---${simMachineSet("s1", "c1", 2)}---${check}`);
    await user.until(() => isComplete(user, 2));
    await failNode(user, targetsOf(user)[0], "NotReady");
    await user.rest(120_000);
  },
};

/** Defects of health checks, one for each oracle about them. */
export const PLANTED_HEALTH_CHECKS: readonly Planted[] = [
  {
    title: "a request has another name than its Machine",
    workload: "W-27",
    patch: requesting((object) => ({ ...object, metadata: { ...object.metadata, name: "another" } })),
    found: ["F-30: request another belongs to s1-"],
  },
  {
    title: "more Machines are handed over than the health check allows",
    workload: "W-26",
    patch: judging((check) => ({ ...check, spec: { ...check.spec, remediation: undefined } })),
    found: ["F-31: 3 targets of h1 are in flight, allowed are 2"],
  },
  {
    title: "D-50: a left-over uses no place",
    workload: "W-30",
    patch: patchOf("D-50"),
    found: ["F-31: 2 targets of h1 are in flight", "although 2 places are used, allowed are 1"],
  },
  {
    title: "D-51: a request that is being deleted uses no place",
    workload: "W-28",
    patch: patchOf("D-51"),
    found: ["F-31: 2 targets of h2 are in flight", "although 2 places are used, allowed are 1"],
  },
  {
    title: "fewer have failed than the range of the health check wants",
    workload: ONE_OF_TWO,
    patch: judging((check) => {
      const remediation = { triggerIf: { unhealthyInRange: "[1-2]" } };
      return { ...check, spec: { ...check.spec, remediation } };
    }),
    found: ["although only 1 are not healthy, least are 2"],
  },
  {
    title: "a hand-over is decided by snapshots",
    workload: "W-26",
    patch: () => ({ function: (fn) => (fn.spec.name === "mhc-machines" ? askingSnapshots(fn) : fn) }),
    found: ["F-31: ", "without a live list that shows it"],
  },
  {
    title: "D-52: a hand-over tests the version of a snapshot that lags behind the live list",
    workload: "W-29",
    patch: patchOf("D-52"),
    plan: { type: "random", rates: { "X-13": 0.3 } },
    found: ["F-31: ", "in another version than the list of its run has shown"],
  },
  {
    title: "a hand-over tests another version than the live list has shown",
    workload: "W-26",
    patch: patching((patch) =>
      JSON.stringify(patch.operations).includes('"OwnerRemediated"')
        ? { ...patch, target: { ...patch.target, resourceVersion: "1" } }
        : patch,
    ),
    found: ["F-31: ", "in another version than the list of its run has shown"],
  },
  {
    title: "D-07: a health check ends at the first Machine of which it has something to say",
    workload: "W-26",
    patch: patchOf("D-07"),
    found: ["F-32: ", "says nothing of s1-"],
  },
  {
    title: "what is refused about one Machine keeps the patches of others from being sent",
    workload: "W-26",
    patch: () => ({ network: (network) => sendingOne(network) }),
    found: ["F-32: ", "has not sent what it says of s1-"],
  },
  {
    title: "D-09: a recovery is not said where no request exists",
    workload: "W-30",
    patch: patchOf("D-09"),
    found: ["F-33: ", "is healthy"],
  },
  {
    title: "a request is deleted again and again while its controller keeps it",
    workload: "W-28",
    patch: () => ({
      function: (fn) =>
        fn.spec.name === "mhc-requests" ? listing(seeing(fn, living), ["mhc-requests"], each(living)) : fn,
    }),
    found: ["F-33: it is being deleted already: mhc-requests DELETE"],
  },
  {
    title: "a check fails before its timeout",
    workload: "W-29",
    patch: shifting(20_000),
    found: ["F-35: ", "says too early that m1"],
  },
  {
    title: "a check fails later than stored times say",
    workload: "W-29",
    patch: shifting(-20_000),
    found: ["F-35: ", "plans no run for the deadline of m1"],
  },
  {
    title: "a check that has failed is not said",
    workload: "W-29",
    patch: () => ({
      function: (fn) => deciding(fn, "mhc-machines", (decision) => ({ ...decision, patch: [] })),
    }),
    found: ["F-35: ", "does not say that m1 has failed for long enough"],
  },
  {
    title: "a Machine is handed over that has opted out",
    workload: "W-25",
    patch: () => ({ function: (fn) => listing(fn, ["mhc-machines"], each(withoutSkip)) }),
    found: ["F-36: mhc-machines PATCH"],
  },
  {
    title: "a hand-over is repeated while the owner acts on it",
    workload: "W-25",
    patch: () => ({ function: (fn) => (fn.spec.name === "mhc-machines" ? repeating(fn) : fn) }),
    found: ["F-37: OwnerRemediated is not its own"],
  },
  {
    title: "a remediation starts without an entry in the history of its policy",
    workload: "W-28",
    patch: () => ({
      function: (fn) =>
        listing(fn, ["mhc-machines", "mhc-requests"], (object) =>
          object.kind === "RemediationPolicy" ? [] : [object],
        ),
    }),
    found: ["F-38: without an entry in default/r1: mhc-requests POST"],
  },
  {
    title: "pacing and retry budget of a policy are forgotten",
    workload: "W-28",
    patch: seeingPolicies(({ pacing: _, retries: __, ...spec }) => spec),
    found: [
      "pacing allows 1 within 120 s, and these are 2",
      "retries.perController allows 2 within 360 s, and these are 3",
    ],
  },
  {
    title: "a request is too old at once",
    workload: "W-28",
    patch: seeingPolicies((spec) => ({ ...spec, escalation: { afterSeconds: 0 } })),
    found: ["F-38: no policy takes it from its controller: mhc-machines PATCH"],
  },
];

type Decided = NonNullable<AnyDecision["patch"]>[number];

function requesting(change: (object: KubeObject) => KubeObject): Defect["patch"] {
  return () => ({
    function: (fn) =>
      deciding(fn, "mhc-requests", (decision) => ({
        ...decision,
        create: (decision.create ?? []).map((made) => ({ ...made, object: change(made.object) })),
      })),
  });
}

/** `mhc-machines` takes another health check for what it reconciles. */
function judging(change: (check: MachineHealthCheck) => MachineHealthCheck): Defect["patch"] {
  const changed = (object: KubeObject) =>
    object.kind === "MachineHealthCheck" ? change(object as MachineHealthCheck) : object;
  return () => ({ function: (fn) => (fn.spec.name === "mhc-machines" ? seeing(fn, changed) : fn) });
}

function patching(change: (patch: Decided) => Decided): Defect["patch"] {
  return () => ({
    function: (fn) =>
      deciding(fn, "mhc-machines", (decision) => ({
        ...decision,
        patch: (decision.patch ?? []).map(change),
      })),
  });
}

function seeingPolicies(
  change: (spec: RemediationPolicy["spec"]) => RemediationPolicy["spec"],
): Defect["patch"] {
  const changed = (object: KubeObject): KubeObject =>
    object.kind === "RemediationPolicy"
      ? ({ ...object, spec: change((object as unknown as RemediationPolicy).spec) } as KubeObject)
      : object;
  return () => ({ function: (fn) => listing(fn, ["mhc-machines", "mhc-requests"], each(changed)) });
}

function each(change: (object: KubeObject) => KubeObject): (object: KubeObject) => readonly KubeObject[] {
  return (object) => [change(object)];
}

/** A function whose live lists of Machines come from the read model. */
function askingSnapshots(fn: AnyFunction): AnyFunction {
  return stepping(fn, (object, context) => {
    const { read } = context;
    const index = { name: "label", values: ["default/c1|set=s1"] };
    const list: typeof read.live.list = (kind, options, cluster) =>
      kind.kind === "Machine" ? read.list(kind, { index }) : read.live.list(kind, options, cluster);
    return fn.step(object, { ...context, read: { ...read, live: patched(read.live, { list }) } });
  });
}

/** A network on which one request of each run to a Machine leaves its worker; the others seem to be refused. */
function sendingOne(network: Network): Network {
  const sent = new Set<string>();
  return {
    ...network,
    connect(access) {
      const transport = network.connect(access);
      return patched(transport, {
        async send(request, limitBytes, signal) {
          const isMeant =
            request.method === "PATCH" && String(request.headers["User-Agent"]).endsWith("mhc-machines");
          const run = String(request.headers["Audit-ID"]);
          if (!isMeant || !sent.has(run)) {
            if (isMeant) sent.add(run);
            return transport.send(request, limitBytes, signal);
          }
          const text = JSON.stringify({ kind: "Status", status: "Failure", reason: "Forbidden", code: 403 });
          return {
            ...(await transport.send({ ...request, method: "GET", body: undefined }, limitBytes, signal)),
            status: 403,
            text,
          };
        },
      });
    },
  };
}

/** A function whose clock is wrong. */
function shifting(ms: number): Defect["patch"] {
  return () => ({
    function: (fn) =>
      fn.spec.name === "mhc-machines"
        ? stepping(fn, (object, context) =>
            fn.step(object, { ...context, now: new Date(context.now.getTime() + ms) }),
          )
        : fn,
  });
}

function living(object: KubeObject): KubeObject {
  if (object.kind !== "SimRemediation") return object;
  const { deletionTimestamp: _, ...metadata } = object.metadata;
  return { ...object, metadata } as KubeObject;
}

function withoutSkip(object: KubeObject): KubeObject {
  const { [SKIP]: _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** A function that hands Machines over once more which their owner has marked. */
function repeating(fn: AnyFunction): AnyFunction {
  return stepping(fn, async (object, context) => {
    const decision = await fn.step(object, context);
    const machines = await context.read.list(Machine, {
      index: { name: "label", values: ["default/c1|set=s1"] },
    });
    const again = machines.flatMap((machine): readonly Decided[] => {
      const index = machine.status?.conditions?.findIndex(({ reason }) => reason === "MachineDeleting") ?? -1;
      const stored = machine.status?.conditions?.[index];
      if (stored === undefined) return [];
      const value = { ...stored, reason: "WaitingForRemediation" };
      return [
        {
          target: refTo(Machine, machine),
          subresource: "status",
          operations: [{ op: "replace", path: `/status/conditions/${index}`, value }],
        },
      ];
    });
    return { ...decision, patch: [...(decision.patch ?? []), ...again] };
  });
}
