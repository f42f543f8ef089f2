import { open } from "node:fs/promises";

const MACHINES: { readonly [code: number]: string } = { 62: "amd64", 183: "arm64" };

/** Architecture of a program or library, by Debian's names; undefined for another file. */
export async function architectureOf(file: string): Promise<string | undefined> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(20), 0, 20, 0);
    if (buffer.toString("latin1", 0, 4) !== "\x7fELF") return undefined;
    return MACHINES[buffer.readUInt16LE(18)] ?? "unknown";
  } finally {
    await handle.close();
  }
}
