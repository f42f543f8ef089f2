import { expect, it } from "vitest";
import { clusterOfSecret } from "../../../../../shared/contract/rules/move/secret-names.ts";

it.each([
  ["a-kubeconfig", "a"],
  ["a-b-ca", "a-b"],
  ["a-apiserver-etcd-client", "a"],
  ["a-b-apiserver-etcd-client", "a-b"],
  ["a-apiserver-etcd", "a-apiserver"],
  ["-ca", ""],
  ["apiserver-etcd-client", undefined],
  ["a-client", undefined],
  ["ca", undefined],
] as const)("a Secret %s without owners moves with Cluster %s", (name, cluster) => {
  expect(clusterOfSecret(name)).toBe(cluster);
});
