/**
 * In what the final objects of a life differ from those of Cluster API's manager: the field, and the reason. A row without
 * a difference must be removed.
 */
export const KNOWN_DIFFERENCES: readonly (readonly [field: RegExp, reason: string])[] = [
  [
    /^current MachineSet metadata\.annotations\.capstan\.dev\/keys-from-deployment$/,
    "a key that leaves the deployment leaves the set; upstream keeps that in managed fields",
  ],
  [
    /^worker Machine metadata\.annotations\.capstan\.dev\/keys-from-template$/,
    "a key that leaves the template leaves the Machine; upstream keeps that in managed fields",
  ],
];
