/** Parts of a stored letter that the page shows; each is checked, since letters of other versions may lack some. */
interface LetterBody {
  readonly attempts: readonly Attempt[];
  readonly causes: readonly { readonly what: string; readonly resourceVersion?: string | undefined }[];
  readonly stack: string | undefined;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly truncated: readonly string[];
  readonly build: string | undefined;
  readonly firstFailureAt: string | undefined;
}

export interface Attempt {
  readonly start: string;
  readonly run: string | undefined;
  readonly durationMs: number | undefined;
  readonly failures: number | undefined;
  readonly error: string;
}

type Unknown = Readonly<Record<string, unknown>>;

/** Returns the parts of a letter for people. */
export function letterBody(letter: Unknown): LetterBody {
  const run = record(letter["run"]);
  const attempts = list(letter["attempts"]);
  return {
    attempts: attempts.map(attemptOf),
    causes: list(letter["causes"]).map((cause) => ({
      what: text(cause["what"]) ?? "",
      resourceVersion: text(cause["resourceVersion"]),
    })),
    stack: text(record(record(attempts.at(-1)?.["error"]))["stack"]),
    reads: list(run["reads"]).map(readText),
    writes: list(run["writes"]).map(writeText),
    truncated: Array.isArray(letter["truncated"]) ? letter["truncated"].map(String) : [],
    build: text(record(letter["build"])["version"]),
    firstFailureAt: text(letter["firstFailureAt"]),
  };
}

function attemptOf(attempt: Unknown): Attempt {
  const error = record(attempt["error"]);
  return {
    start: text(attempt["start"]) ?? "",
    run: text(attempt["run"]),
    durationMs: number(attempt["durationMs"]),
    failures: number(attempt["failures"]),
    error:
      [text(error["class"]), text(error["reason"])].filter(Boolean).join(" ") +
      `: ${text(error["message"]) ?? ""}`,
  };
}

/** Returns `get Machine default/m1 (snapshot) → m1@123`. */
function readText(read: Unknown): string {
  const question = record(read["question"]);
  const kind = text(record(question["kind"])["kind"]) ?? text(record(question["reference"])["kind"]) ?? "";
  const { namespace, name } = record(question["key"] ?? question["reference"]);
  const key = [text(namespace) ?? text(question["namespace"]), text(name)].filter(Boolean).join("/");
  const found = list(read["found"]).map(
    (one) => `${text(one["name"])}@${text(one["resourceVersion"]) ?? "?"}`,
  );
  const shown = found.length > MOST_FOUND ? [...found.slice(0, MOST_FOUND), `${found.length} in all`] : found;
  const error = text(record(record(read["answer"])["error"])["message"]);
  return `${text(question["call"])} ${kind} ${key} (${text(read["source"])}) → ${error ?? (shown.join(", ") || "nothing")}`;
}
const MOST_FOUND = 5;

/** Returns `apply MachinePool/status default/p1 → version 124`. */
function writeText(write: Unknown): string {
  const ref = record(write["ref"]);
  const outcome = record(write["outcome"]);
  const subresource = text(write["subresource"]);
  const kind = `${text(record(ref["kind"])["kind"])}${subresource === undefined ? "" : `/${subresource}`}`;
  const ended =
    text(record(outcome["error"])["message"]) ?? `version ${text(outcome["resourceVersion"]) ?? "not known"}`;
  return `${text(write["verb"])} ${kind} ${text(ref["namespace"])}/${text(ref["name"])} → ${ended}`;
}

function record(value: unknown): Unknown {
  return typeof value === "object" && value !== null ? (value as Unknown) : {};
}

function list(value: unknown): readonly Unknown[] {
  return Array.isArray(value) ? value.map(record) : [];
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
