import { join } from "node:path";
import { parse } from "semver";
import { writeYaml } from "../platform/yaml/write-yaml.ts";
import { componentsOf } from "./components.ts";
import type { Manifest } from "./deployment.ts";
import { yamlOf } from "./deployment.ts";
import { CORE, type Provider } from "./providers.ts";
import { renderedFiles } from "./rendered.ts";

/** A series of our releases and the contract of Cluster API that it follows. */
export interface Series {
  readonly major: number;
  readonly minor: number;
  readonly contract: "v1beta1" | "v1beta2";
}

/**
 * Every series that was ever released, the oldest first. clusterctl refuses an upgrade to a release whose metadata
 * lacks the series of any version from the installed one on, so an entry is never removed.
 */
const SERIES: readonly Series[] = [{ major: 0, minor: 1, contract: "v1beta2" }];

/** Throws when a version is malformed, has no `v` before it, or belongs to no series. */
function checkVersion(version: string, series: readonly Series[]): void {
  const parsed = version.startsWith("v") ? parse(version.slice(1)) : null;
  if (parsed === null) {
    throw new Error(`version ${version} is not a semantic version after a v; write one such as v0.1.0`);
  }
  const { major, minor } = parsed;
  if (series.some((known) => known.major === major && known.minor === minor)) return;
  throw new Error(
    `version ${version} belongs to no released series; add { major: ${major}, minor: ${minor} } to infra/deploy/release.ts`,
  );
}

export interface ReleaseOptions {
  /** Folder of the repository, absolute: clusterctl reads no other ones. */
  readonly folder: string;
  /** Semantic version after a `v`. */
  readonly version: string;
  /** Registry and path of the image, without tag: `ghcr.io/example/capstan`. Its tag is the version. */
  readonly image: string;
  /** `sha256:…` of the image, which a registry then cannot replace. Absent: its tag alone names it. Source: S-62 */
  readonly digest?: string | undefined;
  /** Providers beside the core, in the order in which clusterctl installs them. */
  readonly providers: readonly Provider[];
  /** The series; default: every released one. */
  readonly series?: readonly Series[];
}

/** A registry and a path: clusterctl completes no image names. */
const IMAGE =
  /^(localhost|[a-z0-9-]+(\.[a-z0-9-]+)+)(:\d+)?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)+$|^localhost(:\d+)?\/|^[a-z0-9-]+:\d+\//;

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Older than any cert-manager: where that is needed later, `clusterctl upgrade apply` replaces this one. */
const STAND_IN_VERSION = "v0.0.1";

/**
 * Returns components that take the place of cert-manager where no network is: clusterctl installs none of our providers
 * before an Issuer and a Certificate can be created, which none of them needs. Nothing issues certificates.
 */
export function certManagerStandIn(): string {
  const namespace: Manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: "cert-manager" } };
  return yamlOf([namespace, ...["Issuer", "Certificate"].map(crd)]);
}

function crd(kind: string): Manifest {
  const [group, singular] = ["cert-manager.io", kind.toLowerCase()];
  const plural = `${singular}s`;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

/**
 * Returns the files of a release for clusterctl, by their path in `folder`: the providers, two configurations beside
 * them, and what `npm run generate` renders. The same options give the same bytes. Throws when version, image or digest
 * cannot be used.
 */
export async function renderRelease(options: ReleaseOptions): Promise<ReadonlyMap<string, string>> {
  const { folder, version, image, digest, series = SERIES } = options;
  const released = [CORE, ...options.providers];
  checkVersion(version, series);
  if (!IMAGE.test(image) || /:[^/]*$|@/.test(image)) {
    throw new Error(
      `image ${image} is not a registry with a path and no tag; write one such as ghcr.io/example/capstan`,
    );
  }
  if (digest !== undefined && !DIGEST.test(digest)) {
    throw new Error(`digest ${digest} is not sha256: and 64 hexadecimal digits, as npm run image prints it`);
  }
  const tagged = `${image}:${version.replace("+", "_")}`;
  const exact = digest === undefined ? tagged : `${tagged}@${digest}`;
  const perProvider = await Promise.all(
    released.map(async (provider): Promise<readonly (readonly [string, string])[]> => {
      const place = `${provider.label}/${version}`;
      return [
        [`${place}/${provider.components}`, await componentsOf(provider, exact)],
        [`${place}/metadata.yaml`, metadataOf(series)],
      ];
    }),
  );
  const templates = released.flatMap(({ label, templates: named = new Map() }) =>
    [...named].map(([name, objects]) => [`${label}/${version}/${name}`, yamlOf(objects)] as const),
  );
  const standIn = `cert-manager/${STAND_IN_VERSION}/cert-manager.yaml`;
  const providers = released.map((provider) => entryOf(provider, folder));
  const certManager = { url: urlOf(folder, standIn), version: STAND_IN_VERSION };
  const rendered = [...(await renderedFiles())].map(
    ([path, content]) => [`rendered/${version}/${path}`, content] as const,
  );
  return new Map([
    ...perProvider.flat(),
    ...templates,
    ...rendered,
    [standIn, certManagerStandIn()],
    ["clusterctl.yaml", writeYaml({ providers })],
    ["clusterctl-offline.yaml", writeYaml({ providers, "cert-manager": certManager })],
  ]);
}

function metadataOf(series: readonly Series[]): string {
  return writeYaml({
    apiVersion: "clusterctl.cluster.x-k8s.io/v1alpha3",
    kind: "Metadata",
    releaseSeries: series,
  });
}

function entryOf({ name, type, label, components }: Provider, folder: string): object {
  return { name, type, url: urlOf(folder, `${label}/latest/${components}`) };
}

/** clusterctl replaces variables in it, then reads it as a URL. */
function urlOf(folder: string, path: string): string {
  return `file://${encodeURI(join(folder, path)).replaceAll("$", "%24").replaceAll("?", "%3F").replaceAll("#", "%23")}`;
}
