import type { Cluster } from "../../api/cluster/cluster.ts";
import type { ContractReference, ContractVersion, KubeObject } from "../../api/kinds.ts";
import { parseVersion } from "../../api/kubernetes-version.ts";
import type { MachineDeployment } from "../../api/machinedeployment.ts";
import type { MachineSet } from "../../api/machineset.ts";
import { valueAt } from "../../api/path.ts";
import { controlPlanePath, controlPlanePaths } from "../../contract/control-plane.ts";
import { readString } from "../../contract/fields.ts";
import type { Referenced } from "../../contract/referenced.ts";
import type { MachineProviders } from "../providers/machine-providers.ts";
import { type PreflightCheck, SKIP_PREFLIGHT, skippedIn } from "./annotations.ts";
import { isBehind, prefixedVersion, versionText } from "./versions.ts";

const UPGRADE_STEP = "topology.internal.cluster.x-k8s.io/upgrade-step";
/** The annotation of a set or its bootstrap template that switches checks off. */
export const SKIP_FIELDS = [`metadata.annotations[${SKIP_PREFLIGHT}]`] as const;
/** The fields of a Cluster that the checks read. */
export const PREFLIGHT_CLUSTER_FIELDS = [
  "spec.controlPlaneRef",
  "spec.topology.version",
  `metadata.annotations[${UPGRADE_STEP}]`,
] as const;
/** The fields of a control plane object that the checks read. */
export const PREFLIGHT_FIELDS = controlPlanePaths("version", "versions", "lowestVersion");

const MAX_MINORS_BEHIND = 3;
const KUBEADM = { apiGroup: "bootstrap.cluster.x-k8s.io", kind: "KubeadmConfigTemplate" } as const;

type Check = Exclude<PreflightCheck, "All">;

/** Everything that the checks look at. */
export interface PreflightFacts {
  /** A set, or the deployment for which one will be made: it passes its annotations on. */
  readonly set: MachineSet | MachineDeployment;
  readonly cluster: Cluster;
  /** The control plane; `undefined`: the Cluster references none. */
  readonly controlPlane: Referenced | undefined;
  readonly templates: Pick<MachineProviders, "bootstrap">;
}

/**
 * Returns why no Machine is made or replaced now, one message per check that fails; none: nothing is against it.
 * A control plane object that is missing or unreadable, and versions that cannot be read, are against it.
 */
export function preflight(facts: PreflightFacts): readonly string[] {
  const { cluster, controlPlane } = facts;
  const skipped = skippedChecks(facts);
  const reference = cluster.spec.controlPlaneRef;
  if (skipped.has("All") || reference === undefined || controlPlane === undefined) return [];
  const who = `${reference.kind} ${cluster.metadata.namespace ?? ""}/${reference.name}`;
  if (controlPlane.state === "unresolved") return [controlPlane.message];
  if (controlPlane.state === "missing") return [`${who} does not exist`];
  const { object, contract } = controlPlane;
  const { value: version = "", problem } = readString(object, controlPlanePath(contract, "version"));
  if (problem !== undefined) return [`${who}: ${problem}`];
  if (version === "") return [];
  const parsed = parseVersion(version);
  if (parsed === undefined) return [`${who} spec.version ${version} is not a semantic version`];
  const failing = (check: Check, message: string | undefined): readonly string[] =>
    message === undefined || skipped.has(check) ? [] : [`${message} ("${check}" preflight check failed)`];
  return [
    ...failing(
      "ControlPlaneIsStable",
      pendingUpgrade(cluster, version, who) ?? instability({ object, contract, parsed, who }),
    ),
    ...versionSkews(facts, { version, parsed }, failing),
  ];
}

function skippedChecks({ set, templates: { bootstrap } }: PreflightFacts): ReadonlySet<string> {
  const own = set.metadata.annotations?.[SKIP_PREFLIGHT] ?? "";
  const ofTemplate =
    bootstrap?.state === "found" ? bootstrap.object.metadata.annotations?.[SKIP_PREFLIGHT] : undefined;
  return new Set(skippedIn(own === "" ? ofTemplate : own));
}

/** A topology may go to its version in steps. */
function pendingUpgrade({ spec, metadata }: Cluster, version: string, who: string): string | undefined {
  if (spec.topology === undefined) return undefined;
  const step = metadata.annotations?.[UPGRADE_STEP] ?? "";
  const wanted = step === "" ? spec.topology.version : step;
  return isSame(version, spec.topology.version) || isSame(version, wanted)
    ? undefined
    : `${who} has a pending version upgrade to ${wanted}`;
}

function isSame(a: string, b: string): boolean {
  return prefixedVersion(a) === prefixedVersion(b);
}

interface ControlPlaneVersion {
  readonly object: KubeObject;
  readonly contract: ContractVersion;
  readonly parsed: Version;
  readonly who: string;
}

type Version = NonNullable<ReturnType<typeof parseVersion>>;

function instability({ object, contract, parsed, who }: ControlPlaneVersion): string | undefined {
  const reported = reportedVersions(object, contract);
  if (reported.length === 0) return `${who} is provisioning`;
  const versions = reported.map(parseVersion);
  const malformed = versions.indexOf(undefined);
  if (malformed >= 0) return `${who} reports version ${reported[malformed]}, which is not a semantic version`;
  const isUpgrading = versions.some((each) => each !== undefined && isBehind(each, parsed));
  return isUpgrading ? `${who} is upgrading` : undefined;
}

function reportedVersions(object: KubeObject, contract: ContractVersion): readonly string[] {
  const list = valueAt(object, controlPlanePath(contract, "versions"));
  const listed = (Array.isArray(list) ? list : []).map((entry) => valueAt(entry, "version"));
  const lowest = valueAt(object, controlPlanePath(contract, "lowestVersion"));
  const known = contract === "v1beta2" && listed.length > 0 ? listed : [...listed, lowest];
  return known.filter((version): version is string => typeof version === "string" && version !== "");
}

function versionSkews(
  { set, cluster }: PreflightFacts,
  { version: controlPlaneVersion, parsed: theirs }: { readonly version: string; readonly parsed: Version },
  failing: (check: Check, message: string | undefined) => readonly string[],
): readonly string[] {
  const { version, bootstrap } = set.spec.template.spec;
  if (version === undefined) return [];
  const ours = parseVersion(version);
  if (ours === undefined) return [`spec.template.spec.version ${version} is not a semantic version`];
  const both = `MachineSet version (${versionText(ours)}) and ControlPlane version (${versionText(theirs)}) do not conform to`;
  const distance = minors(theirs) - minors(ours);
  return [
    ...failing("KubernetesVersionSkew", kubernetesSkew(both, distance)),
    ...failing(
      "KubeadmVersionSkew",
      isKubeadm(bootstrap.configRef) && distance !== 0
        ? `${both} kubeadm version skew policy as kubeadm only supports joining with the same major+minor version as the control plane`
        : undefined,
    ),
    ...failing(
      "ControlPlaneVersionSkew",
      cluster.spec.topology !== undefined && !isSame(version, controlPlaneVersion)
        ? `MachineSet version (${version}) is not yet the same as the ControlPlane version (${controlPlaneVersion}), waiting for version to be propagated to the MachineSet`
        : undefined,
    ),
  ];
}

function kubernetesSkew(both: string, distance: number): string | undefined {
  const policy = `${both} the kubernetes version skew policy as MachineSet version is`;
  if (distance < 0) return `${policy} higher than ControlPlane version`;
  return distance > MAX_MINORS_BEHIND
    ? `${policy} more than ${MAX_MINORS_BEHIND} minor versions older than the ControlPlane version`
    : undefined;
}

/** No major version has a thousand minor ones. */
function minors({ major, minor }: { readonly major: number; readonly minor: number }): number {
  return 1000 * major + minor;
}

function isKubeadm(reference: ContractReference | undefined): boolean {
  return reference?.apiGroup === KUBEADM.apiGroup && reference.kind === KUBEADM.kind;
}
