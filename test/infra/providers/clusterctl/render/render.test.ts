import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderComponents } from "../../../../../infra/providers/clusterctl/render/render.ts";
import {
  NO_VALUES,
  readValues,
  type Values,
  withEnvironment,
} from "../../../../../infra/providers/clusterctl/render/typed.ts";
import { valueAt } from "../../../../../shared/api/path.ts";
import type { Manifest } from "../../../../../shared/contract/rules/release/subject.ts";
import { ODD_COMPONENTS } from "../../../../support/odd-components.ts";
import { testFolder } from "../../../../support/test-folder.ts";

const GIVEN = withEnvironment(NO_VALUES, { WIDE: "ä" });

function rendered(text: string, targetNamespace?: string, values: Values = GIVEN): readonly Manifest[] {
  return renderComponents(text, { label: "infrastructure-odd", targetNamespace, values });
}

/** One value of each object that has it, by kind. */
function pick(objects: readonly Manifest[], path: string): unknown {
  const found = objects.flatMap((object) => {
    const value = valueAt(object, path);
    return value === undefined ? [] : [[object["kind"], value]];
  });
  return Object.fromEntries(found);
}

async function valuesIn(text: string): Promise<Values> {
  const dir = testFolder("values");
  await writeFile(join(dir, "values.yaml"), text);
  return await readValues(join(dir, "values.yaml"));
}

describe("PC-7: components as clusterctl applies them", () => {
  it("have the Namespace first, then objects of cert-manager, then the order of the file", () => {
    expect(rendered(ODD_COMPONENTS).map(({ kind }) => kind)).toEqual([
      "Namespace",
      "ClusterIssuer",
      "Certificate",
      "ConfigMap",
      "StorageClass",
      "RoleBinding",
      "ClusterRoleBinding",
      "ValidatingWebhookConfiguration",
      "CustomResourceDefinition",
      "Deployment",
      "DaemonSet",
      "ClusterWide",
    ]);
  });

  it("are in the target namespace, cluster-scoped kinds of others than Kubernetes, too", () => {
    expect(pick(rendered(ODD_COMPONENTS, "new"), "metadata.namespace")).toEqual({
      Certificate: "new",
      ClusterIssuer: "new",
      ClusterWide: "new",
      ConfigMap: "new",
      DaemonSet: "new",
      Deployment: "new",
      RoleBinding: "new",
    });
  });

  it("name it in subjects, webhooks, injected certificates and the first place of DNS names, nowhere else", () => {
    const objects = rendered(ODD_COMPONENTS, "new");
    expect(pick(objects, "subjects[manager].namespace")).toEqual({
      ClusterRoleBinding: "new",
      RoleBinding: "new",
    });
    expect(pick(objects, "subjects[everyone].namespace")).toEqual({});
    expect(pick(objects, "webhooks[service.example.com].clientConfig.service.namespace")).toEqual({
      ValidatingWebhookConfiguration: "new",
    });
    expect(pick(objects, "spec.conversion.webhook.clientConfig.service.namespace")).toEqual({
      CustomResourceDefinition: "new",
    });
    expect(pick(objects, "metadata.annotations[cert-manager.io/inject-ca-from]")).toEqual({
      CustomResourceDefinition: "new/serving",
      ValidatingWebhookConfiguration: "new/serving",
    });
    expect(pick(objects, "spec.dnsNames")).toEqual({
      Certificate: ["webhook.new.svc", "webhook.new.svc.cluster.local.old.x", "other.svc"],
    });
    expect(pick(objects, "spec.template.spec.containers[manager].args")).toEqual({
      Deployment: ["--namespace=old", "--value=ä"],
    });
    expect(pick(objects, "spec.namespace")).toEqual({ ClusterWide: "old" });
    expect(String(valueAt(objects[3], "data.manifest"))).toContain("namespace: old");
  });

  it("have both labels and keep their own", () => {
    const objects = rendered(ODD_COMPONENTS);
    expect(valueAt(objects[3], "metadata.labels")).toEqual({
      "cluster.x-k8s.io/provider": "infrastructure-odd",
      "clusterctl.cluster.x-k8s.io": "",
      mine: "kept",
    });
    const labels = objects.map((object) => valueAt(object, "metadata.labels[cluster.x-k8s.io/provider]"));
    expect(new Set(labels)).toEqual(new Set(["infrastructure-odd"]));
  });

  it("share nothing with an object that an alias names twice", () => {
    const text =
      "kind: Namespace\napiVersion: v1\nmetadata: {name: a}\n---\nkind: Role\napiVersion: v1\nmetadata: &m {name: b}\ncopy: *m";
    expect(valueAt(rendered(text)[1], "copy")).toEqual({ name: "b" });
  });

  it("name all variables without value, sorted", () => {
    expect(() => rendered("a: ${B} ${A}")).toThrow("variables without value: A, B;");
  });

  it.each([
    ["a: ${A-x}", "missing closing brace"],
    ["a: b: c", "line 1: "],
    ["a: ${WIDE}: c: d", "line 1: "],
  ])("are refused for %s with the line", (text, words) => {
    expect(() => rendered(`# ${"x"}\n${text}`)).toThrow(words.replace("line 1", "line 2"));
  });
});

describe("values", () => {
  it("are texts, numbers and booleans of a file, whatever the case of their names, behind the environment", async () => {
    const { lookup } = withEnvironment(await valuesIn("A: x\nb: 1\nC: true\nD: y\nE:\n"), { D: "", F: "f" });
    expect(["A", "a", "B", "C", "D", "E", "f", "g"].map(lookup)).toEqual([
      "x",
      "x",
      "1",
      "true",
      "",
      undefined,
      "f",
      undefined,
    ]);
  });

  it.each([
    ["A: [x]", "A is not a text; put it in quotes"],
    [`A: ${"x".repeat(200_000)}`, "A has more than 131072 characters"],
  ])("are refused when they are used: %.10s", async (text, words) => {
    const { lookup } = await valuesIn(text);
    expect(() => lookup("A")).toThrow(words);
  });

  it.each([
    ["- A", "not a map from names to values"],
    ["A: b: secret", "line 1 is not YAML"],
    ["images: [x]", "images is not a map"],
    ["images: {all: {tag: 1}}", "images.all has a member that is not a text"],
  ])("are refused in a file that is not a configuration: %s", async (text, words) => {
    const error: unknown = await valuesIn(text).catch((caught: unknown) => caught);
    expect(String(error)).toContain(words);
    expect(String(error)).not.toContain("secret");
  });
});
