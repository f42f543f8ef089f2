import { loadAll } from "js-yaml";
import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../../infra/deploy/deployment.ts";
import { renderedFiles } from "../../../../infra/deploy/rendered.ts";

const files = await renderedFiles();
const read = (file: string) => loadAll(files.get(file) ?? "") as readonly Manifest[];

describe("rights of Lambda functions in the cluster", () => {
  it("are those of the workers of their group, without accounts and without diagnostics", () => {
    const rights = read("aws/rights.yaml");
    for (const group of ["core", "workload", "credentials"]) {
      const name = `capstan-worker-${group}`;
      const isOwn = ({ metadata }: Manifest) =>
        metadata.name === name || metadata.name.startsWith(`${name}-`);
      const roles = read(`kustomize/base/${name}.yaml`).filter(
        ({ kind, metadata }) => kind === "ClusterRole" && !metadata.name.endsWith("-diagnostics"),
      );
      const own = rights.filter(isOwn);
      expect(own.filter(({ kind }) => kind === "ClusterRole")).toEqual(roles);
      const bindings = own.filter(({ kind }) => kind === "ClusterRoleBinding");
      expect(bindings).toEqual(
        roles.map(({ metadata }) =>
          expect.objectContaining({
            metadata: expect.objectContaining({ name: `${metadata.name}-lambda` }),
            roleRef: expect.objectContaining({ kind: "ClusterRole", name: metadata.name }),
            subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name }],
          }),
        ),
      );
    }
    expect(new Set(rights.map(({ kind }) => kind))).toEqual(new Set(["ClusterRole", "ClusterRoleBinding"]));
  });
});
