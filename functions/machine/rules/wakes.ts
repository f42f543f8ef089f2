import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { ToKeys } from "../../../shared/function/define-function.ts";
import { itself } from "../../../shared/function/mappings.ts";
import { isBehindDrain } from "./drain-turn.ts";

/**
 * A Machine whose condition `Deleting` says, or has said, a stage behind the drain → itself: between two stages before
 * that, such as the first words of the status, nothing changes for what waits for the drain.
 */
export const itselfBehindDrain: ToKeys = async (seen, reconciled, lookup) =>
  isBehindDrain(seen.object as Machine) ? itself(seen, reconciled, lookup) : [];
