import { createHash } from "node:crypto";
import { groupVersion, type Registry, type ResourceType, type ServedVersion } from "../kinds/registry.ts";
import type { JsonObject } from "../objects/json.ts";

const OBJECT_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
/** The verbs in the order in which the real server lists them. */
const CUSTOM_VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const SUBRESOURCE_VERBS = ["get", "patch", "update"];

/** The version that clients see; features are decided by major and minor. */
export const VERSION = {
  major: "1",
  minor: "34",
  gitVersion: "v1.34.0+capstan",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: `${process.platform}/${process.arch}`,
};

/** Returns `/`: the paths that hold no objects. */
export function rootPaths(registry: Registry): JsonObject {
  const groups = [...registry.groups()]
    .filter(([group]) => group !== "")
    .flatMap(([group, versions]) => [group, ...versions.map((version) => groupVersion(group, version))]);
  const paths = [
    "/api",
    "/api/v1",
    "/apis",
    "/healthz",
    "/livez",
    "/metrics",
    "/openapi/v3",
    "/readyz",
    "/version",
  ];
  return {
    paths: [...paths, ...groups.map((group) => `/apis/${group}`)].toSorted((a, b) => (a < b ? -1 : 1)),
  };
}

/** Returns `/api` */
export function coreVersions(address: string): JsonObject {
  const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress: address }];
  return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs };
}

/** Returns `/apis` */
export function groupList(registry: Registry): JsonObject {
  const groups = [...registry.groups()].filter(([group]) => group !== "");
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups.map(([group, versions]) => toGroup(group, versions)),
  };
}

/** Returns `/apis/<group>`; undefined for an unknown group. */
export function groupDocument(registry: Registry, group: string): JsonObject | undefined {
  const versions = registry.groups().get(group);
  return versions && { kind: "APIGroup", apiVersion: "v1", ...toGroup(group, versions) };
}

/** Returns `/api/v1`, `/apis/<group>/<version>`; undefined for an unknown group version. */
export function resourceList(registry: Registry, group: string, version: string): JsonObject | undefined {
  const found = registry.served(group, version);
  if (found.length === 0) return undefined;
  const resources = found.flatMap(({ type, served }) => toResources(type, served));
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: groupVersion(group, version), resources };
}

function toGroup(name: string, versions: readonly string[]) {
  const entries = versions.map((version) => ({ groupVersion: groupVersion(name, version), version }));
  return { name, versions: entries, preferredVersion: entries[0] ?? null };
}

/** Clients compare it; it says nothing else. */
function storageVersionHash({ group, storageVersion, kind }: ResourceType): string {
  const hash = createHash("sha256").update(`${group}/${storageVersion}/${kind}`).digest();
  return hash.subarray(0, 8).toString("base64");
}

function toResources(type: ResourceType, served: ServedVersion): JsonObject[] {
  const { plural, singular, namespaced, kind, shortNames, categories } = type;
  const resources: JsonObject[] = [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs: type.verbs ?? (type.custom ? CUSTOM_VERBS : OBJECT_VERBS),
      ...(shortNames ? { shortNames } : {}),
      ...(categories ? { categories } : {}),
      ...(type.review ? {} : { storageVersionHash: storageVersionHash(type) }),
    },
  ];
  const subresource = (name: string, rest: JsonObject) =>
    resources.push({
      name: `${plural}/${name}`,
      singularName: "",
      namespaced,
      kind,
      verbs: SUBRESOURCE_VERBS,
      ...rest,
    });
  if (served.hasStatus) subresource("status", {});
  if (served.scale) subresource("scale", { group: "autoscaling", version: "v1", kind: "Scale" });
  for (const [name, { kind: ofKind, group, version, verbs }] of Object.entries(served.subresources ?? {})) {
    subresource(name, { kind: ofKind, verbs, ...(group && version ? { group, version } : {}) });
  }
  return resources;
}
