import type { MachineSet } from "../../../shared/api/machineset.ts";
import { type PreflightFacts, preflight } from "../../../shared/rules/machines/preflight.ts";
import { templateProblems } from "../../../shared/rules/machines/template-problems.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";

/** Returns why no Machine is made: preflight checks, then templates. Also the text of `ScalingUp`. */
export function scaleUpBlockers(
  set: MachineSet,
  facts: Pick<PreflightFacts, "cluster" | "controlPlane"> & { readonly templates: MachineProviders },
): readonly string[] {
  return [...preflight({ set, ...facts }), ...templateProblems(set.spec.template.spec, facts.templates)];
}
