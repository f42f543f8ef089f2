/** Waives rules for one object: `RULE=REASON; RULE=REASON`. */
export const WAIVE_ANNOTATION = "contract.capstan.dev/waive";
