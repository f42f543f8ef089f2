/** The time that is measured now. */
let shown: Promise<number> | undefined;

/**
 * Measures a page of the console from within, for the bench, as `window.times`. Times are in ms. A row counts as painted
 * in the task after the frame that follows its change of the document.
 */
const times = {
  /** Since the beginning of the visit; undefined until the fleet has rows. */
  rowsAtMs: undefined as number | undefined,
  longTasksMs: [] as number[],

  /** Bytes of everything that has been transferred, by kind; and the first paint. */
  visit() {
    const files = [
      ...performance.getEntriesByType("navigation"),
      ...performance.getEntriesByType("resource"),
    ] as unknown as readonly PerformanceResourceTiming[];
    const bytesOf = (some: readonly PerformanceResourceTiming[]) =>
      some.reduce((sum, { transferSize }) => sum + transferSize, 0);
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    return {
      paintMs: paint?.startTime ?? Number.NaN,
      rowsMs: times.rowsAtMs ?? Number.NaN,
      fileBytes: bytesOf(files.filter(({ name }) => !name.includes("/api/"))),
      bytes: bytesOf(files),
    };
  },

  toEnd: () => scrollTo(0, document.body.scrollHeight),

  nodes: () => document.querySelectorAll("*").length,

  /** Begins to measure from the next key until the fleet says that so many Clusters match. */
  awaitMatching(wanted: string): void {
    shown = timeSince("keydown", () => document.querySelector(".head .muted")?.textContent === wanted);
  },

  /** Begins to measure from the next click until an outline has rows. */
  awaitOutline(): void {
    shown = timeSince("click", () => document.querySelectorAll("[role=treegrid] .row").length > 1);
  },

  /** Resolves with what was begun. */
  shown: () => shown,
};

const HANG_MS = 30_000;

function timeSince(event: "keydown" | "click", isShown: () => boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`nothing was shown after ${event}`)), HANG_MS);
    let startedAtMs = Number.NaN;
    const note = ({ timeStamp }: Event): void => {
      startedAtMs = timeStamp;
    };
    addEventListener(event, note, { once: true, capture: true });
    const observer = new MutationObserver(() => {
      if (Number.isNaN(startedAtMs) || !isShown()) return;
      observer.disconnect();
      afterPaint(() => resolve(performance.now() - startedAtMs));
    });
    observer.observe(document, { childList: true, subtree: true, characterData: true });
  });
}

function afterPaint(call: () => void): void {
  requestAnimationFrame(() => setTimeout(call));
}

new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) times.longTasksMs.push(duration);
}).observe({ type: "longtask", buffered: true });
const untilRows = new MutationObserver(() => {
  if (document.querySelector(".grid .row") === null) return;
  untilRows.disconnect();
  afterPaint(() => {
    times.rowsAtMs = performance.now();
  });
});
untilRows.observe(document, { childList: true, subtree: true });
Object.assign(window, { times });
