import { Foreign } from "./foreign.tsx";

/** Shows JSON to be read and copied; of a longer one the command line has the rest. */
export function Json({ text }: { readonly text: string }) {
  return (
    <pre class="json mono">
      <Foreign text={text} lines maxChars={20_000} />
    </pre>
  );
}
