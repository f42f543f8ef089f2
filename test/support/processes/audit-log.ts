import { readFile } from "node:fs/promises";

/** One request that a kube-apiserver has answered. */
export interface AuditedRequest {
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly userAgent: string;
  /** Absent where the server records none. */
  readonly user?: string | undefined;
  readonly group?: string | undefined;
  readonly code: number;
  /** Of a request of Capstan the id of its run; absent where the server records none. */
  readonly auditID?: string | undefined;
}

interface AuditLine {
  readonly auditID?: string;
  readonly stage: string;
  readonly verb: string;
  readonly userAgent?: string;
  readonly user?: { readonly username?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
}

/** Every answered request of an audit log, in order; a last line that is still being written is left out. */
export async function readAuditLog(file: string): Promise<readonly AuditedRequest[]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.endsWith("}"));
  return lines
    .map((line) => JSON.parse(line) as AuditLine)
    .filter(({ stage }) => stage === "ResponseComplete")
    .map(({ auditID, verb, userAgent = "", user, objectRef = {}, responseStatus }) => ({
      auditID,
      verb,
      userAgent,
      user: user?.username,
      group: objectRef.apiGroup,
      resource: objectRef.resource ?? "",
      subresource: objectRef.subresource,
      namespace: objectRef.namespace,
      name: objectRef.name,
      code: responseStatus?.code ?? 0,
    }));
}
