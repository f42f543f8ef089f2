import { formatImage, parseImage } from "../../../../shared/contract/rules/release/image.ts";
import type { Manifest } from "../../../../shared/contract/rules/release/subject.ts";
import { mapList, mapMember, nameOf } from "./namespaces.ts";

/** `images` of a clusterctl configuration: by `all`, provider label, or provider label and name of the image. */
export type ImageOverrides = ReadonlyMap<string, ImageOverride>;

export interface ImageOverride {
  readonly repository?: string | undefined;
  readonly name?: string | undefined;
  readonly tag?: string | undefined;
}

const WORKLOADS: ReadonlySet<unknown> = new Set(["Deployment", "DaemonSet"]);

/**
 * Returns the object with overridden images of its containers and init containers; other kinds than Deployments and
 * DaemonSets stay. Throws with the object and container of an image that is not canonical, also without an override.
 */
export function withImages(object: Manifest, label: string, overrides: ImageOverrides): Manifest {
  if (!isWorkload(object)) return object;
  const change = (container: Manifest): Manifest => {
    const { image } = container;
    return typeof image === "string"
      ? { ...container, image: overridden(image, { object, label, overrides }) }
      : container;
  };
  return mapMember(object, "spec", (spec) =>
    mapMember(spec, "template", (template) =>
      mapMember(template, "spec", (pod) =>
        mapList(mapList(pod, "containers", change), "initContainers", change),
      ),
    ),
  );
}

export function isWorkload({ kind }: Manifest): boolean {
  return WORKLOADS.has(kind);
}

interface Overriding {
  readonly object: Manifest;
  readonly label: string;
  readonly overrides: ImageOverrides;
}

/** The more specific override wins, member by member; a digest stays. */
function overridden(text: string, { object, label, overrides }: Overriding): string {
  const image = parseImage(text);
  if (image === undefined) {
    throw new Error(
      `${nameOf(object)}: image ${text} is not canonical; write registry host, path, and tag or digest`,
    );
  }
  const found = ["all", label, `${label}/${image.name}`].flatMap((key) => overrides.get(key) ?? []);
  if (overrides.size === 0) return text;
  const last = (member: keyof ImageOverride): string | undefined =>
    found.findLast((each) => (each[member] ?? "") !== "")?.[member];
  return formatImage({
    repository: last("repository")?.replace(/\/$/, "") ?? image.repository,
    name: last("name") ?? image.name,
    tag: last("tag") ?? image.tag,
    digest: image.digest,
  });
}
