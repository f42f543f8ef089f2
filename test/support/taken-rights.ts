import type { PolicyRule } from "../../infra/deploy/rights.ts";
import type { Kubectl } from "./processes/kubectl.ts";

/** One right of an account: `patch cluster.x-k8s.io/machines/status`, `get /secrets`. */
export type Right = string;

interface RoleList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly rules?: readonly PolicyRule[];
  }[];
}

/** The rights of rules, one by one; those on single objects are left out. */
export function rightsIn(rules: readonly PolicyRule[]): readonly Right[] {
  return rules
    .filter(({ resourceNames = [] }) => resourceNames.length === 0)
    .flatMap(({ apiGroups, resources, verbs }) =>
      verbs.flatMap((verb) => resources.map((resource) => `${verb} ${apiGroups[0]}/${resource}`)),
    );
}

/** Takes rights away from the ClusterRoles of an account, whose names begin with its own. Throws when there is one of them in none. */
export async function takeRights(kubectl: Kubectl, account: string, taken: readonly Right[]): Promise<void> {
  const { items }: RoleList = JSON.parse(await kubectl("get clusterroles -l capstan.dev/rights -o json"));
  const roles = items.filter(({ metadata: { name } }) =>
    [account, `${account}-secrets`, `${account}-owners`].includes(name),
  );
  const missing = taken.filter((right) => !roles.some(({ rules = [] }) => rightsIn(rules).includes(right)));
  if (missing.length > 0) throw new Error(`${account} has no ${missing.join(", ")}`);
  for (const { metadata, rules = [] } of roles) {
    const left = rules.flatMap((rule) => withoutThem(rule, taken));
    const patch = JSON.stringify([{ op: "replace", path: "/rules", value: left }]);
    await kubectl(`patch clusterrole/${metadata.name} --type=json -p '${patch}'`);
  }
}

function withoutThem(rule: PolicyRule, taken: readonly Right[]): readonly PolicyRule[] {
  return rule.resources.flatMap((resource) => {
    const isLeft = (verb: string) => !taken.includes(`${verb} ${rule.apiGroups[0]}/${resource}`);
    const verbs = rule.verbs.filter(isLeft);
    return verbs.length === 0 ? [] : [{ ...rule, resources: [resource], verbs }];
  });
}

const COMMANDS =
  /to allow it there: (kubectl create [a-z]*role [^"&\\]+) && (kubectl create [a-z]*rolebinding [^"&\\;]+)/g;

/** The commands by which messages say that a missing right is granted, each once. */
export function grantsIn(messages: string): ReadonlyMap<string, string> {
  return new Map(
    [...messages.matchAll(COMMANDS)].map(([, role = "", binding = ""]) => [role.trim(), binding.trim()]),
  );
}
