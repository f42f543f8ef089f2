/*
 * The script of a seed's page in a browser. `page.ts` puts the text of `controls` into the page: it must be complete by
 * itself, and use nothing from outside but its argument.
 */

/** The parts of an element that the page needs. */
interface PageElement {
  value: string;
  checked: boolean;
  hidden: boolean;
  textContent: string | null;
  readonly dataset: { readonly [name: string]: string | undefined };
  readonly classList: {
    contains(name: string): boolean;
    add(name: string): void;
    remove(name: string): void;
  };
  addEventListener(type: string, listener: () => void): void;
  scrollIntoView(options?: object): void;
}

/** The parts of a document that the page needs. */
export interface Page {
  getElementById(id: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/** Search, time range, kinds, and jumps from violation to violation. */
export function controls(page: Page): void {
  const rows = [...page.querySelectorAll(".row")];
  const violations = rows.filter((row) => row.classList.contains("violation"));
  const boxes = [...page.querySelectorAll("input[data-kind]")];
  const field = (id: string): PageElement => {
    const found = page.getElementById(id);
    if (found === null) throw new Error(`bug: the page has no ${id}`);
    return found;
  };
  const [search, from, to, all] = [field("search"), field("from"), field("to"), field("all")];
  const [shown, jump] = [field("shown"), field("jump")];
  const texts = rows.map((row) => (row.textContent ?? "").toLowerCase());
  let at = -1;

  /** Milliseconds of 1:02:03.5, 2:03 or 3.5; otherwise what is given. */
  const timeIn = (text: string, otherwise: number): number => {
    const parts = text.trim().split(":");
    const seconds = parts.reduce((sum, part) => sum * 60 + Number(part), 0);
    return text.trim() === "" || Number.isNaN(seconds) ? otherwise : Math.round(seconds * 1_000);
  };
  const apply = (): void => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fromMs = timeIn(from.value, 0);
    const toMs = timeIn(to.value, Number.POSITIVE_INFINITY);
    const kinds = new Set(boxes.filter(({ checked }) => checked).map(({ dataset }) => dataset["kind"]));
    let count = 0;
    for (const [index, row] of rows.entries()) {
      const atMs = Number(row.dataset["at"]);
      const isChosen = all.checked || words.length > 0 || row.classList.contains("main");
      row.hidden = !(
        isChosen &&
        kinds.has(row.dataset["kind"]) &&
        atMs >= fromMs &&
        atMs <= toMs &&
        words.every((word) => texts[index]?.includes(word) === true)
      );
      if (!row.hidden) count += 1;
    }
    shown.textContent = `${count} of ${rows.length} lines`;
  };
  for (const each of [search, from, to, all, ...boxes]) each.addEventListener("input", apply);
  jump.hidden = violations.length === 0;
  jump.addEventListener("click", () => {
    violations[at]?.classList.remove("here");
    at = (at + 1) % violations.length;
    const violation = violations[at];
    if (violation === undefined) return;
    violation.hidden = false;
    violation.classList.add("here");
    violation.scrollIntoView({ block: "center" });
  });
  apply();
}
