import { expect, it } from "vitest";
import { kubectlMissing } from "../../../support/processes/kubectl.ts";
import { describeWith } from "../../../support/requires.ts";
import { widget } from "./api-client.ts";
import { startKubectlServer } from "./kubectl-server.ts";

const manifest = (spec = {}, metadata = {}) => JSON.stringify(widget("a", spec, metadata));
const configMap = (data: object) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data });

describeWith(kubectlMissing())("kubectl apply", () => {
  it("client-side removes what is no longer in the manifest, of core kinds as well", async () => {
    await using server = await startKubectlServer();
    const { kubectl } = server;
    await kubectl("apply -f -", configMap({ a: "1", b: "2" }));
    await kubectl(`patch configmap c -p '{"data":{"c":"3"}}'`);
    expect(await kubectl("apply -f -", configMap({ a: "4" }))).toContain("configured");
    expect(JSON.parse(await kubectl("get configmap c -o jsonpath={.data}"))).toEqual({ a: "4", c: "3" });
    expect(await kubectl("apply view-last-applied configmap c -o json")).toContain('"a": "4"');
  });

  it("server-side names both managers in a conflict, and takes over with force", async () => {
    await using server = await startKubectlServer();
    const { kubectl } = server;
    await kubectl("apply --server-side --field-manager=one -f -", manifest({ size: 1, color: "red" }));
    const refused = await kubectl.try("apply --server-side --field-manager=two -f -", manifest({ size: 2 }));
    expect(refused.ok).toBe(false);
    expect(refused.output).toContain('Apply failed with 1 conflict: conflict with "one": .spec.size');
    await kubectl("apply --server-side --field-manager=two --force-conflicts -f -", manifest({ size: 2 }));
    const shown = JSON.parse(await kubectl("get widget a -o json --show-managed-fields"));
    expect(shown.spec).toEqual({ color: "red", mode: "Auto", size: 2 });
    const fields = Object.fromEntries(
      shown.metadata.managedFields.map((entry: { manager: string; fieldsV1: object }) => [
        entry.manager,
        entry.fieldsV1,
      ]),
    );
    expect(fields).toEqual({
      one: { "f:spec": { "f:color": {} } },
      two: { "f:spec": { "f:size": {} } },
    });
    const hidden = JSON.parse(await kubectl("get widget a -o json"));
    expect(hidden.metadata.managedFields).toBeUndefined();
  });

  it("dry runs show the result and change nothing", async () => {
    await using server = await startKubectlServer();
    const { kubectl } = server;
    expect(await kubectl("apply --dry-run=server -f -", manifest({ size: 1 }))).toContain(
      "created (server dry run)",
    );
    expect((await kubectl.try("get widget a")).ok).toBe(false);
    await kubectl("apply --server-side -f -", manifest({ size: 1 }));
    const before = await kubectl("get widget a -o yaml --show-managed-fields");
    const asked = [
      "apply --server-side --dry-run=server --force-conflicts -f -",
      "replace --dry-run=server -f -",
      "delete --dry-run=server -f -",
    ];
    for (const args of asked) {
      const { resourceVersion } = JSON.parse(await kubectl("get widget a -o json")).metadata;
      expect(await kubectl(args, manifest({ size: 2 }, { resourceVersion }))).toContain("(server dry run)");
    }
    await kubectl(`patch widget a --dry-run=server --type=merge -p '{"spec":{"size":3}}'`);
    await kubectl("label widget a k=v --dry-run=server");
    await kubectl("scale widget a --replicas=9 --dry-run=server");
    await kubectl("create configmap x --from-literal=a=b --dry-run=server");
    expect((await kubectl.try("get configmap x")).ok).toBe(false);
    expect(await kubectl("get widget a -o yaml --show-managed-fields")).toBe(before);
  });

  it("refuses or warns of fields that the kind does not have", async () => {
    await using server = await startKubectlServer();
    const { kubectl } = server;
    const strict = await kubectl.try("apply -f -", manifest({ sise: 1 }));
    expect([strict.ok, strict.output]).toEqual([false, expect.stringContaining('unknown field "spec.sise"')]);
    const lenient = await kubectl.try("apply --validate=warn -f -", manifest({ sise: 1 }));
    expect([lenient.ok, lenient.output]).toEqual([
      true,
      expect.stringContaining('Warning: unknown field "spec.sise"'),
    ]);
    const wrong = await kubectl.try("apply -f -", manifest({ size: 101 }));
    expect(wrong.output).toContain("should be less than or equal to 100");
  });

  it("shows differences and replaces, forcibly as well", async () => {
    await using server = await startKubectlServer();
    const { kubectl } = server;
    expect((await kubectl.try("diff -f -", manifest({ size: 1 }))).output).toMatch(/\+\s+size: 1/);
    await kubectl("create -f -", manifest({ size: 1 }));
    expect((await kubectl.try("diff --server-side -f -", manifest({ size: 1 }))).output).not.toMatch(
      /^[-+] +size/m,
    );
    const { uid } = JSON.parse(await kubectl("get widget a -o json")).metadata;
    expect((await kubectl.try("create -f -", manifest({ size: 1 }))).output).toContain("already exists");
    await kubectl("replace --force -f -", manifest({ size: 3 }));
    const { metadata, spec } = JSON.parse(await kubectl("get widget a -o json"));
    expect([spec.size, metadata.uid === uid]).toEqual([3, false]);
  });
});
