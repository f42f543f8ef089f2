import type { Difference } from "./difference.ts";
import { type Step, stepText } from "./step.ts";

/** A difference that stays, with the reason. Every pattern given must match; a long run fails for an entry it never met. */
export interface Explanation {
  readonly reason: string;
  /** The request as `stepText` writes it. */
  readonly request?: RegExp;
  /** An earlier request of the same sequence. */
  readonly after?: RegExp;
  /** The place in the answer: `body.spec.size`. */
  readonly at?: RegExp;
  /** JSON of what the servers have there. */
  readonly real?: RegExp;
  readonly ours?: RegExp;
  /** The servers hold different objects from here on; the rest of the sequence says nothing. */
  readonly endsSequence?: true;
}

export const EXPLAINED: readonly Explanation[] = [
  {
    reason: "A-13 accepts both texts of a 404: an unknown subresource is unknown here, whatever the object",
    request: /\/nope$/,
    at: /^body\.(group|kind|name)$/,
  },
  {
    reason: "bodies are read as YAML 1.2, where y and no are texts; the real server still reads YAML 1.1",
    request: /dryRun=All application\/yaml apiVersion.*name: y/s,
    endsSequence: true,
  },
  {
    reason:
      "apply on /scale of a custom resource fails in the real server with a 500 of its own making, here with 415",
    request: /gizmos\/\w+\/scale\?.* apply /,
    endsSequence: true,
  },
  {
    reason:
      "the real server carries ownership between /scale and the object by way of autoscaling/v1 and loses the time of an entry, or the entry when others wrote through another version",
    at: /managedFields\.\S+ Update scale /,
  },
  {
    reason:
      "the real server forgets who set /scale through another version, so an apply meets no conflict there",
    request: /gizmos\/\w+\?.* apply /,
    after: /gizmos\/\w+\/scale\?/,
    at: /^body\.apiVersion$/,
    ours: /^undefined$/,
    endsSequence: true,
  },
  {
    reason: "A-28: lists at an old version answer 410 here, where no history of whole lists is kept",
    request: /resourceVersion=(1|\{\S+\})&resourceVersionMatch=Exact/,
  },
  {
    reason: "the real server takes the times of deletion from a configuration that creates an object",
    request: / apply .*"deletion(Timestamp|GracePeriodSeconds)"/,
    at: /deletion(Timestamp|GracePeriodSeconds)$/,
    endsSequence: true,
  },
  {
    reason: "A-14: PUT never creates here; the real server lets it create Leases and Events",
    request: /^PUT \S+\/(leases|events)\//,
    endsSequence: true,
  },
  {
    reason: "A-13 accepts both texts of a 404 for a path that names no resource",
    request: /^(POST \S+\/v1\/widgets |GET \S+\/(bogus|gadgets)$)/,
    at: /^body/,
  },
  {
    reason:
      "a CustomResourceDefinition is checked as it was sent: neither its status nor the former place of a schema",
    request: /^POST \S+\/customresourcedefinitions /,
    at: /causes/,
  },
  {
    reason: "objects in lists of compiled-in kinds say what they are, as those of custom resources do",
    at: /items\.\d+\.(apiVersion|kind)$/,
  },
  {
    reason: "discovery has no hashes of storage versions",
    at: /storageVersionHash$/,
  },
  {
    reason: "counts of Events are texts in tables",
    request: /\/events\/e Table/,
    at: /cells\.\d+$/,
  },
  {
    reason: "nobody but the client is named as owner of a CustomResourceDefinition",
    request: /^GET \S+\/customresourcedefinitions\//,
    at: /managedFields|message$/,
  },
  {
    reason:
      "the real server stores an empty map or list of applied metadata as it was sent and drops it at the next write, which so makes a new version",
    after: / apply .*"(labels|annotations|finalizers|ownerReferences)":(\{\}|\[\]|null)/,
    at: /metadata\.resourceVersion$/,
    endsSequence: true,
  },
  {
    reason: "a Namespace goes at once: here its controller is part of the server",
    after: /^DELETE \S+\/namespaces\/\{ns\}-x$/,
    endsSequence: true,
  },
  {
    reason: "columns of compiled-in kinds have no description",
    at: /columnDefinitions\.\d+\.description$/,
    ours: /^""$|JSONPath/,
  },
  {
    reason: "the finalizer of a Namespace is the server's own: no other is taken, and its creator owns it",
    request: /v1\/namespaces(\/\{ns\}-x|\/space|\?| |$)/,
    at: /spec\.finalizers|f:spec$|f:spec\.f:finalizers/,
  },
  {
    reason: "the finalizer of a Namespace stays its creator's when a client leaves it out",
    request: /^PUT \S+\/namespaces\/\{ns\}-x/,
    at: /metadata\.resourceVersion$/,
    endsSequence: true,
  },
  {
    reason:
      "nobody schedules Pods here: admission gives them no priority and no tolerations of failing Nodes",
    request: /\/pods/,
    at: /\bspec\.(preemptionPolicy|priority|tolerations)$/,
    ours: /^undefined$/,
  },
];

/** The entry that explains a difference; undefined = nobody expected it. */
export function explanationOf(
  step: Step,
  earlier: readonly Step[],
  { at, real, ours }: Difference,
): Explanation | undefined {
  const text = (value: unknown) => String(JSON.stringify(value));
  return EXPLAINED.find(
    (one) =>
      (one.request?.test(stepText(step)) ?? true) &&
      (one.after === undefined || earlier.some((before) => one.after?.test(stepText(before)))) &&
      (one.at?.test(at) ?? true) &&
      (one.real?.test(text(real)) ?? true) &&
      (one.ours?.test(text(ours)) ?? true),
  );
}
