import { mkdir, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeYaml } from "../../infra/platform/yaml/write-yaml.ts";
import { readObjects } from "../../infra/providers/clusterctl/render/namespaces.ts";
import type { Manifest } from "../../shared/contract/rules/release/subject.ts";
import { startClusterctl } from "./clusterctl.ts";

/** A provider in a local repository, an absolute path. */
export interface Provider {
  readonly name: string;
  /** `InfrastructureProvider` */
  readonly type: string;
  /** Of `generate provider`: `--infrastructure`. */
  readonly flag: string;
  readonly version: string;
  readonly url: string;
}

interface Call {
  readonly env?: { readonly [name: string]: string };
  /** Further flags. */
  readonly flags?: string;
  /** Members of clusterctl.yaml. */
  readonly config?: Manifest;
}

/** Either the objects that the real clusterctl applies, or its message. */
export type Generated = { readonly objects: readonly Manifest[] } | { readonly refusal: string };

/** Runs `clusterctl generate provider`. */
export async function generateProvider(
  { name, type, url, flag, version }: Provider,
  { env = {}, flags = "", config = {} }: Call = {},
): Promise<Generated> {
  await using clusterctl = await startClusterctl({
    config: writeYaml({ providers: [{ name, type, url }], ...config }),
    env,
  });
  await using dir = await mkdtempDisposable(join(tmpdir(), "capstan-generated-"));
  const file = join(dir.path, "out.yaml");
  const ran = await clusterctl.try(
    `generate provider ${flag} ${name}:${version} --write-to ${file} ${flags}`,
  );
  if (!ran.ok) return { refusal: ran.output };
  return { objects: readObjects(await readFile(file, "utf8")).map(({ value }) => value) };
}

const METADATA = `apiVersion: clusterctl.cluster.x-k8s.io/v1alpha3
kind: Metadata
releaseSeries:
  - {major: 1, minor: 0, contract: v1beta2}
`;

/** Runs it for components that no file has yet: an infrastructure provider `forms`, v1.0.0. */
export async function generateComponents(text: string, call: Call = {}): Promise<Generated> {
  await using dir = await mkdtempDisposable(join(tmpdir(), "capstan-components-"));
  const release = join(dir.path, "infrastructure-forms", "v1.0.0");
  await mkdir(release, { recursive: true });
  const url = join(release, "infrastructure-components.yaml");
  await writeFile(url, text);
  await writeFile(join(release, "metadata.yaml"), METADATA);
  const provider = {
    name: "forms",
    type: "InfrastructureProvider",
    flag: "--infrastructure",
    version: "v1.0.0",
    url,
  };
  return await generateProvider(provider, call);
}
