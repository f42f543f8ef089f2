import { createHash } from "node:crypto";
import * as z from "zod";
import type { Kind } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { cachedAnswers } from "../../platform/cached-answers.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";

const TokenReview: Kind = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenReview",
  plural: "tokenreviews",
  namespaced: false,
};
export const SubjectAccessReview: Kind = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  namespaced: false,
};

/** Asks for the account that sends it. */
export const SelfSubjectAccessReview: Kind = {
  ...SubjectAccessReview,
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
};

const userSchema = z.object({
  username: z.string().min(1),
  uid: z.string().optional(),
  groups: z.array(z.string()).optional(),
  extra: z.record(z.string(), z.array(z.string())).optional(),
});
const tokenAnswerSchema = z.object({
  status: z.object({
    authenticated: z.boolean().default(false),
    user: userSchema.optional().catch(undefined),
  }),
});
const accessAnswerSchema = z.object({
  status: z.object({ allowed: z.boolean(), denied: z.boolean().default(false) }),
});

/** A user that the API server knows. */
export type User = z.infer<typeof userSchema>;

export type Reviewer = Pick<ServerClient, "review">;

/** A request, as a SubjectAccessReview names it. */
export interface ResourceAttributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly verb: string;
  /** The namespace; absent for all of them, or a resource without namespaces. */
  readonly namespace?: string;
  readonly name?: string;
}

/** Users and rights as the API server knows them. Rejects when it does not answer. */
export interface Reviews {
  /** Returns the user; undefined for a token that this API server does not accept, or no longer. */
  userOf(token: string): Promise<User | undefined>;
  /** Whether the user has the verb get on this nonResourceURL. */
  mayGet(user: User, path: string): Promise<boolean>;
  /** Whether the user may do this; undefined: the account of this process. */
  may(user: User | undefined, resource: ResourceAttributes): Promise<boolean>;
}

/** How long an answer counts, which bounds the requests of a scrape, and how long a revoked token still works. */
const ANSWER_MS = 10 * SECOND;
const MAX_ANSWERS = 1_000;

/** Asks by TokenReview and SubjectAccessReview, as Cluster API's manager does. Source: S-40 */
export function createReviews(client: Reviewer, clock: Clock): Reviews {
  const options = { cachedMs: ANSWER_MS, most: MAX_ANSWERS, clock };
  const users = cachedAnswers<User | undefined>(options);
  const rights = cachedAnswers<boolean>(options);
  /** The same question of the same user is asked once. */
  const ask = (user: User | undefined, attributes: object): Promise<boolean> => {
    const { username, ...more } = user ?? {};
    const spec = user === undefined ? attributes : { user: username, ...more, ...attributes };
    return rights(digestOf(JSON.stringify(spec)), async () => {
      const kind = user === undefined ? SelfSubjectAccessReview : SubjectAccessReview;
      const { status } = accessAnswerSchema.parse(await client.review(kind, spec));
      return status.allowed && !status.denied;
    });
  };
  return {
    userOf: (token) =>
      users(digestOf(token), async () => {
        const { status } = tokenAnswerSchema.parse(await client.review(TokenReview, { token }));
        return status.authenticated ? status.user : undefined;
      }),
    mayGet: (user, path) => ask(user, { nonResourceAttributes: { path, verb: "get" } }),
    may: (user, resourceAttributes) => ask(user, { resourceAttributes }),
  };
}

/** Returns a digest: neither tokens nor names of users are kept. */
function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
