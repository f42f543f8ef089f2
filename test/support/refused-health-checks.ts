/** Health checks that no server takes, in the flow style of YAML. */

/** A health check of Cluster foo; `more` is further YAML of its spec. */
export function checkOf(name: string, more = ""): string {
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: { name: ${name}, namespace: default }
spec:
  clusterName: foo
  selector: { matchLabels: { tier: a } }${more}
`;
}

export const trigger = (limit: string) => `\n  remediation: { triggerIf: { ${limit} } }`;

/** Each with its manifest and the words of the server. */
export const REFUSED: readonly (readonly [string, string, string])[] = [
  [
    "an empty selector",
    checkOf("bad").replace("{ matchLabels: { tier: a } }", "{}"),
    "spec.selector: Required value: selector must not be empty",
  ],
  [
    "a selector that cannot be read",
    checkOf("bad").replace(
      "{ matchLabels: { tier: a } }",
      "{ matchExpressions: [{ key: tier, operator: Like, values: [a] }] }",
    ),
    "spec.selector.matchExpressions: Invalid value: ",
  ],
  [
    "the selector of another Cluster",
    checkOf("bad").replace("tier: a", "cluster.x-k8s.io/cluster-name: other"),
    "cannot specify a cluster selector other than the one specified by ClusterName",
  ],
  [
    "a short startup timeout",
    checkOf("bad", "\n  checks: { nodeStartupTimeoutSeconds: 10 }"),
    "must be at least 30s",
  ],
  [
    "a limit in quotes",
    checkOf("bad", trigger('unhealthyLessThanOrEqualTo: "10"')),
    "must be either an int or a percentage: ",
  ],
  [
    "a broken percentage",
    checkOf("bad", trigger('unhealthyLessThanOrEqualTo: "40.5%"')),
    "must be either an int or a percentage: ",
  ],
  [
    "a descending range",
    checkOf("bad", trigger('unhealthyInRange: "[5-3]"')),
    "must be [low-high], the smaller number first",
  ],
  [
    "a condition that the health check writes itself",
    checkOf(
      "bad",
      "\n  checks: { unhealthyMachineConditions: [{ type: OwnerRemediated, status: Unknown, timeoutSeconds: 1 }] }",
    ),
    "type must not be one of: Ready, Available,",
  ],
];
