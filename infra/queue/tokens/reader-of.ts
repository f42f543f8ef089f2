import type { QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import { checkFunctionName } from "../function-name.ts";

/** Returns the calls of a ledger that only look, for any text as the name of a function. */
export function readerOf(ledger: QueueReader): QueueReader {
  return {
    peek: async (name) => ledger.peek(checkFunctionName(name)),
    topTenants: async (name, limit, namespaces) =>
      ledger.topTenants(checkFunctionName(name), limit, namespaces),
    countsIn: async (name, namespaces) => ledger.countsIn(checkFunctionName(name), namespaces),
    keys: async (name, selection) => ledger.keys(checkFunctionName(name), selection),
    keyState: async (name, key) => ledger.keyState(checkFunctionName(name), key),
  };
}
