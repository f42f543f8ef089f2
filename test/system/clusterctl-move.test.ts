import { afterAll, beforeAll, expect, it } from "vitest";
import { judgeMove } from "../../infra/cli/move/plan-report.ts";
import { systemClock } from "../../infra/clock.ts";
import { readMovePlan } from "../../infra/clusterctl/move/read-plan.ts";
import type { Server } from "../../infra/kube/client.ts";
import { startCloud } from "../../infra/sim/cloud.ts";
import { startCapstan } from "../support/capstan.ts";
import { type Clusterctl, clusterctlMissing, startClusterctl } from "../support/clusterctl.ts";
import { eventually } from "../support/eventually.ts";
import { startSide, type TestSide } from "../support/management-side.ts";
import { simCluster, simMachineSet, simPool } from "../support/manifests.ts";
import { type Identity, identityOf, openWorkload, watchAnswers } from "../support/moved-cluster.ts";
import { anywhere } from "../support/own-namespace.ts";
import { API_SERVERS, EMBEDDED } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import { silentLog } from "../support/silent-log.ts";

const MOVED = "moved";
const WITHIN = { withinMs: 120_000, stepMs: 200 };
const AVAILABLE = "wait cluster/c1 --for=condition=Available --timeout=240s";
/** Everything that a Cluster consists of. */
const ALL =
  "clusters,machinepools,machinesets,machines,machinehealthchecks,simclusters,simcontrolplanes,simmachinepools,simmachines,simbootstrapconfigs,simbootstrapconfigtemplates,simmachinetemplates,siminstances,simservers,secrets";
const WRITES = new Set(["create", "update", "patch", "delete", "deletecollection"]);

interface Place {
  readonly side: TestSide;
  readonly kubectl: Kubectl;
  readonly clusterctl: Clusterctl;
  manager: AsyncDisposable | undefined;
}

/** A move ends when it has logged this verb more often than that. */
interface Point {
  readonly verb: "Creating" | "Deleting";
  readonly end: number;
}

for (const flavour of API_SERVERS) {
  const missing = flavour.missing ?? clusterctlMissing() ?? kubectlMissing();
  describeWith(missing, flavour)(`a Cluster of Capstan moved from ${flavour.name} and back`, () => {
    const stack = new AsyncDisposableStack();
    let here: Place;
    let there: Place;
    let workload: Server;
    let before: Identity;

    const open = async (side: TestSide): Promise<Place> => {
      stack.use(side);
      const { kubeconfigFile } = side.started;
      return {
        side,
        kubectl: kubectlFor(kubeconfigFile, MOVED),
        clusterctl: stack.use(await startClusterctl({ kubeconfigFile, config: "" })),
        manager: undefined,
      };
    };
    const startManager = async (place: Place) => {
      const roles = ["relay", "worker"] as const;
      place.manager = await startCapstan(place.side.started.kubeconfigFile, { roles, installCrds: false });
    };
    const stopManager = async (place: Place) => {
      await place.manager?.[Symbol.asyncDispose]();
      place.manager = undefined;
    };
    const moveArgs = (to: Place) =>
      ["move", "-v", "1", "-n", MOVED, "--to-kubeconfig", to.side.started.kubeconfigFile] as const;
    /** The log of a move, which goes to its end. */
    const move = async (from: Place, to: Place): Promise<string> => {
      const { ok, output } = await from.clusterctl.try(moveArgs(to).join(" "));
      expect([ok, output]).toEqual([true, expect.stringContaining("Resuming the target cluster")]);
      return output;
    };
    const planOf = (from: Place, to: Place) =>
      readMovePlan({ source: from.side.server, target: to.side.server }, { namespace: MOVED });
    const failing = async (from: Place, to: Place) =>
      judgeMove(await planOf(from, to)).flatMap(({ verdict, rule, object, found }) =>
        verdict === "fail" ? [`${rule} ${object}: ${found}`] : [],
      );

    /** Everything runs at the place, as it was before, and nothing is left at the other one. */
    const isWhole = async (place: Place, other: Place) => {
      await place.kubectl(AVAILABLE);
      await eventually(
        async () => expect(await identityOf(place.kubectl, "c1", workload)).toEqual(before),
        WITHIN,
      );
      expect(await other.kubectl(`get ${ALL} -o name`)).toBe("");
    };

    const killedAndRepeated = async (from: Place, to: Place, { verb, end }: Point) => {
      const seen = new RegExp(`^${verb} \\w+="`, "gm");
      const output = await from.clusterctl.killed(
        moveArgs(to),
        (text) => (text.match(seen) ?? []).length > end,
      );
      expect(output).toMatch(seen);
      expect(output).not.toContain("Resuming the target cluster");
      const stopped = verb === "Creating" ? "while it created" : "while it deleted";
      expect((await failing(from, to)).join()).toContain(`an earlier move stopped ${stopped}`);

      // Running controllers would recreate what has been deleted already.
      if (verb === "Deleting") await stopManager(from);
      await from.kubectl(`patch cluster c1 --type=merge -p '{"spec":{"paused":null}}'`);
      await move(from, to);
      if (verb === "Deleting") await startManager(from);
    };

    beforeAll(async () => {
      const [from, to] = await Promise.all([startSide(flavour), startSide(EMBEDDED)]);
      [here, there] = [await open(from), await open(to)];
      const serves = [from, to].map(({ server }, at) => ({ server, name: `management-${at}` }));
      stack.use(await startCloud({ serves, clock: systemClock, log: silentLog }));
      stack.defer(() => stopManager(here));
      stack.defer(() => stopManager(there));
      await Promise.all([startManager(here), startManager(there)]);
      await here.kubectl(`create namespace ${MOVED}`);
      const manifest = [simCluster("c1"), simPool("p1", "c1", 3), simMachineSet("s1", "c1", 2)].join("---");
      await here.kubectl("apply -f -", anywhere(manifest));
      await here.kubectl(AVAILABLE);
      await here.kubectl("wait machinepool/p1 --for=condition=Available --timeout=240s");
      await here.kubectl("wait machineset/s1 --for=jsonpath={.status.availableReplicas}=2 --timeout=240s");
      await eventually(async () => expect(await failing(here, there)).toEqual([]), WITHIN);
      workload = stack.use(await openWorkload(here.kubectl, "c1"));
      before = await identityOf(here.kubectl, "c1", workload);
      expect([before.nodes.length, before.machines.length, before.pools.length]).toEqual([5, 2, 1]);
    });
    afterAll(() => stack.disposeAsync());

    it("is Available there with the same Nodes, provider IDs, endpoint and Secrets, and back again", async () => {
      for (const [from, to] of [
        [here, there],
        [there, here],
      ] as const) {
        const plan = await planOf(from, to);
        await using answers = watchAnswers(workload);
        const output = await move(from, to);
        const created = [...output.matchAll(/^Creating (\w+)="([^"]+)" Namespace="([^"]*)"$/gm)];
        const titles = created.map(([, kind, name, namespace]) => `${kind} ${namespace}/${name}`);
        expect(new Set(titles)).toEqual(new Set(plan.order.flat()));
        expect(titles).toHaveLength(plan.order.flat().length);
        await isWhole(to, from);
        expect(answers.gaps).toEqual([]);
      }
    });

    it("is whole when the manager of the source, or of the target, stands still meanwhile", async () => {
      await stopManager(here);
      await move(here, there);
      await isWhole(there, here);
      await startManager(here);
      await stopManager(here);
      await move(there, here);
      await startManager(here);
      await isWhole(here, there);
    });

    it("gets no write of Capstan to a paused object but to its status", async () => {
      const countOf = async ({ side }: Place) => (await side.started.requests()).length;
      const [atSource, atTarget] = [await countOf(here), await countOf(there)];
      await move(here, there);
      const ofCapstan = async (place: Place, since: number) =>
        (await place.side.started.requests())
          .slice(since)
          .filter(({ userAgent, namespace }) => userAgent.startsWith("capstan/") && namespace === MOVED)
          .filter(({ verb, resource }) => WRITES.has(verb) && resource !== "events");
      const told = ({
        verb,
        resource,
        subresource,
      }: {
        verb: string;
        resource: string;
        subresource?: string | undefined;
      }) => `${verb} ${resource}/${subresource ?? ""}`;
      const source = await ofCapstan(here, atSource);
      expect(source.filter(({ subresource }) => subresource !== "status").map(told)).toEqual([]);
      const requests = (await there.side.started.requests()).slice(atTarget);
      const unpaused = requests.findLastIndex(
        ({ verb, resource, userAgent }) =>
          verb === "patch" && resource === "clusters" && !userAgent.startsWith("capstan/"),
      );
      const early = requests
        .slice(0, unpaused)
        .filter(
          ({ userAgent, verb, resource }) =>
            userAgent.startsWith("capstan/") && WRITES.has(verb) && resource !== "events",
        );
      expect(unpaused).toBeGreaterThan(0);
      expect(early.filter(({ subresource }) => subresource !== "status").map(told)).toEqual([]);
      await isWhole(there, here);
      await move(there, here);
      await isWhole(here, there);
    });

    it("loses nothing when the move is killed after any group, is unpaused and repeated", async () => {
      const sizes = (await planOf(here, there)).order.map(({ length }) => length);
      const ends = sizes.map((_, at) => sizes.slice(0, at + 1).reduce((sum, size) => sum + size, 0));
      const points = (["Creating", "Deleting"] as const).flatMap((verb) =>
        ends.slice(0, -1).map((end) => ({ verb, end })),
      );
      for (const [at, point] of points.entries()) {
        const [from, to] = at % 2 === 0 ? [here, there] : [there, here];
        await killedAndRepeated(from, to, point);
        await isWhole(to, from);
      }
    });

    it("scales and goes away where it has come to", async () => {
      const place = (await here.kubectl("get clusters -o name")) === "" ? there : here;
      await place.kubectl("scale machinepool/p1 --replicas=4");
      await place.kubectl("scale machineset/s1 --replicas=1");
      await eventually(async () => {
        const { nodes } = await identityOf(place.kubectl, "c1", workload);
        expect(nodes).toHaveLength(5);
        expect(nodes.filter((node) => before.nodes.includes(node))).toHaveLength(4);
      }, WITHIN);
      await place.kubectl("delete cluster/c1 --timeout=240s");
      await eventually(async () => expect(await place.kubectl(`get ${ALL} -o name`)).toBe(""), WITHIN);
    });
  });
}
