import type { MachineSet } from "../../../shared/api/machineset.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { type PreflightFacts, preflight } from "./preflight.ts";

/** Returns what is wrong with the templates of a set, in its words for `ScalingUp`; none: nothing. */
export function templateProblems(
  { spec }: MachineSet,
  { bootstrap, infrastructure }: MachineProviders,
): readonly string[] {
  const { configRef } = spec.template.spec.bootstrap;
  const { kind } = spec.template.spec.infrastructureRef;
  const missing = [
    ...(configRef !== undefined && bootstrap?.state === "missing" ? [configRef.kind] : []),
    ...(infrastructure.state === "missing" ? [kind] : []),
  ];
  const unresolved = [bootstrap, infrastructure].flatMap((found) =>
    found?.state === "unresolved" ? [found.message] : [],
  );
  return [
    ...(missing.length === 0
      ? []
      : [`${missing.join(" and ")} ${missing.length === 1 ? "does" : "do"} not exist`]),
    ...new Set(unresolved),
  ];
}

/** Returns why no Machine is made: preflight checks, then templates. Also the text of `ScalingUp`. */
export function scaleUpBlockers(
  set: MachineSet,
  facts: Pick<PreflightFacts, "cluster" | "controlPlane"> & { readonly templates: MachineProviders },
): readonly string[] {
  return [...preflight({ set, ...facts }), ...templateProblems(set, facts.templates)];
}
