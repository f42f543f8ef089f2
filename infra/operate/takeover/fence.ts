import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { WATCH_FILTER_LABEL } from "../../../shared/api/indexes.ts";
import {
  apiVersionOf,
  CLUSTER_GROUP,
  type Kind,
  type KubeObject,
  type ObjectKey,
} from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { rest } from "../../platform/rest.ts";
import type { Core } from "./core.ts";
import { allMembers, FAMILIES } from "./families.ts";
import type { Hands } from "./hand-over.ts";
import { standingOf } from "./standing.ts";

function admissionKind(kind: string, plural: string): Kind {
  return { group: "admissionregistration.k8s.io", version: "v1", kind, plural, namespaced: false };
}
export const Policy = admissionKind("ValidatingAdmissionPolicy", "validatingadmissionpolicies");
export const PolicyBinding = admissionKind(
  "ValidatingAdmissionPolicyBinding",
  "validatingadmissionpolicybindings",
);
/** Which webhooks an API server calls. */
export const WEBHOOK_CONFIGURATIONS: readonly Kind[] = [
  admissionKind("MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
  admissionKind("ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
];

const NAME = "capstan-takeover";
const KEY = { namespace: "", name: NAME };
/** The policy refuses a dry run that sets it: so it is seen to be in force. */
const PROBE = "capstan.dev/takeover-probe";
const LOOK_MS = 200;
const WITHIN_MS = 60 * SECOND;

/**
 * Lets the API server refuse what Cluster API's manager writes to objects of Capstan; returns when it does. The
 * `--watch-filter` of that manager does not hold everywhere: timers, and Nodes and connections of workload clusters, wake
 * its controllers for objects with any label.
 * Source: Cluster API v1.14.0, core/reconcilers/machine/machine_controller.go (watchClusterNodes), controllers/clustercache
 */
export async function raiseFence(
  hands: Hands,
  { core, cluster }: { readonly core: Core; readonly cluster: ObjectKey },
): Promise<void> {
  const { client, clock, turn, filters } = hands;
  turn.check();
  await client.apply(Policy, KEY, policy(core.user, filters.capstan));
  await client.apply(PolicyBinding, KEY, binding());
  const until = clock.now().getTime() + WITHIN_MS;
  while (!(await isInForce(hands, cluster))) {
    if (clock.now().getTime() > until) {
      throw new Error(
        `${Policy.kind} ${NAME} is not in force after ${WITHIN_MS / SECOND} s; kubectl describe it`,
      );
    }
    await rest(LOOK_MS, clock);
  }
}

/** Removes the policy when Capstan has no object any more. */
export async function lowerFence({ client, filters, turn }: Hands): Promise<void> {
  const ours = (await allMembers(client)).filter(({ object }) =>
    ["capstan", "leaving-capstan"].includes(standingOf(object, filters)),
  );
  if (ours.length > 0) return;
  for (const kind of [PolicyBinding, Policy]) {
    turn.check();
    const { uid = "", resourceVersion } = (await client.get(kind, KEY))?.metadata ?? {};
    if (uid !== "") await client.delete(kind, KEY, { uid, resourceVersion });
  }
}

async function isInForce({ probe }: Hands, cluster: ObjectKey): Promise<boolean> {
  try {
    await probe.jsonPatch(Cluster as Kind, cluster, [
      { op: "add", path: "/metadata/annotations", value: { [PROBE]: "" } },
    ]);
    return false;
  } catch (error) {
    if (error instanceof KubeError && error.message.includes(`'${NAME}' denied`)) return true;
    throw error;
  }
}

function policy(user: string, filter: string): KubeObject {
  const label = JSON.stringify(WATCH_FILTER_LABEL);
  const metadataOf = (object: string, map: string) => `${object}.metadata.?${map}.orValue({})`;
  const isCore = `request.userInfo.username == ${JSON.stringify(user)}`;
  const isOurs = `${label} in variables.labels && variables.labels[${label}] == ${JSON.stringify(filter)}`;
  return {
    apiVersion: apiVersionOf(Policy),
    kind: Policy.kind,
    metadata: { name: NAME },
    spec: {
      // A mistake in it must not stop every write to a Cluster.
      failurePolicy: "Ignore",
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [CLUSTER_GROUP],
            apiVersions: ["*"],
            operations: ["CREATE", "UPDATE", "DELETE"],
            resources: FAMILIES.flatMap(({ plural }) => [plural, `${plural}/status`]),
          },
        ],
      },
      variables: [
        {
          name: "labels",
          expression: `oldObject != null ? ${metadataOf("oldObject", "labels")} : ${metadataOf("object", "labels")}`,
        },
      ],
      validations: [
        {
          expression: `!(${isCore} && ${isOurs})`,
          message: "Capstan has taken this object over; capstan takeover back returns it",
        },
        {
          expression: `object == null || !("${PROBE}" in ${metadataOf("object", "annotations")})`,
          message: "the policy is in force",
        },
      ],
    },
  } as KubeObject;
}

function binding(): KubeObject {
  return {
    apiVersion: apiVersionOf(PolicyBinding),
    kind: PolicyBinding.kind,
    metadata: { name: NAME },
    spec: { policyName: NAME, validationActions: ["Deny"] },
  } as KubeObject;
}
