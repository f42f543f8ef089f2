import type { Notice } from "../../../shared/function/define-function.ts";
import { IN_PLACE_UPDATE } from "../../../shared/rules/machines/annotations.ts";
import { referenceNotices } from "../../../shared/rules/providers/reference-notices.ts";
import { IN_PLACE_UPDATING } from "./conditions.ts";
import { claimedTwice } from "./node-report.ts";
import type { MachineView } from "./view.ts";

/**
 * Returns the Events of a Machine: its Node, two Nodes with its provider ID, references that cannot be read, an
 * annotation that is not a time, and an update in place, which does not end here.
 */
export function machineNotices(view: MachineView): readonly Notice[] {
  const { machine, providers, nodeReport, certificates } = view;
  const twice = claimedTwice(view);
  const { nodeRef } = nodeReport;
  return [
    ...(nodeRef === undefined || machine.status?.nodeRef?.name === nodeRef.name
      ? []
      : [{ type: "Normal", reason: "SuccessfulSetNodeRef", message: nodeRef.name } as const]),
    ...(twice === undefined
      ? []
      : [{ type: "Warning", reason: "DuplicateProviderID", message: twice } as const]),
    ...(Object.hasOwn(machine.metadata.annotations ?? {}, IN_PLACE_UPDATE)
      ? [{ type: "Warning", reason: "InPlaceUpdating", message: IN_PLACE_UPDATING } as const]
      : []),
    ...referenceNotices(machine, [providers.bootstrap, providers.infrastructure]),
    ...certificates.events,
  ];
}
