import type { ManifestDocument } from "../../../../shared/contract/rules/release/subject.ts";
import { isObject } from "../../../platform/kube/object-shape.ts";
import { readYaml, type YamlBounds, YamlError } from "../../../platform/yaml/read-yaml.ts";

/** The most bytes of one file and of a whole release. */
export const MAX_RELEASE_BYTES = 64 * 1024 * 1024;

/** The bounds of one file of a release; components of the largest providers have 10 MB. */
const BOUNDS: YamlBounds = {
  maxBytes: MAX_RELEASE_BYTES,
  maxDocuments: 10_000,
  maxMarks: 4_000_000,
  maxAliases: 1_000,
};

/** The text is not a stream of objects. `line` is from 1. */
export class ManifestError extends Error {
  readonly line: number | undefined;
  /** The reason without the line; it may quote the text. */
  readonly reason: string;
  /** A bound was exceeded: whatever the text says, it is not read. */
  readonly isTooLarge: boolean;
  constructor(
    reason: string,
    { line, isTooLarge = false, cause }: { line?: number | undefined; isTooLarge?: boolean; cause?: unknown },
  ) {
    super(line === undefined ? reason : `line ${line}: ${reason}`, { cause });
    this.name = "ManifestError";
    this.line = line;
    this.reason = reason;
    this.isTooLarge = isTooLarge;
  }
}

/** Reads the objects of a YAML text, without empty documents. Throws ManifestError. */
export function readObjects(text: string): readonly ManifestDocument[] {
  return documentsOf(text).flatMap(({ value, line }) => {
    if (value === undefined || value === null) return [];
    if (isObject(value)) return [{ value, line }];
    throw new ManifestError("the document is not an object; write apiVersion, kind and metadata", { line });
  });
}

function documentsOf(text: string) {
  try {
    return readYaml(text, BOUNDS);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { line, bound, cause } = error;
    const reason = line === undefined ? error.message : error.message.replace(`line ${line}: `, "");
    throw new ManifestError(reason, { line, isTooLarge: bound !== undefined, cause });
  }
}
