import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Run } from "../../api/runs.ts";
import { Foreign } from "../parts/foreign.tsx";
import { hrefOf } from "../place/place.ts";
import { objectOfKey } from "../text/keys.ts";

type RunPlace = Run["caused"][number];

/** Chooses a run of the history on this page; false: another page has it. */
export const ChooseRun = createContext<(run: RunPlace) => boolean>(() => false);

/** Leads to a run before or behind another: on this page, where its history has it. */
export function RunLink({ run }: { readonly run: RunPlace }) {
  const choose = useContext(ChooseRun);
  return (
    <a
      href={hrefOf({ type: "run", ...run })}
      onClick={(event) => {
        if (choose(run)) event.preventDefault();
      }}
    >
      <Foreign text={`${run.function} for ${objectOfKey(run.key)}`} />
    </a>
  );
}
