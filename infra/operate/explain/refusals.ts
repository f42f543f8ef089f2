import { grantCommand, missingRight } from "../../../shared/function/missing-right.ts";
import type { Problem } from "./problem.ts";

type Refusal = Pick<Problem, "object" | "cause" | "next">;

const POLICY =
  /ValidatingAdmissionPolicy '([^']{1,253})' with binding '([^']{1,253})' denied request: ([\s\S]*)/;
/** The message without the advice that Capstan's client adds. */
const WEBHOOK_AWAY =
  /failed calling webhook "([^"]{1,253})": ([\s\S]*?)(?:; webhook \S+ does not answer: [\s\S]*)?$/;
const WEBHOOK = /admission webhook "([^"]{1,253})" denied the request:? ?([\s\S]*)/;
const QUOTA = /exceeded quota: ([^,\s]{1,253}), requested: (.*), used: (.*), limited: (.*)/;
/** `create Machine`, in front of the words of the server. */
const WRITE = /^(create|apply|patch|delete|evict) ([A-Za-z]{1,63})/;

/**
 * Returns what refuses a write, by the words of an API server, and what to do about it; undefined for any other failure.
 * The words of policies and webhooks are kept whole: the reason is in them.
 */
export function refusalIn(message: string, namespace: string): Refusal | undefined {
  const right = missingRight(message);
  if (right !== undefined) {
    const { user = "the account", verb, resource, group } = right;
    return {
      object: `User ${user}`,
      cause: `${user} may not ${verb} ${resource} of API group "${group}"`,
      next: `grant it: apply Capstan's manifests of this version again, or ${grantCommand(right)}`,
    };
  }
  return ofAdmission(message, namespace);
}

function ofAdmission(message: string, namespace: string): Refusal | undefined {
  const [, verb = "write", kind = "an object"] = WRITE.exec(message) ?? [];
  const what = `${verb} ${kind}`;
  const [, policy, binding, words] = POLICY.exec(message) ?? [];
  if (policy !== undefined) {
    return {
      object: `ValidatingAdmissionPolicy ${policy}`,
      cause: `ValidatingAdmissionPolicy ${policy} (binding ${binding}) refuses to ${what}: ${words}`,
      next: `change the policy, or what it refuses`,
    };
  }
  const [, away, why] = WEBHOOK_AWAY.exec(message) ?? [];
  if (away !== undefined) return silentWebhook(away, what, why ?? "");
  const [, webhook, said] = WEBHOOK.exec(message) ?? [];
  if (webhook !== undefined) {
    return {
      object: `webhook ${webhook}`,
      cause: `admission webhook ${webhook} refuses to ${what}: ${said}`,
      next: "change the webhook, or what it refuses",
    };
  }
  const [, quota, requested, used, hard] = QUOTA.exec(message) ?? [];
  if (quota === undefined) return undefined;
  return {
    object: `ResourceQuota ${namespace}/${quota}`,
    cause: `ResourceQuota ${namespace}/${quota} refuses to ${what}: used ${used}, hard ${hard}, requested ${requested}`,
    next: `raise it: kubectl --namespace ${namespace} edit resourcequota ${quota}`,
  };
}

function silentWebhook(name: string, what: string, why: string): Refusal {
  return {
    object: `webhook ${name}`,
    cause: `webhook ${name} does not answer, and the API server refuses to ${what} without it: ${why}`,
    next: `start its server, or remove its configuration: kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml | grep -B20 ${name}`,
  };
}
