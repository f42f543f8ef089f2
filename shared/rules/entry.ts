// The rules and fields that several functions name; one that a single function needs is imported from its file.
export { REMEDIATION_FIELDS } from "./machines/machine-conditions.ts";
export { SIZE_FIELDS } from "./machines/node-group-size.ts";
export { isHandedOver, MARK_FIELDS, URGENCY_FIELDS } from "./machines/remediation.ts";
export { removeFinalizerPatch } from "./metadata/finalizers.ts";
export { KEY_FIELDS, labelPatch } from "./metadata/labels.ts";
export { ownerReference, ownerReferencePatch } from "./metadata/owner-references.ts";
export { OWNER_FIELDS, readOwner } from "./metadata/read-owner.ts";
export { REFUSED_FIELDS } from "./metadata/refused-write.ts";
export { adopt } from "./providers/adopt.ts";
export { ADOPTED_FIELDS, OWN_FIELDS } from "./providers/adoption.ts";
export { BOOTSTRAP_FIELDS } from "./providers/bootstrap-data.ts";
export { REFERENCE_FIELDS } from "./providers/machine-providers.ts";
export { FLOORS, heldBack, isRollingOut, UNSETTLED } from "./status/pace.ts";
export { COMPLETE_VIEW_FIELDS } from "./workload/complete-view.ts";
