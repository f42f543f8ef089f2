import { controls } from "./controls.ts";
import { type StoryLine, timeOf } from "./lines.ts";

/**
 * The story of a run as one HTML page without any dependency: a lane per process on one time line, faults and
 * violations across all lanes. It begins with the lines of the story; search, time range and boxes show others, and a
 * button goes from violation to violation. `isMain` says which lines it begins with.
 */
export function storyPage(title: string, lines: readonly StoryLine[], main: ReadonlySet<StoryLine>): string {
  const lanes = [...new Set(lines.flatMap(({ lane }) => lane ?? []))];
  const kinds = [...new Set(lines.map(({ kind }) => kind))];
  const boxes = kinds.map(
    (kind) => `<label><input type="checkbox" checked data-kind="${kind}">${kind}</label>`,
  );
  const columns = `8em repeat(${lanes.length}, minmax(14em, 1fr))`;
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title>
<style>
body{font:12px/1.4 ui-monospace,monospace;margin:0}
header{padding:.5em 1em;position:sticky;top:0;background:#fff;border-bottom:1px solid #ccc}
header label{margin-right:1em}
header input:not([type]){font:inherit;width:7em}header #search{width:20em}
.row,.lanes{display:grid;grid-template-columns:${columns};gap:0 .5em;padding:0 1em}
.row[hidden]{display:none}
.lanes{font-weight:bold;margin-top:.5em}
.row>*{overflow-wrap:anywhere;border-left:2px solid #ddd;padding-left:.4em}
.row>time{border:0;color:#666}
.request>b{border-color:#27c}.line>b{border-color:#2a5}.ledger>b{border-color:#a6a}.token>b{border-color:#c80}
.row>b{font-weight:normal}.all{grid-column:2/-1;border-color:#888;background:#eee}
.fault .all{background:#fe9}.violation .all{background:#f99}.here{outline:2px solid #c00}
</style>
<header><strong>${escaped(title)}</strong>
<div><label>search <input id="search" placeholder="p1 status"></label>
<label>from <input id="from" placeholder="0:12:00"></label><label>to <input id="to" placeholder="0:13:30.5"></label>
<label><input id="all" type="checkbox">all lines</label>
<button id="jump">next violation</button> <span id="shown"></span></div>
<div>${boxes.join("")}</div>
<div class="lanes"><span>time</span>${lanes.map((lane) => `<span>${escaped(lane)}</span>`).join("")}</div></header>
${lines.map((line) => rowOf(line, lanes, main.has(line))).join("\n")}
<script>(${controls.toString()})(document)</script>
</html>
`;
}

function rowOf({ atMs, lane, kind, text }: StoryLine, lanes: readonly string[], isMain: boolean): string {
  const time = `<time>${timeOf(atMs)}</time>`;
  const place = lane === undefined ? `class="all"` : `style="grid-column:${lanes.indexOf(lane) + 2}"`;
  const names = `row ${kind}${isMain ? " main" : ""}`;
  return `<div class="${names}" data-kind="${kind}" data-at="${atMs}">${time}<b ${place}>${escaped(text)}</b></div>`;
}

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
