import { Dialog } from "./dialog.tsx";
import { KEYS } from "./keys.ts";

/** Lists the keys of the page. */
export function Help({ close }: { readonly close: () => void }) {
  return (
    <Dialog title="Keys" close={close}>
      <h2>Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>{keys.split(" ").map((key) => (key === "" ? null : <kbd key={key}>{key}</kbd>))}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
