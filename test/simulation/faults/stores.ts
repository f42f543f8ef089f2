import { type Fault, isWorker } from "./fault.ts";

const SECOND = 1_000;
/** As X-34 says. */
const MAX_LOSS_MS = 2 * SECOND;
/** A shorter outage is answered by the senders' own retries (Q-33). */
const LONG_OUTAGE_MS = 5 * SECOND;

/** what the server that holds ledger, tokens and read model does wrong. */
export const stores: readonly Fault[] = [
  {
    number: "X-34",
    title: "a token is lost, or the server fails over and has lost its newest entries",
    rate: 1 / 2_000,
    isSite: (operation) =>
      operation.kind === "token" || (operation.kind === "ledger" && isFinish(operation.call)),
    strike(operation, { kernel, ledger, store }, chance) {
      if (operation.kind === "token") return;
      operation.run();
      const ms = chance.below(MAX_LOSS_MS + 1);
      kernel.trace.add(`the newest ${ms} ms are lost`);
      ledger.goBack(ms);
      store.goBack(store.markAt(kernel.now - ms));
    },
  },
  {
    number: "X-37",
    title: "the server is unreachable, read-only or out of memory for a while",
    rate: 1 / 1_000,
    isSite: (operation) =>
      operation.kind === "ledger" && isFinish(operation.call) && isWorker(operation.process),
    strike(operation, { ledger, troubles }, chance) {
      if (operation.kind !== "ledger") return;
      const { isTotal, message } = chance.pick(OUTAGES);
      const ms = SECOND + chance.below(300 * SECOND);
      operation.fail(new Error(message));
      troubles.hit(ms, (other) => {
        const isHit = isTotal ? isCall(other) : isCall(other) && !isRead(other.what());
        if (isHit) Reflect.apply(Reflect.get(other, "fail"), other, [new Error(message)]);
        return isHit;
      });
      if (ms > LONG_OUTAGE_MS) troubles.lasting(ms, () => ledger.newEpoch());
    },
  },
  {
    number: "X-38",
    title: "a record of a token survives it: no other token of the same key passes until it is reaped",
    rate: 1 / 1_000,
    isSite: ({ kind }) => kind === "token",
    strike(operation, { troubles }) {
      if (operation.kind !== "token") return;
      const { functionName, token } = operation;
      operation.run();
      troubles.hit(REAP_MS, (other) => {
        if (other.kind !== "token" || !("token" in other)) return false;
        const { functionName: name, token: next } = other as typeof operation;
        return name === functionName && next.key === token.key;
      });
    },
  },
];

/** The reaper comes every minute. */
export const REAP_MS = 60 * SECOND;

const OUTAGES = [
  { isTotal: true, message: "connect ECONNREFUSED 127.0.0.1:6379" },
  { isTotal: false, message: "READONLY You can't write against a read only replica." },
  { isTotal: false, message: "OOM command not allowed when used memory > 'maxmemory'." },
] as const;

function isFinish(call: string): boolean {
  return call.startsWith("finish");
}

function isCall({ kind }: { readonly kind: string }): boolean {
  return kind === "ledger" || kind === "store";
}

/** By name: everything else writes. */
function isRead(what: string): boolean {
  return /^(get|list|find|progress|unreported|depth|dead|keyState|epoch) /.test(what);
}
