import { afterAll, beforeAll, expect, it } from "vitest";
import { judgeMove } from "../../infra/cli/move/plan.ts";
import { readMovePlan } from "../../infra/providers/clusterctl/move/read-plan.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { DISCOVERED_LABEL } from "../../shared/contract/clusterctl-marks.ts";
import { staysBehind } from "../../shared/contract/rules/move/left-behind.ts";
import type { MoveSubject } from "../../shared/contract/rules/move/subject.ts";
import { type Clusterctl, clusterctlMissing, startClusterctl } from "../support/clusterctl.ts";
import {
  installEntangled,
  plantEntangled,
  plantLoose,
  TEAM,
  WIDGET,
} from "../support/entangled-namespace.ts";
import { eventually } from "../support/eventually.ts";
import { startSide, type TestSide } from "../support/management-side.ts";
import { plant } from "../support/planted.ts";
import { EMBEDDED, JUDGES } from "../support/processes/api-servers.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import { restingCluster } from "../support/resting-cluster.ts";

/** `Kind namespace/name` of each object that clusterctl logs with this verb, in its order. */
function logged(output: string, verb: "Creating" | "Deleting"): readonly string[] {
  const lines = output.matchAll(new RegExp(`^${verb} (\\w+)="([^"]+)" Namespace="([^"]*)"$`, "gm"));
  return [...lines].map(
    ([, kind, name, namespace]) => `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`,
  );
}

/** The same titles in groups of these sizes, each sorted. */
function inGroups(titles: readonly string[], sizes: readonly number[]): readonly (readonly string[])[] {
  let from = 0;
  const groups = sizes.map((size) => {
    from += size;
    return titles.slice(from - size, from).toSorted();
  });
  return from === titles.length ? groups : [...groups, titles.slice(from)];
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? clusterctlMissing() ?? kubectlMissing(), flavour)(
    `capstan move plan and clusterctl move on ${flavour.name}`,
    () => {
      const stack = new AsyncDisposableStack();
      let source: TestSide;
      let target: TestSide;
      let clusterctl: Clusterctl;
      beforeAll(async () => {
        [source, target] = await Promise.all([startSide(flavour), startSide(EMBEDDED)]);
        stack.use(source);
        stack.use(target);
        clusterctl = stack.use(
          await startClusterctl({ kubeconfigFile: source.started.kubeconfigFile, config: "" }),
        );
        await Promise.all([installEntangled(source), installEntangled(target)]);
        await plantEntangled(source);
      });
      afterAll(() => stack.disposeAsync());
      const planOf = (namespace: string): Promise<MoveSubject> =>
        readMovePlan({ source: source.server, target: target.server }, { namespace });
      const failing = (subject: MoveSubject): readonly string[] =>
        judgeMove(subject)
          .filter(({ verdict }) => verdict === "fail")
          .map(({ rule, object }) => `${rule} ${object}`);
      const move = (namespace: string, flags: string) => clusterctl.try(`move -v 1 -n ${namespace} ${flags}`);
      const toTarget = () => `--to-kubeconfig ${target.started.kubeconfigFile}`;

      it("take the same objects, group for group, create and delete alike", async () => {
        const subject = await planOf(TEAM);
        const { ok, output } = await move(TEAM, "--dry-run");

        expect([ok, output]).toEqual([true, expect.stringContaining("Deleting objects")]);
        const sizes = subject.order.map(({ length }) => length);
        expect(subject.order).toEqual(inGroups(logged(output, "Creating"), sizes));
        const removed = subject.objects.filter((each) => each.removed).map(({ title }) => title);
        expect(removed.toSorted()).toEqual(logged(output, "Deleting").toSorted());
        expect(subject.order.flat()).toContain("Secret sim-system/account");
        expect(removed).not.toContain("ClusterClass team/near");
      });

      it("refuse together: what is unfinished, what is paused, what is owned by nothing", async () => {
        const { client } = source;
        const [cluster] = restingCluster("young");
        const { status: _, ...half } = { ...seedOf(cluster), name: "half" };
        await client.create(NAMESPACE, namespaceOf("young"));
        await plant(client, "young", [...restingCluster("young"), half]);
        expect(failing(await planOf("young"))).toContain("MV-03 Cluster young/half");
        const young = await move("young", toTarget());
        expect([young.ok, young.output]).toEqual([
          false,
          expect.stringContaining("still provisioning the infrastructure"),
        ]);

        await client.create(NAMESPACE, namespaceOf("quiet"));
        await plant(client, "quiet", restingCluster("c1"));
        const patch = [{ op: "add", path: "/spec/paused", value: true }] as const;
        await client.jsonPatch(seedOf(cluster).kind, { namespace: "quiet", name: "c1" }, patch);
        expect(failing(await planOf("quiet"))).toEqual(["MV-04 Cluster quiet/c1"]);
        const quiet = await move("quiet", toTarget());
        expect([quiet.ok, quiet.output]).toEqual([
          false,
          expect.stringContaining("Clusters are paused: quiet/c1"),
        ]);
      });

      it("agree in what is at the target afterwards, what is left, and what the garbage collector takes", async () => {
        const before = await planOf(TEAM);
        // A template without owner stays; a person brings it.
        const named = judgeMove(before).filter(({ rule }) => rule === "MV-07");
        expect(named.map(({ found }) => found)).toContain(
          "SimBootstrapConfigTemplate classes/loose, which stays",
        );
        await plantLoose(target);
        const stays = staysBehind(before).map(({ object }) => object);
        const { ok, output } = await move(TEAM, toTarget());
        expect([ok, output]).toEqual([true, expect.stringContaining("Deleting objects")]);

        const back = await readMovePlan({ source: target.server }, { namespace: TEAM });
        const moved = before.order.flat().filter((title) => title.includes(` ${TEAM}/`));
        expect(back.order.flat().filter((title) => title.includes(` ${TEAM}/`))).toEqual(
          expect.arrayContaining(moved),
        );
        expect(stays).toContain("Widget team/owned");
        const widget = await eventually(
          async () => {
            const found = await source.client.get(WIDGET, { namespace: TEAM, name: "owned" });
            return found?.metadata.deletionTimestamp !== undefined;
          },
          { withinMs: 60_000 },
        );
        expect(widget).toBe(true);
        const left = await planOf(TEAM);
        const titles = left.objects.map(({ title }) => title);
        const kept = before.objects
          .filter((each) => each.fate === "moves" && !each.removed)
          .map(({ title }) => title);
        const expected = before.objects.filter(({ removed }) => !removed).map(({ title }) => title);
        expect(expected).toEqual(expect.arrayContaining(kept));
        expect(titles.filter((title) => !expected.includes(title))).toEqual([]);
      });

      it("stop at Clusters that only owner references name, as after kubectl apply of unlabelled CRDs", async () => {
        await source.client.create(NAMESPACE, namespaceOf("plain"));
        await plant(source.client, "plain", restingCluster("c1"));
        const patch = JSON.stringify({ metadata: { labels: { [DISCOVERED_LABEL]: null } } });
        const kubectl = kubectlFor(source.started.kubeconfigFile);
        await kubectl(`patch crd clusters.cluster.x-k8s.io --type=merge -p '${patch}'`);

        const subject = await planOf("plain");
        expect(failing(subject)).toContain("MV-03 MachinePool plain/c1-pool");
        expect(staysBehind(subject)).toContainEqual({ object: "Cluster plain/c1", why: "no CRD label" });
        const { ok, output } = await move("plain", "--dry-run");
        expect([ok, output]).toEqual([false, expect.stringContaining("error reading Cluster /c1")]);
      });
    },
  );
}

const NAMESPACE: Kind = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
};

function namespaceOf(name: string) {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

function seedOf<T>(seedling: T | undefined): T {
  if (seedling === undefined) throw new Error("a resting Cluster begins with its Cluster");
  return seedling;
}
