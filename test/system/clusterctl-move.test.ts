import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../infra/platform/clock.ts";
import type { Server } from "../../infra/platform/kube/client.ts";
import { startCloud } from "../../infra/playground/sim/cloud.ts";
import { titleOf } from "../../shared/api/kinds.ts";
import type { MachineSet } from "../../shared/api/machineset.ts";
import { conditionOf } from "../../shared/rules/conditions/conditions.ts";
import { checkedSet, checkedSets } from "../support/checked-sets.ts";
import { clusterctlMissing } from "../support/clusterctl.ts";
import { eventually } from "../support/eventually.ts";
import { simClusterOfMachines, simPoolWithMachines } from "../support/manifests.ts";
import {
  carriedBy,
  nodesOf,
  openWorkload,
  remediated,
  unfinished,
  watchAnswers,
} from "../support/moved-cluster.ts";
import { objectsThrough } from "../support/objects.ts";
import { anywhere } from "../support/own-namespace.ts";
import { changesWhilePaused } from "../support/paused-writes.ts";
import { moverOf, openPlace, type Place } from "../support/places.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import { silentLog } from "../support/silent-log.ts";
import { testFolder } from "../support/test-folder.ts";

const MOVED = "moved";
const WITHIN = { withinMs: 120_000, stepMs: 100 };
const WAIT = "--timeout=240s";
const WRITES = new Set(["create", "update", "patch", "delete", "deletecollection"]);
const UNPAUSE = `patch cluster c1 --type=merge -p '{"spec":{"paused":null}}'`;

/** Nothing makes these and nothing needs them, so that no object owns them unless a guard says so. */
const WITHOUT_OWNER = `
apiVersion: capstan.dev/v1alpha1
kind: RemediationPolicy
metadata: { name: s1, namespace: default }
spec: { clusterName: c1, healthChecks: [s1], pacing: { maxRemediations: 9, windowSeconds: 604800 } }
status:
  policyUID: of-another-time
  underWay: 0
  remediations:
    - machine: { name: s1-gone, uid: of-another-time }
      failedAt: "2026-01-01T10:00:00Z"
      startedAt: "2026-01-01T10:01:00Z"
      endedAt: "2026-01-01T10:02:00Z"
      healthCheck: s1
      reason: UnhealthyNode
      by: Owner
      outcome: Deleted
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDrainRule
metadata: { name: d1, namespace: default }
spec: { drain: { behavior: Skip } }
---
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimRemediationTemplate
metadata: { name: t1, namespace: default }
spec: { template: { spec: {} } }
`;

for (const flavour of JUDGES) {
  const missing = flavour.missing ?? clusterctlMissing() ?? kubectlMissing();
  describeWith(missing, flavour)(`a Cluster moved from ${flavour.name} to another and back`, () => {
    const stack = new AsyncDisposableStack();
    const { plan, failing, move, save, restore, killed } = moverOf(MOVED);
    let here: Place;
    let there: Place;
    let data: string;
    let workload: Server;
    let before: { readonly nodes: readonly string[]; readonly objects: object };
    /** Versions before that: on a busy machine a new Node is not ready for longer than its health check waits. */
    let rested: number;

    /** Where the Cluster is, then the other place. */
    const places = (): readonly [Place, Place] =>
      here.versions.now().length > 0 ? [here, there] : [there, here];
    const stateAt = async ({ versions }: Place) => ({
      nodes: await nodesOf(workload),
      objects: carriedBy(versions.now()),
    });

    /** Everything is at the place as it was before, and nothing of it is or was anything else meanwhile. */
    const isWhole = async (place: Place, other: Place) => {
      await eventually(async () => expect(await stateAt(place)).toEqual(before), WITHIN);
      await eventually(() => expect(carriedBy(other.versions.now())).toEqual({}), WITHIN);
      for (const { versions } of [here, there]) {
        expect(changesWhilePaused(versions.all())).toEqual([]);
        expect(remediated(versions.all().slice(versions === here.versions ? rested : 0))).toEqual([]);
      }
    };

    beforeAll(async () => {
      [here, there] = await Promise.all([openPlace(flavour, MOVED), openPlace(flavour, MOVED)]);
      stack.use(here);
      stack.use(there);
      data = testFolder("moved-cloud");
      const serves = [here, there].map(({ side: { server } }, at) => ({ server, name: `management-${at}` }));
      stack.use(await startCloud({ serves, clock: systemClock, log: silentLog, data }));
      await Promise.all([here.startManager(), there.startManager()]);
      await here.kubectl(`create namespace ${MOVED}`);
      const manifest = [
        simClusterOfMachines("c1", 1),
        simPoolWithMachines("p1", "c1", 2),
        checkedSet("s1", { replicas: 2 }),
        WITHOUT_OWNER,
      ];
      await here.kubectl("apply -f -", anywhere(manifest.join("---")));
      await here.kubectl(`wait cluster/c1 machinepool/p1 --for=condition=Available ${WAIT}`);
      await here.kubectl(`wait machineset/s1 --for=jsonpath={.status.availableReplicas}=2 ${WAIT}`);
      await here.kubectl(`wait mhc/s1 --for=jsonpath={.status.currentHealthy}=2 ${WAIT}`);
      await here.kubectl(`wait cluster/c1 --for=jsonpath={.status.workers.availableReplicas}=4 ${WAIT}`);
      await eventually(async () => expect(await failing(here, there)).toEqual([]), WITHIN);
      await eventually(() => expect(unfinished(here.versions.now())).toEqual([]), WITHIN);
      workload = stack.use(await openWorkload(here.kubectl, "c1"));
      before = await stateAt(here);
      rested = here.versions.all().length;
      expect(before.nodes).toHaveLength(5);
    });
    afterAll(() => stack.disposeAsync());

    it("is there as it was, and back again, with every object, Node and Secret, and Capstan writes nothing meanwhile but Paused", async () => {
      for (let moves = 0; moves < 2; moves += 1) {
        const [from, to] = places();
        const { order } = await plan(from, to);
        const since = (await Promise.all([from, to].map(requestsOf))).map(({ length }) => length);
        await using answers = watchAnswers(workload);
        const output = await move(from, to);
        const created = [...output.matchAll(/^Creating (\w+)="([^"]+)" Namespace="([^"]*)"$/gm)];
        const titles = created.map(([, kind, name, namespace]) => `${kind} ${namespace}/${name}`);
        expect(new Set(titles)).toEqual(new Set(order.flat()));
        expect(titles).toHaveLength(order.flat().length);
        await isWhole(to, from);
        expect(answers.gaps).toEqual([]);
        const [atSource = [], atTarget = []] = await Promise.all([from, to].map(requestsOf));
        expect(bareWrites(atSource.slice(since[0]))).toEqual([]);
        expect(bareWrites(whilePaused(atTarget.slice(since[1])))).toEqual([]);
      }
    });

    it("is whole when the manager of the source, of the target, or of both stands still meanwhile", async () => {
      for (const stopped of [[0], [1], [0, 1]]) {
        const pair = places();
        const [from, to] = pair;
        for (const at of stopped) await pair[at]?.stopManager();
        await move(from, to);
        for (const at of stopped.toReversed()) await pair[at]?.startManager();
        await isWhole(to, from);
      }
    });

    it("loses nothing when the move is killed after any group it created, is unpaused and repeated", async () => {
      const [from, to] = places();
      const sizes = (await plan(from, to)).order.map(({ length }) => length);
      for (const group of sizes.slice(1).keys()) {
        const end = sizes.slice(0, group + 1).reduce((sum, size) => sum + size, 0);
        await killed({ from, to }, { verb: "Creating", end });
        expect((await failing(from, to)).join()).toContain("an earlier move stopped while it created");
        await from.kubectl(UNPAUSE);
        await eventually(async () => expect(await stateAt(from)).toEqual(before), WITHIN);
      }
      await move(from, to);
      await isWhole(to, from);
    });

    it("loses nothing when the move is killed after any group it deleted, is unpaused and repeated", async () => {
      const [from, to] = places();
      const { length } = (await plan(from, to)).order;
      for (let kills = 1; kills < length; kills += 1) {
        const { order } = await plan(from, to);
        // Of the last two, one holds the Cluster alone: begun, it is gone before the kill.
        const end = order.length > 2 ? (order.at(-1)?.length ?? 0) : 0;
        await killed({ from, to }, { verb: "Deleting", end });
        expect((await failing(from, to)).join()).toContain("an earlier move stopped while it deleted");
        // Running controllers would recreate what has been deleted already.
        await from.stopManager();
        await from.kubectl(UNPAUSE);
      }
      await move(from, to);
      await from.startManager();
      await isWhole(to, from);
    });

    it("goes through a directory, killed in either half, and is taken from the source by a move", async () => {
      const [from, to] = places();
      const folder = testFolder("moved");
      // Saving is quick: a kill much later may come too late.
      const end = Math.floor((await plan(from, to)).order.flat().length / 4);
      await killed({ from, folder }, { verb: "Saving", end });
      await from.kubectl(UNPAUSE);
      await save(from, folder);
      await eventually(async () => expect(await stateAt(from)).toEqual(before), WITHIN);

      await from.stopManager();
      await killed({ folder, to }, { verb: "Restoring", end });
      await restore(to, folder);
      await eventually(async () => expect(await stateAt(to)).toEqual(before), WITHIN);
      await move(from, to);
      await from.startManager();
      await isWhole(to, from);
    });

    it("rests while a person has paused it, then scales, is remediated and goes away, and leaves nothing in the cloud", async () => {
      const [place, other] = places();
      await place.kubectl(`patch cluster c1 --type=merge -p '{"spec":{"paused":true}}'`);
      await place.kubectl("scale machinepool/p1 --replicas=3");
      await place.kubectl("scale machineset/s1 --replicas=1");
      for (const scaled of [`MachinePool ${MOVED}/p1`, `MachineSet ${MOVED}/s1`])
        await eventually(() => expect(hasSeen(place, scaled)).toBe(true), WITHIN);
      expect(changesWhilePaused(place.versions.all())).toEqual([
        `MachinePool ${MOVED}/p1: spec.replicas`,
        `MachineSet ${MOVED}/s1: spec.replicas`,
      ]);
      await place.kubectl(UNPAUSE);
      const scene = checkedSets(objectsThrough(place.kubectl));
      const [last] = await scene.healthy("s1", 1);
      await scene.fail(last);
      await scene.isReplaced("s1", last, 1);
      await eventually(async () => {
        const nodes = await nodesOf(workload);
        expect(nodes).toHaveLength(5);
        expect(nodes.filter((node) => before.nodes.includes(node))).toHaveLength(3);
      }, WITHIN);
      // No Cluster owns them: they are for any of the namespace.
      await place.kubectl("delete machinedrainrule/d1 simremediationtemplate/t1");
      await place.kubectl(`delete cluster/c1 ${WAIT}`);
      for (const { versions, kubectl } of [place, other]) {
        await eventually(() => expect(carriedBy(versions.now())).toEqual({}), WITHIN);
        const kinds = await kubectl("api-resources --namespaced --verbs=list -o name");
        const left = await kubectl(`get ${kinds.trim().split("\n").join()} -o name`);
        expect(left.split("\n").filter((name) => name !== "" && !OF_A_NAMESPACE.test(name))).toEqual([]);
      }
      await eventually(async () => expect(await readdir(data)).toEqual([]), WITHIN);
    });
  });
}

/** Also in a namespace that holds nothing of Capstan. */
const OF_A_NAMESPACE = /^(event(\.events\.k8s\.io)?|configmap\/kube-root-ca|serviceaccount\/default)/;

/** A paused object says by its condition up to which generation its function has read it. */
function hasSeen({ versions }: Place, title: string): boolean {
  const object = versions.now().find(({ kind, metadata }) => titleOf(kind, metadata) === title);
  const { conditions } = (object as MachineSet).status ?? {};
  return conditionOf(conditions, "Paused")?.observedGeneration === object?.metadata.generation;
}

type Requests = Awaited<ReturnType<Place["side"]["started"]["requests"]>>;

function requestsOf({ side }: Place): Promise<Requests> {
  return side.started.requests();
}

/** Up to the patch by which clusterctl unpauses the Cluster. */
function whilePaused(requests: Requests): Requests {
  const unpaused = requests.findLastIndex(
    ({ verb, resource, userAgent }) =>
      verb === "patch" && resource === "clusters" && !userAgent.startsWith("capstan/"),
  );
  expect(unpaused).toBeGreaterThan(0);
  return requests.slice(0, unpaused);
}

/** Writes of Capstan in the namespace to anything but a status. */
function bareWrites(requests: Requests): readonly string[] {
  return requests
    .filter(({ userAgent, namespace }) => userAgent.startsWith("capstan/") && namespace === MOVED)
    .filter(({ verb, resource }) => WRITES.has(verb) && resource !== "events")
    .filter(({ subresource }) => subresource !== "status")
    .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
}
