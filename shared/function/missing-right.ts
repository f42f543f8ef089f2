/** A right that an account lacks, as an API server says it. */
interface MissingRight {
  /** `system:serviceaccount:capstan-system:capstan-relay`, or the name of a user; absent where the server does not say it. */
  readonly user?: string;
  readonly verb: string;
  /** `machines/status` */
  readonly resource: string;
  readonly group: string;
  /** The namespace; absent at the cluster scope. */
  readonly namespace?: string | undefined;
}

/** Source: k8s.io/apiserver, pkg/endpoints/handlers/responsewriters/errors.go (Forbidden) */
const REFUSAL =
  /User "([\w.@:+/-]{1,253})" cannot ([a-z]{1,30}) resource "([a-z0-9./-]{1,253})" in API group "([a-z0-9.-]{0,253})"(?: in the namespace "([a-z0-9-]{1,63})"| at the cluster scope)/;

/**
 * The refusal of a server that runs OwnerReferencesPermissionEnforcement, when an object gets other owners.
 * Source: k8s.io/kubernetes, plugin/pkg/admission/gc/gc_admission.go
 */
const OWNER_REFUSAL =
  /([a-z0-9-]{1,63})\.?([a-z0-9.-]{0,253}) "[^"]{1,253}" is forbidden: cannot set an ownerRef on a resource you can't delete/;

/** Returns the right that a refusal of an API server is about; undefined for other messages, such as those of webhooks. */
export function missingRight(message: string): MissingRight | undefined {
  const [, user, verb, resource, group, namespace] = REFUSAL.exec(message) ?? [];
  if (user === undefined || verb === undefined || resource === undefined || group === undefined)
    return missingDeletion(message);
  return { user, verb, resource, group, namespace };
}

function missingDeletion(message: string): MissingRight | undefined {
  const [, resource, group] = OWNER_REFUSAL.exec(message) ?? [];
  if (resource === undefined || group === undefined) return undefined;
  return { verb: "delete", resource, group };
}

/** Says that a right is missing, as an API server does. */
export function refusalText({ user, verb, resource, group, namespace }: MissingRight): string {
  const where = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
  return `User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
}

/** Says how to grant a right, see `grantCommand`. */
export function remedyText(right: MissingRight): string {
  return `to allow it there: ${grantCommand(right)}`;
}

/**
 * Returns the commands of kubectl that grant a right, or with `verb` as `list,watch` several, on the server that has
 * refused.
 */
export function grantCommand({ user, verb, resource, group, namespace }: MissingRight): string {
  if (user === undefined) {
    return `add the component owner-enforcement, or let the account ${verb} ${resource}.${group}`.replace(
      /\.$/,
      "",
    );
  }
  const account = /^system:serviceaccount:([a-z0-9-]+):([a-z0-9.-]+)$/.exec(user);
  const [, accountNamespace, accountName = user.replaceAll(/[^a-z0-9]+/g, "-")] = account ?? [];
  const [plural = "", ...sub] = resource.split("/");
  const onto = [group === "" ? plural : `${plural}.${group}`, ...sub].join("/");
  const name = `${accountName}-${verb}-${resource}`.replaceAll(/[/,]/g, "-");
  const subject = account === null ? `--user=${user}` : `--serviceaccount=${accountNamespace}:${accountName}`;
  const [role, scope] = namespace === undefined ? ["clusterrole", ""] : ["role", ` --namespace=${namespace}`];
  return [
    `kubectl create ${role} ${name} --verb=${verb} --resource=${onto}${scope}`,
    `kubectl create ${role}binding ${name} --${role}=${name} ${subject}${scope}`,
  ].join(" && ");
}
