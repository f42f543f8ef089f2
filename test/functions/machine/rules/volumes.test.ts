import { describe, expect, it } from "vitest";
import { isBlocked } from "../../../../functions/machine/rules/drain-rules.ts";
import {
  type Attached,
  attachedHandles,
  attachedTo,
  attachedVolumeNames,
  isDetached,
  volumesMessage,
} from "../../../../functions/machine/rules/volumes.ts";
import type { PersistentVolume, Pod } from "../../../../shared/api/workload.ts";
import { node } from "../../../support/builders.ts";
import { attachment, podOn, volume } from "../../../support/draining.ts";

const START = "2026-01-01T11:59:00Z";
const entry = (handle: string) => `kubernetes.io/csi/csi.dev^${handle}`;
const holding = (...names: readonly string[]) =>
  node("n1", { status: { volumesAttached: names.map((name) => ({ name })) } });

/** As `attachedTo`, of a server that is believed. */
function attachedOn(...of: Parameters<typeof attachedTo>): Attached {
  const attached = attachedTo(...of);
  if (isBlocked(attached)) throw new Error(attached.problem);
  return attached;
}

function lines(attached: Attached, volumes: readonly PersistentVolume[] = [], skipped: readonly Pod[] = []) {
  const message = volumesMessage(attached, { volumes, skipped }, START);
  if (message === undefined) return undefined;
  const [head, ...rest] = message.split("\n");
  expect(head).toBe(`Waiting for Node volumes to be detached (started at ${START})`);
  return rest;
}

describe("volumes of a drained Node", () => {
  it("are those of the Node and of its VolumeAttachments that say attached", () => {
    const other = { ...attachment("a2"), spec: { nodeName: "n2" } };
    const detached = { ...attachment("a3"), status: { attached: false } };
    expect(
      isDetached(attachedOn(node("n1"), [other, detached, { ...attachment("a4"), status: undefined }])),
    ).toBe(true);
    const attached = attachedOn(holding(entry("h-v1"), "other.io/x"), [
      attachment("a1", "v2"),
      attachment("a5"),
    ]);
    expect(isDetached(attached)).toBe(false);
    expect(attachedVolumeNames(attached)).toEqual(["v2"]);
    expect(attachedHandles(attached)).toEqual(["h-v1"]);
  });

  it("are named by their claims, or by what is missing", () => {
    const attached = attachedOn(holding(entry("h-v1"), entry("unknown"), "other.io/x"), [
      attachment("a1", "v1"),
      attachment("a2", "v2"),
      attachment("a3", "lost"),
      attachment("a4"),
      attachment("a5", "v5"),
    ]);
    expect(lines(attached, [volume("v1", "data"), volume("v2"), volume("v5", "cache")])).toEqual([
      "* PersistentVolumeClaims: apps/cache, apps/data",
      "* PersistentVolumes without a .spec.claimRef to a PersistentVolumeClaim: v2",
      `* Node with .status.volumesAttached entries not matching a PersistentVolume: ${entry("unknown")}, other.io/x`,
      "* VolumeAttachment with .spec.source.persistentVolumeName not matching a PersistentVolume: a3",
      "* VolumeAttachments without .spec.source.persistentVolumeName: a4",
    ]);
  });

  it("of Pods that the drain skips stay, also those that live as long as their Pod", () => {
    const volumes = [
      { name: "data", persistentVolumeClaim: { claimName: "data" } },
      { name: "tmp", ephemeral: {} },
    ];
    const skipped = [podOn("p", { spec: { volumes } })];
    const attached = attachedOn(holding(entry("h-v1")), [attachment("a1", "v1"), attachment("a2", "v2")]);
    expect(lines(attached, [volume("v1", "data"), volume("v2", "p-tmp")], skipped)).toBeUndefined();
    expect(lines(attached, [volume("v1", "data"), volume("v2", "q-tmp")], skipped)).toEqual([
      "* PersistentVolumeClaims: apps/q-tmp",
    ]);
  });

  it("are at most five in a line", () => {
    const names = ["g", "f", "e", "d", "c", "b", "a"];
    expect(
      lines(
        attachedOn(
          holding(),
          names.map((name) => attachment(name)),
        ),
      ),
    ).toEqual(["* VolumeAttachments without .spec.source.persistentVolumeName: a, b, c, d, e, ... (2 more)"]);
  });

  it("have names of at most 253 characters, in one line", () => {
    const [shown = "", ...more] = lines(attachedOn(holding(`x\n${"y".repeat(2_000)}`), [])) ?? [];
    expect(more).toEqual([]);
    expect(shown.length).toBeLessThan(400);
  });

  it("are not believed when there are more than a Node can hold", () => {
    const names = Array.from({ length: 1_001 }, (_, at) => entry(`h${at}`));
    expect(attachedTo(holding(...names), [])).toEqual({
      problem: "the workload cluster lists more than 1000 volumes of Node n1",
    });
  });
});
