import { useState } from "preact/hooks";
import { Foreign } from "./foreign.tsx";

/** Commands that show or do the same, to be copied. */
export function Commands({ commands }: { readonly commands: readonly string[] }) {
  return (
    <ul class="sheet commands">
      {commands.map((command) => (
        <Command key={command} text={command} />
      ))}
    </ul>
  );
}

function Command({ text }: { readonly text: string }) {
  const [isCopied, copied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    copied(true);
    setTimeout(() => copied(false), 2_000);
  };
  return (
    <li>
      <code>
        <Foreign text={text} maxChars={1_000} />
      </code>
      <button type="button" class="plain" onClick={() => void copy()}>
        {isCopied ? "Copied" : "Copy"}
      </button>
    </li>
  );
}
