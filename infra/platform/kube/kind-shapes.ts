import * as z from "zod";
import { Node } from "../../../shared/api/core.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { DNS_SUBDOMAIN } from "../../../shared/api/meta.ts";
import { PersistentVolume, Pod, VolumeAttachment } from "../../../shared/api/workload.ts";
import { once } from "../../../shared/runtime/once.ts";

const texts = () => z.string().nullish();
/**
 * Names come from the workload server and are shown in statuses, messages and terminals: an API server accepts DNS
 * subdomains only.
 */
const dnsName = () =>
  z
    .string()
    .max(253)
    .regex(new RegExp(`^${DNS_SUBDOMAIN}$`));
const named = () => z.looseObject({ name: dnsName() });
const claim = () => z.looseObject({ namespace: dnsName().nullish(), name: dnsName().nullish() });

/** The members of a Node that rules read. */
const nodeShape = () =>
  z.looseObject({
    metadata: named(),
    spec: z
      .looseObject({
        providerID: texts(),
        unschedulable: z.boolean().nullish(),
        taints: z.array(z.looseObject({ key: texts(), value: texts(), effect: texts() })).nullish(),
      })
      .optional(),
    status: z
      .looseObject({
        conditions: z
          .array(
            z.looseObject({
              type: z.string(),
              status: z.string(),
              reason: texts(),
              message: texts(),
              lastTransitionTime: texts(),
            }),
          )
          .nullish(),
        nodeInfo: z.looseObject({}).optional(),
        volumesAttached: z.array(z.looseObject({ name: z.string().max(2_048) })).nullish(),
      })
      .optional(),
  });

const podShape = () =>
  z.looseObject({
    metadata: z.looseObject({ name: dnsName(), namespace: dnsName() }),
    spec: z
      .looseObject({
        nodeName: texts(),
        volumes: z
          .array(
            z.looseObject({
              name: dnsName().nullish(),
              persistentVolumeClaim: z.looseObject({ claimName: dnsName().nullish() }).nullish(),
              ephemeral: z.looseObject({}).nullish(),
            }),
          )
          .nullish(),
      })
      .optional(),
    status: z.looseObject({ phase: texts() }).optional(),
  });

const attachmentShape = () =>
  z.looseObject({
    metadata: named(),
    spec: z
      .looseObject({
        nodeName: texts(),
        source: z.looseObject({ persistentVolumeName: dnsName().nullish() }).nullish(),
      })
      .optional(),
    status: z.looseObject({ attached: z.boolean().nullish() }).optional(),
  });

const volumeShape = () =>
  z.looseObject({
    metadata: named(),
    spec: z
      .looseObject({
        csi: z.looseObject({ driver: texts(), volumeHandle: texts() }).nullish(),
        claimRef: claim().nullish(),
      })
      .optional(),
  });

/** The shapes by kind: those whose members rules read, and that come from servers that are not trusted. */
const SHAPES: ReadonlyMap<string, () => z.ZodType> = new Map<string, () => z.ZodType>([
  [idOf(Node), once(nodeShape)],
  [idOf(Pod), once(podShape)],
  [idOf(VolumeAttachment), once(attachmentShape)],
  [idOf(PersistentVolume), once(volumeShape)],
]);

function idOf({ group, kind }: Pick<Kind, "group" | "kind">): string {
  return `${group}/${kind}`;
}

/** Returns the member of an object that is missing or has the wrong type; undefined when rules may read all. */
export function problemOfKind(object: object, kind: Kind): string | undefined {
  const result = SHAPES.get(idOf(kind))?.().safeParse(object);
  if (result === undefined || result.success) return undefined;
  const path = result.error.issues[0]?.path ?? [];
  if (path.join(".") === "metadata.name") return `metadata.name of a ${kind.kind} is not a DNS subdomain`;
  // Positions in lists differ from one object to the next.
  const member = path.filter((part) => typeof part === "string").join(".");
  return `${member} of a ${kind.kind} is missing or has the wrong type`;
}
