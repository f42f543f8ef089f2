import type { KubeObject } from "../../../shared/api/kinds.ts";
import { type ClusterName, MANAGEMENT } from "../../../shared/api/kinds.ts";
import type { AttemptRecord, RecordedRead } from "../../../shared/runtime/attempt-record.ts";

/** One object that a run has read. */
export interface ReadObject {
  readonly source: RecordedRead["source"];
  readonly cluster: ClusterName;
  readonly object: KubeObject;
}

/** Every object that was found, in the order of the answers. */
export function objectsRead(record: AttemptRecord | undefined): readonly ReadObject[] {
  return (record?.reads ?? []).flatMap(({ question, source, answer }) => {
    const cluster = "cluster" in question ? question.cluster : MANAGEMENT;
    return foundIn(answer).map((object) => ({ source, cluster, object }));
  });
}

/** The last read of an object that was asked for by name or found in a list. */
export function lastRead(
  record: AttemptRecord | undefined,
  kind: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  source?: RecordedRead["source"],
): KubeObject | undefined {
  return objectsRead(record).findLast(
    (read) =>
      read.object.kind === kind &&
      read.object.metadata.name === name &&
      (read.object.metadata.namespace ?? "") === namespace &&
      (source === undefined || read.source === source),
  )?.object;
}

function foundIn(answer: RecordedRead["answer"]): readonly KubeObject[] {
  switch (answer.type) {
    case "object":
      return answer.object === undefined ? [] : [answer.object];
    case "list":
      return answer.items;
    case "referenced":
      return answer.value.state === "found" ? [answer.value.object] : [];
    default:
      return [];
  }
}
