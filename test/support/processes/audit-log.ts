import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

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
  const all: AuditedRequest[] = [];
  for await (const request of auditedRequests(file)) all.push(request);
  return all;
}

/** The same, one by one: the log of a large fleet is longer than a string can be. */
export async function* auditedRequests(file: string): AsyncGenerator<AuditedRequest> {
  for await (const line of createInterface(createReadStream(file))) {
    const audited = line.endsWith("}") ? (JSON.parse(line) as AuditLine) : undefined;
    if (audited?.stage === "ResponseComplete") yield requestOf(audited);
  }
}

function requestOf({
  auditID,
  verb,
  userAgent = "",
  user,
  objectRef = {},
  responseStatus,
}: AuditLine): AuditedRequest {
  return {
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
  };
}
