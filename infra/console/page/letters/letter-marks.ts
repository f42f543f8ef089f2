import type { LetterItem } from "../../api/letters.ts";
import type { MarkName } from "../parts/mark-names.ts";

/** How the key of a letter stands. */
export const LETTER_MARKS: { readonly [state in LetterItem["state"]]: MarkName } = {
  dead: "dead",
  revived: "progressing",
  resolved: "healthy",
  unknown: "unknown",
};
