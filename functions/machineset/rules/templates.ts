import type { MachineSet } from "../../../shared/api/machineset.ts";
import type { SetTemplates } from "./providers.ts";

/** Returns what is wrong with the templates of a set, in its words for `ScalingUp`; none: nothing. Source: MS-5 */
export function templateProblems(
  { spec }: MachineSet,
  { bootstrap, infrastructure }: SetTemplates,
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
