import type { DeadLetter, LetterRead, LetterWrite } from "./dead-letter.ts";

const MAX_LETTER_BYTES = 1024 * 1024;
/** Left free for what names the parts that are left out. */
const ROOM_BYTES = 8 * 1024;

/** Leaves out bodies, the largest first, until the letter has at most 1 MiB; `truncated` names them. */
export function fitLetter(letter: DeadLetter): DeadLetter {
  let excess = bytesOf(letter) - MAX_LETTER_BYTES + ROOM_BYTES;
  if (excess <= 0 || letter.run === undefined) return letter;
  const reads = [...letter.run.reads];
  const writes = [...letter.run.writes];
  const truncated: string[] = [];
  const parts = [
    ...reads.map((read, index) => shorten(reads, index, `run.reads.${index}.answer`, shortRead(read))),
    ...writes.map((write, index) => shorten(writes, index, `run.writes.${index}.body`, shortWrite(write))),
  ]
    .filter(({ saves }) => saves > 0)
    .sort((a, b) => b.saves - a.saves);
  for (const { name, saves, leaveOut } of parts) {
    if (excess <= 0) break;
    leaveOut();
    excess -= saves;
    truncated.push(name);
  }
  const run = { ...letter.run, reads, writes };
  if (excess <= 0) return { ...letter, run, truncated };
  const { decision: _, ...undecided } = run;
  const smaller = { ...letter, run: undecided, truncated: [...truncated, "run.decision"] };
  if (bytesOf(smaller) <= MAX_LETTER_BYTES) return smaller;
  const { run: __, ...bare } = smaller;
  return { ...bare, truncated: ["run"] };
}

function shorten<T>(list: T[], index: number, name: string, short: T) {
  return {
    name,
    saves: bytesOf(list[index]) - bytesOf(short),
    leaveOut: () => {
      list[index] = short;
    },
  };
}

function shortRead(read: LetterRead): LetterRead {
  if (read.answer.type === "unanswered") return read;
  return { ...read, answer: { type: "truncated" }, found: read.found.slice(0, 100) };
}

function shortWrite(write: LetterWrite): LetterWrite {
  return { ...write, body: "truncated" };
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength;
}
