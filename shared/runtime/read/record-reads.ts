import { Secret } from "../../api/core.ts";
import type { Selection } from "../../api/indexes.ts";
import type { KubeObject } from "../../api/kinds.ts";
import {
  type ClusterName,
  type ContractReference,
  type Kind,
  MANAGEMENT,
  type ObjectKey,
} from "../../api/kinds.ts";
import type { Referenced } from "../../contract/referenced.ts";
import type { ListOptions, LiveReader } from "../../function/reads.ts";
import type { RecordedAnswer, RecordedRead } from "../attempt-record.ts";
import type { RecordingReader } from "./reader.ts";

export interface ReadRecorder extends RecordingReader {
  /**
   * Reads of the step so far: first the answered ones, in the order of the answers, then the others. A read that the
   * step failed with (`thrown`) was the last whose answer counts. References to shared snapshots, no copies.
   */
  asked(thrown?: unknown): readonly RecordedRead[];
}

type Keep = <T>(
  question: RecordedRead["question"],
  ask: Promise<T>,
  toAnswer: (result: T) => RecordedAnswer,
) => Promise<T>;

/** The same reader, keeping every question with its answer for a dead letter. */
export function recordReads(reader: RecordingReader): ReadRecorder {
  const questions: RecordedRead["question"][] = [];
  const answered: RecordedRead[] = [];
  const keep: Keep = async (question, ask, toAnswer) => {
    questions.push(question);
    try {
      const result = await ask;
      answered.push({ question, source: sourceOf(reader, question), answer: toAnswer(result) });
      return result;
    } catch (error) {
      answered.push({ question, source: sourceOf(reader, question), answer: { type: "error", error } });
      throw error;
    }
  };
  return {
    asked(thrown) {
      const failed = answered.findIndex(({ answer }) => answer.type === "error" && answer.error === thrown);
      const inTime = failed < 0 ? answered : answered.slice(0, failed + 1);
      const reported = new Set(inTime.map(({ question }) => question));
      const unreported = questions
        .filter((question) => !reported.has(question))
        .map((question): RecordedRead => {
          return { question, source: sourceOf(reader, question), answer: { type: "unanswered" } };
        });
      return [...inTime, ...unreported];
    },
    records: () => reader.records(),
    readLive: (cluster, kind, key) => reader.readLive(cluster, kind, key),
    liveVersion: (cluster, kind, key) => reader.liveVersion(cluster, kind, key),
    listedInstead: () => reader.listedInstead(),
    get: <T extends KubeObject>(kind: Kind<T>, key: ObjectKey, cluster: ClusterName = MANAGEMENT) =>
      keep({ call: "get", cluster, kind: anyKind(kind), key }, reader.get(kind, key, cluster), toObject),
    list: <T extends KubeObject>(kind: Kind<T>, selection: Selection, cluster: ClusterName = MANAGEMENT) =>
      keep(
        { call: "list", cluster, kind: anyKind(kind), selection },
        reader.list(kind, selection, cluster),
        toList,
      ),
    referenced: <T extends KubeObject = KubeObject>(reference: ContractReference, namespace: string) =>
      keep(
        { call: "referenced", reference, namespace },
        reader.referenced<T>(reference, namespace),
        toReferenced,
      ),
    live: recordLive(reader.live, keep),
  };
}

const SECRETS = { cluster: MANAGEMENT, kind: anyKind(Secret) };

function recordLive(live: LiveReader, keep: Keep): LiveReader {
  return {
    secret: (key) =>
      keep({ call: "live.secret", ...SECRETS, key }, live.secret(key), (summary) => ({
        type: "secret",
        summary,
      })),
    manifests: (kind, key) =>
      keep(
        { call: "live.manifests", cluster: MANAGEMENT, kind, key },
        live.manifests(kind, key),
        (summary) => ({
          type: "manifests",
          summary,
        }),
      ),
    get: <T extends KubeObject>(kind: Kind<T>, key: ObjectKey, cluster: ClusterName = MANAGEMENT) =>
      keep({ call: "live.get", cluster, kind: anyKind(kind), key }, live.get(kind, key, cluster), toObject),
    list: <T extends KubeObject>(kind: Kind<T>, selection: ListOptions, cluster: ClusterName = MANAGEMENT) =>
      keep(
        { call: "live.list", cluster, kind: anyKind(kind), selection },
        live.list(kind, selection, cluster),
        toList,
      ),
    referenced: <T extends KubeObject = KubeObject>(reference: ContractReference, namespace: string) =>
      keep(
        { call: "live.referenced", reference, namespace },
        live.referenced<T>(reference, namespace),
        toReferenced,
      ),
  };
}

/** Returns the source of a read: behind a fence the server, although the step asked for a snapshot. */
function sourceOf(reader: RecordingReader, question: RecordedRead["question"]): RecordedRead["source"] {
  if (question.call.startsWith("live.")) return "live";
  return wentToServer(reader, question) ? "live" : "snapshot";
}

function wentToServer(reader: RecordingReader, question: RecordedRead["question"]): boolean {
  if ("key" in question) return reader.readLive(question.cluster, question.kind, question.key);
  if ("reference" in question) {
    const { apiGroup, kind, name } = question.reference;
    return reader.readLive(MANAGEMENT, { group: apiGroup, kind }, { namespace: question.namespace, name });
  }
  const { cluster, kind } = question;
  return reader
    .listedInstead()
    .some((fence) => fence.cluster === cluster && fence.group === kind.group && fence.kind === kind.kind);
}

function toObject(object: KubeObject | undefined): RecordedAnswer {
  return { type: "object", object };
}

function toList(items: readonly KubeObject[]): RecordedAnswer {
  return { type: "list", items };
}

function toReferenced(value: Referenced): RecordedAnswer {
  return { type: "referenced", value };
}

/** Only names are used of it. */
function anyKind<T extends KubeObject>(kind: Kind<T>): Kind {
  return kind as unknown as Kind;
}
