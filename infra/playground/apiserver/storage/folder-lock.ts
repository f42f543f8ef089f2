import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Takes a folder for this process; the returned function gives it back. Throws while another living process has it. A
 * lock that an ended process has left is taken over.
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, "lock");
  const holder = holderOf(file);
  if (holder !== undefined) {
    throw new Error(`${folder} is in use by process ${holder}: stop it, or choose another folder`);
  }
  // Numbers of processes are used again, so its start belongs to it.
  writeFileSync(file, `${process.pid} ${startOf(process.pid)}`, { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

function holderOf(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const [pid = "", start] = readFileSync(file, "utf8").split(" ");
  return startOf(Number(pid)) === start ? Number(pid) : undefined;
}

/** Returns when a process was started, in a form that only compares; undefined when it is over. */
function startOf(pid: number): string | undefined {
  if (process.platform !== "linux") return isKnown(pid) ? "unknown" : undefined;
  try {
    // `pid (command) state … starttime …`; the command may hold anything but is the last in parentheses.
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const isOver = state === "Z" || state === "X";
    return isOver ? undefined : fields[STARTTIME];
  } catch {
    return undefined;
  }
}

/** Field 22 of proc(5), behind the state, which is field 3. */
const STARTTIME = 18;

function isKnown(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives and belongs to another process.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
