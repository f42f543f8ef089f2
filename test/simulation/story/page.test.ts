import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { chosen } from "./choice.ts";
import { storyOf } from "./lines.ts";
import { storyPage } from "./page.ts";

const LINES = storyOf(
  [
    "relay starts",
    "0 relay request 127.0.0.1:6443 GET /api",
    "1500 worker-1 ledger finish default/c1|Cluster|default/p1 ok <x>",
    "X-22 strikes at somewhere",
    "violated: F-07: in vain",
    "61000 worker-1 store get Node",
    "violated: F-02: again",
  ],
  { uids: new Map(), servers: new Map() },
  new Map([["X-22", "an answer is lost"]]),
);
const PAGE = storyPage("seed 7", LINES, new Set(LINES.filter(({ isMain }) => isMain)));

/** As much of an element as a page of rows and fields has. */
class Element {
  value = "";
  checked = false;
  hidden = false;
  textContent: string | null;
  isInView = false;
  readonly dataset: { readonly [name: string]: string | undefined };
  readonly #names: Set<string>;
  readonly #listeners = new Map<string, () => void>();

  constructor(text: string, names: readonly string[], dataset: Element["dataset"]) {
    this.textContent = text;
    this.#names = new Set(names);
    this.dataset = dataset;
  }

  get classList() {
    const names = this.#names;
    return {
      contains: (name: string) => names.has(name),
      add: (name: string) => void names.add(name),
      remove: (name: string) => void names.delete(name),
    };
  }

  addEventListener(type: string, listener: () => void): void {
    this.#listeners.set(type, listener);
  }

  scrollIntoView(): void {
    this.isInView = true;
  }

  dispatch(type: string): void {
    this.#listeners.get(type)?.();
  }
}

/** The page as a browser has it, with its own script at work. */
function browse() {
  const rows = [
    ...PAGE.matchAll(/<div class="(row[^"]*)" data-kind="(\w+)" data-at="(\d+)">(.*)<\/div>/g),
  ].map(
    ([, names = "", kind, at, inner = ""]) =>
      new Element(inner.replace(/<[^>]*>/g, " "), names.split(" "), { kind, at }),
  );
  const boxes = [...PAGE.matchAll(/<input type="checkbox" checked data-kind="(\w+)">/g)].map(([, kind]) =>
    Object.assign(new Element("", [], { kind }), { checked: true }),
  );
  const fields = new Map(
    [...PAGE.matchAll(/<\w+ id="(\w+)"/g)].map(([, id = ""]) => [id, new Element("", [], {})]),
  );
  const document = {
    getElementById: (id: string) => fields.get(id) ?? null,
    querySelectorAll: (selector: string) => (selector === ".row" ? rows : boxes),
  };
  const [, script = ""] = /<script>([\s\S]*)<\/script>/.exec(PAGE) ?? [];
  runInNewContext(script, { document });
  const set = (id: string, change: Partial<Pick<Element, "value" | "checked">>): void => {
    const field = fields.get(id);
    Object.assign(field ?? {}, change);
    field?.dispatch("input");
  };
  const shown = (): readonly number[] => rows.flatMap((row, index) => (row.hidden ? [] : [index]));
  return { rows, boxes, fields, set, shown };
}

describe("the page of a seed", () => {
  it("has a lane per process, in the order of their first step, on one time line", () => {
    expect(PAGE).toContain("<span>relay</span><span>worker-1</span>");
    expect(PAGE).toContain(
      `<time>0:00:01.500</time><b style="grid-column:3">finish default/c1|Cluster|default/p1 ok &lt;x&gt;</b>`,
    );
  });

  it("shows faults with their titles and violations across all lanes", () => {
    expect(PAGE).toContain(`<b class="all">X-22 (an answer is lost) strikes at somewhere</b>`);
    expect(PAGE).toContain(`<time>0:00:01.500</time><b class="all">violated: F-07: in vain</b>`);
  });

  it("begins with the lines of the story, and shows all lines on request", () => {
    const { set, shown, fields } = browse();
    expect(shown()).toEqual([0, 2, 3, 4, 6]);
    expect(fields.get("shown")?.textContent).toBe("5 of 7 lines");
    set("all", { checked: true });
    expect(shown()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it("finds words in all lines, whatever their case", () => {
    const { set, shown } = browse();
    set("search", { value: "NODE get" });
    expect(shown()).toEqual([5]);
    set("search", { value: "default/p1" });
    expect(shown()).toEqual([2]);
    set("search", { value: "" });
    expect(shown()).toEqual([0, 2, 3, 4, 6]);
  });

  it("shows what happened in a time", () => {
    const { set, shown } = browse();
    set("all", { checked: true });
    set("from", { value: "0:01" });
    expect(shown()).toEqual([2, 3, 4, 5, 6]);
    set("to", { value: "0:00:59.9" });
    expect(shown()).toEqual([2, 3, 4]);
    set("from", { value: "nonsense" });
    expect(shown()).toEqual([0, 1, 2, 3, 4]);
  });

  it("hides kinds of lines", () => {
    const { boxes, shown } = browse();
    const ledger = boxes.find(({ dataset }) => dataset["kind"] === "ledger");
    Object.assign(ledger ?? {}, { checked: false });
    ledger?.dispatch("input");
    expect(shown()).toEqual([0, 3, 4, 6]);
  });

  it("jumps from violation to violation, and begins again", () => {
    const { rows, fields, set } = browse();
    const jump = () => fields.get("jump")?.dispatch("click");
    const here = () => rows.findIndex((row) => row.classList.contains("here"));
    set("to", { value: "0" });
    const places = [jump, jump, jump].map((next) => {
      next();
      return here();
    });
    expect(places).toEqual([4, 6, 4]);
    expect([rows[4]?.isInView, rows[4]?.hidden, rows[6]?.isInView]).toEqual([true, false, true]);
    expect(fields.get("jump")?.hidden).toBe(false);
  });

  it("begins with the hundred lines before a violation, too, as the command does", () => {
    expect(chosen(LINES, {}).map((line) => LINES.indexOf(line))).toEqual([0, 1, 2, 3, 4, 6]);
  });
});
