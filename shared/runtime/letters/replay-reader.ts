import { Secret } from "../../api/core.ts";
import type { Selection } from "../../api/indexes.ts";
import {
  type ClusterName,
  type ContractReference,
  type Kind,
  type KubeObject,
  MANAGEMENT,
  type ObjectKey,
  objectKeyOf,
} from "../../api/kinds.ts";
import type { Referenced } from "../../contract/referenced.ts";
import { KubeError, TerminalError, WaitingError } from "../../function/errors.ts";
import type { ManifestSummary } from "../../function/manifests.ts";
import type { ListOptions, LiveReader } from "../../function/reads.ts";
import type { SecretSummary } from "../../function/secret-summary.ts";
import type { ReadQuestion } from "../attempt-record.ts";
import { canonical } from "../digest.ts";
import type { RecordingReader } from "../read/reader.ts";
import type { LetterRead, RecordedError } from "./dead-letter.ts";
import { objectsOf } from "./dead-letter.ts";

/** The step asks for something that the dead letter does not hold: another step than the one that failed. */
class UnrecordedReadError extends Error {
  constructor(what: string) {
    super(what);
    this.name = "UnrecordedReadError";
  }
}

export interface ReplayReader extends RecordingReader {
  /** Reads that were not recorded, as text. */
  readonly unrecorded: readonly string[];
  /** Reads that have no answer, as they had none then, as text: the step waits for them for ever. */
  readonly unanswered: readonly string[];
}

/**
 * Answers every question as recorded, in whatever order it comes; questions that are asked together, in the order of
 * their answers then: which of two failures a step has heard of first may be what it decides by. A question that was
 * asked several times gets its answers in their order, then the last one again.
 */
export function createReplayReader(reads: readonly LetterRead[]): ReplayReader {
  const answers = new Map<string, Placed[]>();
  for (const [place, read] of reads.entries()) {
    const id = identityOf(read.question);
    answers.set(id, [...(answers.get(id) ?? []), { place, read }]);
  }
  const turn = createTurns();
  const unrecorded: string[] = [];
  const unanswered: string[] = [];
  const live = new Map<string, string | undefined>();
  const nextFor = (question: ReadQuestion): Placed | undefined => {
    const left = answers.get(identityOf(question));
    return left !== undefined && left.length > 1 ? left.shift() : left?.[0];
  };
  const ask = async (question: ReadQuestion): Promise<LetterRead["answer"]> => {
    const { place, read } = nextFor(question) ?? UNPLACED;
    await turn(place);
    if (read === undefined || read.answer.type === "truncated") {
      unrecorded.push(`${describeQuestion(question)}${read === undefined ? "" : " (left out: too large)"}`);
      throw new UnrecordedReadError(unrecorded.at(-1) ?? "");
    }
    if (read.answer.type === "unanswered") {
      unanswered.push(describeQuestion(question));
      return new Promise(() => undefined);
    }
    if (read.answer.type === "error") throw revived(read.answer.error);
    if (read.source === "live") noteLive(question, read.answer, live);
    return read.answer;
  };
  const object = async <T extends KubeObject>(question: ReadQuestion): Promise<T | undefined> =>
    objectsOf(await ask(question))[0] as T | undefined;
  const list = async <T extends KubeObject>(question: ReadQuestion): Promise<readonly T[]> =>
    objectsOf(await ask(question)) as readonly T[];
  const referenced = async <T extends KubeObject>(question: ReadQuestion): Promise<Referenced<T>> => {
    const answer = await ask(question);
    if (answer.type !== "referenced") throw new UnrecordedReadError(describeQuestion(question));
    return answer.value as unknown as Referenced<T>;
  };
  return {
    unrecorded,
    unanswered,
    records: () => [],
    readLive: (cluster, kind, key) => live.has(textOf(cluster, kind, key)),
    liveVersion: (cluster, kind, key) => live.get(textOf(cluster, kind, key)),
    listedInstead: () => [],
    get: <T extends KubeObject>(kind: Kind<T>, key: ObjectKey, cluster: ClusterName = MANAGEMENT) =>
      object<T>({ call: "get", cluster, kind: anyKind(kind), key }),
    list: <T extends KubeObject>(kind: Kind<T>, selection: Selection, cluster: ClusterName = MANAGEMENT) =>
      list<T>({ call: "list", cluster, kind: anyKind(kind), selection }),
    referenced: <T extends KubeObject = KubeObject>(reference: ContractReference, namespace: string) =>
      referenced<T>({ call: "referenced", reference, namespace }),
    live: replayLive({ ask, object, list, referenced }),
  };
}

interface Answering {
  readonly ask: (question: ReadQuestion) => Promise<LetterRead["answer"]>;
  readonly object: <T extends KubeObject>(question: ReadQuestion) => Promise<T | undefined>;
  readonly list: <T extends KubeObject>(question: ReadQuestion) => Promise<readonly T[]>;
  readonly referenced: <T extends KubeObject>(question: ReadQuestion) => Promise<Referenced<T>>;
}

function replayLive({ ask, object, list, referenced }: Answering): LiveReader {
  return {
    async secret(key) {
      const question: ReadQuestion = {
        call: "live.secret",
        cluster: MANAGEMENT,
        kind: anyKind(Secret),
        key,
      };
      const answer = await ask(question);
      if (answer.type !== "secret") throw new UnrecordedReadError(describeQuestion(question));
      // The letter holds a summary, not a Secret.
      return answer.summary as SecretSummary | undefined;
    },
    async manifests(kind, key) {
      const question: ReadQuestion = { call: "live.manifests", cluster: MANAGEMENT, kind, key };
      const answer = await ask(question);
      if (answer.type !== "manifests") throw new UnrecordedReadError(describeQuestion(question));
      return answer.summary as ManifestSummary | undefined;
    },
    get: <T extends KubeObject>(kind: Kind<T>, key: ObjectKey, cluster: ClusterName = MANAGEMENT) =>
      object<T>({ call: "live.get", cluster, kind: anyKind(kind), key }),
    list: <T extends KubeObject>(kind: Kind<T>, selection: ListOptions, cluster: ClusterName = MANAGEMENT) =>
      list<T>({ call: "live.list", cluster, kind: anyKind(kind), selection }),
    referenced: <T extends KubeObject = KubeObject>(reference: ContractReference, namespace: string) =>
      referenced<T>({ call: "live.referenced", reference, namespace }),
  };
}

/** A read and its place in the order of the answers. */
interface Placed {
  readonly place: number;
  readonly read: LetterRead;
}

const UNPLACED = { place: Number.POSITIVE_INFINITY, read: undefined };

/** Reads that wait in the same turn continue in the order of their places. */
function createTurns(): (place: number) => Promise<void> {
  const waiting: { readonly place: number; readonly goOn: () => void }[] = [];
  const goOn = (): void => {
    for (const next of waiting.splice(0).sort((one, other) => one.place - other.place)) next.goOn();
  };
  return (place) =>
    new Promise((resolve) => {
      if (waiting.push({ place, goOn: resolve }) === 1) queueMicrotask(goOn);
    });
}

/** Only names are used here. */
function anyKind<T extends KubeObject>(kind: Kind<T>): Kind {
  return kind as unknown as Kind;
}

/** Two reads are the same whatever version the code now uses. */
function identityOf(question: ReadQuestion | LetterRead["question"]): string {
  if ("reference" in question) {
    const { apiGroup, kind, name } = question.reference;
    return canonical([question.call, { apiGroup, kind, name }, question.namespace]);
  }
  const { group, kind } = question.kind;
  const asked =
    "key" in question ? [question.key.namespace, question.key.name] : presentSelection(question.selection);
  return canonical([question.call, question.cluster, group, kind, asked]);
}

/** Mends a selection: in letters of earlier versions of Capstan, a list of named objects said `names`. */
function presentSelection(selection: object): object {
  const { names, ...others }: { readonly names?: unknown } = selection;
  return names === undefined ? selection : { ...others, where: { path: "metadata.name", values: names } };
}

/** Returns `get MachinePool default/p1`, `live.list Node {} in default/c1`. */
export function describeQuestion(question: ReadQuestion | LetterRead["question"]): string {
  if ("reference" in question) {
    const { apiGroup, kind, name } = question.reference;
    return `${question.call} ${kind}.${apiGroup} ${question.namespace}/${name}`;
  }
  const where = question.cluster === MANAGEMENT ? "" : ` in ${question.cluster}`;
  const asked =
    "key" in question ? `${question.key.namespace}/${question.key.name}` : JSON.stringify(question.selection);
  return `${question.call} ${question.kind.kind} ${asked}${where}`;
}

function noteLive(
  question: ReadQuestion,
  answer: LetterRead["answer"],
  live: Map<string, string | undefined>,
): void {
  if ("key" in question) live.set(textOf(question.cluster, question.kind, question.key), undefined);
  const cluster = "cluster" in question ? question.cluster : MANAGEMENT;
  const kind =
    "kind" in question
      ? question.kind
      : { group: question.reference.apiGroup, kind: question.reference.kind };
  if ("reference" in question) {
    live.set(
      textOf(cluster, kind, { namespace: question.namespace, name: question.reference.name }),
      undefined,
    );
  }
  for (const found of objectsOf(answer)) {
    live.set(textOf(cluster, kind, objectKeyOf(found)), found.metadata.resourceVersion);
  }
}

function textOf(cluster: ClusterName, { group, kind }: Pick<Kind, "group" | "kind">, key: ObjectKey): string {
  return `${cluster} ${group}/${kind} ${key.namespace}/${key.name}`;
}

/** The error that a read ended with, as the runtime would meet it. */
function revived({ name, class: errorClass, reason, message, code }: RecordedError): Error {
  if (name === "KubeError") return new KubeError({ class: errorClass, status: code ?? 0, reason, message });
  if (name === "TerminalError") return new TerminalError(reason, message);
  if (name === "WaitingError") return new WaitingError(message.replace(/^waiting for /, ""));
  const error = new Error(message);
  error.name = reason;
  return error;
}
