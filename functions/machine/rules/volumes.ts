import type { Node } from "../../../shared/api/core.ts";
import type { PersistentVolume, Pod, VolumeAttachment } from "../../../shared/api/workload.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { listNames } from "../../../shared/rules/conditions/list-names.ts";
import { truncate } from "../../../shared/rules/conditions/truncate.ts";
import type { Blocked } from "./drain-rules.ts";

/** The fields of a Node that say which volumes it holds. In no snapshot. */
export const NODE_VOLUME_FIELDS = ["status.volumesAttached"] as const;
export const ATTACHMENT_FIELDS = ["spec.nodeName", "spec.source", "status.attached"] as const;
export const VOLUME_FIELDS = ["spec.csi.driver", "spec.csi.volumeHandle", "spec.claimRef"] as const;
export const POD_VOLUME_FIELDS = ["spec.volumes"] as const;

const CSI_PREFIX = "kubernetes.io/csi/";
const MAX_NAMES = 5;
/** Far more than a Node can hold: a workload server that lists more is not believed. */
const MAX_ATTACHED = 1_000;
/** The API allows far longer names of volumes than a message has room for. */
const MAX_NAME = 253;

/** Volumes that a Node still holds. */
export interface Attached {
  /** `status.volumesAttached` of the Node. */
  readonly onNode: readonly string[];
  /** VolumeAttachments of the Node that say attached. */
  readonly attachments: readonly VolumeAttachment[];
}

export function attachedTo(node: Node, attachments: readonly VolumeAttachment[]): Attached | Blocked {
  const onNode = (node.status?.volumesAttached ?? []).map(({ name }) => name);
  const attached = attachments.filter(
    ({ spec, status }) => spec?.nodeName === node.metadata.name && status?.attached === true,
  );
  return onNode.length + attached.length > MAX_ATTACHED
    ? {
        problem: `the workload cluster lists more than ${MAX_ATTACHED} volumes of Node ${node.metadata.name}`,
      }
    : { onNode, attachments: attached };
}

export function isDetached({ onNode, attachments }: Attached): boolean {
  return onNode.length === 0 && attachments.length === 0;
}

/** The names of PersistentVolumes that attachments refer to. */
export function attachedVolumeNames({ attachments }: Attached): readonly string[] {
  return attachments.flatMap((attachment) => volumeNameOf(attachment) ?? []);
}

/** The handles of CSI volumes that the Node lists. */
export function attachedHandles({ onNode }: Attached): readonly string[] {
  return onNode.flatMap((name) => {
    const at = name.startsWith(CSI_PREFIX) ? name.indexOf("^") : -1;
    return at < 0 ? [] : [name.slice(at + 1)];
  });
}

/** Attached volumes by what they are called; lines of names, each sorted. */
interface Blocking {
  readonly claims: readonly string[];
  readonly unclaimed: readonly string[];
  readonly unmatchedOnNode: readonly string[];
  readonly unmatchedAttachments: readonly string[];
  readonly namelessAttachments: readonly string[];
}

/**
 * The message while volumes are attached that have to be detached first; undefined when none of them has to. Volumes of
 * Pods that the drain skips stay with their Pods. An entry that matches no PersistentVolume keeps blocking.
 * Differs: a VolumeAttachment without the name of a PersistentVolume has a line of its own; upstream fails on it.
 */
export function volumesMessage(
  attached: Attached,
  facts: { readonly volumes: readonly PersistentVolume[]; readonly skipped: readonly Pod[] },
  startedAt: string,
): string | undefined {
  const blocking = blockingVolumes(attached, facts.volumes, new Set(facts.skipped.flatMap(claimsOf)));
  const lines = [
    ...line("PersistentVolumeClaims", blocking.claims),
    ...line("PersistentVolumes without a .spec.claimRef to a PersistentVolumeClaim", blocking.unclaimed),
    ...line(
      "Node with .status.volumesAttached entries not matching a PersistentVolume",
      blocking.unmatchedOnNode,
    ),
    ...line(
      "VolumeAttachment with .spec.source.persistentVolumeName not matching a PersistentVolume",
      blocking.unmatchedAttachments,
    ),
    ...line("VolumeAttachments without .spec.source.persistentVolumeName", blocking.namelessAttachments),
  ];
  if (lines.length === 0) return undefined;
  return [`Waiting for Node volumes to be detached (started at ${startedAt})`, ...lines].join("\n");
}

function blockingVolumes(
  attached: Attached,
  volumes: readonly PersistentVolume[],
  ignoredClaims: ReadonlySet<string>,
): Blocking {
  const byName = new Map(volumes.map((volume) => [volume.metadata.name, volume]));
  const byEntry = new Map(volumes.flatMap((volume) => entryOf(volume).map((entry) => [entry, volume])));
  const named = attached.attachments.filter((attachment) => volumeNameOf(attachment) !== undefined);
  const isKnown = (attachment: VolumeAttachment) => byName.has(volumeNameOf(attachment) ?? "");
  const found = new Set([
    ...named.flatMap((attachment) => byName.get(volumeNameOf(attachment) ?? "") ?? []),
    ...attached.onNode.flatMap((entry) => byEntry.get(entry) ?? []),
  ]);
  const claims = new Set([...found].flatMap(claimOf));
  return {
    claims: [...claims].filter((claim) => !ignoredClaims.has(claim)),
    unclaimed: [...found].filter((volume) => claimOf(volume).length === 0).map(nameOf),
    unmatchedOnNode: attached.onNode.filter((entry) => !byEntry.has(entry)),
    unmatchedAttachments: named.filter((attachment) => !isKnown(attachment)).map(nameOf),
    namelessAttachments: attached.attachments
      .filter((attachment) => volumeNameOf(attachment) === undefined)
      .map(nameOf),
  };
}

function volumeNameOf({ spec }: VolumeAttachment): string | undefined {
  return spec?.source?.persistentVolumeName ?? undefined;
}

function nameOf({ metadata }: { readonly metadata: { readonly name: string } }): string {
  return metadata.name;
}

/** Returns how a Node lists a CSI volume. */
function entryOf({ spec }: PersistentVolume): readonly string[] {
  const { driver, volumeHandle } = spec?.csi ?? {};
  return driver == null || volumeHandle == null ? [] : [`${CSI_PREFIX}${driver}^${volumeHandle}`];
}

function claimOf({ spec }: PersistentVolume): readonly string[] {
  const { namespace, name } = spec?.claimRef ?? {};
  return namespace == null || name == null ? [] : [`${namespace}/${name}`];
}

/** A claim that lives as long as its Pod is called after Pod and volume. */
function claimsOf({ metadata, spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = ephemeral == null ? persistentVolumeClaim?.claimName : `${metadata.name}-${name ?? ""}`;
    return claim == null ? [] : [`${metadata.namespace ?? ""}/${claim}`];
  });
}

function line(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const sorted = names
    .map((name) => truncate(name.replaceAll(/[\s\p{Cc}]+/gu, " "), MAX_NAME))
    .sort(compareText);
  return [`* ${what}: ${listNames(sorted, MAX_NAMES)}`];
}
