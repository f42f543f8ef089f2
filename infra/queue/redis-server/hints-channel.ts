/** Where ledger, dead letters and read model in Redis say what has changed (W-205). */
export const HINTS_CHANNEL = "cap:hints";
