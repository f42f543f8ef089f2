import type { Notice } from "../../../shared/function/define-function.ts";
import { referenceNotices } from "../../../shared/rules/providers/reference-notices.ts";
import { claimedTwice } from "./node-report.ts";
import type { MachineView } from "./view.ts";

/**
 * Returns the Events of a Machine: its Node, two Nodes with its provider ID, references that cannot be read, and an
 * annotation that is not a time.
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
    ...referenceNotices(machine, [providers.bootstrap, providers.infrastructure]),
    ...certificates.events,
  ];
}
