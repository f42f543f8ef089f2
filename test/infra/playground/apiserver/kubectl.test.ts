import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../../../support/processes/kubectl.ts";
import { describeWith } from "../../../support/requires.ts";
import { testFolder } from "../../../support/test-folder.ts";
import { startTestServer, type TestApiServer, widget } from "./api-client.ts";
import { WIDGETS } from "./widgets.ts";

const manifest = (name: string, spec = {}) => JSON.stringify(widget(name, spec));

/** Runs of blanks as one, so that columns can be compared. */
const squeezed = (text: string) => text.trim().replaceAll(/ +/g, " ").split("\n");

describeWith(kubectlMissing())("kubectl", () => {
  let api: TestApiServer;
  let kubectl: Kubectl;
  let folder: string;

  beforeAll(async () => {
    api = await startTestServer({ withWidgets: false, recordRequests: true });
    folder = testFolder("kubectl");
    const file = join(folder, "kubeconfig");
    await writeFile(file, api.server.kubeconfig(), { mode: 0o600 });
    kubectl = kubectlFor(file);
    await kubectl("create -f -", JSON.stringify(WIDGETS));
  });

  afterAll(() => api.server.stop());

  beforeEach(() => api.call("DELETE", "/apis/test.capstan.dev/v1/namespaces/default/widgets"));

  it("understands the server's version and kinds", async () => {
    expect(await kubectl("version")).toContain("v1.34.0+capstan");
    const kinds = await kubectl("api-resources");
    for (const kind of ["Widget", "Node", "Lease", "CustomResourceDefinition"]) expect(kinds).toContain(kind);
    expect(await kubectl("explain widgets.spec")).toMatch(/size\s+<integer>\s+How large\./);
    expect(await kubectl("explain widgets.metadata.labels")).toContain("map[string]string");
  });

  it("creates what it sends as protobuf", async () => {
    await kubectl("create namespace made");
    await kubectl("create configmap made --from-literal=a=b");
    await kubectl("create secret generic made --from-literal=c=d");
    expect(await kubectl("get configmap made -o jsonpath={.data.a}")).toBe("b");
    expect(await kubectl("get secret made -o jsonpath={.data.c}{.type}")).toBe("ZA==Opaque");
    expect(await kubectl("get namespace made -o jsonpath={.status.phase}")).toBe("Active");
    await kubectl("create serviceaccount made");
    await kubectl("create role made --verb=get,list --resource=pods,widgets.test.capstan.dev");
    await kubectl("create rolebinding made --role=made --serviceaccount=default:made");
    expect(await kubectl("get role made -o jsonpath={.rules[1].resources[0]}")).toBe("widgets");
    expect(await kubectl("get rolebinding made -o jsonpath={.subjects[0].name}{.roleRef.kind}")).toBe(
      "madeRole",
    );
    await kubectl("create poddisruptionbudget made --selector=app=x --max-unavailable=20%");
    expect(await kubectl("get pdb made -o jsonpath={.spec.maxUnavailable}")).toBe("20%");
    expect(await kubectl("auth can-i delete pods")).toBe("yes\n");
    await kubectl("delete namespace made");
  });

  it("C24: creates, applies and deletes the items of a List, and of a list with a kind of its own", async () => {
    const item = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
    for (const kind of ["List", "ConfigMapList"]) {
      const list = JSON.stringify({ apiVersion: "v1", kind, items: [item("l1"), item("l2")] });
      expect(squeezed(await kubectl("create -f -", list))).toEqual([
        "configmap/l1 created",
        "configmap/l2 created",
      ]);
      await kubectl("apply -f -", list);
      expect(squeezed(await kubectl("apply --server-side -f -", list))).toEqual([
        "configmap/l1 serverside-applied",
        "configmap/l2 serverside-applied",
      ]);
      await kubectl("delete -f -", list);
      const odd = list.replace('"name":"l2"', '"name":"l2"},"bogus":{');
      await expect(kubectl("create -f -", odd)).rejects.toThrow(/unknown field "bogus"/);
      await kubectl("delete configmap l1");
    }
    const widgets = { apiVersion: "v1", kind: "List", items: [widget("w1"), widget("w2")] };
    await kubectl("create -f -", JSON.stringify(widgets));
    expect(squeezed(await kubectl("get widgets -o name"))).toHaveLength(2);
  });

  it("applies, compares and applies again", async () => {
    expect(await kubectl("apply -f -", manifest("a", { size: 1, color: "red" }))).toContain("created");
    expect(await kubectl("apply -f -", manifest("a", { size: 1, color: "red" }))).toContain("unchanged");
    expect((await kubectl.try("diff -f -", manifest("a", { size: 2 }))).output).toMatch(/-\s+color: red/);
    expect(await kubectl("apply -f -", manifest("a", { size: 2 }))).toContain("configured");
    expect(await kubectl("get widget a -o jsonpath={.spec}")).toBe('{"mode":"Auto","size":2}');
  });

  it("takes over with server-side apply what it applied client-side", async () => {
    await kubectl("apply -f -", manifest("a", { size: 1, color: "red" }));
    await kubectl("apply --server-side -f -", manifest("a", { size: 1 }));
    const { spec, metadata } = JSON.parse(await kubectl("get widget a -o json --show-managed-fields"));
    expect(spec).toEqual({ mode: "Auto", size: 1 });
    const managers = metadata.managedFields.map(
      (entry: { manager: string; operation: string }) => `${entry.manager}/${entry.operation}`,
    );
    expect(managers.toSorted()).toEqual(["kubectl-last-applied/Apply", "kubectl/Apply"]);
    const lastApplied = metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"];
    expect(JSON.parse(lastApplied).spec).toEqual({ size: 1 });
  });

  it("shows tables with the columns of the kind", async () => {
    await kubectl("create -f -", manifest("a", { size: 3, color: "blue" }));
    expect(squeezed(await kubectl("get wd"))[0]).toBe("NAME SIZE PHASE AGE");
    expect(squeezed(await kubectl("get wd -o wide"))[1]).toMatch(/^a 3 blue \d+s$/);
    expect(squeezed(await kubectl("get wd -A"))[1]).toMatch(/^default a 3 \d+s$/);
    expect(await kubectl("get all")).toContain("widget.test.capstan.dev/a");
  });

  it("changes objects in every way it knows", async () => {
    await kubectl("create -f -", manifest("a", { size: 1 }));
    await kubectl(`patch wd a --type merge -p '{"spec":{"color":"red"}}'`);
    await kubectl(`patch wd a --type json -p '[{"op":"replace","path":"/spec/size","value":4}]'`);
    await kubectl(`patch wd a --subresource=status --type merge -p '{"status":{"phase":"Up"}}'`);
    await kubectl("label wd a k=v");
    await kubectl("annotate wd a n=m");
    await kubectl("scale wd a --replicas=7");
    const object = JSON.parse(await kubectl("get wd a -o json"));
    expect(object).toMatchObject({
      metadata: { labels: { k: "v" }, annotations: { n: "m" }, generation: 4 },
      spec: { size: 7, color: "red" },
      status: { phase: "Up" },
    });
    await kubectl("replace -f -", JSON.stringify({ ...object, spec: { size: 8 } }));
    expect(await kubectl("get wd a -o jsonpath={.spec.size}")).toBe("8");
    await kubectl(`patch namespace default -p '{"metadata":{"labels":{"q":"r"}}}'`);
    expect(await kubectl("get namespace default -o jsonpath={.metadata.labels.q}")).toBe("r");
  });

  it("describes an object with its events", async () => {
    await kubectl("create -f -", manifest("a", { size: 1 }));
    const { uid } = JSON.parse(await kubectl("get wd a -o json")).metadata;
    const event = {
      metadata: { name: "a.1" },
      involvedObject: { kind: "Widget", name: "a", namespace: "default", uid },
      reason: "Because",
      message: "it is so",
      type: "Normal",
    };
    await api.call("POST", "/api/v1/namespaces/default/events", { body: event });
    expect(await kubectl("describe wd a")).toMatch(
      /Spec:[\s\S]*Size:\s+1[\s\S]*Events:[\s\S]*Because[\s\S]*it is so/,
    );
    expect(await kubectl("get events")).toContain("widget/a");
  });

  it("waits for conditions, paths and deletion", async () => {
    await kubectl("create -f -", manifest("a"));
    const met = [
      kubectl("wait wd/a --for=condition=Ready --timeout=10s"),
      kubectl("wait wd/a --for=jsonpath={.status.phase}=Up --timeout=10s"),
    ];
    const status = { phase: "Up", conditions: [{ type: "Ready", status: "True" }] };
    await kubectl(`patch wd a --subresource=status --type merge -p '${JSON.stringify({ status })}'`);
    for (const text of await Promise.all(met)) expect(text).toContain("condition met");
    const watches = () => api.server.requests.filter(({ verb }) => verb === "watch").length;
    const before = watches();
    const gone = kubectl("wait wd/a --for=delete --timeout=10s");
    await eventually(() => watches() > before, { withinMs: 10_000 });
    await kubectl("delete wd a --wait=false");
    expect(await gone).toContain("condition met");
  });

  it("deletes with and without finalizers, all at once and with every cascade", async () => {
    for (const name of ["a", "b", "c"]) await kubectl("create -f -", manifest(name));
    await kubectl("delete wd a --cascade=foreground");
    await kubectl("delete wd b --cascade=orphan");
    await kubectl(`patch wd c --type merge -p '{"metadata":{"finalizers":["a.b/c"]}}'`);
    const deleting = kubectl("delete wd --all");
    await kubectl("wait wd/c --for=jsonpath={.metadata.deletionGracePeriodSeconds}=0 --timeout=10s");
    await kubectl(`patch wd c --type json -p '[{"op":"remove","path":"/metadata/finalizers"}]'`);
    expect(await deleting).toContain("deleted");
    expect((await kubectl.try("get wd")).output).toContain("No resources found");
  });

  it("watches a table grow", async () => {
    await kubectl("create -f -", manifest("a", { size: 1 }));
    const watching = kubectl.try("get wd --watch --request-timeout=2s");
    await kubectl("create -f -", manifest("b", { size: 2 }));
    expect(squeezed((await watching).output).slice(0, 2)).toEqual([
      "NAME SIZE PHASE AGE",
      expect.stringMatching(/^a 1 /),
    ]);
  });
});
