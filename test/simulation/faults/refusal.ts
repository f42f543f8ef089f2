import type { Answered } from "../../../infra/playground/apiserver/entry.ts";

interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** An answer that says no. */
export function refusal(code: number, reason: string, causes: readonly Cause[] = []): Answered {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "simulated",
    reason,
    code,
    ...(causes.length === 0 ? {} : { details: { causes } }),
  };
  return { code, text: JSON.stringify(status) };
}
