/** Namespaces whose Clusters a person sees. */
export type Sight = "all" | ReadonlySet<string>;

/** Deeds that a person needs a right for. `try` changes nothing, so it needs no --actions. */
export type Right = "requeue" | "drop" | "pause" | "try";

/** The person behind a request, with the rights that the API server has confirmed within the last 60 s. */
export interface Viewer {
  /** The name as in the log and in causes. */
  readonly name: string;
  readonly by: "code" | "token";
  /** The token for live reads, never for an answer or the log; undefined with a code: the process's account reads. */
  readonly token: string | undefined;
  /** When the session ends at the latest. */
  readonly until: Date | undefined;
  readonly sight: Sight;
  /** `at` is a namespace, or of `pause` the name of a function; undefined: all of them. */
  may(right: Right, at: string | undefined): Promise<boolean>;
}

export function sees({ sight }: Pick<Viewer, "sight">, namespace: string): boolean {
  return sight === "all" || sight.has(namespace);
}
