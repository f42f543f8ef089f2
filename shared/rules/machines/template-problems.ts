import type { Machine } from "../../api/machine/machine.ts";
import type { MachineProviders } from "../providers/machine-providers.ts";

/** Returns what is wrong with the templates of Machines, in the words of `ScalingUp`; none: nothing. */
export function templateProblems(
  { bootstrap: { configRef }, infrastructureRef }: Machine["spec"],
  { bootstrap, infrastructure }: MachineProviders,
): readonly string[] {
  const missing = [
    ...(configRef !== undefined && bootstrap?.state === "missing" ? [configRef.kind] : []),
    ...(infrastructure.state === "missing" ? [infrastructureRef.kind] : []),
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
