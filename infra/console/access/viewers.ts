import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { MINUTE } from "../../../shared/function/backoff.ts";
import { KubeError, messageOf } from "../../../shared/function/errors.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { cachedAnswers } from "../../platform/cached-answers.ts";
import type { ResourceAttributes, Reviews, User } from "../../worker/diagnostics/reviews.ts";
import { problem } from "../problem.ts";
import type { Right, Sight, Viewer } from "../viewer.ts";

/** The credential by which a person was let in. */
export type Credential = { readonly by: "code" } | { readonly by: "token"; readonly token: string };

/** Persons by their credentials. */
export interface Viewers {
  /** Throws a Problem when the API server does not know the credential, gives it no right to look, or does not answer. */
  of(credential: Credential, until?: Date): Promise<Viewer>;
}

interface ViewersOptions {
  readonly reviews: Reviews;
  /** Name of the person who has the code: the one who has started this process. */
  readonly person: string;
  /** Whether actions are served: without it no person may change anything, whatever the API server allows. */
  readonly actions: boolean;
  /** Namespaces that hold Clusters. */
  readonly namespaces: () => Promise<readonly string[]>;
  /** Whether the data are of this management cluster. It is asked with the rights of each person. */
  readonly isOwnData?: (() => Promise<boolean>) | undefined;
  readonly clock: Clock;
}

/** How long a confirmed sight counts, which bounds how long a withdrawn right still works. */
const CONFIRMED_MS = MINUTE;
const MAX_KEPT = 1_000;
/** Reviews by namespace, for a person who may not list the Clusters of all. */
const MAX_NAMESPACES = 500;

/** Asks the API server what each person may see and do: nothing is decided here. */
export function createViewers(options: ViewersOptions): Viewers {
  const { reviews, person, actions, namespaces, isOwnData, clock } = options;
  const sights = cachedAnswers<Sight>({ cachedMs: CONFIRMED_MS, most: MAX_KEPT, clock });
  return {
    of: (credential, until) =>
      answered(async () => {
        const user = credential.by === "token" ? await userOf(reviews, credential.token) : undefined;
        const may: May = (attributes) => reviews.may(user, attributes);
        const name = user?.username ?? person;
        const sight = await sights(JSON.stringify(user ?? null), async () => {
          await refuseForeign(isOwnData);
          return reviewedSight(may, namespaces);
        });
        if (sight !== "all" && sight.size === 0) {
          const next = "bind a role with the verb list on clusters.cluster.x-k8s.io";
          throw problem("forbidden", `${shown(name)} may not list Clusters in any namespace`, next);
        }
        return {
          name: shown(name),
          by: credential.by,
          token: credential.by === "token" ? credential.token : undefined,
          until,
          sight,
          may: async (right, at) =>
            (actions || right === "try") && answered(() => may(attributesOf(right, at))),
        };
      }),
  };
}

type May = (attributes: ResourceAttributes) => Promise<boolean>;

async function userOf(reviews: Reviews, token: string): Promise<User> {
  const user = await reviews.userOf(token);
  if (user !== undefined) return user;
  throw problem(
    "unauthorized",
    "the API server does not accept the token",
    "log in with a token that is valid",
    { signIn: "token" },
  );
}

/** Rights of one management cluster show no data of another. A source that is away shows nothing new. */
async function refuseForeign(isOwnData: ViewersOptions["isOwnData"]): Promise<void> {
  const isOwn = await isOwnData?.().catch(() => undefined);
  if (isOwn !== false) return;
  throw problem("unavailable", "the queue of this console belongs to another management cluster", NAME_QUEUE);
}
const NAME_QUEUE = "start the console with the queue of its own cluster; its log names both clusters";

async function reviewedSight(may: May, namespaces: () => Promise<readonly string[]>): Promise<Sight> {
  if (await may(LOOKING)) return "all";
  const all = (await namespaces()).slice(0, MAX_NAMESPACES);
  const allowed = await Promise.all(all.map((namespace) => may({ ...LOOKING, namespace })));
  return new Set(all.filter((_, at) => allowed[at] === true));
}

/** Asks the API server: without an answer of the API server nothing is shown. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Error && error.name === "Problem") throw error;
    const why = shown(messageOf(error));
    const message = `the API server has not confirmed the rights of the viewer: ${why}`;
    const isAway = error instanceof KubeError && error.reason === "NoAnswer";
    throw problem("unavailable", message, isAway ? START : RETRY);
  }
}
const RETRY = "try again; the account of the console needs the ClusterRole system:auth-delegator";
const START = "start the API server if it has ended; it is asked again by itself";

const MAX_CHARS = 200;
/** Names and messages from outside: in one line of the log and of causes. */
function shown(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").slice(0, MAX_CHARS);
}

/** API group of the actions. No definition of it is installed: only roles name its resources. */
const ACTION_GROUP = "capstan.dev";

const REQUEUE = {
  group: ACTION_GROUP,
  resource: "deadletters",
  subresource: "requeue",
  verb: "create",
} as const;

/**
 * Requests that stand for each action in roles. A trial is for those who decide what to requeue: it takes a processor of
 * the console, and the place of others. Source: S-42
 */
export const ACTIONS = {
  requeue: REQUEUE,
  try: REQUEUE,
  drop: { group: ACTION_GROUP, resource: "deadletters", verb: "delete" },
  pause: { group: ACTION_GROUP, resource: "functions", subresource: "pause", verb: "update" },
} as const satisfies { readonly [R in Right]: ResourceAttributes };

/** The request that stands for looking: its namespaces are those that a person sees. */
export const LOOKING = {
  group: Cluster.group,
  resource: Cluster.plural,
  verb: "list",
} as const satisfies ResourceAttributes;

/** `at` is the namespace of a letter, or the name of a function to pause; undefined: all of them. */
function attributesOf(right: Right, at: string | undefined): ResourceAttributes {
  if (at === undefined) return ACTIONS[right];
  return { ...ACTIONS[right], ...(right === "pause" ? { name: at } : { namespace: at }) };
}
