/** A right that an account lacks, as an API server says it. */
interface MissingRight {
  /** `system:serviceaccount:capstan-system:capstan-relay`, or the name of a user. */
  readonly user: string;
  readonly verb: string;
  /** `machines/status` */
  readonly resource: string;
  readonly group: string;
  /** Absent: at the cluster scope. */
  readonly namespace?: string | undefined;
}

/** Source: k8s.io/apiserver, pkg/endpoints/handlers/responsewriters/errors.go (Forbidden) */
const REFUSAL =
  /User "([\w.@:+/-]{1,253})" cannot ([a-z]{1,30}) resource "([a-z0-9./-]{1,253})" in API group "([a-z0-9.-]{0,253})"(?: in the namespace "([a-z0-9-]{1,63})"| at the cluster scope)/;

/** Returns the right that a refusal of an API server is about; undefined for other messages, such as those of webhooks. */
export function missingRight(message: string): MissingRight | undefined {
  const [, user, verb, resource, group, namespace] = REFUSAL.exec(message) ?? [];
  if (user === undefined || verb === undefined || resource === undefined || group === undefined)
    return undefined;
  return { user, verb, resource, group, namespace };
}

/** Returns the commands of kubectl that grant a right, on the server that has refused. Source: D-404, D-406 */
export function grantCommand({ user, verb, resource, group, namespace }: MissingRight): string {
  const account = /^system:serviceaccount:([a-z0-9-]+):([a-z0-9.-]+)$/.exec(user);
  const [, accountNamespace, accountName = user.replaceAll(/[^a-z0-9]+/g, "-")] = account ?? [];
  const [plural = "", ...sub] = resource.split("/");
  const onto = [group === "" ? plural : `${plural}.${group}`, ...sub].join("/");
  const name = `${accountName}-${verb}-${resource.replaceAll("/", "-")}`;
  const subject = account === null ? `--user=${user}` : `--serviceaccount=${accountNamespace}:${accountName}`;
  const [role, scope] = namespace === undefined ? ["clusterrole", ""] : ["role", ` --namespace=${namespace}`];
  return [
    `kubectl create ${role} ${name} --verb=${verb} --resource=${onto}${scope}`,
    `kubectl create ${role}binding ${name} --${role}=${name} ${subject}${scope}`,
  ].join(" && ");
}
