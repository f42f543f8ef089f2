import { type AuditedRequest, readAuditLog } from "../support/processes/audit-log.ts";
import { SETUP } from "./capstan-process.ts";

export interface FunctionRequest extends AuditedRequest {
  /** Name of the function. */
  readonly by: string;
}

/** Requests of Capstan's functions; what prepared the world and what watches is left out. */
export async function requestsIn(auditLog: string): Promise<readonly FunctionRequest[]> {
  return ofFunctions(await readAuditLog(auditLog));
}

/** Those of Capstan's functions among these requests. */
export function ofFunctions(requests: readonly AuditedRequest[]): readonly FunctionRequest[] {
  return requests.flatMap((request) => {
    const by = /^capstan\/\S+ (\S+)$/.exec(request.userAgent)?.[1];
    if (by === undefined || by === SETUP || by === "up" || by === "relay" || by === "probe") return [];
    const { resource, subresource } = request;
    return [
      { ...request, by, resource: subresource === undefined ? resource : `${resource}/${subresource}` },
    ];
  });
}

export function countBy<T>(values: readonly T[], textOf: (value: T) => string): { [text: string]: number } {
  const counts: { [text: string]: number } = {};
  for (const value of values) counts[textOf(value)] = (counts[textOf(value)] ?? 0) + 1;
  return counts;
}
