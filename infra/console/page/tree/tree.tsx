import { useRef, useState } from "preact/hooks";
import type { Explained } from "../../api/explained.ts";
import { useRoute } from "../data/hooks.ts";
import { useNarrow, useRowWindow } from "../list/screen.ts";
import { PlaceLink } from "../parts/links.tsx";
import { Age, Foreign, Mark } from "../parts/text.tsx";
import { hrefOf, hrefOfChildren, pathOf, placeOfText } from "../place/place.ts";
import { counted, countText } from "../text/words.ts";
import { functionState } from "./function-state.ts";
import { type TreeRow, treeRows } from "./tree-rows.ts";

interface Props {
  readonly label: string;
  readonly root: Explained;
}

const ROW_PX = 30;
const NARROW_ROW_PX = 48;

/** The outline of an object: what belongs to it, and how each function stands, the worst first. */
export function Tree({ label, root }: Props) {
  const [folded, setFolded] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [showsIdle, showIdle] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const rowPx = useNarrow() ? NARROW_ROW_PX : ROW_PX;
  const rows = treeRows(root, { folded, showsIdle });
  const { first, end } = useRowWindow(list, rows.length, rowPx);
  const within = namespaceOf(root);
  const fold = (id: string, isOpen: boolean) => setFolded((before) => new Map(before).set(id, isOpen));
  return (
    <div class="sheet tree">
      <div
        ref={list}
        role="treegrid"
        aria-label={label}
        aria-rowcount={rows.length}
        style={{ height: `${rows.length * rowPx}px` }}
      >
        <div style={{ transform: `translateY(${first * rowPx}px)` }} role="presentation">
          {rows.slice(first, end).map((row, at) => (
            <div
              key={row.id}
              role="row"
              aria-rowindex={first + at + 1}
              aria-level={row.level}
              aria-expanded={row.type === "object" && !row.isLeaf ? row.isOpen : undefined}
              class={`row ${row.type}`}
              tabIndex={first + at === 0 ? 0 : -1}
              data-row=""
              onKeyDown={(event) => foldByKey(event, row, fold)}
            >
              <span role="gridcell" class="what" style={{ paddingInlineStart: `${(row.level - 1) * 20}px` }}>
                <What row={row} within={within} fold={fold} showIdle={() => showIdle(true)} />
              </span>
              <span role="gridcell" class="how">
                <How row={row} />
              </span>
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

type Fold = (id: string, isOpen: boolean) => void;

/** Returns `default/`: objects below the root are in its namespace, which would stand in each row. */
function namespaceOf({ object }: Explained): string {
  return /^\S+ ([^\s/]+\/)/.exec(object)?.[1] ?? "";
}

function foldByKey(event: KeyboardEvent, row: TreeRow, fold: Fold): void {
  if (row.type !== "object" || row.isLeaf || (event.key !== "ArrowLeft" && event.key !== "ArrowRight"))
    return;
  fold(row.id, event.key === "ArrowRight");
  event.preventDefault();
}

function What({
  row,
  within,
  fold,
  showIdle,
}: {
  readonly row: TreeRow;
  /** The beginning that names are shown without. */
  readonly within: string;
  readonly fold: Fold;
  readonly showIdle: () => void;
}) {
  switch (row.type) {
    case "object":
      return (
        <>
          <Toggle row={row} fold={fold} />
          <Mark of={row.mark} />
          <ObjectName text={row.node.object} within={row.level === 1 ? "" : within} />
        </>
      );
    case "function":
      return (
        <>
          <span class="toggle" />
          <Mark of={functionState(row.fn).mark} />
          <a class="function" href={pathOf("queue", row.fn.function)}>
            <Foreign text={row.fn.function} />
          </a>
        </>
      );
    case "idle":
      return (
        <>
          <span class="toggle" />
          <button type="button" class="plain" onClick={showIdle}>
            {idleText(row)}
          </button>
        </>
      );
    case "more":
      return (
        <>
          <span class="toggle" />
          <Mark of={row.more.state === "ready" ? "healthy" : "waiting"} bare />
          <LeftOut row={row} />
        </>
      );
    default:
      return row satisfies never;
  }
}

function idleText({ count, isKnown }: Extract<TreeRow, { type: "idle" }>): string {
  if (!isKnown) return `Of ${counted(count, "function")} it is not known what they would do now`;
  return count === 1 ? "1 function has nothing to do" : `${count} functions have nothing to do`;
}

/** Objects that the tree counts only: they have a page of their own. */
function LeftOut({ row: { more, of } }: { readonly row: Extract<TreeRow, { type: "more" }> }) {
  const place = placeOfText(of);
  const hasPage = useRoute("GET /objects/{kind}/{namespace}/{name}/children");
  const text = <Foreign text={leftOutText(more)} />;
  if (place === undefined || hasPage !== true) return <span class="muted">{text}</span>;
  return <a href={hrefOfChildren(place, more)}>{text}</a>;
}

/** Returns `983 Machines ready`, `37 more Machines`. */
function leftOutText({ kind, state, count }: Explained["more"][number]): string {
  return state === "ready"
    ? `${counted(count, kind)} ready`
    : `${countText(count)} more ${count === 1 ? kind : `${kind}s`}`;
}

function Toggle({ row, fold }: { readonly row: Extract<TreeRow, { type: "object" }>; readonly fold: Fold }) {
  if (row.isLeaf) return <span class="toggle" />;
  return (
    <button
      type="button"
      class="toggle"
      tabIndex={-1}
      aria-label={row.isOpen ? "Fold" : "Unfold"}
      onClick={() => fold(row.id, !row.isOpen)}
    >
      <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
        <path
          d={row.isOpen ? "M1.5 3 5 7l3.5-4" : "M3 1.5 7 5 3 8.5"}
          fill="none"
          stroke="currentColor"
          stroke-width="1.6"
        />
      </svg>
    </button>
  );
}

/** Shows `MachinePool p1`, the kind apart. */
function ObjectName({ text, within }: { readonly text: string; readonly within: string }) {
  const place = placeOfText(text);
  const [kind = "", name = ""] = place === undefined ? [text] : text.split(" ");
  return (
    <span class="object-name">
      <small>
        <Foreign text={kind} />
      </small>{" "}
      {place !== undefined && (
        <a href={hrefOf(place)}>
          <Foreign text={name.startsWith(within) ? name.slice(within.length) : name} />
        </a>
      )}
    </span>
  );
}

function How({ row }: { readonly row: TreeRow }) {
  if (row.type === "object") return <Facts row={row} />;
  if (row.type !== "function") return null;
  const { mark, text, since, place, placeText } = functionState(row.fn);
  return (
    <>
      <span class={mark === "dead" || mark === "failing" ? "bad" : ""}>
        <Foreign text={text} />
      </span>
      {placeText !== undefined && place !== undefined && <PlaceLink text={placeText} place={place} />}
      {since !== undefined && (
        <span class="muted">
          <Age since={since} />
        </span>
      )}
    </>
  );
}

function Facts({ row }: { readonly row: Extract<TreeRow, { type: "object" }> }) {
  const { phase, nodes, deletingSince, problem, conditions } = row.node;
  const [worst] = conditions;
  return (
    <>
      {phase !== undefined && <Foreign text={phase} maxChars={40} />}
      {nodes !== undefined && (
        <span class="muted">
          <Foreign text={nodes} maxChars={40} /> Nodes
        </span>
      )}
      {deletingSince !== undefined && (
        <span>
          being deleted for <Age since={deletingSince} />
        </span>
      )}
      {problem !== undefined && (
        <span class="warn">
          <Foreign text={problem} />
        </span>
      )}
      {worst !== undefined && (
        <span class="muted">
          <Foreign
            text={`${worst.type} ${worst.status}${worst.message === "" ? "" : `: ${worst.message}`}`}
          />
          {conditions.length > 1 && ` and ${counted(conditions.length - 1, "more condition")}`}
        </span>
      )}
    </>
  );
}
