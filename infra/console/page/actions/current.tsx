import { Age } from "../parts/age.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { counted } from "../text/amounts.ts";

/** Shows how a key, a letter, a group or a function is now, from a refusal: its members depend on the action. */
export function Current({ of }: { readonly of: unknown }) {
  const { state, since, deadSince, times, paused, count } = (of ?? {}) as {
    readonly [name: string]: unknown;
  };
  if (typeof paused === "boolean") return paused ? "It is paused." : "It is not paused.";
  if (typeof count === "number") return `There are ${counted(count, "letter")} now.`;
  if (typeof deadSince === "string")
    return (
      <>
        It died <Age since={deadSince} /> ago
        {typeof times === "number" && `, ${counted(times, "time")} in all`}.
      </>
    );
  if (typeof state === "string")
    return (
      <>
        It is <Foreign text={state} maxChars={40} />
        {typeof since === "string" && (
          <>
            {" "}
            for <Age since={since} />
          </>
        )}
        .
      </>
    );
  return "It is not there any more.";
}
