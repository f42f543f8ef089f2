import { describe, expect, it } from "vitest";
import { readDescendants, readDescendantsLive } from "../../../../functions/cluster/rules/reads.ts";
import type { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import type { Kind, KubeObject, ObjectKey } from "../../../../shared/api/kinds.ts";
import type { ListOptions, Reader } from "../../../../shared/function/reads.ts";
import { cluster, machine, machinePool } from "../../../support/builders.ts";
import { deletedCluster } from "../../../support/foo-cluster.ts";

const labelled = machinePool();
const young = machinePool({ metadata: { name: "young", uid: "uid-young", labels: undefined } });

/** A server that honours label selectors, and snapshots of other objects. */
function reader(snapshots: readonly KubeObject[], servers: readonly KubeObject[]) {
  const lists: string[] = [];
  const find = (objects: readonly KubeObject[], kind: Kind, { name }: ObjectKey) =>
    objects.find((object) => object.kind === kind.kind && object.metadata.name === name);
  const selects = ({ labelSelector }: ListOptions, { metadata }: KubeObject) =>
    Object.entries(metadata.labels ?? {}).some(([key, value]) => labelSelector === `${key}=${value}`);
  const read = {
    get: async (kind: Kind, key: ObjectKey) => find(snapshots, kind, key),
    list: async (kind: Kind) => snapshots.filter((object) => object.kind === kind.kind),
    live: {
      get: async (kind: Kind, key: ObjectKey) => find(servers, kind, key),
      list: async (kind: Kind, options: ListOptions) => {
        lists.push(`${kind.version} ${kind.plural} in ${options.namespace}`);
        return servers.filter((object) => object.kind === kind.kind && selects(options, object));
      },
    },
  };
  return { read: read as unknown as Reader, lists };
}

async function namesOf(snapshots: readonly KubeObject[], servers: readonly KubeObject[]) {
  const found = await readDescendantsLive(reader(snapshots, servers).read, deletedCluster());
  return found.flatMap(({ objects }) => objects.map(({ metadata }) => metadata.name));
}

describe("readDescendantsLive", () => {
  it("finds what carries the label, and what only names the Cluster", async () => {
    expect(await namesOf([labelled, young], [labelled, young])).toEqual(["p1", "young"]);
    expect(await namesOf([], [labelled])).toEqual(["p1"]);
  });

  it("believes no snapshot of an object that is gone, and counts none twice", async () => {
    expect(await namesOf([labelled, young], [])).toEqual([]);
    const guarded = machinePool({ metadata: { name: "young", uid: "uid-young" } });
    expect(await namesOf([young], [guarded])).toEqual(["young"]);
  });

  it("lists every kind once", async () => {
    const { read, lists } = reader([], []);
    await readDescendantsLive(read, deletedCluster());
    expect(lists).toEqual([
      "v1beta2 machinedeployments in default",
      "v1beta2 machinesets in default",
      "v1beta2 machinepools in default",
      "v1beta2 machines in default",
    ]);
  });
});

describe("readDescendants", () => {
  it("looks at all Machines, of which there may be thousands, for a deletion only", async () => {
    const { read } = reader([labelled, machine()], []);
    const kindsOf = async (of: Cluster) =>
      (await readDescendants(read, of)).flatMap(({ objects }) => objects.map(({ kind }) => kind));
    expect(await kindsOf(cluster())).toEqual(["MachinePool"]);
    expect(await kindsOf(deletedCluster())).toEqual(["MachinePool", "Machine"]);
  });
});
