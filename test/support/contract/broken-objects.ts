import { CANARY, credentials, kubeconfigOf } from "./credentials.ts";
import type { RawObject, World } from "./objects.ts";

/** A change of a good world that breaks one rule. */
export interface BrokenObject {
  readonly verdict: "fail" | "warn";
  readonly rule: string;
  readonly title: string;
  readonly change: (world: World) => void | Promise<void>;
  /** A missing object: a file proves nothing. */
  readonly onServerOnly?: true;
}

const CLUSTER_LABEL = "cluster.x-k8s.io/cluster-name";

export const BROKEN_OBJECTS: readonly BrokenObject[] = [
  warns("IMP-23", "the conditions lack Ready", (world) => {
    statusOf(at(world, "infra"))["conditions"] = [
      {
        type: "Other",
        status: "True",
        reason: "Other",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ];
  }),
  fails("IMP-29", "a provider ID is there twice", (world) => {
    at(world, "infra")["spec"] = { providerIDList: ["foo://1", "foo://1"] };
  }),
  fails("IMP-29", "an instance is missing in the list", (world) => {
    at(world, "infra")["spec"] = { providerIDList: ["foo://1"] };
  }),
  fails("BC-19", "the Secret has no label of the Cluster", (world) => {
    delete at(world, "data").metadata.labels[CLUSTER_LABEL];
  }),
  fails("BC-19", "the Secret has no controller", (world) => {
    at(world, "data").metadata.ownerReferences = [];
  }),
  fails("BC-19", "the value is empty", (world) => withData(at(world, "data"), { value: "" })),
  fails("BC-19", "the data stand under another key", (world) =>
    withData(at(world, "data"), { userdata: CANARY }),
  ),
  fails("BC-19", "the name is empty", (world) => {
    statusOf(at(world, "config"))["dataSecretName"] = undefined;
  }),
  onServer("BC-19", "the Secret does not exist", (world) => {
    statusOf(at(world, "config"))["dataSecretName"] = "other";
  }),
  warns("BC-21", "the data do not create the file", (world) =>
    withData(at(world, "data"), { value: `#!/bin/sh\necho ${CANARY}\n` }),
  ),
  fails("IP-15", "the address does not name the pool as owner", (world) => {
    at(world, "address").metadata.ownerReferences.splice(1);
  }),
  fails("IP-15", "the claim is not the controller", (world) => {
    for (const owner of at(world, "address").metadata.ownerReferences) delete owner.controller;
  }),
  fails("IP-15", "the pool may be deleted first", (world) => {
    delete at(world, "address").metadata.ownerReferences[1]?.blockOwnerDeletion;
  }),
  fails("IP-15", "the claim names another address", (world) => {
    statusOf(at(world, "claim"))["addressRef"] = { name: "eth1" };
  }),
  warns("IP-15", "the address is not protected", (world) => {
    delete at(world, "address").metadata.finalizers;
  }),
  fails("CP-20", "the versions are in the wrong order", (world) => versions(world, "v1.34.0", "v1.33.1")),
  fails("CP-20", "a version cannot be parsed", (world) => versions(world, "v1.33.1", "latest")),
  fails("CP-34", "the type is another one", (world) => {
    at(world, "kubeconfig")["type"] = "Opaque";
  }),
  fails("CP-34", "the label is missing", (world) => {
    delete at(world, "kubeconfig").metadata.labels[CLUSTER_LABEL];
  }),
  fails("CP-34", "the label names another Cluster", (world) => {
    at(world, "kubeconfig").metadata.labels[CLUSTER_LABEL] = "c2";
  }),
  fails("CP-34", "the key value is missing", (world) =>
    withData(at(world, "kubeconfig"), { config: CANARY }),
  ),
  fails("CP-34", "the value is not a kubeconfig", (world) =>
    withData(at(world, "kubeconfig"), { value: `{"password": "${CANARY}"}` }),
  ),
  onServer("CP-34", "the Secret does not exist", (world) => {
    at(world, "kubeconfig").metadata.name = "c2-kubeconfig";
  }),
  fails("CP-35", "the certificate has expired", async (world) => {
    const { kubeconfig } = await credentials({ fromDays: -300, toDays: -1 });
    withData(at(world, "kubeconfig"), { value: kubeconfig });
  }),
  warns("CP-35", "the certificate lives for ten years", async (world) => {
    const { kubeconfig } = await credentials({ fromDays: -1, toDays: 3_650 });
    withData(at(world, "kubeconfig"), { value: kubeconfig });
  }),
  fails("CP-35", "the certificate cannot be read", (world) =>
    withData(at(world, "kubeconfig"), { value: kubeconfigOf({ "client-certificate-data": "bm9uZQ==" }) }),
  ),
  fails("CP-36", "the private key is missing", (world) => {
    const { data } = at(world, "ca") as { data?: { [key: string]: string } };
    delete data?.["tls.key"];
  }),
  fails("CP-36", "the type is another one", (world) => {
    at(world, "ca")["type"] = "Opaque";
  }),
  fails("CTL-37", "the owner was stripped", (world) => {
    at(world, "infra").metadata.ownerReferences = [];
  }),
  fails("CTL-37", "a template of the Cluster has no owner", (world) => {
    at(world, "template").metadata.ownerReferences = [];
  }),
];

function fails(rule: string, title: string, change: BrokenObject["change"]): BrokenObject {
  return { verdict: "fail", rule, title, change };
}

function warns(rule: string, title: string, change: BrokenObject["change"]): BrokenObject {
  return { verdict: "warn", rule, title, change };
}

function onServer(rule: string, title: string, change: BrokenObject["change"]): BrokenObject {
  return { ...fails(rule, title, change), onServerOnly: true };
}

function at(world: World, name: string): RawObject {
  const object = world[name];
  if (object === undefined) throw new Error(`bug: no ${name}`);
  return object;
}

function statusOf(object: RawObject): { [member: string]: unknown } {
  return object["status"] as { [member: string]: unknown };
}

function withData(secret: RawObject, data: { readonly [key: string]: string }): void {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  secret["data"] = Object.fromEntries(encoded);
}

function versions(world: World, ...names: readonly string[]): void {
  statusOf(at(world, "controlPlane"))["versions"] = names.map((version) => ({ version, replicas: 1 }));
}
