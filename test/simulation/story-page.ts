/** One line of a trace, where it belongs on the page. */
interface Line {
  /** Simulated ms since the start of the run. */
  readonly atMs: number;
  /** The process; undefined: all of them, such as a fault. */
  readonly lane: string | undefined;
  /** `request`, `line`, `ledger`, …; `fault`, `violation` and `note` for what no process does. */
  readonly kind: string;
  readonly text: string;
}

const STEP = /^(\d+) (\S+) (\S+) (.*)$/;
const MARK = /^(?:(X-\d+) strikes|violated: )/;

/**
 * The trace of a run as one HTML page without any dependency: a lane per process on one time line, faults and
 * violations across all lanes. Kinds of lines are hidden and shown by their boxes.
 */
export function storyPage(title: string, trace: readonly string[]): string {
  const lines = linesOf(trace);
  const lanes = [...new Set(lines.flatMap(({ lane }) => lane ?? []))];
  const kinds = [...new Set(lines.map(({ kind }) => kind))];
  const boxes = kinds.map((kind) => `<label><input type="checkbox" checked id="${kind}">${kind}</label>`);
  const hidden = kinds.map((kind) => `body:has(#${kind}:not(:checked)) .${kind}{display:none}`);
  const columns = `7em repeat(${lanes.length}, minmax(14em, 1fr))`;
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title>
<style>
body{font:12px/1.4 ui-monospace,monospace;margin:0}
header{padding:.5em 1em;position:sticky;top:0;background:#fff;border-bottom:1px solid #ccc}
header label{margin-right:1em}
.row,.lanes{display:grid;grid-template-columns:${columns};gap:0 .5em;padding:0 1em}
.lanes{font-weight:bold;margin-top:.5em}
.row>*{overflow-wrap:anywhere;border-left:2px solid #ddd;padding-left:.4em}
.row>time{border:0;color:#666}
.request>b{border-color:#27c}.line>b{border-color:#2a5}.ledger>b{border-color:#a6a}.token>b{border-color:#c80}
.row>b{font-weight:normal}.all{grid-column:2/-1;border-color:#888;background:#eee}
.fault .all{background:#fe9}.violation .all{background:#f99}
${hidden.join("\n")}
</style>
<header><strong>${escaped(title)}</strong><div>${boxes.join("")}</div>
<div class="lanes"><span>time</span>${lanes.map((lane) => `<span>${escaped(lane)}</span>`).join("")}</div></header>
${lines.map((line) => rowOf(line, lanes)).join("\n")}
</html>
`;
}

function linesOf(trace: readonly string[]): readonly Line[] {
  let atMs = 0;
  return trace.map((text) => {
    const [, at, lane, kind, what] = STEP.exec(text) ?? [];
    if (at === undefined || kind === undefined || what === undefined) {
      return { atMs, lane: undefined, kind: kindOfMark(text), text };
    }
    atMs = Number(at);
    return { atMs, lane, kind, text: what };
  });
}

function kindOfMark(text: string): string {
  const mark = MARK.exec(text);
  if (mark === null) return "note";
  return mark[1] === undefined ? "violation" : "fault";
}

function rowOf({ atMs, lane, kind, text }: Line, lanes: readonly string[]): string {
  const time = `<time>${(atMs / 1_000).toFixed(3)}</time>`;
  const place = lane === undefined ? `class="all"` : `style="grid-column:${lanes.indexOf(lane) + 2}"`;
  return `<div class="row ${kind}">${time}<b ${place}>${escaped(text)}</b></div>`;
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
