/** Keys of the whole page. They work on what the document shows: every row, filter and tree row is marked there. */
export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["/", "filter the list"],
  ["Ctrl K", "find an object, a function, a letter or a run"],
  ["j  k", "next, previous row"],
  ["Enter", "open the row"],
  ["← →", "fold, unfold a row of a tree"],
  ["g f, g q, g d, g r", "go to fleet, queue, dead letters, relay"],
  ["Esc", "back to the list; close"],
  ["?", "this list"],
];

interface KeyTargets {
  readonly search: () => void;
  readonly help: () => void;
  readonly goTo: (href: string) => void;
}

const PAGES: { readonly [key: string]: string } = { f: "/", q: "/queue", d: "/letters", r: "/relay" };

/** Listens to the keys of the whole page; dialogs keep their keys. Returns what ends it. */
export function followKeys(targets: KeyTargets): () => void {
  let goes = false;
  const pressed = (event: KeyboardEvent) => {
    if (isFind(event)) return act(event, targets.search);
    if (event.ctrlKey || event.metaKey || event.altKey || isInDialog(event)) return;
    if (isTyping(event)) return leaveField(event);
    const page = goes ? PAGES[event.key] : undefined;
    goes = event.key === "g";
    if (page !== undefined) act(event, () => targets.goTo(page));
    else if (actOn(event, targets)) event.preventDefault();
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}

function isFind({ ctrlKey, metaKey, key }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && key.toLowerCase() === "k";
}

function act(event: KeyboardEvent, action: () => void) {
  event.preventDefault();
  action();
}

function leaveField({ key, target }: KeyboardEvent) {
  if (key === "Escape") (target as HTMLElement).blur();
}

function actOn(event: KeyboardEvent, { help }: KeyTargets): boolean {
  const isOnRow = event.target instanceof HTMLElement && event.target.dataset["row"] !== undefined;
  switch (event.key) {
    case "/":
      return focusOn(document.querySelector<HTMLElement>("[data-filter]"));
    case "?":
      help();
      return true;
    case "j":
      return step(1);
    case "k":
      return step(-1);
    case "ArrowDown":
      return isOnRow && step(1);
    case "ArrowUp":
      return isOnRow && step(-1);
    case "Enter":
      return isOnRow && openRow(event.target as HTMLElement);
    case "Escape":
      (document.activeElement as HTMLElement | null)?.blur();
      return true;
    default:
      return false;
  }
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select") !== null;
}

function isInDialog({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.closest("dialog") !== null;
}

function focusOn(element: HTMLElement | null | undefined): boolean {
  element?.focus();
  return element !== null && element !== undefined;
}

/** Moves the focus to the row before or behind the one that has it, or to the first on the screen. */
function step(by: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const first = rows.findIndex((row) => row.getBoundingClientRect().bottom > 0);
  const row = rows[at === -1 ? first : at + by];
  row?.scrollIntoView({ block: "nearest" });
  row?.focus({ preventScroll: true });
  return row !== undefined;
}

/** Follows the link of a row, or unfolds what it holds. */
function openRow(row: HTMLElement): boolean {
  const target = row.querySelector<HTMLElement>("a[href], summary, button");
  target?.click();
  return target !== null;
}
