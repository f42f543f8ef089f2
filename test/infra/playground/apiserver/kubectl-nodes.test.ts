import { expect, it } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { kubectlMissing } from "../../../support/processes/kubectl.ts";
import { describeWith } from "../../../support/requires.ts";
import { WIDGETS_PATH, widget } from "./api-client.ts";
import { type KubectlServer, startKubectlServer } from "./kubectl-server.ts";

const NODE = JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } });

async function runPod({ kubectl }: KubectlServer, name: string): Promise<void> {
  const metadata = { name, labels: { app: "x" } };
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
  await kubectl("create -f -", JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata, spec }));
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  await kubectl(`patch pod ${name} --subresource=status --type=merge -p '${JSON.stringify({ status })}'`);
}

describeWith(kubectlMissing())("kubectl", () => {
  it("drains a Node, and waits for budgets", async () => {
    await using server = await startKubectlServer({ recordRequests: true });
    const { api, kubectl } = server;
    await kubectl("create -f -", NODE);
    for (const name of ["p", "q"]) await runPod(server, name);
    await kubectl("create poddisruptionbudget b --selector=app=x --min-available=1");
    const allow = (disruptionsAllowed: number) => {
      const status = { observedGeneration: 1, currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed };
      return kubectl(`patch pdb b --subresource=status --type=merge -p '${JSON.stringify({ status })}'`);
    };
    await allow(1);
    const draining = kubectl.try("drain n --force --timeout=60s");
    const refusals = () =>
      api.server.requests.filter(({ subresource, code }) => subresource === "eviction" && code === 429);
    await eventually(() => refusals().length > 0, { withinMs: 20_000 });
    expect(await kubectl("get pods -o name")).toMatch(/^pod\/[pq]\n$/);
    await allow(1);
    const { ok, output } = await draining;
    expect([ok, output]).toEqual([true, expect.stringContaining("node/n drained")]);
    expect((await kubectl.try("get pods")).output).toContain("No resources found");
    expect(await kubectl("get nodes")).toContain("SchedulingDisabled");
    await kubectl("uncordon n");
    expect(await kubectl("get node n -o jsonpath={.spec.unschedulable}")).toBe("");
  });

  it("asks what its user may do, and learns why not", async () => {
    await using server = await startKubectlServer();
    const allow = [
      {
        verbs: ["get", "list", "watch"],
        groups: ["test.capstan.dev"],
        resources: ["widgets"],
        namespaces: ["default"],
      },
    ];
    const user = await server.as(server.api.server.addUser({ name: "reader", allow }));
    expect(await server.kubectl("auth whoami -o jsonpath={.status.userInfo.username}")).toBe("admin");
    expect(await user("auth can-i list widgets.test.capstan.dev")).toBe("yes\n");
    const denied = await user.try("auth can-i delete widgets.test.capstan.dev");
    expect([denied.ok, denied.output]).toEqual([false, "no\n"]);
    expect((await user.try("auth can-i list widgets.test.capstan.dev -A")).output).toContain("no");
    expect((await user.try("get widgets")).output).toContain("No resources found");
    const refused = await user.try("delete widget a");
    expect(refused.output).toContain(
      'widgets.test.capstan.dev "a" is forbidden: User "reader" cannot delete resource "widgets"',
    );
  });

  it("deletes with every cascade", async () => {
    await using server = await startKubectlServer();
    const { api, kubectl } = server;
    const own = async (owner: string, name: string) => {
      const { body } = await api.call("POST", WIDGETS_PATH, { body: widget(owner) });
      const reference = { apiVersion: body.apiVersion, kind: "Widget", name: owner, uid: body.metadata.uid };
      const ownerReferences = [{ ...reference, blockOwnerDeletion: true }];
      await api.call("POST", WIDGETS_PATH, { body: widget(name, {}, { ownerReferences }) });
    };
    for (const owner of ["foreground", "background", "orphan"]) {
      await own(owner, `${owner}-child`);
      expect(await kubectl(`delete widget ${owner} --cascade=${owner}`)).toContain("deleted");
    }
    await eventually(
      async () => (await kubectl("get widgets -o name")) === "widget.test.capstan.dev/orphan-child\n",
      { withinMs: 10_000 },
    );
    expect(await kubectl("get widget orphan-child -o jsonpath={.metadata.ownerReferences}")).toBe("");
  });

  it("waits for a namespace to go with all that is in it", async () => {
    await using server = await startKubectlServer();
    const { kubectl } = server;
    await kubectl("create namespace space");
    await kubectl("create configmap c --from-literal=a=b --namespace=space");
    await kubectl("create serviceaccount s --namespace=space");
    expect(await kubectl("delete namespace space --timeout=20s")).toContain('namespace "space" deleted');
    expect((await kubectl.try("get namespace space")).output).toContain("not found");
  });

  it("watches with columns, once, and lists in every form", async () => {
    await using server = await startKubectlServer();
    const { api, kubectl } = server;
    await api.call("POST", WIDGETS_PATH, { body: widget("a", { size: 1 }, { labels: { l: "m" } }) });
    const rows = (text: string) => text.trim().replaceAll(/ +/g, " ").split("\n");
    const watching = kubectl.try("get widgets --watch --output-watch-events --request-timeout=3s");
    await eventually(() => kubectl(`patch widget a --type=merge -p '{"spec":{"size":2}}'`), {
      withinMs: 5_000,
    });
    const [header, ...events] = rows((await watching).output);
    expect(header).toBe("EVENT NAME SIZE PHASE AGE");
    expect(events[0]).toMatch(/^ADDED a [12] /);
    expect(rows(await kubectl("get widgets --show-labels"))[1]).toMatch(/ l=m$/);
    expect(rows(await kubectl("get widgets -L l"))[1]).toMatch(/ m$/);
    expect(rows(await kubectl("get widgets -A -o wide"))[0]).toBe("NAMESPACE NAME SIZE PHASE COLOR AGE");
    expect(await kubectl("get widgets -l l=m -o name")).toBe("widget.test.capstan.dev/a\n");
    expect(await kubectl("get widgets --field-selector=metadata.name=zz -o name")).toBe("");
    expect(await kubectl("get widgets --sort-by=.metadata.name -o custom-columns=N:.metadata.name")).toBe(
      "N\na\n",
    );
    expect(await kubectl("get --raw /healthz")).toBe("ok");
  });
});
