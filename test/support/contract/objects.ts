import { credentials } from "./credentials.ts";

/** An object as a file has it, for tests to change. */
export interface RawObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace: string;
    labels: { [key: string]: string };
    ownerReferences: Owner[];
    finalizers?: string[];
  };
  [member: string]: unknown;
}

interface Owner {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export type World = { readonly [title: string]: RawObject };

const CORE = "cluster.x-k8s.io/v1beta2";
const IPAM = "ipam.cluster.x-k8s.io/v1beta2";
const NAMESPACE = "life";

/** A Cluster with a pool, a control plane and an address, which keep every rule on objects. Uids are empty. */
export async function goodWorld(): Promise<World> {
  const { kubeconfig, pair } = await credentials();
  const cluster = made(CORE, "Cluster", "c1", {
    spec: {
      controlPlaneRef: { apiGroup: "controlplane.cluster.x-k8s.io", kind: "FooControlPlane", name: "c1" },
      infrastructureRef: { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "FooCluster", name: "c1" },
    },
  });
  const pool = made(CORE, "MachinePool", "p1", {
    owners: [ownerOf(cluster)],
    spec: {
      clusterName: "c1",
      replicas: 2,
      template: {
        spec: {
          clusterName: "c1",
          bootstrap: { configRef: { apiGroup: "bootstrap.cluster.x-k8s.io", kind: "FooConfig", name: "p1" } },
          infrastructureRef: {
            apiGroup: "infrastructure.cluster.x-k8s.io",
            kind: "FooMachinePool",
            name: "p1",
          },
        },
      },
    },
  });
  const infra = made("infrastructure.cluster.x-k8s.io/v1beta2", "FooMachinePool", "p1", {
    owners: [controllerOf(pool)],
    spec: { providerIDList: ["foo://1", "foo://2"] },
    status: { ready: true, initialization: { provisioned: true }, replicas: 2, conditions: [READY] },
  });
  const config = made("bootstrap.cluster.x-k8s.io/v1beta2", "FooConfig", "p1", {
    owners: [controllerOf(pool)],
    spec: {},
    status: { dataSecretName: "p1-data", initialization: { dataSecretCreated: true }, conditions: [READY] },
  });
  const controlPlane = made("controlplane.cluster.x-k8s.io/v1beta2", "FooControlPlane", "c1", {
    owners: [ownerOf(cluster)],
    spec: { replicas: 3, version: "v1.34.0" },
    status: {
      initialization: { controlPlaneInitialized: true },
      versions: [
        { version: "v1.33.1", replicas: 1 },
        { version: "v1.34.0", replicas: 2 },
      ],
      conditions: [READY],
    },
  });
  const addresses = made("ipam.cluster.x-k8s.io/v1beta2", "FooPool", "addresses", {
    labels: { "clusterctl.cluster.x-k8s.io/move": "" },
    spec: {},
    status: {},
  });
  const claim = made(IPAM, "IPAddressClaim", "eth0", {
    owners: [ownerOf(cluster)],
    spec: {
      clusterName: "c1",
      poolRef: { apiGroup: "ipam.cluster.x-k8s.io", kind: "FooPool", name: "addresses" },
    },
    status: { addressRef: { name: "eth0" } },
  });
  const address = made(IPAM, "IPAddress", "eth0", {
    owners: [controllerOf(claim), { ...ownerOf(addresses), blockOwnerDeletion: true }],
    finalizers: ["ipam.cluster.x-k8s.io/protect-address"],
    spec: {
      address: "10.0.0.1",
      prefix: 24,
      claimRef: { name: "eth0" },
      poolRef: { apiGroup: "ipam.cluster.x-k8s.io", kind: "FooPool", name: "addresses" },
    },
  });
  return {
    cluster,
    pool,
    infra,
    config,
    data: secret("p1-data", { value: BOOT_DATA }, { owners: [controllerOf(config)] }),
    controlPlane,
    kubeconfig: secret("c1-kubeconfig", { value: kubeconfig }, { owners: [controllerOf(controlPlane)] }),
    ca: secret("c1-ca", pair, { owners: [controllerOf(controlPlane)] }),
    addresses,
    claim,
    address,
    template: made("infrastructure.cluster.x-k8s.io/v1beta2", "FooMachineTemplate", "t1", {
      owners: [ownerOf(cluster)],
      spec: { template: { spec: {} } },
    }),
  };
}

const BOOT_DATA = "#cloud-config\nruncmd: [touch /run/cluster-api/bootstrap-success.complete]\n";
const READY = {
  type: "Ready",
  status: "True",
  reason: "Ready",
  message: "",
  observedGeneration: 1,
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

interface Parts {
  readonly owners?: readonly Owner[];
  readonly labels?: { readonly [key: string]: string };
  readonly finalizers?: readonly string[];
  readonly [member: string]: unknown;
}

function made(
  apiVersion: string,
  kind: string,
  name: string,
  { owners = [], labels, finalizers, ...members }: Parts,
): RawObject {
  const own = labels ?? { "cluster.x-k8s.io/cluster-name": "c1" };
  return structuredClone({
    apiVersion,
    kind,
    metadata: {
      name,
      namespace: NAMESPACE,
      labels: { ...own },
      ownerReferences: [...owners],
      ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
    },
    ...members,
  });
}

function secret(name: string, data: { readonly [key: string]: string }, parts: Parts): RawObject {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return {
    ...made("v1", "Secret", name, { ...parts, type: "cluster.x-k8s.io/secret" }),
    data: Object.fromEntries(encoded),
  };
}

function ownerOf({ apiVersion, kind, metadata }: RawObject): Owner {
  return { apiVersion, kind, name: metadata.name, uid: "" };
}

function controllerOf(owner: RawObject): Owner {
  return { ...ownerOf(owner), controller: true, blockOwnerDeletion: true };
}
