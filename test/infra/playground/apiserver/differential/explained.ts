import type { Difference } from "./difference.ts";
import { type Step, stepText } from "./step.ts";

/**
 * A difference that stays, with the reason. Every pattern given must match; a long run fails for an entry it never met.
 */
export interface Explanation {
  readonly reason: string;
  /** The request as `stepText` writes it. */
  readonly request?: RegExp;
  /** This request or an earlier one of the same sequence. */
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
    reason:
      "the real server stores an empty map or list of applied metadata as it was sent and drops it at the next write, which so makes a new version",
    request: /\/(gizmos|widgets)\//,
    after: / apply .*"(labels|annotations|finalizers|ownerReferences)":(\{\}|\[\]|null)/,
    at: /metadata\.resourceVersion$/,
    endsSequence: true,
  },
  {
    reason: "the metadata of an Event is checked by the real server only when everything else is right",
    request: /\/events/,
    at: /^body\.causes/,
    ours: /metadata\./,
  },
  {
    reason:
      "an empty map counts as absent here; where data are immutable, the real server distinguishes them",
    request: /\/(configmaps|secrets)\/.*"(data|binaryData)":\{(\}|"a":null)/,
    after: /"immutable":true/,
    real: /^undefined$|[dD]ata FieldValueForbidden/,
    endsSequence: true,
  },
  {
    reason: "the real server shows the selfLink of a request in a dry run, and forgets it otherwise",
    request: /dryRun=All.*"selfLink":"\/x"/,
    at: /^body\.metadata\.selfLink$/,
    ours: /^undefined$/,
  },
  {
    reason: "only the client is named as owner of a CustomResourceDefinition",
    request: /^GET \S+\/customresourcedefinitions\//,
    at: /managedFields\.kube-apiserver Update status /,
    ours: /^undefined$/,
  },
  {
    reason: "who scales owns the replicas as anyone who updates them: with a time, and in each version",
    after: /\/scale/,
    at: / Update scale \S+\.time$|^code$|^body\./,
    endsSequence: true,
  },
  {
    reason: "columns of compiled-in kinds have no description",
    request: /^GET \/api\/v1\/\S+ Table|^GET \/apis\/coordination\S+ Table/,
    at: /columnDefinitions\.\d+\.description$/,
    ours: /^""$/,
  },
];

/** The entry that explains a difference in the answer to the last of these requests; undefined = it is not expected. */
export function explanationOf(
  steps: readonly Step[],
  { at, real, ours }: Difference,
): Explanation | undefined {
  const requests = steps.map(stepText);
  const text = (value: unknown) => String(JSON.stringify(value));
  return EXPLAINED.find(
    (one) =>
      (one.request?.test(requests.at(-1) ?? "") ?? true) &&
      (one.after === undefined || requests.some((request) => one.after?.test(request))) &&
      (one.at?.test(at) ?? true) &&
      (one.real?.test(text(real)) ?? true) &&
      (one.ours?.test(text(ours)) ?? true),
  );
}
