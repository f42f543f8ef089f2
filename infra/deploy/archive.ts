import { gzipSync } from "node:zlib";

const BLOCK = 512;
/** Size and place of the fields of a header, in the order of the format. */
const CHECKSUM = { at: 148, bytes: 8 };

/** Returns a gzip of a tar (ustar) with these files, whose time is 0: the same bytes on every machine. */
export function archiveOf(files: ReadonlyMap<string, string>): Buffer {
  const blocks = [...files].flatMap(([path, text]) => {
    const content = Buffer.from(text);
    return [headerOf(path, content.length), content, Buffer.alloc(-content.length & (BLOCK - 1))];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 });
}

function headerOf(path: string, bytes: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`bug: ${path} is too long for a header of ustar`);
  const octal = (number: number, digits: number) => `${number.toString(8).padStart(digits, "0")}\0`;
  const fields = [
    path.padEnd(100, "\0"),
    octal(0o644, 7),
    octal(0, 7),
    octal(0, 7),
    octal(bytes, 11),
    octal(0, 11),
    " ".repeat(CHECKSUM.bytes),
    "0",
    "\0".repeat(100),
    "ustar\x0000",
  ].join("");
  const header = Buffer.alloc(BLOCK);
  header.write(fields, "utf8");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, CHECKSUM.at);
  return header;
}
