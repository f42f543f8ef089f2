import type { ErrorBody } from "../../api/error.ts";
import { Foreign } from "./foreign.tsx";

const TITLES: ReadonlyMap<number, string> = new Map([
  [0, "Not reachable"],
  [400, "Cannot be read"],
  [401, "Not signed in"],
  [403, "Not allowed"],
  [404, "Not there"],
  [412, "Changed meanwhile"],
  [429, "Too many requests"],
  [503, "Not available"],
]);

/** Says what is wrong and what to do. */
export function Problem({ error }: { readonly error: ErrorBody }) {
  return (
    <div class="say" role="status">
      <p>
        <b>{TITLES.get(error.status) ?? "Failed"}.</b> <Foreign text={sentence(error.message)} />
      </p>
      {error.next !== "" && (
        <p>
          <Foreign text={sentence(error.next)} />
        </p>
      )}
    </div>
  );
}

/** Turns `the console does not answer` into `The console does not answer.` */
function sentence(text: string): string {
  const trimmed = text.trim();
  return `${trimmed.slice(0, 1).toUpperCase()}${trimmed.slice(1)}${/[.!?]$/.test(trimmed) ? "" : "."}`;
}
