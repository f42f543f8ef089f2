/** Where ledger, dead letters and read model in Redis say what has changed. */
export const HINTS_CHANNEL = "cap:hints";
